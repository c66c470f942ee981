"""The names of a scope's variants, cut into words and numbers and found by their numbers."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from linkers.names import fold, tokens, without_prefixes
from parsers.run_ids import NAMES_KEPT

_GLUED = re.compile(r"(\d{2,4})([23]\d{3})")


@dataclass(frozen=True, slots=True)
class NameParts:
    """A name, cut up.

    Attributes:
        tokens: Its words and numbers in order.
        words: The words alone.
        numbers: The numbers alone, as written.
    """

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    numbers: tuple[str, ...]


@lru_cache(maxsize=NAMES_KEPT)
def name_parts(name: str) -> NameParts:
    """Cut a name into words and numbers, and a parameter from the step count that is glued to it.

    >>> name_parts("v3aur2b0253025").tokens
    ('v', '3', 'aur', '2', 'b', '025', '3025')
    """
    cut: list[str] = []
    for token in tokens(without_prefixes(fold(name))):
        match = _GLUED.fullmatch(token)
        cut.extend(match.groups() if match else (token,))
    return NameParts(
        tuple(cut),
        tuple(token for token in cut if not token.isdigit()),
        tuple(token for token in cut if token.isdigit()),
    )


class NameIndex:
    """Variant stems by the numbers in them.

    Args:
        stems: The stems of one scope.
    """

    def __init__(self, stems: Iterable[str]) -> None:
        self._parts = {stem: name_parts(stem) for stem in sorted(stems)}
        self._holders: dict[str, list[str]] = defaultdict(list)
        for stem, parts in self._parts.items():
            for number in dict.fromkeys(parts.numbers):
                self._holders[number].append(stem)

    def sharing_a_number(self, parts: NameParts) -> Iterator[tuple[str, NameParts]]:
        """Yield the stems that hold the rarest number of a name; all stems for a name without one."""
        if parts.numbers:
            stems = min((self._holders.get(number, []) for number in parts.numbers), key=len)
        else:
            stems = list(self._parts)
        for stem in stems:
            yield stem, self._parts[stem]
