"""Embeddings by words alone: what works with no key, no model and no network, and no more than that.

A text becomes the counts of its words and pairs of words, weighted by how rare each is among the texts that
the backend was fitted on (tf-idf), hashed into a fixed number of places. Two texts are near where they share
rare words. It knows no synonyms: a paraphrase in other words is as far as another idea, so that it finds
copies and close variations and nothing else, and a threshold that suits a neural model is strict for it. It
stands in for such a model in demonstrations and tests; no published number rests on it.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from outputs.embeddings.model import Embedding, Role
from outputs.spending.budget import Estimate, Usage
from scorers.vectors import unit_rows

LEXICAL = "lexical"
DIMENSIONS = 2_048
MODEL = f"hashed-tf-idf-words-1-2-{DIMENSIONS}"

_WORD = re.compile(r"[a-z]+|\d+")


@dataclass(frozen=True, eq=False)
class LexicalBackend:
    """Embeds by hashed tf-idf of words and pairs of words.

    Attributes:
        weights: Weight of each place, by how rare what falls into it is, shape (DIMENSIONS,).
    """

    weights: NDArray[np.float64]
    name: str = LEXICAL
    model: str = MODEL

    @classmethod
    def fit(cls, texts: Sequence[str]) -> "LexicalBackend":
        """Learn how rare words are: `ln((1 + n) / (1 + texts that have it)) + 1`, the smoothed idf.

        Args:
            texts: The texts to learn from.
        """
        seen = np.zeros(DIMENSIONS)
        for text in texts:
            seen[list({place for place, _ in _features(text)})] += 1
        return cls(np.log((1 + len(texts)) / (1 + seen)) + 1)

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """Say that it costs nothing."""
        return Estimate("embeddings", self.model, len(set(texts)), 0, Usage())

    def embed(self, texts: Sequence[str], role: Role) -> Mapping[str, Embedding]:
        """Embed texts; one without a word has no vector."""
        return {text: self._embed(text) for text in texts}

    def _embed(self, text: str) -> Embedding:
        counts = np.zeros(DIMENSIONS)
        for (place, sign), count in Counter(_features(text)).items():
            counts[place] += sign * (1 + math.log(count))
        if not counts.any():
            return Embedding(None, reason="The text has no words.")
        return Embedding(unit_rows((counts * self.weights)[None])[0].astype("<f4").tobytes())


def _features(text: str) -> Iterator[tuple[int, int]]:
    """Give the place and the sign of every word and every pair of words; signs let collisions cancel out."""
    words = _WORD.findall(text.lower())
    for feature in (*words, *(f"{first} {second}" for first, second in pairwise(words))):
        code = zlib.crc32(feature.encode())
        yield code % DIMENSIONS, 1 if code & 0x8000_0000 else -1
