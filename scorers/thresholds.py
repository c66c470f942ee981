"""The similarity from which on two texts count as one idea, and where it comes from."""

from dataclasses import dataclass
from enum import StrEnum

PUBLISHED_THRESHOLD = 0.75


class ThresholdSource(StrEnum):
    """Where a threshold comes from."""

    PUBLISHED = "published"
    CALIBRATION = "calibration"
    NAMED = "named"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold.

    Attributes:
        value: The least cosine of two texts that count as one idea.
        source: Where it comes from.
    """

    value: float
    source: ThresholdSource

    @classmethod
    def named(cls, value: float) -> "Threshold":
        """Take the one that a caller names, which may be the published one.

        >>> Threshold.named(0.75) == PUBLISHED
        True
        """
        return PUBLISHED if value == PUBLISHED_THRESHOLD else cls(value, ThresholdSource.NAMED)


PUBLISHED = Threshold(PUBLISHED_THRESHOLD, ThresholdSource.PUBLISHED)
