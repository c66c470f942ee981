"""NoveltyBench's two numbers for the candidates of a proposer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorers.noveltybench.equivalence import COSINE_THRESHOLD, cosine_equivalence
from scorers.noveltybench.metrics import PATIENCE, distinct_k, utility_k
from scorers.noveltybench.partitioning import partition


@dataclass(frozen=True, slots=True)
class CandidatesDiversity:
    """How different the candidates of one set are, and what that is worth.

    Attributes:
        labels: The class of each candidate, numbered from 0 by first appearance.
        distinct_k: Number of classes.
        utility_k: Worth of the set to a reader who may stop after each one, on the scale of the qualities.
    """

    labels: tuple[int, ...]
    distinct_k: int
    utility_k: float


def candidates_diversity(
    texts: Sequence[str],
    vectors: NDArray[np.floating],
    qualities: Sequence[float],
    *,
    threshold: float = COSINE_THRESHOLD,
    patience: float = PATIENCE,
) -> CandidatesDiversity:
    """Measure a set of candidates as NoveltyBench measures the outputs to one prompt.

    The formulas are those of Zhang et al. 2025 (see `metrics`); candidates are equal whose vectors lie close.

    Args:
        texts: The candidates, in the order in which the proposer gives them.
        vectors: A vector a candidate, shape (len(texts), dimensions), of any length; one of zeros is near no
            other.
        qualities: How good each is, by the caller's measure; NoveltyBench has 1 to 10.
        threshold: Candidates are equal whose cosine is at least this.
        patience: The probability that a reader goes on to the next candidate.

    Returns:
        The measures; no class and no worth where there is no candidate.

    Raises:
        ValueError: If texts, vectors and qualities do not belong together.
    """
    matrix = np.asarray(vectors)
    if len(matrix) != len(texts) or (len(texts) and matrix.ndim != 2) or not np.isfinite(matrix).all():
        raise ValueError(f"{len(texts)} texts have vectors of shape {matrix.shape}, or some are no numbers.")
    labels = partition(texts, cosine_equivalence(dict(zip(texts, matrix, strict=True)), threshold))
    return CandidatesDiversity(tuple(labels), distinct_k(labels), utility_k(labels, qualities, patience))
