"""The agents' ledger of runs, `runs.jsonl`: one JSON object a line, appended to by many jobs at once."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

from parsers.kinds import FileKind
from parsers.ledger_fields import LedgerFields, read_fields, run_id_of
from parsers.quarantine import Quarantined, Reason, excerpt
from parsers.records import Parsed

MAX_LINE_BYTES = 4_000_000
"""A longer line is no ledger row; the longest real ones have a few kilobytes."""

_MAX_OBJECTS_IN_A_LINE = 64


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One line of the ledger.

    Attributes:
        run_id: The run that the line is about.
        line: 1-based line.
        facts: What the line states.
    """

    run_id: str
    line: int
    facts: LedgerFields


@dataclass(frozen=True, slots=True)
class LedgerRun:
    """Everything that the ledger says of one run, later lines superseding earlier ones field by field.

    Attributes:
        run_id: The run.
        lines: 1-based lines that speak of it, in order.
        facts: The merged statements.
    """

    run_id: str
    lines: tuple[int, ...]
    facts: LedgerFields


@dataclass(frozen=True, slots=True)
class Ledger:
    """A parsed ledger.

    Attributes:
        parsed: Entries, and the lines that are damaged.
        num_lines: Lines that are not blank. Each is either read whole or in quarantine.
        num_lines_quarantined: Lines of which anything is in quarantine. A whole object found in such
            a line is an entry all the same.
    """

    parsed: Parsed[LedgerEntry]
    num_lines: int
    num_lines_quarantined: int


def parse_ledger(data: bytes, path: str) -> Ledger:
    """Parse a ledger, saving every whole object from damaged lines.

    Args:
        data: The file.
        path: Its path, for quarantine.
    """
    entries: list[LedgerEntry] = []
    rejects: list[Quarantined] = []
    num_lines = 0
    offset = 0
    for number, raw in enumerate(data.split(b"\n"), start=1):
        line_offset, offset = offset, offset + len(raw) + 1
        if not raw.strip(b" \t\r\0\xef\xbb\xbf"):
            continue
        num_lines += 1
        found, reject = _parse_line(raw, number, line_offset, path)
        entries.extend(found)
        rejects.extend(reject)
    num_rejected = len({reject.line for reject in rejects})
    return Ledger(Parsed(tuple(entries), tuple(rejects)), num_lines, num_rejected)


def merge_entries(entries: Iterable[LedgerEntry]) -> tuple[LedgerRun, ...]:
    """Merge the entries of each run in the order of the file.

    Returns:
        One record a run, sorted by run id.
    """
    of_run: dict[str, list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        of_run[entry.run_id].append(entry)
    return tuple(
        LedgerRun(
            run_id,
            tuple(entry.line for entry in of_run[run_id]),
            reduce(LedgerFields.superseded_by, (entry.facts for entry in of_run[run_id])),
        )
        for run_id in sorted(of_run)
    )


def _parse_line(
    raw: bytes, number: int, offset: int, path: str
) -> tuple[list[LedgerEntry], list[Quarantined]]:
    def reject(reason: Reason, detail: str) -> list[Quarantined]:
        return [Quarantined(FileKind.LEDGER, path, number, offset, reason, detail, excerpt(raw))]

    if len(raw) > MAX_LINE_BYTES:
        return [], reject(Reason.LINE_TOO_LONG, f"The line has {len(raw)} bytes, over {MAX_LINE_BYTES}.")
    text = raw.decode("utf-8", errors="replace").strip(" \t\r\0\ufeff")
    entries: list[LedgerEntry] = []
    rejects: list[Quarantined] = []
    for value in _values(text):
        if isinstance(value, _Broken):
            rejects = rejects or reject(Reason.BAD_JSON, value.cause)
        elif not isinstance(value, dict):
            rejects = rejects or reject(Reason.NOT_AN_OBJECT, "The line holds no JSON object.")
        elif (run_id := run_id_of(value, is_fragment=bool(rejects))) is None:
            cause = "The object names no run: neither an id nor a log is given."
            rejects = rejects or reject(Reason.NO_RUN_ID, cause)
        else:
            entries.append(LedgerEntry(run_id, number, read_fields(value)))
    return entries, rejects


@dataclass(frozen=True, slots=True)
class _Broken:
    cause: str


def _values(text: str) -> Iterator[object]:
    """Yield the JSON values of a line, and a mark for each stretch that is none.

    Two jobs that append at once leave `{"run_id": "a", "sta{"run_id": "b"}` or `{...}{...}`: behind a
    broken stretch the next `{"` is tried.
    """
    decoder = json.JSONDecoder()
    at = 0
    for _ in range(_MAX_OBJECTS_IN_A_LINE):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            cause = (
                error.msg if isinstance(error, json.JSONDecodeError) else "a value is too large or too deep"
            )
            yield _Broken(f"The line is no whole JSON object: {cause.lower()}.")
            at = text.find('{"', at + 1)
            if at < 0:
                return
            continue
        yield value
        while at < len(text) and text[at] in " \t\r,":
            at += 1
        if at >= len(text):
            return
    yield _Broken(f"The line holds more than {_MAX_OBJECTS_IN_A_LINE} pieces.")
