"""The proposer's folder: what stands in it, and that nothing of what was tried or came later does."""

import ast
import shutil
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest

from outputs.schemas import TABLES, Kind
from scorers.candidates import parse_candidate
from scorers.workspace import (
    CANDIDATES,
    EXAMPLE,
    RECIPE_NAME,
    Standing,
    WorkspaceError,
    render_workspace,
    write_workspace,
)

CANARY = "yellow-canary"
ALLOWED_TEXT = ("snapshots", "wave_constraint")
ALLOWED_NUMBERS = ("field_best_step_to_3_28", "current_recipe_step_to_3_28")

KNOWN = "snap_claude-code_novelty_k0013"
"""A snapshot of the demo whose recipe's source is known."""

UNKNOWN = "snap_claude-code_novelty_k0022"
"""One whose recipe's source is not: the dataset's file names the run instead."""


@pytest.fixture(scope="module")
def dataset(built_dataset: Path) -> Path:
    return built_dataset


def contents(folder: Path) -> Mapping[str, bytes | None]:
    """What is in a folder: files with their bytes, and folders."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def snapshot_ids(dataset: Path) -> list[str]:
    return pl.read_parquet(dataset / "snapshots.parquet")["snapshot_id"].to_list()


def planted(frame: pl.DataFrame, table: str) -> pl.DataFrame:
    """Put a canary behind every text, alike for alike so that references hold, and change every number."""
    changed = []
    for name, kind in frame.schema.items():
        if (table, name) == ALLOWED_TEXT or name in ALLOWED_NUMBERS:
            continue
        if kind == pl.String:
            changed.append(pl.col(name) + f" {CANARY}")
        elif kind == pl.List(pl.String):
            changed.append(pl.col(name).list.eval(pl.element() + f" {CANARY}"))
        elif kind.is_numeric():
            changed.append(pl.col(name) + 7_777_777)
        elif kind == pl.Boolean:
            changed.append(~pl.col(name))
        elif isinstance(kind, pl.Datetime):
            changed.append(pl.col(name) + pl.duration(days=777))
    return frame.with_columns(changed)


@pytest.fixture(scope="module")
def canaries(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset with canaries in every text column of every table, and in every file but the recipes."""
    root = tmp_path_factory.mktemp("canaries") / f"dataset-{CANARY}"
    (root / "current_recipes").mkdir(parents=True)
    for table in TABLES:
        frame = pl.read_parquet(dataset / f"{table.name}.parquet")
        planted(frame, table.name).write_parquet(root / f"{table.name}.parquet")
    for recipe in (dataset / "current_recipes").iterdir():
        shutil.copyfile(recipe, root / "current_recipes" / f"{recipe.stem} {CANARY}.py")
    for name in ("README.md", "manifest.json", "report.html"):
        (root / name).write_text(CANARY, encoding="utf-8")
    return root


def test_canaries_sit_in_every_text_column_that_has_texts(dataset: Path, canaries: Path) -> None:
    without = set()
    for table in TABLES:
        before = pl.read_parquet(dataset / f"{table.name}.parquet")
        frame = pl.read_parquet(canaries / f"{table.name}.parquet")
        for column in table.columns:
            if column.kind not in (Kind.TEXT, Kind.TEXTS):
                continue
            old, new = (
                each[column.name].explode().drop_nulls()
                if column.kind is Kind.TEXTS
                else each[column.name].drop_nulls()
                for each in (before, frame)
            )
            assert len(old) == len(new)
            if not new.str.ends_with(CANARY).all():
                without.add((table.name, column.name))
    assert without == {ALLOWED_TEXT}


def test_a_workspace_is_the_same_whatever_else_the_dataset_holds(
    dataset: Path, canaries: Path, tmp_path: Path
) -> None:
    """Every text, number, time and flag differs between the two datasets, but those that are told."""
    for snapshot_id in snapshot_ids(dataset):
        write_workspace(dataset, snapshot_id, tmp_path / "plain" / snapshot_id)
        write_workspace(canaries, f"{snapshot_id} {CANARY}", tmp_path / "planted" / snapshot_id)
    assert len(contents(tmp_path / "plain")) > 40 * 3
    assert contents(tmp_path / "plain") == contents(tmp_path / "planted")
    for name, data in contents(tmp_path / "planted").items():
        assert CANARY not in name
        assert CANARY.encode() not in (data or b""), name


def test_recipes_of_other_snapshots_stay_out(dataset: Path, tmp_path: Path) -> None:
    shutil.copytree(dataset, tmp_path / "dataset")
    for recipe in (tmp_path / "dataset" / "current_recipes").iterdir():
        if recipe.stem != KNOWN:
            recipe.write_text(f"# {CANARY}\n", encoding="utf-8")
    write_workspace(tmp_path / "dataset", KNOWN, tmp_path / "out")
    write_workspace(dataset, KNOWN, tmp_path / "wanted")
    assert contents(tmp_path / "out") == contents(tmp_path / "wanted")


