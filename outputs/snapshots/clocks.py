"""The moments at which a scope is frozen."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

PERCENTILES = (10, 30, 50, 70, 90)
"""Shares of a scope's dated launches at which it is frozen, in percent."""

DEV_POSITIONS = frozenset({1, 5})
"""Places among a scope's five snapshots that are for development; the others are for tests."""

MIN_DATED_RUNS = 20
"""A scope with fewer dated launches is not frozen: its percentiles would be single runs."""


@dataclass(frozen=True, slots=True)
class Clock:
    """One moment.

    Attributes:
        place: 1-based place among the percentiles.
        wall_clock: The moment; what was launched or known at it counts as known.
    """

    place: int
    wall_clock: datetime

    @property
    def split(self) -> str:
        """`dev` or `test`."""
        return "dev" if self.place in DEV_POSITIONS else "test"


def pick_clocks(launches: Sequence[datetime]) -> tuple[Clock, ...]:
    """Pick the moments of a scope.

    The moment of percentile p among n dated launches is the launch time of number `ceil(p * n / 100)` in the
    order of time. Launches at the same time fall on the same side of it. Where two percentiles meet at one
    moment, only the first is kept.

    Args:
        launches: Times of all dated launches of the scope, in any order; a bare date is the end of its day.

    >>> from datetime import UTC, timedelta
    >>> start = datetime(2026, 5, 1, tzinfo=UTC)
    >>> clocks = pick_clocks([start + timedelta(hours=hour) for hour in range(20)])
    >>> [(clock.wall_clock.hour, clock.split) for clock in clocks]
    [(1, 'dev'), (5, 'test'), (9, 'test'), (13, 'test'), (17, 'dev')]
    """
    ordered = sorted(launches)
    if len(ordered) < MIN_DATED_RUNS:
        return ()
    clocks: list[Clock] = []
    for place, percentile in enumerate(PERCENTILES, start=1):
        moment = ordered[-(-percentile * len(ordered) // 100) - 1]
        if not clocks or moment > clocks[-1].wall_clock:
            clocks.append(Clock(place, moment))
    return tuple(clocks)
