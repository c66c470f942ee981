"""The score of a set of candidates: what each earns, how different they are, and how many are well-formed."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DIVERSITY_WEIGHT = 0.5
VALIDITY_WEIGHT = 0.1


def mean_pairwise_distance(vectors: NDArray[np.float32]) -> float:
    """Average the cosine distance over all pairs of different rows; fewer than two rows have none: 0.

    >>> mean_pairwise_distance(np.eye(3, dtype=np.float32))
    1.0

    Args:
        vectors: One row a candidate, of unit length, shape (n, d).
    """
    n = len(vectors)
    if n < 2:
        return 0.0
    rows = vectors.astype(np.float64)
    first, second = np.triu_indices(n, k=1)
    return float(np.mean(1.0 - (rows @ rows.T)[first, second]))


def valid_fraction(num_valid: int, num_candidates: int) -> float:
    """Share of well-formed candidates; 0 of none.

    Args:
        num_valid: How many are well-formed.
        num_candidates: How many there are.
    """
    return num_valid / num_candidates if num_candidates else 0.0


def set_score(
    scores: Sequence[float],
    diversity: float,
    validity: float,
    *,
    diversity_weight: float = DIVERSITY_WEIGHT,
    validity_weight: float = VALIDITY_WEIGHT,
) -> float:
    """Score a set: sum of scores + 0.5 x mean pairwise cosine distance + 0.1 x valid fraction, as published.

    >>> round(set_score([0.3, -0.5], diversity=0.8, validity=1.0), 6)
    0.3

    Args:
        scores: What each candidate earns.
        diversity: Mean pairwise cosine distance, 0 to 2.
        validity: Share of well-formed candidates, 0 to 1.
        diversity_weight: Weight of the diversity.
        validity_weight: Weight of the validity.
    """
    return float(sum(scores)) + diversity_weight * diversity + validity_weight * validity
