"""Where a needle stands in bytes: every offset, found at the speed of memory.

`bytes.find` looks at every few bytes in turn; StringZilla compares whole registers and is five to ten times
as fast on logs, of which there are gigabytes.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import stringzilla
from ahocorasick_rs import BytesAhoCorasick, MatchKind


class Span(NamedTuple):
    """A stretch of bytes.

    Attributes:
        start: Offset of the first byte.
        stop: Offset behind the last byte.
    """

    start: int
    stop: int


def find(data: bytes, needle: bytes, start: int, stop: int) -> int:
    """Find the first offset of a needle in `data[start:stop]`, or -1, like `bytes.find`.

    >>> find(b"step:1 step:2", b"step:", 1, 13)
    7
    """
    return int(stringzilla.find(data, needle, start, stop))


def find_all(data: bytes, needle: bytes, start: int, stop: int) -> list[int]:
    """List the offsets of a needle in `data[start:stop]`, which do not overlap.

    >>> find_all(b"step:1 step:2", b"step:", 0, 13)
    [0, 7]
    """
    found = []
    at = stringzilla.find(data, needle, start, stop)
    while at >= 0:
        found.append(at)
        at = stringzilla.find(data, needle, at + len(needle), stop)
    return found


class Needles:
    """Several needles that are looked for in one pass, hardly slower than one for a single needle.

    Args:
        needles: The needles.

    Raises:
        ValueError: If one can overlap another: of two that do, one pass finds the first alone.
    """

    def __init__(self, *needles: bytes) -> None:
        for one in needles:
            for other in needles:
                if one is not other and (one in other or any(map(other.startswith, _ends(one)))):
                    raise ValueError(f"The needles {one!r} and {other!r} can overlap: look for them apart.")
        self._sizes = [len(needle) for needle in needles]
        self._automaton = BytesAhoCorasick(needles, matchkind=MatchKind.LeftmostFirst)

    def find_in(self, data: bytes, spans: Sequence[Span]) -> list[list[int]]:
        """List the offsets of each needle in some stretches of the data, which are in order.

        >>> Needles(b"step:", b"seed:").find_in(b"step:1 seed:2 step:3", [Span(0, 6), Span(8, 20)])
        [[0, 14], []]
        """
        found: list[list[int]] = [[] for _ in self._sizes]
        for needle, start, _ in self._automaton.find_matches_as_indexes(data):
            found[needle].append(start)
        return [_inside(each, size, spans) for each, size in zip(found, self._sizes, strict=True)]


def _ends(needle: bytes) -> list[bytes]:
    return [needle[start:] for start in range(1, len(needle))]


def _inside(found: list[int], size: int, spans: Sequence[Span]) -> list[int]:
    """Keep the offsets of the needles of some size that stand wholly in one of the spans."""
    if not found:
        return found
    parts = [found[bisect_left(found, start) : bisect_right(found, stop - size)] for start, stop in spans]
    return parts[0] if len(parts) == 1 else [at for part in parts for at in part]


def holds_any(data: bytes, letters: bytes) -> bool:
    r"""Whether any of some bytes stands anywhere in the data.

    >>> holds_any(b"one\r\n", b"\r\t")
    True
    """
    return bool(stringzilla.find_first_of(data, letters) >= 0)
