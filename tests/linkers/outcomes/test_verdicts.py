"""Verdicts: the bounds stand in the doctest, here what counts as having run."""

import pytest

from linkers.outcomes.verdicts import has_run
from linkers.run_outcomes import Outcome


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome(), False),
        (Outcome(num_val_points=0), False),
        (Outcome(num_val_points=1, final_step=0, final_val_loss=10.8), True),
        (Outcome(final_val_loss=float("nan")), True),
        (Outcome(final_step=2000), True),
    ],
)
def test_a_run_with_any_checkpoint_or_step_has_run(outcome: Outcome, expected: bool) -> None:
    """A ledger that states a step or a loss shows as much as a log; a NaN is an outcome as well."""
    assert has_run(outcome) is expected
