"""The frontier walk: where it starts, how large its steps are, in which order."""

from hypothesis import given
from hypothesis import strategies as st

from linkers.outcomes.frontier import walk_frontier
from linkers.outcomes.timed_runs import TimedRun
from parsers.scopes import Scope
from tests.outcome_cases import cut_at, hour, timed, timed_runs


def walk(*runs: TimedRun) -> list[str]:
    return sorted(name.rsplit("--", 1)[1] for name in walk_frontier(runs))


def test_it_starts_at_the_baseline_where_nothing_is_known() -> None:
    assert walk(timed("a", 0, 1, 3401)) == []
    assert walk(timed("a", 0, 1, 3400)) == ["a"]


def test_a_step_of_less_than_a_hundred_is_noise() -> None:
    assert walk(timed("a", 0, 1, 3400), timed("b", 1, 2, 3301), timed("c", 2, 3, 3300)) == ["a", "c"]


def test_it_starts_at_the_best_known_anywhere_when_the_scope_began() -> None:
    """The second wave began at the frontier of the first one, of which a last run was still training."""
    v2 = Scope("codex", "v2")
    before = [timed("x", 0, 1, 3200), timed("late", 0, 9, 2900)]
    assert walk(*before, timed("a", 5, 6, 3101, scope=v2)) == ["late", "x"]
    assert walk(*before, timed("a", 5, 6, 3100, scope=v2)) == ["a", "late", "x"]


def test_the_order_is_that_of_knowing() -> None:
    """The run that was launched first and finished last did not move anything."""
    assert walk(timed("slow", 0, 9, 3390), timed("quick", 1, 2, 3350)) == ["quick"]


def test_an_outcome_that_was_never_known_moves_nothing() -> None:
    assert walk(timed("a", 0, None, 3000), timed("b", None, None, 2900)) == []


@given(timed_runs(), st.integers(0, 40))
def test_later_runs_change_nothing_of_it(runs: list[TimedRun], moment: int) -> None:
    known = {run.experiment_id for run in runs if run.finished_at and run.finished_at <= hour(moment)}
    assert walk_frontier(cut_at(runs, hour(moment))) == walk_frontier(runs) & known
