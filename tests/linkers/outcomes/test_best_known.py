"""The best known hit, against a search through all runs."""

from hypothesis import given
from hypothesis import strategies as st

from linkers.outcomes.best_known import BestKnown
from linkers.outcomes.timed_runs import TimedRun
from tests.outcome_cases import hour, timed, timed_runs


@given(timed_runs(), st.integers(-1, 50))
def test_it_is_what_a_search_finds(runs: list[TimedRun], moment: int) -> None:
    known = [
        (run.step_to_3_28, run.finished_at, run.experiment_id)
        for run in runs
        if run.step_to_3_28 is not None and run.finished_at is not None and run.finished_at <= hour(moment)
    ]
    best = min(known, default=None)
    assert BestKnown(runs).at(hour(moment)) == ((best[0], best[2]) if best else None)


def test_an_unfinished_run_is_not_known() -> None:
    known = BestKnown([timed("a", 0, 3, 3000), timed("b", 0, None, 2900)])
    assert known.at(hour(2.99)) is None
    assert known.at(hour(3)) == (3000, "codex--v1--a")
