"""When two outputs say the same: the interface, and the cosine of their embeddings."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from outputs.embeddings.model import Embedding
from scorers.noveltybench.errors import RowError
from scorers.thresholds import PUBLISHED_THRESHOLD

Pair = tuple[str, str]
"""The first member of a class, and an output that may belong to it."""

COSINE_THRESHOLD = PUBLISHED_THRESHOLD
"""Where nothing else is said, what the cosine judge of proposals was published with."""


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
    vectors: Mapping[str, NDArray[np.floating] | None], threshold: float = COSINE_THRESHOLD
) -> Equivalence:
    """Make an equivalence from the vectors of all outputs that it will be asked about.

    Args:
        vectors: Vectors by output, shape (dimensions,), of any length. An output without a vector, or with
            one of length zero, equals no other one.
        threshold: Outputs are equal whose cosine is at least this.
    """

    def cosine(left: NDArray[np.floating] | None, right: NDArray[np.floating] | None) -> float:
        if left is None or right is None:
            return -math.inf
        left, right = left.astype(np.float64), right.astype(np.float64)
        lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
        return float(left @ right) / lengths if lengths else -math.inf

    return lambda pairs: [cosine(vectors[left], vectors[right]) >= threshold for left, right in pairs]


def embedding_equivalence(
    embedded: Mapping[str, Embedding], threshold: float = COSINE_THRESHOLD
) -> Equivalence:
    """Make an equivalence from the embeddings of all outputs that it will be asked about.

    Args:
        embedded: Embeddings by output, as `embed_texts` gives them; a blank output equals no other one.
        threshold: Outputs are equal whose cosine is at least this.
    """
    compare = cosine_equivalence(
        {
            text: None if each.vector is None else np.frombuffer(each.vector, dtype="<f4")
            for text, each in embedded.items()
        },
        threshold,
    )

    def judge(pairs: Sequence[Pair]) -> Sequence[bool]:
        for text in (text for pair in pairs for text in pair):
            if embedded[text].vector is None and text.strip():
                raise RowError(f"An output could not be embedded: {embedded[text].reason}")
        return compare(pairs)

    return judge
