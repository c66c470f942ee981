"""Which of many similar texts a text differs least from, by the lines that tell them apart."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MAX_SHARE = 0.5
"""A line that more than this share of the texts hold tells nothing apart and is left out."""

MIN_SIMILARITY = 0.6
"""Texts that share less are unrelated: an edited copy keeps most of what makes it what it is."""

MIN_MARGIN = 0.01
"""The second best must be this much less similar, else the answer is ambiguous."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The most similar text.

    Attributes:
        name: Its name.
        similarity: 0 to 1: twice the shared lines over the lines of both (Dice), telling lines only.
        runner_up: Name of the second most similar, or None.
        margin: How much less similar that one is.
    """

    name: str
    similarity: float
    runner_up: str | None
    margin: float


class LineIndex:
    """Texts by their lines.

    Args:
        texts: Texts by name.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        lines = {name: _lines(texts[name]) for name in sorted(texts)}
        counts = Counter(line for each in lines.values() for line in each)
        limit = max(1.0, MAX_SHARE * len(texts))
        self._common = {line for line, count in counts.items() if count > limit}
        self._sizes = {name: len(each - self._common) for name, each in lines.items()}
        self._holders: dict[str, list[str]] = {}
        for name, each in lines.items():
            for line in each - self._common:
                self._holders.setdefault(line, []).append(name)

    def nearest(self, text: str) -> Nearest | None:
        """Find the text that shares most telling lines, or None where that is ambiguous."""
        mine = _lines(text) - self._common
        shared = Counter(name for line in mine for name in self._holders.get(line, ()))
        ranked = sorted(
            ((2 * count / (len(mine) + self._sizes[name]), name) for name, count in shared.items()),
            key=lambda pair: (-pair[0], pair[1]),
        )
        if not ranked or ranked[0][0] < MIN_SIMILARITY:
            return None
        second, runner_up = ranked[1] if len(ranked) > 1 else (0.0, None)
        margin = ranked[0][0] - second
        return Nearest(ranked[0][1], ranked[0][0], runner_up, margin) if margin >= MIN_MARGIN else None


def _lines(text: str) -> frozenset[str]:
    return frozenset(stripped for line in _split(text) if (stripped := line.strip()))


def _split(text: str) -> Iterable[str]:
    return text.split("\n")
