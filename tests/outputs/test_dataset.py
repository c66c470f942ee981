"""Datasets on disk: types, empty tables, and what must never be replaced."""

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from linkers.ideas.quality import IdeaCoverage
from outputs.dataset import LaidOut, OutputError, check_target, write_dataset, write_table, write_tables
from outputs.manifest import FileEntry, Manifest, VariantCoverage, make_manifest, read_manifest
from outputs.schemas import QUARANTINE, TABLES, VAL_TRAJECTORIES, Table
from tests.helpers import parse_folder, write_scratchpad


def write(tmp_path: Path, out: Path) -> Manifest:
    parsed = parse_folder(write_scratchpad(tmp_path / "archive"))
    at = datetime(2026, 5, 1, tzinfo=UTC)

    def describe(files: tuple[FileEntry, ...]) -> Manifest:
        return make_manifest(
            parsed, {"year": 2026}, files, VariantCoverage(waterfall=(), agreement=()), IdeaCoverage(), at
        )

    return write_dataset({table.name: table.empty() for table in TABLES}, describe, out)


def test_an_empty_dataset_has_every_table_with_its_types(tmp_path: Path) -> None:
    manifest = write(tmp_path, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        ["manifest.json", *(f"{table.name}.parquet" for table in TABLES)]
    )
    assert read_manifest(tmp_path / "out") == manifest
    for table in TABLES:
        frame = pl.read_parquet(tmp_path / "out" / f"{table.name}.parquet")
        assert frame.schema == table.polars_schema


def test_the_files_carry_the_declarations(tmp_path: Path) -> None:
    write(tmp_path, tmp_path / "out")
    field = pq.read_schema(tmp_path / "out/val_trajectories.parquet").field("train_time_s")
    assert field.metadata[b"unit"] == b"s"
    assert field.nullable
    assert not pq.read_schema(tmp_path / "out/runs.parquet").field("run_id").nullable


@pytest.mark.parametrize("table", [VAL_TRAJECTORIES, QUARANTINE], ids=lambda table: table.name)
def test_a_null_where_none_may_be_is_refused(tmp_path: Path, table: Table) -> None:
    frame = pl.DataFrame([[None]] * len(table.columns), schema=table.polars_schema)
    with pytest.raises(ValueError, match="null"):
        write_table(table, frame, tmp_path)


def test_tables_are_laid_out_once_and_listed_in_their_order(tmp_path: Path) -> None:
    """Whatever is written first."""
    laid_out: list[str] = []

    def lay_out(table: Table) -> pl.DataFrame:
        laid_out.append(table.name)
        return table.empty()

    frames = LaidOut({table.name: partial(lay_out, table) for table in reversed(TABLES)})
    assert "runs" in frames
    assert "others" not in frames
    assert len(frames) == len(TABLES)
    assert laid_out == []
    entries = write_tables(TABLES, frames, tmp_path)
    assert laid_out == [table.name for table in reversed(TABLES)]
    assert [entry.name for entry in entries] == [f"{table.name}.parquet" for table in TABLES]


def test_a_table_that_cannot_be_written_stops_the_writing(tmp_path: Path) -> None:
    nulls = pl.DataFrame([[None]] * len(QUARANTINE.columns), schema=QUARANTINE.polars_schema)
    frames = {VAL_TRAJECTORIES.name: VAL_TRAJECTORIES.empty(), QUARANTINE.name: nulls}
    with pytest.raises(ValueError, match="null"):
        write_tables([VAL_TRAJECTORIES, QUARANTINE], frames, tmp_path)


def test_an_earlier_dataset_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(tmp_path, out)
    (out / "stale.txt").write_text("x")
    write(tmp_path, out)
    assert not (out / "stale.txt").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_anything_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("x")
    for path in (tmp_path / "mine", tmp_path / "mine/thesis.txt"):
        with pytest.raises(OutputError, match="name a"):
            check_target(path)
    assert (tmp_path / "mine/thesis.txt").read_text() == "x"


def test_the_manifest_holds_no_path_of_this_machine(tmp_path: Path) -> None:
    write(tmp_path, tmp_path / "out")
    text = (tmp_path / "out/manifest.json").read_text()
    assert str(tmp_path) not in text
    assert json.loads(text)["created_at"] == "2026-05-01T00:00:00Z"
