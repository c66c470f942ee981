"""The frontier walk: the runs that moved a scope's best step by more than noise."""

from collections import defaultdict
from collections.abc import Iterable

from linkers.outcomes.best_known import BestKnown
from linkers.outcomes.timed_runs import TimedRun
from linkers.outcomes.verdicts import BASELINE_STEPS

NOISE_STEPS = 50
"""Two runs of one recipe may cross this many steps apart."""

MIN_ADVANCE = 2 * NOISE_STEPS
"""The walk takes a step when a run beats it by at least this much."""


def walk_frontier(runs: Iterable[TimedRun]) -> frozenset[str]:
    """Find the runs on the frontier walk of their scope.

    The walk starts at the best step that was known anywhere when the scope launched its first run, or at the
    baseline where none was. It goes through the scope's hits in the order in which they became known. A run
    whose outcome was known at no moment cannot be on it.
    """
    runs = tuple(runs)
    field = BestKnown(runs)
    of_scope = defaultdict(list)
    for run in runs:
        of_scope[run.scope].append(run)
    on_walk: set[str] = set()
    for members in of_scope.values():
        first_launch = min((run.launched_at for run in members if run.launched_at), default=None)
        start = field.at(first_launch) if first_launch else None
        frontier = start[0] if start else BASELINE_STEPS
        hits = sorted(
            (run.finished_at, run.step_to_3_28, run.experiment_id)
            for run in members
            if run.finished_at is not None and run.step_to_3_28 is not None
        )
        for _, step, experiment_id in hits:
            if step <= frontier - MIN_ADVANCE:
                frontier = step
                on_walk.add(experiment_id)
    return frozenset(on_walk)
