"""Where a needle stands in bytes: every offset, found at the speed of memory.

`bytes.find` looks at every few bytes in turn; StringZilla compares whole registers and is five to ten times
as fast on logs, of which there are gigabytes.
"""

from collections.abc import Iterable
from typing import NamedTuple

import stringzilla


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


def find_in(data: bytes, needle: bytes, spans: Iterable[Span]) -> list[int]:
    """List the offsets of a needle in some stretches of the data.

    >>> find_in(b"step:1 step:2", b"step:", [Span(0, 6), Span(8, 13)])
    [0]
    """
    return [at for start, stop in spans for at in find_all(data, needle, start, stop)]


def holds_any(data: bytes, letters: bytes) -> bool:
    r"""Whether any of some bytes stands anywhere in the data.

    >>> holds_any(b"one\r\n", b"\r\t")
    True
    """
    return bool(stringzilla.find_first_of(data, letters) >= 0)
