"""Where ledger and log of one run disagree. Both values are kept; the log's is published."""

from collections.abc import Iterator
from datetime import timedelta

from linkers.launch_times import LaunchTime, TimeSource
from linkers.run_outcomes import Outcome
from parsers.ledger_fields import LedgerFields, Status

MAX_QUEUE_TIME = timedelta(days=2)
"""A log that starts later than this after the ledger's launch is at odds with it, not merely queued."""

MAX_CLOCK_SKEW = timedelta(hours=1)
"""Ledger and node may disagree by this much without one of them being wrong."""


def find_conflicts(
    trials: tuple[Outcome, ...],
    ledger: LedgerFields,
    seed: int | None,
    launch: LaunchTime | None,
    status: Status,
) -> tuple[str, ...]:
    """Compare what a ledger states with what the log shows.

    A value agrees when any trial of the log bears it out, a loss also when it is the log's value rounded.
    `train_steps` is not compared: the agents wrote the schedule's length or the stop step there.

    Args:
        trials: Outcome of every trial in the log; at least one.
        ledger: The ledger's merged statements.
        seed: The seed that the trainer printed, or None.
        launch: The published launch.
        status: The published status.

    Returns:
        One short statement a disagreement, in a fixed order.
    """
    return tuple(
        f"{field}: log {shown}, ledger {stated}"
        for field, shown, stated in (
            *_number_conflicts(trials, ledger),
            *_other_conflicts(ledger, seed, launch, status),
        )
    )


_Conflict = tuple[str, object, object]


def _number_conflicts(trials: tuple[Outcome, ...], ledger: LedgerFields) -> Iterator[_Conflict]:
    for field in ("final_val_loss", "min_val_loss"):
        stated = getattr(ledger, field)
        if stated is not None and not any(_is_rounding(stated, getattr(trial, field)) for trial in trials):
            yield field, getattr(trials[0], field), stated
    for field in ("final_step", "step_to_3_28"):
        stated = getattr(ledger, field)
        if stated is not None and all(stated != getattr(trial, field) for trial in trials):
            yield field, getattr(trials[0], field), stated


def _is_rounding(stated: float, shown: float | None) -> bool:
    """Whether the stated loss is the shown one, rounded or cut to the digits that are stated.

    >>> _is_rounding(3.278, 3.27823), _is_rounding(3.28, 3.27823), _is_rounding(3.27, 3.29)
    (True, True, False)
    """
    decimals = len(repr(stated).partition(".")[2])
    return shown is not None and abs(stated - shown) < 1.01 * 10.0**-decimals


def _other_conflicts(
    ledger: LedgerFields, seed: int | None, launch: LaunchTime | None, status: Status
) -> Iterator[_Conflict]:
    if ledger.seed is not None and seed is not None and ledger.seed != seed:
        yield "seed", seed, ledger.seed
    if ledger.status is not None and ledger.status != status:
        yield "status", status.value, ledger.status.value
    if (
        launch is None
        or ledger.launched is None
        or launch.source in (TimeSource.LEDGER, TimeSource.LEDGER_DATE)
    ):
        return
    lag = launch.at - ledger.launched.at
    slack = timedelta(days=1) if ledger.launched.is_date_only else MAX_CLOCK_SKEW
    if not -slack <= lag <= MAX_QUEUE_TIME + slack:
        yield "launched_at", launch.at.isoformat(), ledger.launched.at.isoformat()
