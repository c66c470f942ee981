"""The moments: which launch gives the percentile, ties, small scopes."""

from hypothesis import given
from hypothesis import strategies as st

from outputs.snapshots.clocks import MIN_DATED_RUNS, PERCENTILES, pick_clocks
from tests.outcome_cases import hour


def test_a_scope_with_too_few_dated_runs_has_none() -> None:
    assert pick_clocks([hour(number) for number in range(MIN_DATED_RUNS - 1)]) == ()
    assert len(pick_clocks([hour(number) for number in range(MIN_DATED_RUNS)])) == len(PERCENTILES)


def test_percentiles_that_meet_are_taken_once() -> None:
    """A scope that dates its runs by the day has few moments."""
    clocks = pick_clocks([hour(0)] * 12 + [hour(24)] * 8)
    assert [(clock.place, clock.wall_clock, clock.split) for clock in clocks] == [
        (1, hour(0), "dev"),
        (4, hour(24), "test"),
    ]


@given(st.lists(st.integers(0, 30), min_size=MIN_DATED_RUNS, max_size=200))
def test_at_least_the_share_was_launched_and_less_before(hours: list[int]) -> None:
    clocks = pick_clocks([hour(number) for number in hours])
    assert [clock.wall_clock for clock in clocks] == sorted({clock.wall_clock for clock in clocks})
    for clock in clocks:
        share = PERCENTILES[clock.place - 1] * len(hours)
        assert 100 * sum(hour(number) <= clock.wall_clock for number in hours) >= share
        assert 100 * sum(hour(number) < clock.wall_clock for number in hours) < share
