"""Tables of rewards: CSV, JSON lines or Parquet, with a row for each answer or a column for each writer.

A long table has the columns `prompt`, `writer` and `reward`, and if wanted `subset` (the part of the
benchmark that the prompt belongs to), `answer` (its text) and `refused`. An answer is missing if its reward
is blank or NaN, its text is there but blank, or it is marked as refused. A wide table has `prompt`, if wanted
`subset`, and one column of rewards for each writer.
"""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from scorers.preference import Answer, PreferenceError

NEEDED = ("prompt", "writer", "reward")
"""The columns that a long table must have."""

LONG = (*NEEDED, "subset", "answer", "refused")
"""The columns that a long table may have."""

_WIDE = ("prompt", "subset")
_MAX_FIELD_CHARS = 2**31 - 1
_MAX_SHOWN_CHARS = 40
_FLAGS = {"": False, "0": False, "false": False, "no": False, "1": True, "true": True, "yes": True}

Head = dict[str, str]
"""The names of a table's columns, with the place where each is first seen."""


@dataclass(frozen=True, slots=True)
class _Row:
    place: str
    cells: Mapping[str, object]


def read_rewards(path: Path, names: Mapping[str, str] | None = None) -> list[Answer]:
    """Read a table of rewards.

    Args:
        path: A file whose name ends in .csv, .jsonl, .ndjson or .parquet.
        names: By column of `LONG`, what the table calls it, where it calls it otherwise.

    Raises:
        PreferenceError: If it cannot be read, a column is missing or unknown, a cell does not hold what it
            should, an answer stands there twice, or a prompt belongs to two subsets. The sentence names file
            and line.
    """
    head, rows = _open(path)
    head, rows = _renamed(path, head, rows, names or {})
    is_long = "writer" in head or "reward" in head
    (_check_long if is_long else _check_wide)(path, head)
    writers = [name for name in head if name not in _WIDE]
    placed = (
        (row.place, answer)
        for row in rows
        for answer in ([_answer(row)] if is_long else _answers(row, writers))
    )
    return _distinct(path, placed)


def _renamed(
    path: Path, head: Head, rows: Iterator[_Row], names: Mapping[str, str]
) -> tuple[Head, Iterator[_Row]]:
    """Call the columns what we call them."""
    ours = {theirs: column for column, theirs in names.items()}
    for column, theirs in names.items():
        if column not in LONG:
            raise PreferenceError(f"{column!r} is no column of rewards: there are {_listed(LONG)}.")
        if theirs not in head:
            raise PreferenceError(
                f"{path} has no column {theirs!r} to take as {column}: it has {_listed(head)}."
            )
        if column in head and theirs != column:
            raise PreferenceError(f"{path} has a column {column!r} beside {theirs!r}: which one counts?")
    return (
        {ours.get(name, name): place for name, place in head.items()},
        (_Row(row.place, {ours.get(name, name): cell for name, cell in row.cells.items()}) for row in rows),
    )


def _check_long(path: Path, head: Head) -> None:
    for name in NEEDED:
        if name not in head:
            raise PreferenceError(f"{path} has no column {name!r}: it has {_listed(head)}.")
    for name, place in head.items():
        if name not in LONG:
            raise PreferenceError(
                f"{place} has the unknown column {name!r}: drop it, or say which of {_listed(LONG)} it is."
            )


def _check_wide(path: Path, head: Head) -> None:
    if "prompt" not in head or not head.keys() - set(_WIDE):
        raise PreferenceError(
            f"{path} is no table of rewards: it needs {_listed(NEEDED)}, or prompt and a column for each "
            f"writer; it has {_listed(head)}."
        )


def _distinct(path: Path, placed: Iterable[tuple[str, Answer]]) -> list[Answer]:
    """Refuse a second answer to the same prompt, and a prompt in two subsets."""
    answers: list[Answer] = []
    places: dict[tuple[str, str], str] = {}
    subsets: dict[str, str | None] = {}
    for place, answer in placed:
        before = places.setdefault((answer.prompt, answer.writer), place)
        if len(places) == len(answers):
            raise PreferenceError(
                f"{place} is a second answer of {answer.writer!r} to the prompt {answer.prompt!r}, after "
                f"{before}: keep one."
            )
        if subsets.setdefault(answer.prompt, answer.subset) != answer.subset:
            raise PreferenceError(f"{place} puts the prompt {answer.prompt!r} into a second subset.")
        answers.append(answer)
    if not answers:
        raise PreferenceError(f"{path} holds no rewards.")
    return answers


