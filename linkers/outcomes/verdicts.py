"""The verdict of a run or an idea: one rule, against the Muon baseline of 3500 steps."""

from enum import StrEnum

from linkers.run_outcomes import Outcome

BASELINE_STEPS = 3500
"""Steps of the Muon baseline that every verdict is measured against."""

IMPROVED_STEPS = 3400
"""A run that reaches 3.28 in at most this many steps beats the baseline by more than noise."""

NEUTRAL_STEPS = 3550
"""A run that takes more steps than this is worse than the baseline by more than noise."""


class Verdict(StrEnum):
    """What came of a run or an idea, the best first."""

    IMPROVED = "improved"
    NEUTRAL = "neutral"
    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"
    FAILED_TO_RUN = "failed_to_run"


def verdict_of(step_to_3_28: int | None, *, has_run: bool) -> Verdict:
    """Judge by the step at which 3.28 was reached. An idea is judged by the step of its best experiment.

    Args:
        step_to_3_28: First step at or below 3.28, or None.
        has_run: Whether any checkpoint or step is known of it.

    >>> [verdict_of(step, has_run=True).value for step in (3400, 3401, 3550, 3551, None)]
    ['improved', 'neutral', 'neutral', 'regressed', 'inconclusive']
    >>> verdict_of(None, has_run=False).value
    'failed_to_run'
    """
    if step_to_3_28 is None:
        return Verdict.INCONCLUSIVE if has_run else Verdict.FAILED_TO_RUN
    if step_to_3_28 <= IMPROVED_STEPS:
        return Verdict.IMPROVED
    return Verdict.NEUTRAL if step_to_3_28 <= NEUTRAL_STEPS else Verdict.REGRESSED


def has_run(outcome: Outcome) -> bool:
    """Whether log, ledger or export show that at least one checkpoint was reached."""
    shown = (outcome.num_val_points or None, outcome.final_step, outcome.final_val_loss, outcome.min_val_loss)
    return any(value is not None for value in shown)
