"""`THREAD.md` to dated entries: what the agent noted, when, and which names and numbers it noted."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from parsers.braces import expand_braces, find_brace_lists
from parsers.kinds import FileKind
from parsers.lines import Place, decode
from parsers.markdown import Block, BlockKind, Document, Section, parse_markdown
from parsers.quarantine import Reason
from parsers.records import Parsed
from parsers.times import Instant, find_instants, parse_instant

OPENER_GAP = timedelta(days=7)
"""A first date that lies further before all others was copied from an earlier wave's journal."""

WRAP_WIDTHS = range(60, 121)
"""Columns at which people wrap text. A line of another length ends where its author ended it."""

WRAP_NEIGHBOURS = 3
"""Lines on either side of a line end that tell at which column the text around it is wrapped."""

MAX_NAMES = 512
"""Names kept of one entry."""


@dataclass(frozen=True, slots=True)
class StepLoss:
    """A validation loss that an entry gives at a step.

    Attributes:
        step: The step.
        val_loss: The loss.
    """

    step: int
    val_loss: float


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One note: a list item with what is nested in it, a paragraph, a table row, or a line of its own.

    Attributes:
        path: POSIX path of the journal, relative to the archive's root.
        line_start: First line, 1-based.
        line_end: Last line, included.
        at: When it was written, by the date that it opens with, else by the dated heading above it. None
            where neither is dated and for a copied opener.
        heading: The heading it stands under, or an empty text.
        text: The note as written.
        quoted_names: What stands in backticks, in order.
        expanded_names: The names that its brace lists stand for, in order.
        job_ids: Numbers of four to six digits in parentheses: Slurm jobs, or steps.
        step_losses: The losses it gives at a step.
        is_copied_opener: Whether it was copied from an earlier wave's journal. Such a note dates nothing.
    """

    path: str
    line_start: int
    line_end: int
    at: Instant | None
    heading: str
    text: str
    quoted_names: tuple[str, ...]
    expanded_names: tuple[str, ...]
    job_ids: tuple[int, ...]
    step_losses: tuple[StepLoss, ...]
    is_copied_opener: bool = False


_OPENING_DATE = re.compile(
    r"[\W_]{0,40}(?:(?:date|updated?|day|on|entry|session|added|note|log)\b[\s\d:,(-]{0,8}){0,2}"
    r"(?P<date>\d{4}-\d{2}-\d{2}|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )",
    re.IGNORECASE,
)
_STAMP_CHARS = 48
_TIME_OF_DAY = re.compile(r"[\W_]{0,20}(\d{1,2}:\d{2}(?::\d{2})?)(?:\s?(?:Z|UTC))?(?![\d:])")
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_JOBS = re.compile(r"\(((?:jobs?|slurm)?[\s#:]{0,3}\d{4,6}(?:[\s,/;&]{1,3}\d{4,6}){0,30})\)", re.IGNORECASE)
_STEP_LOSS = re.compile(
    r"(?<![\w.])(?:@|step[ =:]{1,2})?`?(?P<step>\d{2,5})`?(?:\s{0,2}[/=:]\s{0,2}|\s)"
    r"`?(?P<loss>(?:[2-9]|1[01])\.\d{3,7})(?![\d.]*\w)"
)


def parse_journal(data: bytes, path: str) -> Parsed[JournalEntry]:
    r"""Split a journal into its entries, in the order of the file.

    >>> parsed = parse_journal(b"## 2026-05-02\n\n- `a{1,2}` done\n  - at 3022=3.27969\n- b\n", "THREAD.md")
    >>> [(entry.line_start, entry.line_end, entry.expanded_names) for entry in parsed.records]
    [(3, 4, ('a1', 'a2')), (5, 5, ())]
    >>> parsed.records[1].at.at.date().isoformat(), parsed.records[0].step_losses
    ('2026-05-02', (StepLoss(step=3022, val_loss=3.27969),))
    """
    place = Place(FileKind.JOURNAL, path, data)
    if rejected := place.unusable():
        return Parsed((), (rejected,))
    document = parse_markdown(decode(data))
    entries = _mark_copied_opener(list(_entries(document, path)))
    if not entries:
        return Parsed((), (place.reject(Reason.NO_ENTRIES, "The journal holds headings but no entry."),))
    return Parsed(tuple(entries))


def _entries(document: Document, path: str) -> Iterator[JournalEntry]:
    headings = _Headings(document.sections)
    for block in document.blocks:
        for line_start, line_end in _split(block, document.lines):
            text = document.text(line_start, line_end)
            section, heading_at = headings.above(line_start)
            if block.kind is not BlockKind.CODE and _is_only_a_date(text):
                headings.date_from_here(_leading_instant(text, None))
                continue
            yield JournalEntry(
                path=path,
                line_start=line_start,
                line_end=line_end,
                at=_leading_instant(text, heading_at) or heading_at,
                heading=section.heading if section else "",
                text=text,
                quoted_names=_unique(_QUOTED.findall(text)),
                expanded_names=_unique(
                    name for template in find_brace_lists(text) for name in expand_braces(template)
                ),
                job_ids=_job_ids(text),
                step_losses=tuple(
                    StepLoss(int(step), float(loss)) for step, loss in _STEP_LOSS.findall(text)
                ),
            )


class _Headings:
    """The heading above a line and the date that holds there, asked for from the top down.

    A heading without a date takes that of the heading it is nested in, never that of one beside it. A line
    that is nothing but a date holds until the next heading.
    """

    def __init__(self, sections: Sequence[Section]) -> None:
        self._sections = sections
        self._next = 0
        self._open: list[tuple[Section, Instant | None]] = []
        self._dated_line: Instant | None = None

    def above(self, line: int) -> tuple[Section | None, Instant | None]:
        while self._next < len(self._sections) and self._sections[self._next].line_start <= line:
            section = self._sections[self._next]
            self._next += 1
            while self._open and self._open[-1][0].level >= section.level:
                self._open.pop()
            inherited = self._open[-1][1] if self._open else None
            instants = find_instants(section.heading)
            self._open.append((section, instants[0] if instants else inherited))
            self._dated_line = None
        if not self._open:
            return None, self._dated_line
        return self._open[-1][0], self._dated_line or self._open[-1][1]

    def date_from_here(self, at: Instant | None) -> None:
        self._dated_line = at


def _split(block: Block, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Cut the notes apart that stand in one paragraph or item without a blank line between them.

    A line at the block's own indent opens a note if it opens with a date, or if the line before it was not
    wrapped. Deeper lines belong to the note above them.
    """
    start = block.line_start
    if block.kind in {BlockKind.PARAGRAPH, BlockKind.ITEM}:
        content = lines[block.line_start - 1 : block.line_end]
        for index in range(1, len(content)):
            is_deeper = _indent(content[index]) > _indent(content[0])
            if is_deeper or not content[index].strip():
                continue
            if not _is_wrapped(content, index) or _leading_instant(content[index], None):
                yield start, block.line_start + index - 1
                start = block.line_start + index
    yield start, block.line_end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _is_wrapped(lines: Sequence[str], index: int) -> bool:
    """Whether a line goes on from the one before it, which had no room for its first word."""
    previous, line = lines[index - 1].rstrip(), lines[index].lstrip()
    if previous.endswith((".", "!", "?", ":")) and not line[0].islower():
        return False
    around = lines[max(0, index - WRAP_NEIGHBOURS) : index + WRAP_NEIGHBOURS]
    lengths = [len(neighbour.rstrip()) for neighbour in around]
    width = max([length for length in lengths if length in WRAP_WIDTHS], default=0)
    return len(previous) <= width < len(previous) + 1 + len(line.split(maxsplit=1)[0])


