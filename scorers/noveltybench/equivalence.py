"""When two outputs say the same: the interface, and the cosine of their embeddings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from outputs.embeddings.model import Backend, embed_texts
from scorers.noveltybench.errors import RowError

Pair = tuple[str, str]
"""The first member of a class, and an output that may belong to it."""

COSINE_THRESHOLD = 0.75
"""Where nothing else is said, as high as two texts must lie together for the cosine judge of proposals."""


class Equivalence(Protocol):
    """Judges pairs of outputs."""

    def __call__(self, pairs: Sequence[Pair], /) -> Sequence[bool]:
        """Say for each pair whether both say the same.

        Raises:
            RowError: If these outputs cannot be compared, but others may.
        """


def each_pair(are_equal: Callable[[str, str], bool]) -> Equivalence:
    """Make an equivalence from a function of two outputs.

    >>> each_pair(lambda left, right: left[0] == right[0])([("ab", "ac"), ("ab", "b")])
    [True, False]
    """
    return lambda pairs: [are_equal(left, right) for left, right in pairs]


def cosine_equivalence(
    texts: Sequence[str], vectors: NDArray[np.floating], threshold: float = COSINE_THRESHOLD
) -> Equivalence:
    """Make an equivalence from vectors that are there already.

    Args:
        texts: The texts; one that stands twice counts with its last vector.
        vectors: A vector a text, shape (len(texts), dimensions), of any length but zero.
        threshold: Two texts are equal whose cosine is at least this.

    Raises:
        ValueError: If there is not one usable vector a text.
    """
    units = unit_rows(vectors, len(texts))
    rows = {text: row for row, text in enumerate(texts)}

    def judge(pairs: Sequence[Pair]) -> list[bool]:
        left = units[[rows[pair[0]] for pair in pairs]]
        right = units[[rows[pair[1]] for pair in pairs]]
        return [bool(each >= threshold) for each in np.einsum("ij,ij->i", left, right)]

    return judge


def unit_rows(vectors: NDArray[np.floating], count: int) -> NDArray[np.float64]:
    """Scale each row of a matrix to unit length.

    Raises:
        ValueError: If there are not `count` rows, or one has no length.
    """
    if not count:
        return np.empty((0, 0))
    matrix = np.asarray(vectors, dtype=np.float64)
    if matrix.ndim != 2 or len(matrix) != count:
        raise ValueError(f"{count} texts have vectors of shape {matrix.shape}.")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ValueError("A vector has no length.")
    units: NDArray[np.float64] = matrix / lengths
    return units


@dataclass(slots=True)
class EmbeddingEquivalence:
    """Two outputs are equal whose embeddings lie close together.

    Attributes:
        backend: Who embeds.
        threshold: Outputs are equal whose cosine is at least this.
    """

    backend: Backend
    threshold: float = COSINE_THRESHOLD
    _known: dict[str, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    def __call__(self, pairs: Sequence[Pair], /) -> list[bool]:
        """Compare pairs; a blank output equals no other.

        Raises:
            RowError: If an output could not be embedded.
            SpendingError: If no further output can be.
        """
        self._embed({text for pair in pairs for text in pair})
        verdicts = []
        for left, right in pairs:
            is_blank = not left.strip() or not right.strip()
            verdicts.append(not is_blank and bool(self._known[left] @ self._known[right] >= self.threshold))
        return verdicts

    def _embed(self, texts: set[str]) -> None:
        new = sorted(text for text in texts if text.strip() and text not in self._known)
        for text, embedding in embed_texts(self.backend, new).items():
            if embedding.vector is None:
                raise RowError(f"An output could not be embedded: {embedding.reason}")
            self._known[text] = unit_rows(np.array([embedding.values()]), 1)[0]
