"""The two numbers for the candidates of a proposer."""

import numpy as np
import pytest

from scorers.noveltybench import candidates_diversity

TEXTS = [f"Candidate number {number} proposes to change the optimizer" for number in range(4)]
# The second lies at the cosine 0.8 to the first, the third at 0, the fourth at 0.6 to both the first and the third.
VECTORS = np.array([[1, 0, 0], [0.8, 0.6, 0], [0, 0, 1], [0.6, 0.52915, 0.6]], dtype=np.float32)


def test_candidates_by_hand() -> None:
    found = candidates_diversity(TEXTS, VECTORS, [4, 9, 10, 2])
    assert found.labels == (0, 0, 1, 2)
    assert found.distinct_k == 3
    # (1 * 4 + 0.8 * 0 + 0.64 * 10 + 0.512 * 2) / (1 + 0.8 + 0.64 + 0.512)
    assert found.utility_k == pytest.approx(11.424 / 2.952, abs=1e-12)
    strict = candidates_diversity(TEXTS, VECTORS, [4, 9, 10, 2], threshold=0.81, patience=1)
    assert (strict.labels, strict.utility_k) == ((0, 1, 2, 3), 25 / 4)


def test_a_candidate_that_stands_twice_is_one() -> None:
    found = candidates_diversity([TEXTS[0]] * 2, VECTORS[[0, 2]], [1, 1])
    assert (found.labels, found.distinct_k) == ((0, 0), 1)


def test_a_candidate_without_a_vector_of_its_own_is_near_no_other() -> None:
    assert candidates_diversity(TEXTS, VECTORS * [[1], [0], [1], [0]], [1] * 4).labels == (0, 1, 2, 3)


def test_no_candidate_is_worth_nothing() -> None:
    found = candidates_diversity([], np.empty((0, 3)), [])
    assert (found.labels, found.distinct_k, found.utility_k) == ((), 0, 0)


def test_qualities_of_another_scale_are_taken_as_they_are() -> None:
    # A judged score may be negative: (1 * -0.5 + 0.8 * 0.3) / 1.8
    found = candidates_diversity(TEXTS[::2], VECTORS[::2], [-0.5, 0.3])
    assert found.utility_k == pytest.approx(-0.26 / 1.8, abs=1e-12)


def test_what_does_not_belong_together_is_refused() -> None:
    with pytest.raises(ValueError, match="4 outputs have 3 qualities"):
        candidates_diversity(TEXTS, VECTORS, [1, 2, 3])
    for vectors in (VECTORS[:3], VECTORS[:, 0], VECTORS * np.nan):
        with pytest.raises(ValueError, match="4 texts have vectors of shape"):
            candidates_diversity(TEXTS, vectors, [1, 2, 3, 4])
