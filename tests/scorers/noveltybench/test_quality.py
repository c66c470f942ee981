"""From reward to quality by the nine published thresholds."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.noveltybench import quality_of
from scorers.noveltybench.quality import REWARD_THRESHOLDS

PUBLISHED = [-7.71875, -6.28125, -6.0, -5.71875, -5.5, -5.0, -4.375, -3.4375, -2.046875]


def test_a_reward_on_a_threshold_gets_the_lower_quality() -> None:
    assert list(REWARD_THRESHOLDS) == PUBLISHED
    for number, threshold in enumerate(PUBLISHED, start=1):
        assert quality_of(threshold) == number
        assert quality_of(math.nextafter(threshold, math.inf)) == number + 1
        assert quality_of(math.nextafter(threshold, -math.inf)) == number


@pytest.mark.parametrize(
    ("reward", "quality"), [(-math.inf, 1), (-100, 1), (-5.2, 6), (-2, 10), (0, 10), (math.inf, 10)]
)
def test_qualities_by_hand(reward: float, quality: int) -> None:
    assert quality_of(reward) == quality


def test_what_is_no_number_is_not_the_worst() -> None:
    with pytest.raises(ValueError, match="not a number"):
        quality_of(math.nan)


@given(st.floats(-12, 2), st.floats(-12, 2))
def test_a_higher_reward_is_never_worth_less(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 1 <= quality_of(low) <= quality_of(high) <= 10
