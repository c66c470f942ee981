"""How many different ideas a set of candidates holds, and what they are worth, as NoveltyBench has it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorers.classes import Classification
from scorers.noveltybench import Pair, distinct_k, partition, utility_k
from scorers.results import CandidateResult, ScoringResult
from scorers.vectors import Vectors

MIN_QUALITY = 1.0
MAX_QUALITY = 10.0


@dataclass(frozen=True, slots=True)
class SetNovelty:
    """NoveltyBench's numbers for one set.

    Attributes:
        distinct_k: Number of different ideas among the first k candidates.
        utility_k: What they are worth to a reader who may stop after each one, 0 to 10.
    """

    distinct_k: int
    utility_k: float


def distinct_classes(texts: Sequence[str], vectors: Vectors, threshold: float) -> list[int]:
    """Part candidates into classes that state the same idea, numbered from 0 by first appearance.

    Args:
        texts: The candidates' texts, in their order.
        vectors: Their vectors, shape (n, d). One of zeros is near to no other.
        threshold: The least cosine of two that state the same, as the cosine judge has it.
    """
    rows = {text: row for row, text in enumerate(texts)}

    def are_near(pairs: Sequence[Pair]) -> list[bool]:
        cosines = (vectors[rows[one]] @ vectors[rows[other]] for one, other in pairs)
        return [bool(cosine >= np.float32(threshold)) for cosine in cosines]

    return partition(texts, are_near)


def quality_of_score(score: float) -> float:
    """Put the judged score of a candidate on NoveltyBench's scale of qualities, 1 to 10.

    The line from the worst judged score, -1, to the best, 1. NoveltyBench takes qualities from a reward model
    of texts, which knows nothing of what training runs showed; the judge does. The scale is the same, the
    numbers are not, so that a utility of proposals does not compare with one of texts.

    >>> [quality_of_score(score) for score in (-1, -0.5, 0, 1)]
    [1.0, 3.25, 5.5, 10.0]

    Args:
        score: What the candidate earns, -1 to 1.
    """
    share = (min(max(score, -1.0), 1.0) + 1) / 2
    return MIN_QUALITY + share * (MAX_QUALITY - MIN_QUALITY)


def measure_set(result: ScoringResult, k: int) -> SetNovelty:
    """Measure the first k candidates of a set.

    An invalid candidate keeps its place, states no idea and is worth nothing; so are the places that a set of
    fewer than k candidates leaves empty, as a proposer that stops early would otherwise gain by it.

    Args:
        result: The set, judged whole.
        k: How many candidates count, in their order.
    """
    counted = result.candidates[:k]
    labels = [_label(place, each) for place, each in enumerate(counted)]
    qualities = [_quality(each) for each in counted]
    for place in range(len(counted), k):
        labels.append(_own_label(place))
        qualities.append(0.0)
    return SetNovelty(distinct_k([label for label in labels if label >= 0]), utility_k(labels, qualities))


def _label(place: int, candidate: CandidateResult) -> int:
    return _own_label(place) if candidate.distinct_class is None else candidate.distinct_class


def _own_label(place: int) -> int:
    """Name a class that nothing else is of: no class of ideas has a negative number."""
    return -1 - place


def _quality(candidate: CandidateResult) -> float:
    if candidate.classification is Classification.INVALID:
        return 0.0
    return quality_of_score(candidate.score)
