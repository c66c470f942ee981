"""The command `quality`, and corrections that come back from it."""

import csv
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.settings import BuildSettings
from flows.stages import build_dataset
from linkers.ideas.overrides import OverrideError
from tests.helpers import quiet_reporter


@pytest.fixture(scope="module")
def dataset(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo archive's dataset."""
    out = tmp_path_factory.mktemp("quality") / "dataset"
    build_dataset(BuildSettings(archive=str(demo_archive), out=str(out)), quiet_reporter())
    return out


def test_it_prints_all_measures_and_writes_the_review_list(
    demo_archive: Path, dataset: Path, tmp_path: Path
) -> None:
    review = tmp_path / "review.csv"
    arguments = ["quality", str(dataset), "--gold", str(demo_archive / "gold"), "--review", str(review)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    for title in ("Links by tier", "Links by scope", "Runs by tier", "Agreement of tiers", "as a control"):
        assert title in result.output
    with review.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 50
    assert all(row["clerical_match_score"] == "" and row["evidence"] for row in rows)
    runs = dict(pl.read_parquet(dataset / "runs.parquet").select("experiment_id", "idea_id").iter_rows())
    assert all(runs[row["experiment_id"]] == row["idea_id"] for row in rows)


def test_the_control_links_less_than_one_percent(dataset: Path) -> None:
    from outputs.manifest import read_manifest

    rows = read_manifest(dataset).idea_coverage.negative_control
    assert sum(row.linked for row in rows) < 0.01 * sum(row.runs for row in rows)


def test_without_gold_it_prints_what_needs_none(dataset: Path) -> None:
    result = CliRunner().invoke(app, ["quality", str(dataset)])
    assert result.exit_code == 0
    assert "Links by tier" not in result.output
    assert "Runs by tier" in result.output


def test_a_reviewed_link_goes_back_as_a_correction(demo_archive: Path, dataset: Path, tmp_path: Path) -> None:
    run, idea = (
        pl.read_parquet(dataset / "runs.parquet")
        .filter(pl.col("idea_id").is_not_null())
        .select("experiment_id", "idea_id")
        .row(0)
    )
    overrides = tmp_path / "overrides.csv"
    overrides.write_text(f"experiment_id,idea_id,expect,reason\n{run},,{idea},a control\n")
    settings = BuildSettings(archive=str(demo_archive), out=str(tmp_path / "out"), overrides=str(overrides))
    build_dataset(settings, quiet_reporter())
    runs = dict(
        pl.read_parquet(tmp_path / "out" / "runs.parquet").select("experiment_id", "idea_id").iter_rows()
    )
    assert runs[run] is None
    links = pl.read_parquet(tmp_path / "out" / "run_idea_links.parquet").filter(experiment_id=run)
    assert links.row(0, named=True)["evidence"] == "Line 2 of overrides.csv: a control"


def test_a_correction_that_nobody_needs_stops_the_build(demo_archive: Path, tmp_path: Path) -> None:
    overrides = tmp_path / "overrides.csv"
    overrides.write_text("experiment_id,idea_id,expect\ncodex--v2--v12-ts3000,,\n")
    settings = BuildSettings(archive=str(demo_archive), out=str(tmp_path / "out"), overrides=str(overrides))
    with pytest.raises(OverrideError, match="no longer needed"):
        build_dataset(settings, quiet_reporter())
    assert not (tmp_path / "out").exists()
