"""How a run went, in numbers, from the best source that shows each number."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from parsers.checkpoint_columns import Checkpoints
from parsers.checkpoints import TARGET_VAL_LOSS
from parsers.export import ExportRun
from parsers.ledger_fields import LedgerFields


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one trial went; None where nothing tells.

    Attributes:
        final_val_loss: Loss at the last checkpoint; may be NaN.
        min_val_loss: Lowest finite loss.
        step_to_3_28: First step at or below 3.28.
        final_step: Last step with a checkpoint.
        scheduled_steps: Steps of the schedule.
        train_time_s: Seconds of training at the last checkpoint.
        step_avg_ms: Milliseconds a step at the last checkpoint.
        num_val_points: Checkpoints; None for a run without a log.
    """

    final_val_loss: float | None = None
    min_val_loss: float | None = None
    step_to_3_28: int | None = None
    final_step: int | None = None
    scheduled_steps: int | None = None
    train_time_s: float | None = None
    step_avg_ms: float | None = None
    num_val_points: int | None = None

    def filled_from(self, others: Iterable["Outcome"]) -> "Outcome":
        """Fill what is unknown from other sources, the best of them first.

        A crossing is not filled in where the log's own checkpoints show that there was none.
        """
        filled = self
        for other in others:
            stated = {
                name: value
                for name in _NAMES
                if getattr(filled, name) is None and (value := getattr(other, name)) is not None
            }
            if self.num_val_points is not None:
                stated.pop("step_to_3_28", None)
            if stated:
                filled = replace(filled, **stated)
        return filled


_NAMES = tuple(field.name for field in fields(Outcome))


def outcome_of_trial(checkpoints: Checkpoints, trial: int) -> Outcome:
    """Judge one trial by its checkpoints. A loss that is not a number is neither a hit nor a minimum.

    Args:
        checkpoints: All checkpoints of a log.
        trial: 0-based number of the trial.
    """
    first, stop = bisect_left(checkpoints.trial, trial), bisect_right(checkpoints.trial, trial)
    if first == stop:
        return Outcome()
    losses = checkpoints.val_loss[first:stop]
    last = stop - 1
    return Outcome(
        final_val_loss=losses[-1],
        min_val_loss=min(filter(math.isfinite, losses), default=None),
        step_to_3_28=next((checkpoints.step[first + row] for row in hits_of(losses)), None),
        final_step=checkpoints.step[last],
        scheduled_steps=checkpoints.scheduled_steps[last],
        train_time_s=checkpoints.train_time_s[last],
        step_avg_ms=average if math.isfinite(average := checkpoints.step_avg_ms[last]) else None,
        num_val_points=len(losses),
    )


def hits_of(losses: Sequence[float]) -> Iterator[int]:
    """Number the losses that reach the target: 3.28 itself does, NaN and minus infinity do not."""
    return (row for row, loss in enumerate(losses) if -math.inf < loss <= TARGET_VAL_LOSS)


def outcome_of_facts(facts: LedgerFields | ExportRun) -> Outcome:
    """Take over what a row of the ledger or of the export states."""
    return Outcome(
        final_val_loss=facts.final_val_loss,
        min_val_loss=facts.min_val_loss,
        step_to_3_28=facts.step_to_3_28,
        final_step=_last_step(facts),
        scheduled_steps=facts.train_steps if isinstance(facts, ExportRun) else facts.scheduled_steps,
        train_time_s=facts.train_time_s,
        step_avg_ms=facts.step_avg_ms if isinstance(facts, ExportRun) else None,
        num_val_points=facts.num_val_points if isinstance(facts, ExportRun) else None,
    )


def _last_step(facts: LedgerFields | ExportRun) -> int | None:
    if facts.final_step is None and isinstance(facts, LedgerFields):
        return facts.last_logged_step
    return facts.final_step
