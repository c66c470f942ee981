"""How far a run is ahead of the best that was known when it was launched."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from linkers.outcomes.best_known import BestKnown
from linkers.outcomes.timed_runs import TimedRun


@dataclass(frozen=True, slots=True)
class Deltas:
    """A run's step minus the best one known at its launch; negative is better, None where either is unknown.

    Attributes:
        vs_scope_best: Against its scope.
        vs_field_best: Against all scopes.
    """

    vs_scope_best: int | None
    vs_field_best: int | None


def compare_with_best(runs: Iterable[TimedRun]) -> dict[str, Deltas]:
    """Compare every run with the best hits that were known when it was launched, by experiment id."""
    runs = tuple(runs)
    of_scope = defaultdict(list)
    for run in runs:
        of_scope[run.scope].append(run)
    field = BestKnown(runs)
    scopes = {scope: BestKnown(members) for scope, members in of_scope.items()}
    return {run.experiment_id: Deltas(_delta(run, scopes[run.scope]), _delta(run, field)) for run in runs}


def _delta(run: TimedRun, known: BestKnown) -> int | None:
    if run.launched_at is None or run.step_to_3_28 is None:
        return None
    best = known.at(run.launched_at)
    return None if best is None else run.step_to_3_28 - best[0]
