"""Every check passes on a good dataset, and fails on one that is harmed in just its way."""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.stages import BuildResult
from outputs.dataset import OutputError, write_table
from outputs.manifest import read_manifest
from outputs.schemas import TABLES
from outputs.validation.checks import CHECKS, validate
from outputs.validation.expectations import ExpectationError, Expected, read_expectations
from outputs.validation.model import Severity, Validation
from parsers.scopes import SCOPES

BY_NAME = {table.name: table for table in TABLES}


@dataclass(frozen=True)
class Copy:
    """A copy of the good dataset that may be harmed."""

    folder: Path

    def read(self, table: str) -> pl.DataFrame:
        """Read a table."""
        return pl.read_parquet(self.folder / f"{table}.parquet")

    def write(self, table: str, frame: pl.DataFrame) -> None:
        """Write a table by hand, in step with the manifest, so that only its content is wrong."""
        path = self.folder / f"{table}.parquet"
        if frame.schema == BY_NAME[table].polars_schema and not any(
            frame[column.name].null_count() for column in BY_NAME[table].columns if not column.is_nullable
        ):
            entry = write_table(BY_NAME[table], frame, self.folder).model_dump()
        else:
            frame.write_parquet(path)
            entry = {"rows": frame.height}
        entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()

        def note(manifest: dict[str, Any]) -> None:
            next(each for each in manifest["files"] if each["name"] == path.name).update(entry)

        self.edit_manifest(note)

    def set(self, table: str, column: str, value: object, row: int = 0) -> None:
        """Put a value into one cell."""
        frame = self.read(table).with_row_index("at")
        kind = BY_NAME[table].polars_schema[column]
        cell = pl.when(pl.col("at") == row).then(pl.lit(value, dtype=kind)).otherwise(pl.col(column))
        self.write(table, frame.with_columns(cell.alias(column)).drop("at"))

    def edit_manifest(self, edit: Callable[[dict[str, Any]], object]) -> None:
        """Change the manifest by hand."""
        path = self.folder / "manifest.json"
        manifest = json.loads(path.read_text())
        edit(manifest)
        path.write_text(json.dumps(manifest))


@pytest.fixture
def copy(built: BuildResult, tmp_path: Path) -> Copy:
    shutil.copytree(built.out, tmp_path / "copy")
    return Copy(tmp_path / "copy")


def change_bytes(copy: Copy) -> None:
    with (copy.folder / "runs.parquet").open("ab") as file:
        file.write(b"x")


def lose_table(copy: Copy) -> None:
    (copy.folder / "ideas.parquet").unlink()


def edit_recipe(copy: Copy) -> None:
    next((copy.folder / "current_recipes").iterdir()).write_text("print('other')")


def forget_table(copy: Copy) -> None:
    copy.edit_manifest(lambda manifest: manifest["files"].pop(0))


def retype(copy: Copy) -> None:
    copy.write("cohorts", copy.read("cohorts").with_columns(pl.col("n").cast(pl.Int32)))


def drop_column(copy: Copy) -> None:
    copy.write("cohorts", copy.read("cohorts").drop("n"))


def swap_columns(copy: Copy) -> None:
    frame = copy.read("cohorts")
    copy.write("cohorts", frame.select(reversed(frame.columns)))


def miscount(copy: Copy) -> None:
    copy.edit_manifest(lambda manifest: manifest["files"][0].update(rows=3))


def repeat_row(copy: Copy) -> None:
    frame = copy.read("val_trajectories")
    copy.write("val_trajectories", pl.concat([frame.head(1), frame]))


def reverse_rows(copy: Copy) -> None:
    copy.write("variant_sources", copy.read("variant_sources").reverse())


def lose_run(copy: Copy) -> None:
    copy.write("experiments", copy.read("experiments").slice(1))


def call_hit_off(copy: Copy) -> None:
    row = copy.read("runs")["hit_target"].arg_max()
    copy.set("runs", "hit_target", False, row or 0)


def praise(copy: Copy) -> None:
    verdicts = copy.read("experiments")["verdict"].to_list()
    copy.set("experiments", "verdict", "improved", verdicts.index("regressed"))


def praise_without_hit(copy: Copy) -> None:
    verdicts = copy.read("experiments")["verdict"].to_list()
    copy.set("experiments", "verdict", "improved", verdicts.index("inconclusive"))


