"""Judgements put together: positions, bests, and that one rule judges runs and ideas."""

from pathlib import Path

import pytest

from linkers.outcomes.judgement import JudgedIdea, Judgement, judge
from linkers.outcomes.links import Links
from linkers.outcomes.verdicts import Verdict
from linkers.runs import join_runs
from linkers.write_ups import collect_write_ups
from tests.helpers import log_text, parse_folder, write_scratchpad
from tests.outcome_cases import SCOPE


@pytest.fixture
def judgement(tmp_path: Path) -> Judgement:
    losses = {"a": (3000, 3.27), "b": (2900, 3.27), "c": (2900, 3.275), "d": (3000, 3.35)}
    files = {f"runs/{name}.log": log_text((0, 10.8), (2000, 3.5), point) for name, point in losses.items()}
    files |= {f"ideas/{slug}.md": f"# {slug}\n\nx\n" for slug in ("good", "bad", "untried")}
    ledger = [
        {"run_id": name, "launched_at": f"2026-05-0{day}T10:00:00Z"}
        for name, day in (("a", 3), ("b", 2), ("c", 2), ("d", 1))
    ]
    parsed = parse_folder(write_scratchpad(tmp_path, files, ledger))
    ideas = {"a": "good", "b": "good", "c": "good", "d": "bad"}
    links = Links(idea_of={SCOPE.qualify(run): SCOPE.qualify(idea) for run, idea in ideas.items()})
    return judge(parsed, join_runs(parsed, 2026), collect_write_ups(parsed).kept, links)


def idea(judgement: Judgement, slug: str) -> JudgedIdea:
    return next(each for each in judgement.ideas if each.write_up.idea.slug == slug)


def test_positions_follow_the_launches_then_the_ids(judgement: Judgement) -> None:
    assert {each.run.run_id: each.position for each in judgement.runs} == {"d": 1, "b": 2, "c": 3, "a": 4}


def test_an_idea_is_judged_by_its_best_run(judgement: Judgement) -> None:
    good = idea(judgement, "good")
    assert good.best is not None and good.best.experiment_id == "codex--v1--b", "c has the higher last loss"
    assert (good.verdict, good.is_on_frontier_walk, len(good.runs)) == (Verdict.IMPROVED, True, 3)
    assert idea(judgement, "bad").verdict == Verdict.INCONCLUSIVE


def test_an_idea_that_no_run_tested_has_no_verdict_and_no_date(judgement: Judgement) -> None:
    untried = idea(judgement, "untried")
    assert (untried.verdict, untried.best, untried.first_seen, untried.position) == (None, None, None, None)


def test_ideas_without_a_date_take_their_first_runs(judgement: Judgement) -> None:
    assert (idea(judgement, "bad").position, idea(judgement, "good").position) == (1, 2)
