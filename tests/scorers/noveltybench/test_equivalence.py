"""The cosine of embeddings as an equivalence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from outputs.embeddings.model import Embedding, Role, packed_unit
from outputs.spending.budget import Estimate, Usage
from scorers.noveltybench import cosine_equivalence
from scorers.noveltybench.equivalence import EmbeddingEquivalence
from scorers.noveltybench.errors import RowError

# Cosines with "east": 0.8 and 0.6.
VECTORS = {"east": (1.0, 0.0), "up": (4.0, 3.0), "steep": (0.6, 0.8)}


@dataclass
class FakeBackend:
    """Embeds three words."""

    asked: list[str] = field(default_factory=list)
    name: str = "fake"
    model: str = "fake"

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """Cost nothing."""
        return Estimate("tests", "fake", len(texts), 0, Usage())

    def embed(self, texts: Sequence[str], role: Role) -> Mapping[str, Embedding]:
        """Embed."""
        self.asked += texts
        return {
            text: Embedding(packed_unit(VECTORS[text], 2))
            if text in VECTORS
            else Embedding(None, reason="It is too hard.")
            for text in texts
        }


def test_the_threshold_itself_counts() -> None:
    pairs = [("east", "up"), ("east", "steep"), ("east", "east")]
    judge = EmbeddingEquivalence(FakeBackend(), 0.8 - 1e-6)
    assert judge(pairs) == [True, False, True]
    assert EmbeddingEquivalence(FakeBackend(), 0.8 + 1e-6)(pairs) == [False, False, True]
    # Exactly representable: (1, 0) and (1, 0).
    assert EmbeddingEquivalence(FakeBackend(), 1.0)([("east", "east")]) == [True]


def test_each_output_is_embedded_once() -> None:
    backend = FakeBackend()
    judge = EmbeddingEquivalence(backend)
    judge([("east", "up"), ("east", "steep")])
    judge([("up", "steep")])
    assert backend.asked == ["east", "steep", "up"]


def test_a_blank_output_equals_none_and_one_that_cannot_be_embedded_is_told() -> None:
    judge = EmbeddingEquivalence(FakeBackend())
    assert judge([("east", " ")]) == [False]
    with pytest.raises(RowError, match=r"could not be embedded: It is too hard\."):
        judge([("east", "other")])


def test_vectors_that_are_there_need_no_unit_length() -> None:
    vectors = np.array(list(VECTORS.values()), dtype=np.float32) * np.float32(7)
    judge = cosine_equivalence(list(VECTORS), vectors, 0.75)
    assert judge([("east", "up"), ("east", "steep"), ("up", "steep")]) == [True, False, True]
    # The last: (0.8, 0.6) and (0.6, 0.8) have the cosine 0.96.
    assert judge([]) == []


@pytest.mark.parametrize(
    "vectors", [[[1.0, 0.0]], [1.0, 0.0], [[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [np.nan, 1.0]]]
)
def test_a_vector_a_text_is_demanded(vectors: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="vector"):
        cosine_equivalence(["a", "b"], np.array(vectors))
