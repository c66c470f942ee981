"""Release diffs: every kind of change is counted where it is, and equal datasets differ in nothing."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from outputs.dataset import OutputError
from outputs.release_diff import ChangedSnapshot, MovedLink, compare_datasets
from outputs.release_notes import MAX_LISTED, to_markdown
from outputs.schemas import EXPERIMENTS, SNAPSHOTS, TABLES, VAL_TRAJECTORIES, Table

AT = datetime(2026, 5, 1, tzinfo=UTC)


def row(table: Table, **values: object) -> dict[str, object]:
    """Make a row with something in every column."""
    some = {"String": "x", "Int64": 1, "Float64": 1.0, "Boolean": True}
    defaults = {
        name: AT if isinstance(kind, pl.Datetime) else some.get(str(kind), [])
        for name, kind in table.polars_schema.items()
    }
    return defaults | values


def write(folder: Path, **rows: list[dict[str, object]]) -> Path:
    folder.mkdir()
    (folder / "manifest.json").write_text("{}")
    for table in TABLES:
        frame = pl.DataFrame(rows.get(table.name, []), schema=table.polars_schema, orient="row")
        frame.write_parquet(folder / f"{table.name}.parquet")
    return folder


def test_equal_datasets_differ_in_nothing(tmp_path: Path) -> None:
    """NaN is NaN, null is null, and a list is its content."""
    rows = [
        row(VAL_TRAJECTORIES, step=step, val_loss=loss, train_time_s=None)
        for step, loss in enumerate((1.0, float("nan"), float("inf")))
    ]
    experiments = [row(EXPERIMENTS, parent_recipes=["a", "b"])]
    old = write(tmp_path / "old", val_trajectories=rows, experiments=experiments)
    new = write(tmp_path / "new", val_trajectories=rows[::-1], experiments=experiments)
    diff = compare_datasets(old, new)
    assert diff.is_same
    assert (diff.moved_links, diff.snapshots) == ((), ())
    assert {each.table for each in diff.tables} == {table.name for table in TABLES}
    assert "No row of any table differs." in to_markdown(diff)


def test_rows_are_counted_by_key_and_column(tmp_path: Path) -> None:
    def point(step: int, **values: object) -> dict[str, object]:
        return row(VAL_TRAJECTORIES, step=step, **values)

    old = write(tmp_path / "old", val_trajectories=[point(0), point(1), point(2), point(3)])
    changed = [point(1, val_loss=2.0), point(2, val_loss=float("nan"), train_time_s=None), point(3), point(4)]
    new = write(tmp_path / "new", val_trajectories=[*changed, point(5)])
    diff = compare_datasets(old, new)
    table = next(each for each in diff.tables if each.table == "val_trajectories")
    assert (table.old_rows, table.new_rows) == (4, 5)
    assert (table.added, table.removed, table.changed) == (2, 1, 2)
    assert table.changed_by_column == {"val_loss": 2, "train_time_s": 1}
    assert not diff.is_same
    assert "| val_trajectories | 4 | 5 | 2 | 1 | 2 | val_loss (2), train_time_s (1) |" in to_markdown(diff)


def test_links_that_moved_are_named(tmp_path: Path) -> None:
    def run(name: str, idea: str | None) -> dict[str, object]:
        return row(EXPERIMENTS, experiment_id=name, linked_idea_id=idea)

    old = write(
        tmp_path / "old", experiments=[run("a", "one"), run("b", None), run("c", "one"), run("d", "one")]
    )
    new = write(
        tmp_path / "new", experiments=[run("a", "two"), run("b", "one"), run("c", None), run("e", "one")]
    )
    assert compare_datasets(old, new).moved_links == (
        MovedLink(experiment_id="a", column="linked_idea_id", old="one", new="two"),
        MovedLink(experiment_id="b", column="linked_idea_id", old=None, new="one"),
        MovedLink(experiment_id="c", column="linked_idea_id", old="one", new=None),
    )
    assert "- `b` linked_idea_id: none to `one`" in to_markdown(compare_datasets(old, new))


def test_snapshots_that_changed_are_named(tmp_path: Path) -> None:
    def frozen(k: int, *priors: str) -> dict[str, object]:
        return row(SNAPSHOTS, agent="codex", wave="v1", k=k, snapshot_id=f"s{k}", prior_idea_ids=[*priors])

    old = write(tmp_path / "old", snapshots=[frozen(1, "a"), frozen(2, "a"), frozen(3)])
    new = write(tmp_path / "new", snapshots=[frozen(1, "a"), frozen(2, "a", "b"), frozen(4)])
    assert compare_datasets(old, new).snapshots == (
        ChangedSnapshot(snapshot_id="s2", change="changed", columns=("prior_idea_ids",)),
        ChangedSnapshot(snapshot_id="s3", change="removed"),
        ChangedSnapshot(snapshot_id="s4", change="added"),
    )


def test_tables_and_columns_come_and_go(tmp_path: Path) -> None:
    old, new = write(tmp_path / "old", experiments=[row(EXPERIMENTS)]), write(tmp_path / "new")
    (old / "ideas.parquet").unlink()
    (new / "cohorts.parquet").unlink()
    frame = pl.read_parquet(old / "experiments.parquet")
    frame.drop("recipe").with_columns(
        pl.lit(2.0).alias("score"), pl.col("seed").cast(pl.Int32)
    ).write_parquet(new / "experiments.parquet")
    by_name = {each.table: each for each in compare_datasets(old, new).tables}
    assert (by_name["ideas"].old_rows, by_name["ideas"].new_rows) == (None, 0)
    assert (by_name["cohorts"].old_rows, by_name["cohorts"].new_rows) == (0, None)
    assert not by_name["cohorts"].is_same
    assert by_name["experiments"].added_columns == ("score",)
    assert by_name["experiments"].removed_columns == ("recipe",)
    assert by_name["experiments"].changed == 0


def test_long_lists_are_cut_and_names_stay_in_their_code_span(tmp_path: Path) -> None:
    names = [f"run-{number:02}" for number in range(MAX_LISTED + 3)]
    rows = {name: row(EXPERIMENTS, experiment_id=name, linked_idea_id="one") for name in names}
    evil = {name: value | {"linked_idea_id": "`<script>`|\n# x"} for name, value in rows.items()}
    old = write(tmp_path / "old", experiments=[*rows.values()])
    text = to_markdown(compare_datasets(old, write(tmp_path / "new", experiments=[*evil.values()])))
    assert "### Links that moved: 23" in text
    assert "- and 3 more" in text
    assert "`'<script>'/ # x`" in text


def test_what_is_no_dataset_is_refused(tmp_path: Path) -> None:
    good = write(tmp_path / "good")
    with pytest.raises(OutputError, match="is no dataset"):
        compare_datasets(good, tmp_path)
    pl.DataFrame({"x": [1]}).write_parquet(good / "ideas.parquet")
    with pytest.raises(OutputError, match="lacks the column idea_id"):
        compare_datasets(good, good)
