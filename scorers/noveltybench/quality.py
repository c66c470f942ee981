"""From the reward of an output to its quality, 1 to 10, by the published thresholds."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Protocol

REWARD_THRESHOLDS = (-7.71875, -6.28125, -6.0, -5.71875, -5.5, -5.0, -4.375, -3.4375, -2.046875)
"""The nine published rewards that part the ten qualities; they belong to the published reward model."""

Exchange = tuple[str, str]
"""A prompt and an output."""


class RewardModel(Protocol):
    """Rewards outputs."""

    def __call__(self, exchanges: Sequence[Exchange], /) -> Sequence[float]:
        """Give each output its reward; a higher one is better.

        Raises:
            RowError: If these outputs cannot be rewarded, but others may.
        """


def quality_of(reward: float) -> int:
    """Turn a reward into a quality.

    The published code of Zhang et al. 2025 (version 1.0): 1 plus the number of thresholds that lie strictly
    below the reward, so that a reward on a threshold gets the lower quality.

    >>> quality_of(-8), quality_of(-7.71875), quality_of(-7.7), quality_of(-2.046875), quality_of(0)
    (1, 1, 2, 9, 10)

    Args:
        reward: What the published reward model says.

    Returns:
        1 to 10.

    Raises:
        ValueError: If the reward is not a number; it would pass for the worst quality.
    """
    if math.isnan(reward):
        raise ValueError("A reward is not a number.")
    return bisect_left(REWARD_THRESHOLDS, reward) + 1
