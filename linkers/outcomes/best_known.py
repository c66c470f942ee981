"""The best hit that was known at a moment."""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime

from linkers.outcomes.timed_runs import TimedRun


class BestKnown:
    """Answers which run had reached 3.28 in the fewest steps, as far as was known at a moment.

    Of two hits at one step the one that was known first stays the best; then the id decides.
    """

    def __init__(self, runs: Iterable[TimedRun]) -> None:
        """Sort the hits by when they were known.

        Args:
            runs: Runs; only those that hit, and whose outcome was known some time, count.
        """
        hits = sorted(
            (run.finished_at, run.step_to_3_28, run.experiment_id)
            for run in runs
            if run.finished_at is not None and run.step_to_3_28 is not None
        )
        self._known_at: list[datetime] = []
        self._best: list[tuple[int, str]] = []
        for known_at, step, experiment_id in hits:
            if not self._best or step < self._best[-1][0]:
                self._known_at.append(known_at)
                self._best.append((step, experiment_id))

    def at(self, moment: datetime) -> tuple[int, str] | None:
        """Step and experiment id of the best hit known at a moment, that moment included."""
        index = bisect_right(self._known_at, moment)
        return self._best[index - 1] if index else None
