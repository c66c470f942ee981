"""Runs with the times from which on their launch and their outcome were known."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from linkers.outcomes.families import family_of
from linkers.outcomes.verdicts import Verdict, has_run, verdict_of
from linkers.runs import Run
from parsers.scopes import Scope
from parsers.times import Instant

LONGEST_TRAIN_TIME_S = 30 * 86_400.0
"""No run of the experiment trained for a month: a longer time is damage."""


@dataclass(frozen=True, slots=True)
class TimedRun:
    """What judging a run needs: when it was known to be tried, when its outcome, and what that was.

    Attributes:
        experiment_id: Its id.
        scope: Its scope.
        launched_at: From when on it counts as tried; None where nothing dates it, and for a run that is the
            same launch as another under a second id.
        finished_at: From when on its outcome is known; None where that cannot be told.
        step_to_3_28: First step at or below 3.28.
        verdict: What came of it.
        final_val_loss: Loss at its last checkpoint.
        stem: Its name without seed and replicate.
        family: Its name without rung and horizon as well.
        idea_id: The idea that it tested.
    """

    experiment_id: str
    scope: Scope
    launched_at: datetime | None
    finished_at: datetime | None
    step_to_3_28: int | None
    verdict: Verdict
    final_val_loss: float | None = None
    stem: str = ""
    family: str = ""
    idea_id: str | None = None


def time_run(run: Run, idea_of: Mapping[str, str | None]) -> TimedRun:
    """Judge a run and time it.

    A run counts as tried from its launch on. Its outcome is known when its first trial, whose outcome the
    run carries, has trained to its last checkpoint: launch plus training time. Without a training time the
    outcome is never known, as any guess might let a snapshot know it too early.
    """
    launched_at = None
    if run.launch is not None and run.same_log_as is None:
        launched_at = known_from(Instant(run.launch.at, run.launch.is_date_only))
    return TimedRun(
        experiment_id=run.experiment_id,
        scope=run.scope,
        launched_at=launched_at,
        finished_at=finish_of(launched_at, run.outcome.train_time_s),
        step_to_3_28=run.outcome.step_to_3_28,
        verdict=verdict_of(run.outcome.step_to_3_28, has_run=has_run(run.outcome)),
        final_val_loss=run.outcome.final_val_loss,
        stem=run.name.stem,
        family=family_of(run.name),
        idea_id=idea_of.get(run.experiment_id),
    )


def known_from(instant: Instant) -> datetime:
    """From when on something was known that is dated so: a bare date counts as the end of that day.

    >>> from parsers.times import parse_instant
    >>> known_from(parse_instant("2026-05-02")).isoformat()
    '2026-05-02T23:59:59.999999+00:00'
    """
    if not instant.is_date_only:
        return instant.at
    return instant.at + timedelta(days=1) - timedelta(microseconds=1)


def finish_of(launched_at: datetime | None, train_time_s: float | None) -> datetime | None:
    """When a run had trained, or None where launch or training time is unknown or absurd."""
    if launched_at is None or train_time_s is None or not math.isfinite(train_time_s):
        return None
    if not 0 <= train_time_s <= LONGEST_TRAIN_TIME_S:
        return None
    return launched_at + timedelta(seconds=train_time_s)


def best_of(runs: Iterable[TimedRun]) -> TimedRun | None:
    """Pick the best run of an idea or a variant: by verdict, then by step, last loss and id."""
    return min(runs, key=_quality, default=None)


_VERDICT_ORDER = {verdict: place for place, verdict in enumerate(Verdict)}


def _quality(run: TimedRun) -> tuple[int, float, float, str]:
    """Order the runs of an idea: by verdict, then by step, last loss and id."""
    loss = run.final_val_loss
    return (
        _VERDICT_ORDER[run.verdict],
        run.step_to_3_28 if run.step_to_3_28 is not None else math.inf,
        loss if loss is not None and math.isfinite(loss) else math.inf,
        run.experiment_id,
    )
