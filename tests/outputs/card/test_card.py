"""The dataset card against the dataset that it describes, read by every reader that people use."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from huggingface_hub import DatasetCard
from rich.console import Console

from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import build_dataset
from outputs.card.card import write_card
from outputs.manifest import read_manifest
from outputs.schemas import TABLES, Table
from tests.helpers import log_text, write_scratchpad


@pytest.fixture(scope="module")
def dataset(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(demo_archive, tmp_path_factory.mktemp("card") / "dataset")


def build(archive: Path, out: Path) -> Path:
    reporter = QuietReporter(Console(file=None, quiet=True))
    build_dataset(BuildSettings(archive=str(archive), out=str(out)), reporter)
    return out


def front_matter(dataset: Path) -> dict[str, Any]:
    text = (dataset / "README.md").read_text(encoding="utf-8")
    return dict(vars(DatasetCard(text).data))


def configs(dataset: Path) -> dict[str, str]:
    data = front_matter(dataset)
    return {each["config_name"]: each["data_files"][0]["path"] for each in data["configs"]}


def test_every_written_table_is_a_config(dataset: Path) -> None:
    assert {path.name for path in dataset.glob("*.parquet")} == set(configs(dataset).values())
    assert all(path == f"{name}.parquet" for name, path in configs(dataset).items())


def test_a_table_that_was_not_written_is_no_config(dataset: Path) -> None:
    manifest = read_manifest(dataset)
    fewer = manifest.model_copy(
        update={"files": tuple(each for each in manifest.files if each.name != "cohorts.parquet")}
    )
    card = write_card(fewer, dataset)
    assert "config_name: cohorts" not in card
    assert "### cohorts" not in card


def test_the_front_matter_is_what_the_hub_asks_for(dataset: Path) -> None:
    data = front_matter(dataset)
    assert data["license"] == "other"
    assert data["license_name"]
    assert data["size_categories"] == ["10K<n<100K"], "20,850 checkpoints are the largest table"
    assert [each["config_name"] for each in data["configs"] if each.get("default")] == ["experiments"]


def test_every_column_stands_in_it_with_unit_and_meaning(dataset: Path) -> None:
    card = (dataset / "README.md").read_text(encoding="utf-8")
    for table in TABLES:
        section = card.partition(f"\n### {table.name}\n")[2].partition("\n##")[0]
        rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
        assert [row[0].strip("| `") for row in rows] == [column.name for column in table.columns]
        for row, column in zip(rows, table.columns, strict=True):
            assert row[2].strip() == (column.unit or "")
            assert column.description in row[3]


def test_tables_of_the_card_hold_together(dataset: Path) -> None:
    """Every row of a Markdown table has as many cells as its header."""
    width = 0
    for line in (dataset / "README.md").read_text(encoding="utf-8").splitlines():
        cells = line.replace("\\|", "").count("|") if line.startswith("|") else 0
        assert not width or not cells or cells == width, line
        width = cells


def test_neither_time_nor_place_reaches_it(dataset: Path) -> None:
    manifest = read_manifest(dataset)
    later = manifest.model_copy(update={"created_at": manifest.created_at.replace(year=2031)})
    card = (dataset / "README.md").read_text(encoding="utf-8")
    assert write_card(later, dataset) == card
    assert str(dataset) not in card


def test_the_manifest_lists_it(dataset: Path) -> None:
    entry = next(each for each in read_manifest(dataset).texts if each.name == "README.md")
    assert entry.size_bytes == (dataset / "README.md").stat().st_size


def test_an_archive_with_one_run_has_a_card_too(tmp_path: Path) -> None:
    archive = write_scratchpad(
        tmp_path / "archive",
        {"logs/a-s0.txt": log_text((125, 4.0), (3000, 3.29))},
        [{"run_id": "a-s0"}],
    )
    card = (build(archive, tmp_path / "out") / "README.md").read_text(encoding="utf-8")
    assert "Not in its archive: v1/claude-code" in card
    assert "| none | 1 | 100.0% |" in card


READ_ALL = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
folder = sys.argv[1]
loaded = {name: load_dataset(folder, name, split="train") for name in get_dataset_config_names(folder)}
shapes = {name: [table.num_rows, table.column_names] for name, table in loaded.items()}
print(json.dumps({"shapes": shapes, "default": load_dataset(folder, split="train").column_names}))
"""


def test_datasets_loads_every_config_without_a_network(dataset: Path, tmp_path: Path) -> None:
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(dataset)], env=offline, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    expected = {
        table.name: [
            pl.scan_parquet(dataset / f"{table.name}.parquet").select(pl.len()).collect().item(),
            [column.name for column in table.columns],
        ]
        for table in TABLES
    }
    assert answer["shapes"] == expected
    assert answer["default"] == expected["experiments"][1]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_polars_pandas_and_duckdb_read_the_same_rows(dataset: Path, table: Table) -> None:
    path = dataset / f"{table.name}.parquet"
    frame = pl.read_parquet(path)
    assert frame.schema == table.polars_schema
    read = pd.read_parquet(path)
    assert (len(read), list(read.columns)) == (frame.height, frame.columns)
    found = duckdb.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchall()
    assert found == [(frame.height,)]
