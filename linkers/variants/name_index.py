"""The names of a scope's variants, cut into words and numbers and found by their numbers."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
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
        long_numbers: Those of more than one digit, in no order.
    """

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    numbers: tuple[str, ...]
    long_numbers: frozenset[str]


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
    numbers = tuple(token for token in cut if token.isdigit())
    return NameParts(
        tuple(cut),
        tuple(token for token in cut if not token.isdigit()),
        numbers,
        frozenset(number for number in numbers if len(number) > 1),
    )


class NameIndex:
    """Variant stems by the long numbers in them, which an abbreviation keeps, all of them and no other.

    Args:
        stems: The stems of one scope.
    """

    def __init__(self, stems: Iterable[str]) -> None:
        self._by_numbers: dict[frozenset[str], list[tuple[str, NameParts]]] = defaultdict(list)
        for stem in sorted(stems):
            parts = name_parts(stem)
            self._by_numbers[parts.long_numbers].append((stem, parts))

    def with_numbers_of(self, parts: NameParts) -> Sequence[tuple[str, NameParts]]:
        """List the stems that have the same long numbers as a name."""
        return self._by_numbers.get(parts.long_numbers, ())
