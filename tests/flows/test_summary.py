"""What a build tells at its end: who found what, of all runs and by scope, also on a narrow terminal."""

from pathlib import Path

import pytest
from rich.console import Console

from flows.settings import BuildSettings
from flows.stages import build_dataset
from flows.summary import print_summary, summary_tables
from outputs.manifest import Manifest
from tests.helpers import quiet_reporter


@pytest.fixture(scope="module")
def manifest(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    out = tmp_path_factory.mktemp("summary") / "dataset"
    return build_dataset(BuildSettings(archive=str(demo_archive), out=str(out)), quiet_reporter()).manifest


def test_the_links_to_ideas_are_told_by_tier(manifest: Manifest) -> None:
    table = summary_tables(manifest)["idea-coverage"]
    assert table.title == "Links to ideas found by tier, of 610 runs."
    assert table.columns == ("tier", "answers", "added", "reached", "share", "in conflict")
    assert [(row[0], *row[2:4]) for row in table.rows] == [
        ("prefix", 251, 251),
        ("abbreviation", 79, 330),
        ("thread", 21, 351),
        ("llm", 0, 351),
        ("dedup", 8, 359),
        ("override", 0, 359),
    ]
    assert table.records()[4]["share"] == 0.589
    # A tier also answers where an earlier one decided.
    assert table.records()[1]["answers"] == 124
    assert table.records()[0]["in conflict"] == 7


def test_scopes_come_in_the_order_of_their_waves_and_add_up(manifest: Manifest) -> None:
    tables = summary_tables(manifest)
    for whole in ("variant-coverage", "idea-coverage"):
        rows = tables[f"{whole}-by-scope"].records()
        assert [row["scope"] for row in rows][:3] == ["v1/claude-code", "v1/codex", "novelty/claude-code"]
        assert sum(int(row["runs"]) for row in rows) == 610
        for tier in tables[whole].records():
            assert sum(int(row[str(tier["tier"])]) for row in rows) == tier["added"]
        assert sum(int(row["in conflict"]) for row in rows) == sum(
            int(tier["in conflict"]) for tier in tables[whole].records()
        )


def test_no_number_is_cut_on_a_terminal_of_eighty_columns(manifest: Manifest) -> None:
    console = Console(width=80)
    with console.capture() as captured:
        print_summary(manifest, console)
    lines = [line.split() for line in captured.get().splitlines()]
    assert ["v1/claude-code", "64", "13", "0", "13", "6", "19", "13", "100.0%", "0"] in lines
    assert ["v1/claude-code", "64", "28", "4", "4", "0", "1", "0", "57.8%", "4"] in lines
    assert ["val_trajectories", "20,850"] in lines
