"""Files of one JSON object a line: read as far as they can be, written whole or not at all."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from scorers.noveltybench.errors import NoveltyBenchError
from scorers.noveltybench.rows import Line

GENERATIONS = "generations.jsonl"
PARTITIONS = "partitions.jsonl"
SCORES = "scores.jsonl"
SUMMARY = "summary.json"
FAILURES = "failures.jsonl"
"""Prompts that `infer` got no answers to; the public code has no such file."""

MADE_BY = {GENERATIONS: "infer", PARTITIONS: "partition", SCORES: "score"}
"""The stage that writes each file."""

L = TypeVar("L", bound=Line)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that does not count.

    Attributes:
        path: The file.
        number: 1-based number of the line.
        reason: Why, in a few words.
    """

    path: Path
    number: int
    reason: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.path}, line {self.number}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Lines(Generic[L]):
    """What a file holds.

    Attributes:
        rows: The lines that could be read, one an id.
        rejected: Lines of another shape.
        repeated: Lines that a later one of the same id stands in for.
        is_torn: Whether the last of the rejected lines has no end, as if its writer had been killed.
    """

    rows: tuple[L, ...]
    rejected: tuple[Rejected, ...] = ()
    repeated: tuple[Rejected, ...] = ()
    is_torn: bool = False


def read_lines(path: Path, shape: type[L]) -> Lines[L]:
    """Read a file; a line that cannot be read costs no other one. Of several lines of an id the last counts.

    Args:
        path: The file. Blank lines do not count.
        shape: What each line must hold.

    Raises:
        NoveltyBenchError: If the file is not there.
    """
    if not path.is_file():
        stage = MADE_BY.get(path.name)
        hint = f": run `speedrun-etl noveltybench {stage}` first." if stage else "."
        raise NoveltyBenchError(f"There is no file {path}{hint}")
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    found: dict[str, tuple[int, L]] = {}
    rejected: list[Rejected] = []
    repeated: list[Rejected] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = shape.model_validate_json(line)
        except ValidationError as error:
            rejected.append(Rejected(path, number, _reason(error)))
            continue
        if row.id in found:
            repeated.append(Rejected(path, found[row.id][0], f"line {number} has the same id"))
        found[row.id] = number, row
    last = data.count(b"\n") + 1
    is_torn = bool(rejected) and rejected[-1].number == last
    return Lines(tuple(row for _, row in found.values()), tuple(rejected), tuple(repeated), is_torn)


def line_of(row: Mapping[str, object]) -> str:
    """Write one line, in ASCII as the public files have it."""
    return f"{json.dumps(row)}\n"


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Put a file in place of an earlier one as a whole."""
    write_text(path, "".join(map(line_of, rows)))


def write_text(path: Path, text: str) -> None:
    """Put a text in place of an earlier one as a whole."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def _reason(error: ValidationError) -> str:
    """Say what is wrong first; the line itself may be anything, so nothing of it is repeated."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(each) for each in first["loc"])
    message = str(first["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
