"""Which of many similar texts a text differs least from, by the lines that tell them apart."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

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


def find_nearest(queries: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, Nearest | None]:
    """Find for each query the text that shares most telling lines with it.

    Args:
        queries: Texts by any key.
        texts: The texts to choose from, by name.

    Returns:
        The nearest text of each query; None where none is near enough, or two are about as near.
    """
    lines = {name: _lines(texts[name]) for name in sorted(texts)}
    counts = Counter(chain.from_iterable(lines.values()))
    limit = max(1.0, MAX_SHARE * len(texts))
    common = {line for line, count in counts.items() if count > limit}
    asked = {key: _lines(text) - common for key, text in queries.items()}
    wanted = set().union(*asked.values())
    sizes: dict[str, int] = {}
    holders: dict[str, list[str]] = defaultdict(list)
    for name, each in lines.items():
        each -= common
        sizes[name] = len(each)
        for line in each & wanted:
            holders[line].append(name)
    return {key: _choose(mine, sizes, holders) for key, mine in asked.items()}


def _choose(mine: set[str], sizes: Mapping[str, int], holders: Mapping[str, Sequence[str]]) -> Nearest | None:
    shared = Counter(name for line in mine for name in holders.get(line, ()))
    ranked = sorted(
        ((2 * count / (len(mine) + sizes[name]), name) for name, count in shared.items()),
        key=lambda pair: (-pair[0], pair[1]),
    )
    if not ranked or ranked[0][0] < MIN_SIMILARITY:
        return None
    second, runner_up = ranked[1] if len(ranked) > 1 else (0.0, None)
    margin = ranked[0][0] - second
    return Nearest(ranked[0][1], ranked[0][0], runner_up, margin) if margin >= MIN_MARGIN else None


def _lines(text: str) -> set[str]:
    lines = set(map(str.strip, text.split("\n")))
    lines.discard("")
    return lines
