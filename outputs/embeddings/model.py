"""What a backend is, and what it gives: float32 vectors of unit length, or the reason why there is none."""

import math
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import mul
from typing import Protocol

from outputs.spending.budget import Estimate
from outputs.spending.errors import BadAnswerError

FLOAT_BYTES = 4


class Role(StrEnum):
    """What a text is embedded as."""

    DOCUMENT = "document"
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class Embedding:
    """The embedding of one text.

    Attributes:
        vector: Little-endian float32 values of unit length; None where there is none.
        is_cut: Whether the text was too long, so that only its beginning counts.
        reason: Why there is no vector, in a sentence.
        tokens: What was charged for it, in tokens.
    """

    vector: bytes | None
    is_cut: bool = False
    reason: str | None = None
    tokens: int = 0

    def values(self) -> list[float]:
        """Give the vector as numbers."""
        return unpacked(self.vector or b"").tolist()


class Backend(Protocol):
    """Something that embeds texts."""

    @property
    def name(self) -> str:
        """Short name, as options and tables have it."""

    @property
    def model(self) -> str:
        """The model, named so exactly that another one cannot bear the name."""

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """Bound what embedding texts may cost."""

    def embed(self, texts: Sequence[str], role: Role) -> Mapping[str, Embedding]:
        """Embed distinct texts, each of which has letters in it."""


def embed_texts(backend: Backend, texts: Iterable[str], role: Role = Role.DOCUMENT) -> dict[str, Embedding]:
    """Embed texts, each distinct one once.

    Args:
        backend: Who embeds.
        texts: The texts.
        role: What they are embedded as.

    Returns:
        The embeddings by text.
    """
    distinct = sorted(set(texts))
    embedded = dict(backend.embed([text for text in distinct if sendable(text)], role))
    blank = Embedding(None, reason="The text is blank.")
    return {text: embedded.get(text, blank) for text in distinct}


def sendable(text: str) -> str:
    r"""Make a text that any service can read: no NUL, no half of a character.

    >>> sendable("a\0b"), sendable(" \0")
    ('ab', '')
    """
    return text.replace("\0", "").encode("utf-8", errors="replace").decode("utf-8").strip()


def packed_unit(values: Sequence[float], dimensions: int | None) -> bytes:
    """Scale a vector to unit length and pack it.

    Args:
        values: The vector.
        dimensions: How many values it must have; None where any number will do.

    Raises:
        BadAnswerError: If it is no vector of that size.
    """
    if dimensions is not None and len(values) != dimensions:
        raise BadAnswerError(f"A vector has {len(values)} values instead of {dimensions}.")
    length = math.sqrt(sum(map(mul, values, values)))
    if not math.isfinite(length) or length == 0:
        raise BadAnswerError("A vector has no length.")
    scaled = array("f", [value / length for value in values])
    if sys.byteorder == "big":
        scaled.byteswap()
    return scaled.tobytes()


def unpacked(vector: bytes) -> "array[float]":
    """Unpack a vector."""
    values = array("f")
    values.frombytes(vector)
    if sys.byteorder == "big":
        values.byteswap()
    return values
