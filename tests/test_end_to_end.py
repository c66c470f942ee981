"""The demo archive, built as a user builds it: equal to its gold, and the same bytes every time."""

import csv
import math
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import build_dataset
from linkers.outcomes.families import family_of
from outputs.manifest import read_manifest
from outputs.schemas import TABLES
from outputs.snapshots.laws import check_laws
from parsers.embedded_source import source_sha256
from parsers.run_ids import parse_run_id


def build(archive: Path, out: Path, workers: int = 1) -> Path:
    settings = BuildSettings(archive=str(archive), out=str(out), workers=workers)
    build_dataset(settings, QuietReporter(Console(file=None, quiet=True)))
    return out


@pytest.fixture(autouse=True, scope="module")
def _one_timestamp() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1777777777")
        yield


@pytest.fixture(scope="module")
def dataset(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(demo_archive, tmp_path_factory.mktemp("built") / "dataset")


def gold(archive: Path, name: str) -> list[dict[str, str]]:
    with (archive / "gold" / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> Mapping[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_every_run_is_there_once(demo_archive: Path, dataset: Path) -> None:
    wanted = {f"{row['agent']}--{row['wave']}--{row['run_id']}" for row in gold(demo_archive, "runs.csv")}
    found = pl.read_parquet(dataset / "runs.parquet")["experiment_id"]
    assert set(found) == wanted
    assert len(found) == len(wanted)


def test_every_trial_comes_out_as_gold_says(demo_archive: Path, dataset: Path) -> None:
    trajectories = pl.read_parquet(dataset / "val_trajectories.parquet")
    found = {
        (experiment_id, trial): rows
        for (experiment_id, trial), rows in trajectories.group_by(
            "experiment_id", "trial", maintain_order=True
        )
    }
    wanted = gold(demo_archive, "trials.csv")
    assert len(found) == len(wanted) > 500
    for row in wanted:
        rows = found[f"{row['agent']}--{row['wave']}--{row['run_id']}", int(row["trial"])]
        hits = rows.filter(pl.col("val_loss").is_finite() & (pl.col("val_loss") <= 3.28))["step"]
        assert rows.height == int(row["n_checkpoints"]), row
        assert (rows["step"][0], rows["step"][-1]) == (int(row["first_step"]), int(row["final_step"])), row
        assert (hits[0] if len(hits) else None) == (int(row["first_step_le_3_28"] or 0) or None), row
        assert_same(rows["val_loss"][-1], row["final_val_loss"])


def assert_same(value: float | None, text: str) -> None:
    if text == "":
        assert value is None
    else:
        assert value is not None
        assert value == float(text) or (math.isnan(value) and math.isnan(float(text)))


def test_runs_carry_the_outcome_of_their_first_trial(demo_archive: Path, dataset: Path) -> None:
    runs = {row["experiment_id"]: row for row in pl.read_parquet(dataset / "runs.parquet").to_dicts()}
    for row in gold(demo_archive, "runs.csv"):
        run = runs[f"{row['agent']}--{row['wave']}--{row['run_id']}"]
        if row["outcome_source"] != "log":
            continue
        for name in ("final_val_loss", "min_val_loss", "step_to_3_28", "final_step", "scheduled_steps"):
            assert_same(run[name], row[name])
        assert run["hit_target"] == (row["step_to_3_28"] != "")
        assert run["val_trajectory_count"] == int(row["n_trials"])


def test_launch_times_and_their_sources(demo_archive: Path, dataset: Path) -> None:
    runs = {row["experiment_id"]: row for row in pl.read_parquet(dataset / "runs.parquet").to_dicts()}
    sources = set()
    for row in gold(demo_archive, "runs.csv"):
        run = runs[f"{row['agent']}--{row['wave']}--{row['run_id']}"]
        source = "" if row["launched_at_source"] == "none" else row["launched_at_source"]
        assert (run["launched_at_source"] or "") == source, row
        stated = run["launched_at"].isoformat() if run["launched_at"] else ""
        assert stated[:19] == row["launched_at"][:19], row
        sources.add(source)
    assert sources >= {"", "log_header", "log_torch", "ledger", "ledger_date", "export"}


def test_printed_seeds(demo_archive: Path, dataset: Path) -> None:
    runs = {row["experiment_id"]: row for row in pl.read_parquet(dataset / "runs.parquet").to_dicts()}
    for row in gold(demo_archive, "runs.csv"):
        run = runs[f"{row['agent']}--{row['wave']}--{row['run_id']}"]
        printed = run["seed"] if run["seed_source"] == "log" else None
        assert printed == (int(row["seed"]) if row["seed"] else None), row


def test_variants_against_gold(demo_archive: Path, dataset: Path) -> None:
    """Precision of at least 0.995, recall of at least 0.97 of what gold calls knowable; each tier alone as well."""
    wanted = {
        f"{row['agent']}--{row['wave']}--{row['run_id']}": row for row in gold(demo_archive, "runs.csv")
    }
    runs = pl.read_parquet(dataset / "runs.parquet")
    found = {row["experiment_id"]: row for row in runs.to_dicts()}
    published = [(key, row["variant_path"]) for key, row in found.items() if row["variant_path"]]
    right = [key for key, path in published if path.endswith("/" + (wanted[key]["variant_path"] or "none"))]
    knowable = [key for key, row in wanted.items() if row["variant_knowable_by"]]
    assert len(right) / len(published) >= 0.995
    assert len(set(right) & set(knowable)) / len(knowable) >= 0.97
    links = pl.read_parquet(dataset / "variant_links.parquet").filter(pl.col("variant_path").is_not_null())
    for (tier,), rows in links.group_by("tier"):
        paths = zip(rows["experiment_id"], rows["variant_path"], strict=True)
        correct = sum(path.endswith("/" + (wanted[key]["variant_path"] or "none")) for key, path in paths)
        assert correct / rows.height >= 0.97, tier
    for key, row in wanted.items():
        assert (found[key]["recovered_source_sha256"] or "") in {row["source_sha256"], exported(found[key])}
        if row["source_sha256"] and found[key]["is_variant_drifted"] is not None:
            assert str(found[key]["is_variant_drifted"]).lower() == row["is_drifted"]


def exported(run: Mapping[str, object]) -> object:
    """The hash that only the export can know: gold speaks of logs alone."""
    return run["recovered_source_sha256"] if run["export_ids"] else ""


def test_recovered_sources_are_python_and_closed(dataset: Path) -> None:
    sources = pl.read_parquet(dataset / "variant_sources.parquet")
    runs = pl.read_parquet(dataset / "runs.parquet")
    assert set(runs["recovered_source_sha256"].drop_nulls()) == set(sources["sha256"])
    for sha256, text in sources.select("sha256", "source_text").iter_rows():
        assert source_sha256(text) == sha256
        compile(text, "<recovered>", "exec")


def test_every_write_up_is_there_once(demo_archive: Path, dataset: Path) -> None:
    ideas = {row["idea_id"]: row for row in pl.read_parquet(dataset / "ideas.parquet").to_dicts()}
    wanted = gold(demo_archive, "ideas.csv")
    assert ideas.keys() == {f"{row['agent']}--{row['wave']}--{row['slug']}" for row in wanted}
    for row in wanted:
        idea = ideas[f"{row['agent']}--{row['wave']}--{row['slug']}"]
        assert idea["source_path"].endswith(row["source_path"])
        assert words(idea["title"]) == words(row["title"])


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def test_planted_damage_is_in_quarantine(demo_archive: Path, dataset: Path) -> None:
    found = pl.read_parquet(dataset / "quarantine.parquet").select("path", "line").rows()
    wanted = [
        (row["path"], int(row["line"]) if row["line"] else None)
        for row in gold(demo_archive, "quarantine.csv")
    ]
    assert sorted(set(found), key=str) == sorted(set(wanted), key=str)


def test_the_manifest_adds_up(dataset: Path) -> None:
    manifest = read_manifest(dataset)
    assert all(balance.is_balanced for balance in manifest.balances)
    assert {entry.name for entry in manifest.files} == {f"{table.name}.parquet" for table in TABLES}
    for entry in manifest.files:
        assert pl.scan_parquet(dataset / entry.name).select(pl.len()).collect().item() == entry.rows
    assert manifest.missing_scopes == ()


@pytest.mark.parametrize("workers", [1, 2])
def test_the_same_archive_gives_the_same_bytes(
    demo_archive: Path, dataset: Path, tmp_path: Path, workers: int
) -> None:
    """Built again elsewhere, by more processes, from files with other times and another order on disk."""
    copy = tmp_path / "copy"
    for path in sorted(demo_archive.rglob("*"), reverse=True):
        if path.is_file():
            target = copy / path.relative_to(demo_archive)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            os.utime(target, (1, 1))
    assert contents(build(copy, tmp_path / "elsewhere" / "out", workers)) == contents(dataset)


def test_the_gold_is_never_read(demo_archive: Path, dataset: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(demo_archive, copy, ignore=shutil.ignore_patterns("gold"))
    without = contents(build(copy, tmp_path / "out"))
    assert {name for name, data in contents(dataset).items() if without[name] != data} == {"manifest.json"}


def test_prefect_writes_the_same_bytes(
    demo_archive: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    from prefect.testing.utilities import prefect_test_harness

    from flows.build import build as build_flow

    with prefect_test_harness(server_startup_timeout=120):
        result = build_flow(
            BuildSettings(archive=str(demo_archive), out=str(tmp_path / "out")), is_quiet=True
        )
    assert result.out == tmp_path / "out"
    assert contents(tmp_path / "out") == contents(dataset)


def test_forty_snapshots(dataset: Path) -> None:
    snapshots = pl.read_parquet(dataset / "snapshots.parquet")
    assert snapshots["split"].value_counts().sort("split").rows() == [("dev", 16), ("test", 24)]
    assert snapshots.group_by("agent", "wave").len()["len"].to_list() == [5] * 8
    assert snapshots["snapshot_id"].n_unique() == 40
    texts = {f"{name}.py" for name in snapshots["snapshot_id"]}
    assert {path.name for path in (dataset / "current_recipes").iterdir()} == texts
    listed = {Path(entry.name) for entry in read_manifest(dataset).texts}
    assert {path.name for path in listed if path.parent.name == "current_recipes"} == texts


def test_the_snapshots_keep_every_law(dataset: Path) -> None:
    tables = [pl.read_parquet(dataset / f"{name}.parquet") for name in ("experiments", "ideas", "snapshots")]
    assert check_laws(*tables) == []


def test_families_are_those_of_gold(demo_archive: Path, dataset: Path) -> None:
    """Runs of one family in gold are one family by name, and the other way round."""
    wanted: dict[tuple[str, str, str], set[str]] = {}
    found: dict[tuple[str, str, str], set[str]] = {}
    for row in gold(demo_archive, "runs.csv"):
        name, scope = row["run_id"], (row["agent"], row["wave"])
        wanted.setdefault((*scope, row["family"]), set()).add(name)
        found.setdefault((*scope, family_of(parse_run_id(name))), set()).add(name)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, wanted.values()))


def test_verdicts_follow_the_gold_steps(demo_archive: Path, dataset: Path) -> None:
    experiments = {
        row["experiment_id"]: row for row in pl.read_parquet(dataset / "experiments.parquet").to_dicts()
    }
    for row in gold(demo_archive, "runs.csv"):
        found = experiments[f"{row['agent']}--{row['wave']}--{row['run_id']}"]
        if row["outcome_source"]:
            step = int(row["step_to_3_28"]) if row["step_to_3_28"] else None
            assert found["step_to_3_28"] == step, row
            bounds = (step is not None, step is not None and step <= 3550, step is not None and step <= 3400)
            wanted = ("inconclusive", "regressed", "neutral", "improved")[sum(bounds)]
            assert found["verdict"] == wanted, row


def test_stated_rejections_and_parents_are_those_of_gold(demo_archive: Path, dataset: Path) -> None:
    """Gold dates a rejection by the day the idea was made; where no file states that day, ours is undated."""
    ideas = {row["idea_id"]: row for row in pl.read_parquet(dataset / "ideas.parquet").to_dicts()}
    dated = 0
    for row in gold(demo_archive, "ideas.csv"):
        idea = ideas[f"{row['agent']}--{row['wave']}--{row['slug']}"]
        parent = f"{row['agent']}--{row['wave']}--{row['parent_slug']}" if row["parent_slug"] else None
        assert idea["parent_idea_id"] == parent, row
        if row["rejection_class"]:
            assert row["rejection_class"] in idea["rejection_evidence_text"], row
        if (
            row["rejection_class"]
            and idea["rejection_class"] == row["rejection_class"]
            and idea["rejected_at"]
        ):
            assert str(idea["rejected_at"].date()) == row["rejected_at"], row
            dated += 1
        if row["first_seen_at"] and row["is_written_after_first_run"] == "false":
            assert str(idea["first_seen_at"].date()) <= row["first_seen_at"], row
    assert dated > 5