def test_what_the_author_wrote_into_the_best_variant_is_kept(dataset: Path, tmp_path: Path) -> None:
    """It is the one place through which texts of the archive reach a proposer, so a canary there is found."""
    shutil.copytree(dataset, tmp_path / "dataset")
    recipe = tmp_path / "dataset" / "current_recipes" / f"{KNOWN}.py"
    recipe.write_text(f"# {CANARY}\n", encoding="utf-8")
    write_workspace(tmp_path / "dataset", KNOWN, tmp_path / "out")
    found = {name for name, data in contents(tmp_path / "out").items() if CANARY.encode() in (data or b"")}
    assert found == {RECIPE_NAME}


def test_a_workspace_says_nothing_of_the_archive_in_its_own_words(dataset: Path, tmp_path: Path) -> None:
    """Ids, slugs, titles and files of the archive, as they are."""
    words = set()
    for table, columns in {
        "experiments": ("experiment_id", "run_id", "linked_variant_path", "recipe", "description_text"),
        "ideas": ("idea_id", "slug", "title", "proposal_text", "source_path"),
        "snapshots": ("snapshot_id", "agent"),
        "proposals": ("proposal_id", "variant_stem"),
    }.items():
        frame = pl.read_parquet(dataset / f"{table}.parquet")
        words |= {word for column in columns for word in frame[column].drop_nulls() if len(word) > 3}
    assert len(words) > 2_000
    for snapshot_id in snapshot_ids(dataset):
        write_workspace(dataset, snapshot_id, tmp_path / snapshot_id)
        text = (tmp_path / snapshot_id / "README.md").read_text(encoding="utf-8")
        rule = pl.read_parquet(dataset / "snapshots.parquet").filter(snapshot_id=snapshot_id)[
            "wave_constraint"
        ][0]
        own = text.replace(rule, "")
        assert not {word for word in words if word in own}, snapshot_id
        assert str(dataset) not in text


def test_what_stands_in_it(dataset: Path, tmp_path: Path) -> None:
    write_workspace(dataset, KNOWN, tmp_path / "out")
    assert contents(tmp_path / "out").keys() == {"README.md", RECIPE_NAME, CANDIDATES}
    row = pl.read_parquet(dataset / "snapshots.parquet").filter(snapshot_id=KNOWN).to_dicts()[0]
    text = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert row["wave_constraint"] in text
    assert f"needed so far: {row['field_best_step_to_3_28']}." in text
    assert f"needed {row['current_recipe_step_to_3_28']} steps." in text.replace("\n", " ")
    recipe = (tmp_path / "out" / RECIPE_NAME).read_text(encoding="utf-8")
    assert recipe == (dataset / "current_recipes" / f"{KNOWN}.py").read_text(encoding="utf-8")
    ast.parse(recipe)


def test_a_recipe_that_nobody_knows_is_not_named(dataset: Path, tmp_path: Path) -> None:
    told = (dataset / "current_recipes" / f"{UNKNOWN}.py").read_text(encoding="utf-8")
    assert "claude-code--novelty--" in told, "the dataset's file names the run"
    write_workspace(dataset, UNKNOWN, tmp_path / "out")
    assert contents(tmp_path / "out").keys() == {"README.md", CANDIDATES}
    assert "its source is not at hand" in (tmp_path / "out/README.md").read_text(encoding="utf-8")


def test_nothing_is_known_yet() -> None:
    texts = render_workspace(Standing("Anything goes.", None, None, None))
    assert texts.keys() == {"README.md"}
    assert "Nobody is known to have reached" in texts["README.md"]
    assert "No variant is known to have reached" in texts["README.md"]


def test_the_number_of_candidates_that_count_is_said() -> None:
    texts = render_workspace(Standing("Anything goes.", None, None, None), max_candidates=12)
    assert "At most 12 of them count" in texts["README.md"]
    assert all(line in texts["README.md"] for line in EXAMPLE.splitlines())


def test_the_example_is_a_candidate() -> None:
    found = parse_candidate(EXAMPLE)
    assert (found.title, found.invalid_reason) == ("A title that says what changes", None)


def test_a_folder_with_something_in_it_is_left_alone(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.txt").write_text("x")
    for folder in (tmp_path / "full", tmp_path / "full/thesis.txt"):
        with pytest.raises(WorkspaceError, match="is not empty"):
            write_workspace(dataset, KNOWN, folder)
    assert contents(tmp_path / "full") == {"thesis.txt": b"x"}
    (tmp_path / "empty").mkdir()
    write_workspace(dataset, KNOWN, tmp_path / "empty")


def test_a_folder_inside_the_dataset_is_refused(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(dataset)
    for folder in (dataset / "workspace", tmp_path / "link" / "workspace"):
        with pytest.raises(WorkspaceError, match="inside the dataset"):
            write_workspace(dataset, KNOWN, folder)
        assert not folder.exists()


def test_what_is_not_there_is_said(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=f"is no snapshot of .* close to it are {KNOWN}"):
        write_workspace(dataset, KNOWN.replace("k0013", "k13"), tmp_path / "out")
    with pytest.raises(WorkspaceError, match="is no folder: name the folder of a dataset"):
        write_workspace(tmp_path / "nothing", KNOWN, tmp_path / "out")
    shutil.copytree(dataset, tmp_path / "dataset")
    (tmp_path / "dataset/current_recipes" / f"{KNOWN}.py").unlink()
    with pytest.raises(WorkspaceError, match="build the dataset again"):
        write_workspace(tmp_path / "dataset", KNOWN, tmp_path / "out")
    assert not (tmp_path / "out").exists()
