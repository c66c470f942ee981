"""What each class earns, by the published table."""

import pytest

from outputs.schemas import REJECTION_CLASSES
from scorers.classes import IMPACTS, REJECTION_MULTIPLIERS, Classification, Impact, candidate_score


@pytest.mark.parametrize(
    ("impact", "confidence", "score"),
    [
        (Impact.FRONTIER_IDEA, 1.0, 1.0),
        (Impact.IMPROVED_IDEA, 1.0, 0.6),
        (Impact.FRONTIER_EXPERIMENT, 1.0, 0.5),
        (Impact.IMPROVED_EXPERIMENT, 1.0, 0.4),
        (Impact.IMPROVED_IDEA, 0.9, 0.54),  # 0.6 x 0.9
        (Impact.FRONTIER_IDEA, 0.0, 0.0),
    ],
)
def test_an_anticipation_earns_its_impact(impact: Impact, confidence: float, score: float) -> None:
    assert candidate_score(Classification.NOVEL_VALIDATED, confidence, impact=impact) == pytest.approx(score)


@pytest.mark.parametrize(
    ("rejection_class", "confidence", "score"),
    [
        ("none", 1.0, -0.5),
        ("failed", 1.0, -0.7),  # -0.5 x 1.4
        ("family_ruled_out", 1.0, -0.8),  # -0.5 x 1.6
        ("audit_noncompliant", 1.0, -0.8),
        ("existence_killed", 1.0, -1.0),  # -0.5 x 2.0
        ("failed", 0.5, -0.35),  # -0.5 x 1.4 x 0.5
    ],
)
def test_a_rediscovery_costs_more_where_it_was_rejected(
    rejection_class: str, confidence: float, score: float
) -> None:
    earned = candidate_score(Classification.REDISCOVERY, confidence, rejection_class=rejection_class)
    assert earned == pytest.approx(score)


def test_the_other_classes() -> None:
    assert candidate_score(Classification.INVALID) == -1.0
    assert candidate_score(Classification.INVALID, 0.5) == -1.0
    assert candidate_score(Classification.NOVEL_UNVALIDATED, 0.8) == pytest.approx(0.24)  # 0.3 x 0.8
    assert candidate_score(Classification.UNJUDGED) == 0.0


def test_a_match_without_what_it_is_worth_is_a_fault() -> None:
    with pytest.raises(ValueError, match="impact"):
        candidate_score(Classification.NOVEL_VALIDATED)
    with pytest.raises(ValueError, match="prior"):
        candidate_score(Classification.REDISCOVERY)


def test_every_rejection_and_every_impact_has_a_weight() -> None:
    assert set(REJECTION_MULTIPLIERS) == set(REJECTION_CLASSES)
    assert set(IMPACTS) == set(Impact)
    assert list(IMPACTS.values()) == sorted(IMPACTS.values(), reverse=True)
