"""The tables of variants on a small archive, by hand."""

from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import build_dataset
from tests.helpers import log_text, write_scratchpad

IDEA = "# Aurora projection\n\n## Proposal\n\nProject the update of the MLP.\n"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    write_scratchpad(
        tmp_path / "archive",
        {
            "ideas/aurora-projection.md": IDEA,
            "variants/aurora_projection.py": '"""Aurora on the projections."""\nA = 1\n',
            "variants/train_gpt_simple_baseline.py": "B = 1\n",
            "variants/unused.py": "C = 1\n",
            "runs/aurora-projection-s0.log": log_text((0, 10.8), (3000, 3.279)),
            "runs/aurora-projection-s1.log": log_text((0, 10.8), (2950, 3.28), (3000, 3.2795)),
            "runs/baseline-s0.log": log_text((0, 10.8), (3000, 3.4)),
        },
        [{"run_id": "aurora-projection-s0", "launched": "2026-05-01T00:00:00Z"}],
    )
    settings = BuildSettings(archive=str(tmp_path / "archive"), out=str(tmp_path / "out"))
    build_dataset(settings, QuietReporter(Console(quiet=True)))
    return tmp_path / "out"


def test_a_variant_carries_its_runs_and_the_best_of_them(out: Path) -> None:
    rows = {row["variant_stem"]: row for row in pl.read_parquet(out / "proposals.parquet").to_dicts()}
    mine = rows["aurora_projection"]
    assert mine["proposal_id"] == "codex--v1--aurora_projection"
    assert (mine["proposal_type"], mine["parent_idea_id"]) == ("formal_idea", "codex--v1--aurora-projection")
    assert mine["run_ids"] == ["aurora-projection-s0", "aurora-projection-s1"]
    assert mine["best_experiment_id"] == "codex--v1--aurora-projection-s1"
    assert (mine["best_step_to_3_28"], mine["verdict"]) == (2950, "improved")
    assert mine["header_docstring"] == "Aurora on the projections."
    assert str(mine["first_seen_at"]) == "2026-05-01 00:00:00+00:00"
    baseline = rows["train_gpt_simple_baseline"]
    assert (baseline["proposal_type"], baseline["verdict"]) == ("baseline", "inconclusive")
    unused = rows["unused"]
    assert (unused["proposal_type"], unused["num_runs"], unused["verdict"]) == ("variant_only", 0, None)


def test_links_name_the_chosen_answer_once(out: Path) -> None:
    links = pl.read_parquet(out / "variant_links.parquet")
    chosen = links.filter("is_chosen")
    assert chosen["experiment_id"].is_unique().all()
    assert chosen.height == 3
    assert not links["is_conflict"].any()
