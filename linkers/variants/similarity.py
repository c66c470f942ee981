"""Which of many similar texts a text differs least from, by the lines that tell them apart."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import stringzilla

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
    telling = _TellingLines(texts)
    return {key: _choose(telling, text) for key, text in queries.items()}


class _TellingLines:
    """The lines of many texts that share most of their paragraphs, without those that tell nothing apart.

    Each paragraph is read once, however many texts hold it, and lines that stand in the same paragraphs are
    counted together: hundreds of trainers differ in a few paragraphs each.

    Args:
        texts: The texts by name.

    Attributes:
        names: The names, sorted. A text's place is that of its name.
        sizes: How many telling lines each text has, by place.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.names = sorted(texts)
        places_of: dict[stringzilla.Str, list[int]] = defaultdict(list)
        for place, name in enumerate(self.names):
            # Views of the text, found and hashed several times as fast as copies of its parts.
            for paragraph in set(stringzilla.Str(texts[name]).split_iter("\n\n")):
                places_of[paragraph].append(place)
        places = [*places_of.values()]
        paragraphs_of: dict[str, list[int]] = defaultdict(list)
        for number, paragraph in enumerate(places_of):
            for line in _lines(str(paragraph)):
                paragraphs_of[line].append(number)
        self._group_of = {line: tuple(paragraphs) for line, paragraphs in paragraphs_of.items()}
        self._holders = {
            group: set(chain.from_iterable(places[number] for number in group))
            for group in set(self._group_of.values())
        }
        limit = max(1.0, MAX_SHARE * len(texts))
        self._common = {group for group, places in self._holders.items() if len(places) > limit}
        self.sizes = self._count(self._group_of.values())

    def shared_with(self, text: str) -> tuple[int, list[int]]:
        """Count the telling lines of a text: all of them, and those that each of the texts holds too."""
        groups = [self._group_of.get(line, ()) for line in _lines(text)]
        return sum(group not in self._common for group in groups), self._count(groups)

    def _count(self, groups: Iterable[tuple[int, ...]]) -> list[int]:
        """Count telling lines by the text that holds them, given the paragraphs in which each line stands."""
        counts = [0] * len(self.names)
        for group, num_lines in Counter(groups).items():
            if group not in self._common:
                for place in self._holders.get(group, ()):
                    counts[place] += num_lines
        return counts


def _choose(telling: _TellingLines, text: str) -> Nearest | None:
    size, shared = telling.shared_with(text)
    ranked = sorted(
        ((2 * count / (size + telling.sizes[place]), place) for place, count in enumerate(shared) if count),
        key=lambda pair: (-pair[0], pair[1]),
    )
    if not ranked or ranked[0][0] < MIN_SIMILARITY:
        return None
    similarity, place = ranked[0]
    second, runner_up = (ranked[1][0], telling.names[ranked[1][1]]) if len(ranked) > 1 else (0.0, None)
    margin = similarity - second
    return Nearest(telling.names[place], similarity, runner_up, margin) if margin >= MIN_MARGIN else None


def _lines(text: str) -> set[str]:
    lines = set(map(str.strip, text.split("\n")))
    lines.discard("")
    return lines