def hit_late(copy: Copy) -> None:
    row = copy.read("runs")["hit_target"].arg_max() or 0
    copy.set("runs", "step_to_3_28", copy.read("runs")["step_to_3_28"][row] + 125, row)


def finish_early(copy: Copy) -> None:
    frame = copy.read("experiments")
    row = frame["finished_at"].is_not_null().arg_max() or 0
    copy.set("experiments", "finished_at", frame["first_seen_at"][row] - timedelta(seconds=1), row)


def choose_twice(copy: Copy) -> None:
    links = copy.read("variant_links").with_columns(is_chosen=True)
    copy.write("variant_links", links)


def choose_none(copy: Copy) -> None:
    copy.write("variant_links", copy.read("variant_links").with_columns(is_chosen=False))


def forget_evidence(copy: Copy) -> None:
    copy.write("run_idea_links", copy.read("run_idea_links").with_columns(is_chosen=False))


def lose_input(copy: Copy) -> None:
    copy.edit_manifest(lambda manifest: manifest["balances"][0].update(parsed=0, quarantined=0, seen=1))


def lose_quarantine(copy: Copy) -> None:
    copy.write("quarantine", copy.read("quarantine").head(0))


def know_the_future(copy: Copy) -> None:
    frame = copy.read("snapshots")
    row = frame["future_improved_experiment_ids"].list.len().arg_max() or 0
    both = [*frame["prior_experiment_ids"][row], *frame["future_improved_experiment_ids"][row]]
    copy.set("snapshots", "prior_experiment_ids", sorted(both), row)


def lose_recipe(copy: Copy) -> None:
    def forget_one(manifest: dict[str, Any]) -> None:
        recipes = [each for each in manifest["texts"] if each["name"].startswith("current_recipes/")]
        manifest["texts"].remove(recipes[0])

    copy.edit_manifest(forget_one)


def add_file(copy: Copy) -> None:
    (copy.folder / "thesis.txt").write_text("x")


def lose_scope(copy: Copy) -> None:
    copy.edit_manifest(lambda manifest: manifest.update(missing_scopes=["v3/codex"]))


def empty_column(copy: Copy) -> None:
    copy.write("runs", copy.read("runs").with_columns(note=pl.lit(None, dtype=pl.String())))


def gain_quarantine(copy: Copy) -> None:
    rows = copy.read("quarantine")
    copy.write("quarantine", pl.concat([rows, rows.tail(1).with_columns(pl.col("byte_offset") + 1)]))


def lose_tier(copy: Copy) -> None:
    frame = copy.read("experiments")
    copy.write("experiments", frame.with_columns(variant_tier=pl.lit(None, dtype=pl.String())))


def count_another_file(copy: Copy) -> None:
    copy.edit_manifest(lambda manifest: manifest.update(num_files=manifest["num_files"] + 1))


def forget(column: str) -> Callable[[Copy], None]:
    def empty(copy: Copy) -> None:
        frame = copy.read("experiments")
        copy.write("experiments", frame.with_columns(pl.lit(None, frame.schema[column]).alias(column)))

    return empty


def lose_snapshot(copy: Copy) -> None:
    copy.write("snapshots", copy.read("snapshots").slice(1))


def cell(table: str, column: str, value: object, row: int = 0) -> Callable[[Copy], None]:
    return lambda copy: copy.set(table, column, value, row)


