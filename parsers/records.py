"""What a parser of a file with many records hands back: the good ones beside the rejected ones."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from parsers.quarantine import Quarantined

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """The records of one file, in the order of the file, and what was set aside.

    Attributes:
        records: What could be read.
        quarantined: What could not, with its place and reason.
    """

    records: tuple[T, ...]
    quarantined: tuple[Quarantined, ...] = ()