def _leading_instant(text: str, day: Instant | None) -> Instant | None:
    """Read the date that a text opens with, or the time of day where its heading gives the day."""
    if opening := _OPENING_DATE.match(text):
        instants = find_instants(text[opening.start("date") : opening.end() + _STAMP_CHARS])
        if instants:
            return instants[0]
    clock = _TIME_OF_DAY.match(text)
    if clock and day is not None and day.is_date_only:
        return parse_instant(f"{day.at.date().isoformat()}T{clock[1]}")
    return None


def _is_only_a_date(text: str) -> bool:
    return len(text) <= _STAMP_CHARS and parse_instant(re.sub(r"^[\W_]+|[\W_]+$", "", text)) is not None


def _job_ids(text: str) -> tuple[int, ...]:
    found = (number for group in _JOBS.findall(text) for number in re.findall(r"\d{4,6}", group))
    return tuple(dict.fromkeys(int(number) for number in found))


def _unique(names: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
    return tuple(itertools.islice(dict.fromkeys(name.strip() for name in names), MAX_NAMES))


def _mark_copied_opener(entries: list[JournalEntry]) -> list[JournalEntry]:
    """Mark and undate the first dated day's entries where all others lie more than `OPENER_GAP` later."""
    dated = [(index, entry.at.at) for index, entry in enumerate(entries) if entry.at]
    if not dated:
        return entries
    first_at = dated[0][1]
    others = [(index, at) for index, at in dated if at.date() != first_at.date()]
    if not others or min(at for _, at in others) - first_at <= OPENER_GAP:
        return entries
    end = others[0][0]
    return [
        replace(entry, at=None, is_copied_opener=True) if entry.at and index < end else entry
        for index, entry in enumerate(entries)
    ]
