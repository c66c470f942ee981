"""The outcome tables: rows as judged, types as declared."""

from pathlib import Path

import polars as pl
import pytest

from linkers.outcomes.judgement import Judgement, judge
from linkers.outcomes.links import Links
from linkers.runs import join_runs
from linkers.write_ups import collect_write_ups
from outputs.descriptions.model import Description, DescriptionSource
from outputs.outcome_tables import VariantFiles, build_cohorts_table, build_experiments, build_ideas
from outputs.schemas import COHORTS, EXPERIMENTS, IDEAS, Table
from parsers.parsed_files import ParsedArchive
from tests.helpers import log_text, parse_folder, write_scratchpad

LINKS = Links(
    variant_of={"codex--v1--a-s0": "a", "codex--v1--b-s0": "b"},
    variant_tier_of={"codex--v1--a-s0": "stub"},
    source_of={"codex--v1--b-s0": "f"},
    texts={"f": '"""What ran."""\n'},
    idea_of={"codex--v1--a-s0": "codex--v1--polar"},
)


@pytest.fixture
def parsed(tmp_path: Path) -> ParsedArchive:
    files = {
        "runs/a-s0.log": log_text((0, 10.8), (1000, 3.27), scheduled=1000),
        "runs/b-s0.log": log_text((0, 10.8), (1000, 3.29), scheduled=1000),
        "ideas/polar.md": "# Polar\n\n## Proposal\n\nProject it.\n",
        "variants/a.py": '"""Today\'s a."""\n',
        "variants/b.py": '"""Today\'s b."""\n',
        "audits.md": "| idea | finding |\n|---|---|\n| `polar` | NOT COMPLIANT |\n",
    }
    ledger = [{"run_id": "a-s0", "launched": "2026-05-02"}, {"run_id": "c-ts3000", "status": "canceled"}]
    return parse_folder(write_scratchpad(tmp_path, files, ledger))


@pytest.fixture
def judgement(parsed: ParsedArchive) -> Judgement:
    return judge(parsed, join_runs(parsed, 2026), collect_write_ups(parsed).kept, LINKS)


def described(judgement: Judgement) -> dict[str, Description | None]:
    ids = [each.timed.experiment_id for each in judgement.runs]
    told = Description("Polar.", DescriptionSource.RUN_ID_DECODED, "run id b-s0")
    return {each: told if each.endswith("b-s0") else None for each in ids}


def test_experiments(parsed: ParsedArchive, judgement: Judgement) -> None:
    frame = build_experiments(judgement, LINKS, VariantFiles.of(parsed), described(judgement))
    a, b, c = frame.to_dicts()
    assert a["linked_variant_path"].endswith("variants/a.py")
    assert (a["linked_proposal_id"], a["linked_idea_id"]) == ("codex--v1--a", "codex--v1--polar")
    assert (a["is_first_seen_date_only"], a["first_seen_source"], a["position"]) == (True, "ledger_date", 1)
    assert a["first_seen_at"].isoformat() == "2026-05-02T23:59:59.999999+00:00"
    assert (a["verdict"], a["on_frontier_walk"]) == ("improved", True)
    assert (b["description_text"], b["description_source"]) == ("Polar.", "run_id_decoded")
    assert (b["verdict"], b["first_seen_at"], b["finished_at"]) == ("inconclusive", None, None)
    assert (c["verdict"], c["description_text"]) == ("failed_to_run", None)


def test_ideas(parsed: ParsedArchive, judgement: Judgement) -> None:
    (row,) = build_ideas(judgement.ideas, LINKS, VariantFiles.of(parsed)).to_dicts()
    assert row["primary_variant_path"].endswith("variants/a.py")
    assert (row["num_runs"], row["best_step_to_3_28"], row["verdict"]) == (1, 1000, "improved")
    assert (row["rejection_class"], row["rejected_at"]) == ("audit_noncompliant", None)
    assert row["rejection_evidence_text"].startswith(
        "audit_noncompliant: v1/codex/scratchpad/audits.md, line 3"
    )
    assert (row["first_seen_source"], row["is_first_seen_date_only"]) == ("run", False)


def test_cohorts(judgement: Judgement) -> None:
    rows = {row["recipe"]: row for row in build_cohorts_table(judgement.cohorts).to_dicts()}
    assert rows.keys() == {"a", "b"}
    assert (rows["a"]["n"], rows["a"]["claimable_step"], rows["b"]["claimable_step"]) == (1, 1000, None)


@pytest.mark.parametrize("table", [EXPERIMENTS, IDEAS, COHORTS], ids=lambda table: table.name)
def test_values_stay_within_the_declared_lists(
    table: Table, parsed: ParsedArchive, judgement: Judgement
) -> None:
    files = VariantFiles.of(parsed)
    frames = {
        "experiments": build_experiments(judgement, LINKS, files, described(judgement)),
        "ideas": build_ideas(judgement.ideas, LINKS, files),
        "cohorts": build_cohorts_table(judgement.cohorts),
    }
    frame = frames[table.name]
    assert frame.schema == table.polars_schema
    for column in table.columns:
        if column.allowed:
            assert frame.filter(~pl.col(column.name).is_in(column.allowed)).is_empty(), column.name
        if not column.is_nullable:
            assert frame[column.name].null_count() == 0, column.name
