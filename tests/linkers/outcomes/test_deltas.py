"""Deltas against what was known at the launch."""

from linkers.outcomes.deltas import Deltas, compare_with_best
from parsers.scopes import Scope
from tests.outcome_cases import timed

OTHER = Scope("claude-code", "v1")


def test_only_what_had_finished_counts() -> None:
    runs = [
        timed("first", 0, 2, 3300),
        timed("meanwhile", 1, 2, 3200),
        timed("after", 2, 4, 3150),
        timed("elsewhere", 0, 1, 3100, scope=OTHER),
    ]
    found = compare_with_best(runs)
    assert found["codex--v1--first"] == Deltas(None, None)
    assert found["codex--v1--meanwhile"] == Deltas(None, 100), "the first run was still training"
    assert found["codex--v1--after"] == Deltas(-50, 50)


def test_a_run_without_hit_or_launch_has_none() -> None:
    runs = [timed("known", 0, 1, 3300), timed("miss", 2, 3), timed("undated", None, None, 3000)]
    found = compare_with_best(runs)
    assert found["codex--v1--miss"] == found["codex--v1--undated"] == Deltas(None, None)
