"""Snapshots of random archives: the laws on the finished tables, and a canary planted in the files."""

import random
import tempfile
from dataclasses import fields
from datetime import datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from flows.reporting import QuietReporter
from flows.stages import Outcomes, judge_outcomes
from linkers.ideas.evidence import gather_evidence
from linkers.ideas.tiers import link_ideas
from linkers.runs import join_runs
from linkers.variants.cascade import recover_variants
from linkers.write_ups import collect_write_ups
from outputs.outcome_tables import VariantFiles, build_experiments, build_ideas, build_snapshots_table
from outputs.snapshots.clocks import Clock
from outputs.snapshots.laws import check_laws
from outputs.snapshots.selection import History, Snapshot, timed_idea
from parsers.scopes import Scope
from tests.helpers import log_text, parse_folder, write_scratchpad
from tests.outcome_cases import hour

CODEX, CLAUDE = Scope("codex", "novelty"), Scope("claude-code", "novelty")
SLUGS = ("alpha-muon", "beta-muon", "gamma-muon")

RANDOMS = st.randoms(use_true_random=True)
Files = dict[str, str | bytes]


def scratchpad(source: random.Random, scope: Scope) -> tuple[Files, list[dict[str, object]]]:
    """Some ideas and runs of them over two days, some undated, some dated by the day alone."""
    files: Files = {}
    for slug in SLUGS:
        day = source.choice(("", "Date: 2026-05-01\n\n", "Date: 2026-05-02\n\n"))
        files[f"ideas/{slug}.md"] = f"# {slug}\n\n{day}## Proposal\n\nDo it.\n"
    ledger: list[dict[str, object]] = []
    for number in range(24):
        run_id = f"{source.choice(SLUGS)}-s{number}"
        at = hour(source.randrange(48)).isoformat()
        launched = source.choice(({"launched_at": at}, {"launched_at": at}, {"launched": at[:10]}, {}))
        ledger.append({"run_id": run_id, **launched})
        if source.random() < 0.9:
            step = source.randrange(3000, 3600, 25)
            loss = source.choice((3.27, 3.28, 3.29))
            files[f"runs/{run_id}.log"] = log_text((0, 10.8), (1000, 3.6), (step, loss), scheduled=step)
    audited = source.choice(SLUGS)
    files["audits.md"] = f"| idea | finding |\n|---|---|\n| `{audited}` | 2026-05-01 NOT COMPLIANT |\n"
    return files, ledger if scope == CODEX else ledger[:22]


def outcomes(root: Path) -> Outcomes:
    parsed = parse_folder(root)
    runs = join_runs(parsed, 2026)
    variants, write_ups = recover_variants(parsed, runs), collect_write_ups(parsed)
    stems = {each.experiment_id: each.stem for each in variants.runs if each.stem is not None}
    ideas = link_ideas(gather_evidence(parsed, runs, write_ups.kept, stems))
    return judge_outcomes(parsed, runs, variants, write_ups, ideas, QuietReporter(Console(quiet=True)))


def freeze(root: Path, at: datetime) -> Snapshot:
    judgement = outcomes(root).judgement
    history = History(
        [each.timed for each in judgement.runs],
        [timed_idea(each) for each in judgement.ideas],
        [each.timed.experiment_id for each in judgement.runs if each.is_on_frontier_walk],
    )
    return history.freeze(CODEX, Clock(3, at))


@settings(max_examples=15)
@given(RANDOMS)
def test_the_tables_of_a_random_archive_keep_every_law(source: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for scope in (CODEX, CLAUDE):
            files, ledger = scratchpad(source, scope)
            write_scratchpad(Path(folder), files, ledger, scope)
        found = outcomes(Path(folder))
    assert found.snapshots.taken or found.snapshots.warnings
    undescribed = dict.fromkeys(each.timed.experiment_id for each in found.judgement.runs)
    experiments = build_experiments(found.judgement, found.links, VariantFiles(), undescribed)
    ideas = build_ideas(found.judgement.ideas, found.links, VariantFiles())
    assert check_laws(experiments, ideas, build_snapshots_table(found.snapshots.taken)) == []


@settings(max_examples=15)
@given(RANDOMS, st.integers(0, 47))
def test_what_is_planted_behind_a_moment_leaves_no_trace(source: random.Random, moment: int) -> None:
    """A later run, a later idea, a later rejection and a hit of a run that was still training at the moment."""
    files, ledger = scratchpad(source, CODEX)
    slow: dict[str, object] = {"run_id": "alpha-muon-slow-s1", "launched_at": hour(moment - 0.01).isoformat()}
    later: dict[str, object] = {"run_id": "canary-s1", "launched_at": hour(moment + 0.01).isoformat()}
    planted_files: Files = {
        **files,
        "ideas/canary.md": "# Canary\n\nDate: 2026-05-05\n\nAlias: `cny`\n\nParent: `alpha-muon`.\n",
        "rule_checks/alpha-muon_rule_check.md": "Date: 2026-05-05\n\nVerdict: NON-COMPLIANT\n",
        "runs/canary-s1.log": log_text((0, 10.8), (1000, 3.1), scheduled=1000),
        "runs/alpha-muon-slow-s1.log": log_text((0, 10.8), (900, 3.1), scheduled=900),
    }
    with tempfile.TemporaryDirectory() as bare, tempfile.TemporaryDirectory() as planted:
        write_scratchpad(Path(bare), files, [*ledger, slow], CODEX)
        write_scratchpad(Path(planted), planted_files, [*ledger, slow, later], CODEX)
        without, with_canary = (freeze(Path(root), hour(moment)) for root in (bare, planted))
    assert "codex--novelty--alpha-muon-slow-s1" in with_canary.prior_experiment_ids
    for each in fields(Snapshot):
        value = getattr(with_canary, each.name)
        if not each.name.startswith("future_"):
            assert value == getattr(without, each.name), each.name
            assert "canary" not in repr(value)
    assert "codex--novelty--canary-s1" in with_canary.future_improved_experiment_ids
    assert "codex--novelty--canary" in with_canary.future_improved_idea_ids
