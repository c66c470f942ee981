"""The cosine of vectors and of embeddings as an equivalence."""

import numpy as np
import pytest

from outputs.embeddings.model import Embedding, packed_unit
from scorers.noveltybench import cosine_equivalence, embedding_equivalence
from scorers.noveltybench.errors import RowError

# Cosines with "east": 0.8 and 0.6; the one between the others is 0.96.
VECTORS = {"east": (1.0, 0.0), "up": (4.0, 3.0), "steep": (0.6, 0.8)}
PAIRS = [("east", "up"), ("east", "steep"), ("up", "steep"), ("east", "east")]
EMBEDDED = {
    **{text: Embedding(packed_unit(vector, 2)) for text, vector in VECTORS.items()},
    " ": Embedding(None, reason="The text is blank."),
    "hard": Embedding(None, reason="The service answered HTTP 400."),
}


def test_vectors_need_no_unit_length() -> None:
    vectors = {text: np.array(vector, dtype=np.float32) * 7 for text, vector in VECTORS.items()}
    assert cosine_equivalence(vectors)(PAIRS) == [True, False, True, True]
    assert cosine_equivalence(vectors, 0.5)(PAIRS) == [True, True, True, True]
    assert cosine_equivalence(vectors, 0.9)([]) == []


def test_the_threshold_itself_counts() -> None:
    """Whole numbers: (4, 3) and (5, 0) have the lengths 5 and 5 and the product 20."""
    judge = {"a": np.array([4, 3]), "b": np.array([5, 0])}
    assert cosine_equivalence(judge, 0.8)([("a", "b")]) == [True]
    assert cosine_equivalence(judge, np.nextafter(0.8, 1))([("a", "b")]) == [False]


def test_what_has_no_vector_equals_nothing() -> None:
    vectors = {"none": None, "zero": np.zeros(2), "east": np.array([1.0, 0.0])}
    pairs = [("none", "east"), ("zero", "east"), ("none", "zero"), ("none", "none")]
    assert cosine_equivalence(vectors, -1)(pairs) == [False] * 4


def test_embeddings_are_compared_alike() -> None:
    judge = embedding_equivalence(EMBEDDED, 0.75)
    assert judge([*PAIRS, ("east", " ")]) == [True, False, True, True, False]
    assert judge([]) == []


def test_an_output_that_could_not_be_embedded_is_no_different_one() -> None:
    with pytest.raises(RowError, match=r"could not be embedded: The service answered HTTP 400\."):
        embedding_equivalence(EMBEDDED)([("east", "up"), ("east", "hard")])