HARMS = [
    ("files", change_bytes, "runs.parquet"),
    ("files", lose_table, "missing"),
    ("files", edit_recipe, "current_recipes/"),
    ("files", forget_table, "not named"),
    ("types", retype, "Int32"),
    ("types", drop_column, "missing"),
    ("types", swap_columns, "Int64"),
    ("types", lose_table, "missing"),
    ("row_counts", miscount, "3"),
    ("nulls", cell("ideas", "title", None), "ideas.title"),
    ("nulls", cell("ideas", "aliases", [None]), "ideas.aliases"),
    ("allowed_values", cell("runs", "status", "fine"), "fine"),
    ("allowed_values", cell("quarantine", "reason", "bad luck"), "bad luck"),
    ("ranges", cell("val_trajectories", "step", -1), "-1"),
    ("ranges", cell("variant_links", "score", 1.5), "1.5"),
    ("ranges", cell("snapshots", "position", 6), "6"),
    ("finite", cell("runs", "train_time_s", float("nan")), "nan"),
    ("finite", cell("cohorts", "score", float("inf")), "inf"),
    ("keys", repeat_row, "val_trajectories"),
    ("row_order", reverse_rows, "variant_sources"),
    ("references", cell("experiments", "linked_idea_id", "codex--v1--ghost"), "codex--v1--ghost"),
    ("references", cell("ideas", "inspired_by_ids", ["codex--v1--ghost"]), "codex--v1--ghost"),
    ("one_row_a_run", lose_run, "runs"),
    ("outcomes", call_hit_off, "hit_target"),
    ("outcomes", praise, "regressed|improved"),
    ("outcomes", praise_without_hit, "improved"),
    ("crossings", hit_late, "first_crossing"),
    ("times", finish_early, "finished_at"),
    ("choices", choose_twice, "variant_links"),
    ("choices", choose_none, "variant_tier"),
    ("ideas", forget_evidence, "idea_id"),
    ("balance", lose_input, "seen"),
    ("balance", lose_quarantine, "in_quarantine"),
    ("snapshot_laws", know_the_future, "priors_came_before"),
    ("recipes", lose_recipe, "missing"),
    ("strange_files", add_file, "thesis.txt"),
    ("scopes", lose_scope, "v3/codex"),
    ("empty_columns", empty_column, "note"),
    ("expected_numbers", gain_quarantine, "quarantined as"),
    ("expected_numbers", lose_tier, "variant_tier is embedded"),
    ("expected_numbers", lose_run, "experiments of v1/claude-code|experiments of novelty/claude-code"),
    ("expected_numbers", count_another_file, "files of the archive"),
    ("usual_coverage", lose_tier, "at least 50.0%"),
]


def test_the_demo_keeps_every_promise(built: BuildResult) -> None:
    assert [(each.check.name, each.records()) for each in built.validation.results if each.offenders] == []
    assert built.validation.is_passed(is_strict=True)


def test_the_demo_is_an_archive_that_is_known(built: BuildResult) -> None:
    """Otherwise its numbers would be held against nothing."""
    assert read_expectations()["demo-small"].fingerprint == built.manifest.input_fingerprint


@pytest.mark.parametrize(("name", "harm", "shown"), HARMS, ids=lambda value: getattr(value, "__name__", None))
def test_a_harmed_dataset_fails_the_check(
    copy: Copy, name: str, harm: Callable[[Copy], None], shown: str
) -> None:
    assert validate(copy.folder).is_passed(is_strict=True)
    harm(copy)
    results = {each.check.name: each for each in validate(copy.folder).results}
    assert results[name].num_offenders
    told = json.dumps(results[name].records())
    assert any(word in told for word in shown.split("|")), told


def test_every_check_is_harmed_once(built: BuildResult) -> None:
    names = [each.check.name for each in built.validation.results]
    assert {name for name, _, _ in HARMS} == {*names}
    assert len(names) == len({*names}) > len(CHECKS)


def test_failing_rows_say_where_they_come_from(copy: Copy) -> None:
    copy.set("val_trajectories", "step", -1)
    copy.set("ideas", "title", None)
    results = {each.check.name: each for each in validate(copy.folder).results}
    assert results["ranges"].records()[0]["log_path"]
    assert results["nulls"].records()[0]["source_path"]


def test_warnings_fail_only_when_strict(copy: Copy) -> None:
    add_file(copy)
    validation = validate(copy.folder)
    assert validation.is_passed()
    assert not validation.is_passed(is_strict=True)
    assert [each.check.severity for each in validation.failing(Severity.WARNING)] == [Severity.WARNING]


def test_an_archive_that_is_not_known_is_only_warned_of(copy: Copy) -> None:
    gain_quarantine(copy)
    lose_tier(copy)
    copy.edit_manifest(lambda manifest: manifest.update(input_fingerprint="0" * 64))
    failing = {each.check.name for each in validate(copy.folder).results if each.offenders}
    assert "usual_coverage" in failing
    assert "expected_numbers" not in failing
    assert validate(copy.folder).is_passed()


def test_a_range_has_both_its_ends(copy: Copy) -> None:
    fingerprint = read_manifest(copy.folder).input_fingerprint
    for low, high, is_met in ((610, 610, True), (600, 610, True), (611, 700, False), (1, 609, False)):
        expected = Expected(fingerprint=fingerprint, rows={"runs": (low, high)})
        results = {each.check.name: each for each in validate(copy.folder, {"demo": expected}).results}
        assert (results["expected_numbers"].num_offenders == 0) is is_met


