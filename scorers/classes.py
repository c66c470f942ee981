"""The classes that a candidate can be put in, and the score that each of them earns."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Classification(StrEnum):
    """What a candidate turns out to be, in the order in which it is asked."""

    INVALID = "invalid"
    NOVEL_VALIDATED = "novel_validated"
    REDISCOVERY = "rediscovery"
    NOVEL_UNVALIDATED = "novel_unvalidated"
    UNJUDGED = "unjudged"


class Impact(StrEnum):
    """What a matched future experiment stands for, the weightiest first."""

    FRONTIER_IDEA = "frontier_idea"
    IMPROVED_IDEA = "improved_idea"
    FRONTIER_EXPERIMENT = "frontier_experiment"
    IMPROVED_EXPERIMENT = "improved_experiment"


IMPACTS: Mapping[Impact, float] = MappingProxyType(
    {
        Impact.FRONTIER_IDEA: 1.0,
        Impact.IMPROVED_IDEA: 0.6,
        Impact.FRONTIER_EXPERIMENT: 0.5,
        Impact.IMPROVED_EXPERIMENT: 0.4,
    }
)
"""What a match of each is worth, as published."""

NOT_REJECTED = "none"

REJECTION_MULTIPLIERS: Mapping[str, float] = MappingProxyType(
    {
        NOT_REJECTED: 1.0,
        "failed": 1.4,
        "family_ruled_out": 1.6,
        "audit_noncompliant": 1.6,
        "existence_killed": 2.0,
    }
)
"""How much worse it is to propose again what was rejected, by `ideas.rejection_class`, as published."""

INVALID_SCORE = -1.0
REDISCOVERY_SCORE = -0.5
UNVALIDATED_SCORE = 0.3


def candidate_score(
    classification: Classification,
    confidence: float = 1.0,
    *,
    impact: Impact | None = None,
    rejection_class: str | None = None,
) -> float:
    """Score one candidate, by the published rule.

    One that could not be judged earns nothing; whoever reports its set says so.

    >>> candidate_score(Classification.NOVEL_VALIDATED, 0.9, impact=Impact.IMPROVED_IDEA)
    0.54
    >>> candidate_score(Classification.REDISCOVERY, rejection_class="existence_killed")
    -1.0

    Args:
        classification: What it is.
        confidence: How sure the judge is, 0 to 1. Nobody doubts that an invalid one is invalid.
        impact: What the matched future experiment stands for; only with `NOVEL_VALIDATED`.
        rejection_class: Why the matched prior's idea had been rejected, `none` if it had not; only with
            `REDISCOVERY`.

    Raises:
        ValueError: If a match has no impact or no rejection class.
    """
    match classification:
        case Classification.INVALID:
            return INVALID_SCORE
        case Classification.NOVEL_VALIDATED:
            if impact is None:
                raise ValueError("A validated candidate matches a future experiment, which has an impact.")
            return IMPACTS[impact] * confidence
        case Classification.REDISCOVERY:
            if rejection_class is None:
                raise ValueError("A rediscovery matches a prior, whose idea was rejected or was not.")
            return REDISCOVERY_SCORE * REJECTION_MULTIPLIERS[rejection_class] * confidence
        case Classification.NOVEL_UNVALIDATED:
            return UNVALIDATED_SCORE * confidence
        case Classification.UNJUDGED:
            return 0.0
