"""What a check is, and what a validation tells."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from outputs.validation.opened import OpenedDataset

NUM_SHOWN = 10
"""So many failing rows are shown of each place."""


class Rule(StrEnum):
    """Kinds of rules that a column's declaration makes."""

    NULLS = "nulls"
    ALLOWED = "allowed"
    RANGE = "range"
    FINITE = "finite"
    KEYS = "keys"


Offenders = Mapping[str, pl.DataFrame]
"""The failing rows, by the place where they are: a table, a column, or what else the check speaks of."""


class Severity(StrEnum):
    """How much a failing check weighs."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Check:
    """One promise of a dataset.

    Attributes:
        name: Its name.
        severity: How much it weighs when it fails.
        promise: What holds, in a sentence.
        find: Returns the rows for which it does not hold; places without any may be left out.
    """

    name: str
    severity: Severity
    promise: str
    find: "Callable[[OpenedDataset], Offenders]"


@dataclass(frozen=True, slots=True)
class Result:
    """What one check found.

    Attributes:
        check: The check.
        offenders: The failing rows by place; none where it passes.
    """

    check: Check
    offenders: Offenders

    @property
    def num_offenders(self) -> int:
        """How many rows fail."""
        return sum(frame.height for frame in self.offenders.values())

    def records(self) -> list[dict[str, object]]:
        """Give the first failing rows as one mapping each, with the place, as text that JSON can hold."""
        return [
            {"where": place} | {name: _plain(value) for name, value in row.items()}
            for place, frame in self.offenders.items()
            for row in frame.head(NUM_SHOWN).iter_rows(named=True)
        ]


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | bool | None) else str(value)


@dataclass(frozen=True, slots=True)
class Validation:
    """What all checks found.

    Attributes:
        results: One result a check, in order.
    """

    results: tuple[Result, ...]

    def failing(self, severity: Severity) -> tuple[Result, ...]:
        """List the failing checks of a severity."""
        return tuple(
            result for result in self.results if result.num_offenders and result.check.severity == severity
        )

    def is_passed(self, *, is_strict: bool = False) -> bool:
        """Whether no error was found, and when strict no warning either."""
        return not self.failing(Severity.ERROR) and not (is_strict and self.failing(Severity.WARNING))