def test_a_table_that_cannot_be_read_harms_no_other_check(copy: Copy) -> None:
    (copy.folder / "experiments.parquet").write_bytes(b"PAR1 not at all")
    failing = {each.check.name for each in validate(copy.folder).results if each.offenders}
    assert {"files", "types"} <= failing


def test_what_is_no_dataset_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"holds no manifest\.json"):
        validate(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(OutputError, match="fields are wrong"):
        validate(tmp_path)


def unexpected(validation: Validation) -> dict[str, tuple[str, str]]:
    """What is not as expected, with what was expected and found."""
    found = {each.check.name: each for each in validation.results}["expected_numbers"].offenders
    return {what: rest for frame in found.values() for what, *rest in frame.iter_rows()}  # type: ignore[misc]


def test_a_section_is_chosen_by_name(copy: Copy) -> None:
    """The small demo keeps what holds at any size, and lacks what the public archive has more of."""
    validation = validate(copy.folder, expect="public")
    assert not validation.is_passed()
    assert {each.check.name for each in validation.failing(Severity.ERROR)} == {"expected_numbers"}
    found = unexpected(validation)
    scopes = {f"experiments of {scope}" for scope in SCOPES}
    tables = {f"rows of {name}" for name in ("experiments", "ideas", "proposals", "runs", "val_trajectories")}
    assert found.keys() == {"files of the archive", *tables, *scopes}
    assert [*found["rows of runs"]] == ["9861 to 10949", "610"]
    assert [*found["experiments of v3/codex"]] == ["2923 to 3286", "96"]
    promises = {each.check.name: each.check.promise for each in validation.results}
    assert promises["expected_numbers"] == "The archive gives the numbers committed for public."


@pytest.mark.parametrize(
    ("harm", "what", "expected"),
    [
        (lose_snapshot, "rows of snapshots", "40"),
        (forget("first_seen_at"), "experiments with first_seen_at", "at least 94.5%"),
        (forget("variant_tier"), "experiments with variant_tier", "at least 79.9%"),
        (forget("idea_tier"), "experiments with idea_tier", "at least 31.5%"),
    ],
)
def test_the_public_archive_is_expected_to_keep(
    copy: Copy, harm: Callable[[Copy], None], what: str, expected: str
) -> None:
    assert what not in unexpected(validate(copy.folder, expect="public"))
    harm(copy)
    assert unexpected(validate(copy.folder, expect="public"))[what][0] == expected


def test_the_ranges_of_the_public_archive_hold_what_is_published() -> None:
    public = read_expectations()["public"]
    assert public.fingerprint is None
    runs = dict(zip(map(str, SCOPES), (605, 2165, 81, 254, 459, 2729, 1059, 3076), strict=True))
    assert sum(runs.values()) == 10428
    published = {"ideas": 646, "proposals": 3249, "snapshots": 40, "val_trajectories": 337648}
    for bounds, counts in (
        (public.rows, {**published, "runs": 10380, "experiments": 10380}),
        (public.rows, {"runs": 10428, "experiments": 10428}),
        (public.scopes, runs),
        ({"files": public.files}, {"files": 74653}),
    ):
        for name, count in counts.items():
            bound = bounds[name]
            assert bound is not None
            low, high = (bound, bound) if isinstance(bound, int) else bound
            assert low <= count <= high, name


def test_a_dataset_is_held_against_the_section_it_was_built_for(copy: Copy) -> None:
    copy.edit_manifest(lambda manifest: manifest["settings"].update(expect="public"))
    assert "rows of runs" in unexpected(validate(copy.folder))
    assert unexpected(validate(copy.folder, expect="demo-small")) == {}


def test_an_unknown_section_is_refused_with_those_that_are_there(copy: Copy) -> None:
    with pytest.raises(ExpectationError, match="is called pubic: name any, public, demo-small or demo-full"):
        validate(copy.folder, expect="pubic")
    copy.edit_manifest(lambda manifest: manifest["settings"].update(expect="mine"))
    with pytest.raises(ExpectationError, match="is called mine"):
        validate(copy.folder)


def test_an_archive_without_a_section_says_so(copy: Copy) -> None:
    promises = {each.check.name: each.check.promise for each in validate(copy.folder, {}).results}
    assert promises["expected_numbers"].endswith("this one is not known.")