def _answer(row: _Row) -> Answer:
    reward = _reward(row, "reward")
    if ("answer" in row.cells and not _text(row, "answer")) or _is_refused(row):
        reward = None
    return Answer(_name(row, "prompt"), _name(row, "writer"), reward, _text(row, "subset") or None)


def _answers(row: _Row, writers: Iterable[str]) -> Iterator[Answer]:
    prompt, subset = _name(row, "prompt"), _text(row, "subset") or None
    return (Answer(prompt, writer, _reward(row, writer), subset) for writer in writers)


def _text(row: _Row, column: str) -> str:
    value = row.cells.get(column)
    return "" if value is None else str(value).strip()


def _name(row: _Row, column: str) -> str:
    if text := _text(row, column):
        return text
    raise PreferenceError(f"{row.place} names no {column}.")


def _reward(row: _Row, column: str) -> float | None:
    text = _text(row, column)
    try:
        reward = float(text or math.nan)
    except ValueError:
        reward = math.inf
    if math.isinf(reward):
        shown = text[:_MAX_SHOWN_CHARS]
        raise PreferenceError(
            f"{row.place} has {shown!r} as {column}: write a finite number, or nothing for no answer."
        )
    return None if math.isnan(reward) else reward


def _is_refused(row: _Row) -> bool:
    text = _text(row, "refused").lower()
    if text not in _FLAGS:
        shown = text[:_MAX_SHOWN_CHARS]
        raise PreferenceError(f"{row.place} has {shown!r} as refused: write true, false or nothing.")
    return _FLAGS[text]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _open(path: Path) -> tuple[Head, Iterator[_Row]]:
    readers = {".csv": _csv, ".jsonl": _json_lines, ".ndjson": _json_lines, ".parquet": _parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise PreferenceError(f"{path} is no table of rewards: name a .csv, .jsonl or .parquet file.")
    try:
        return reader(path)
    except (OSError, UnicodeDecodeError, pl.exceptions.PolarsError) as error:
        raise PreferenceError(f"{path} cannot be read: {type(error).__name__}.") from None


def _csv(path: Path) -> tuple[Head, Iterator[_Row]]:
    numbered = _numbered(path)
    line, names = next(numbered, (1, []))
    if doubled := [name for name in names if names.count(name) > 1]:
        raise PreferenceError(f"{path}:{line} has the column {doubled[0]!r} twice.")
    return dict.fromkeys(names, f"{path}:{line}"), _csv_rows(path, names, numbered)


def _numbered(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Number the rows of a CSV file by the line on which they begin; blank lines are none."""
    # Answers may be longer than the 131,072 characters that the module allows by itself.
    csv.field_size_limit(_MAX_FIELD_CHARS)
    reader = csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise PreferenceError(f"{path}:{line} is no CSV: {error}.") from None


def _csv_rows(path: Path, names: list[str], numbered: Iterator[tuple[int, list[str]]]) -> Iterator[_Row]:
    for line, row in numbered:
        if len(row) != len(names):
            raise PreferenceError(f"{path}:{line} has {len(row)} fields, and the head has {len(names)}.")
        yield _Row(f"{path}:{line}", dict(zip(names, row, strict=True)))


def _json_lines(path: Path) -> tuple[Head, Iterator[_Row]]:
    rows: list[_Row] = []
    head: Head = {}
    for line, text in enumerate(io.StringIO(path.read_bytes().decode("utf-8-sig")), start=1):
        if not text.strip():
            continue
        try:
            cells = json.loads(text)
        except (ValueError, RecursionError):
            cells = None
        if not isinstance(cells, dict):
            raise PreferenceError(f"{path}:{line} is no JSON object.")
        rows.append(_Row(f"{path}:{line}", cells))
        for name in cells:
            head.setdefault(name, f"{path}:{line}")
    return head, iter(rows)


def _parquet(path: Path) -> tuple[Head, Iterator[_Row]]:
    frame = pl.read_parquet(path)
    rows = (_Row(f"{path}, row {n},", cells) for n, cells in enumerate(frame.iter_rows(named=True), start=1))
    return dict.fromkeys(frame.columns, str(path)), rows
