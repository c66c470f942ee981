"""Who does work whose items need nothing of each other, so that it can be done elsewhere and at once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Mapper(Protocol):
    """Calls a function on each item, as `map` does, be it elsewhere and at once."""

    def __call__(self, function: Callable[[T], R], items: Sequence[T], /) -> Iterable[R]:
        """Return the results in the order of the items."""
