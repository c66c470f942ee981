"""Rule checks, of one idea or of a batch of them, to one record an idea."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from parsers.audits import table_cells
from parsers.kinds import FileKind
from parsers.lines import Place, decode
from parsers.markdown import BlockKind, Document, parse_markdown
from parsers.quarantine import Quarantined, Reason
from parsers.records import Parsed
from parsers.verdicts import Verdict, find_verdict


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """What a check against the rules said of an idea.

    Attributes:
        path: POSIX path of the file, relative to the archive's root.
        idea_name: Code or slug of the idea, as the file gives it.
        verdict: What was decided.
        line: 1-based line of the verdict.
        text: The check as written: the whole file, or the part of a batch.
    """

    path: str
    idea_name: str
    verdict: Verdict
    line: int
    text: str


_SUBJECT = re.compile(
    r"(?P<name>.+?)[-_](?:rules?[-_])?(?:compliance[-_])?(?:check|audit|gate|review)s?(?:[-_]?v?\d{1,2})?",
    re.I,
)
_BATCH = re.compile(r"(?:^|[-_])(?:batch|current|all|ideas|summary)(?:[-_]|$)", re.IGNORECASE)
_CODE = r"[A-Za-z]{3,4}\d{3}"
_NAMED = re.compile(
    r"[^\w`]*+(?:\d{1,3}[.):][^\w`]*+)?+(?:idea\s[^\w`]*+)?+"
    rf"(?:`(?P<quoted>[^`\n]{{1,160}})`|(?P<code>{_CODE}(?:[-_][A-Za-z0-9_-]{{1,100}})?)(?![A-Za-z0-9]))",
    re.IGNORECASE,
)


def parse_rule_check(data: bytes, path: str) -> Parsed[RuleCheck]:
    r"""Read a check whose file name says which idea it is about, or else a batch.

    >>> parse_rule_check(b"Verdict: PASS\n", "rule_checks/awr001_rule_check.md").records[0].idea_name
    'awr001'
    >>> batch = b"## AWR001\n\nVerdict: PASS\n\n## `BIGE001`\n\nVerdict: FAIL\n"
    >>> checks = parse_rule_check(batch, "current_batch_rule_audit.md").records
    >>> [(check.idea_name, check.verdict.value) for check in checks]
    [('AWR001', 'pass'), ('BIGE001', 'fail')]
    """
    place = Place(FileKind.RULE_CHECK, path, data)
    if rejected := place.unusable():
        return Parsed((), (rejected,))
    document = parse_markdown(decode(data))
    stem = PurePosixPath(path).stem
    subject = _SUBJECT.fullmatch(stem)
    if _BATCH.search(stem):
        return _parse_batch(document, place)
    name = subject["name"] if subject else stem
    text = document.text(1, document.line_end)
    finding = find_verdict("\n".join(document.lines))
    if finding is None:
        rejected = place.reject(Reason.NO_VERDICT, f"The check of {name} gives no verdict.")
        return Parsed((), (rejected,))
    return Parsed((RuleCheck(path, name, finding.verdict, finding.line + 1, text),))


def _parse_batch(document: Document, place: Place) -> Parsed[RuleCheck]:
    checks: list[RuleCheck] = []
    quarantined: list[Quarantined] = []
    for name, line_start, line_end in _parts(document):
        first = _NAMED.sub("", document.line(line_start), count=1)
        lines = [document.line(number) for number in range(line_start + 1, line_end + 1)]
        finding = find_verdict("\n".join([" ; ".join(table_cells(first)), *lines]))
        if finding is None:
            detail = f"The check of {name} on line {line_start} gives no verdict."
            quarantined.append(place.reject_line(line_start, Reason.NO_VERDICT, detail))
            continue
        text = document.text(line_start, line_end)
        checks.append(RuleCheck(place.path, name, finding.verdict, line_start + finding.line, text))
    if not checks and not quarantined:
        quarantined.append(place.reject(Reason.NO_ENTRIES, "The batch names no idea."))
    return Parsed(tuple(checks), tuple(quarantined))


def _parts(document: Document) -> Iterator[tuple[str, int, int]]:
    """Find the parts that open with an idea: sections, and outside of these rows, items and lines."""
    parts: list[tuple[str, int, int]] = []
    covered_to = 0
    named = [(section, _opening_name(section.heading)) for section in document.sections]
    for section, name in named:
        if name and section.line_start > covered_to:
            covered_to = section.line_end
            parts.append((name, section.line_start, section.line_end))
    covered = {number for _, start, end in parts for number in range(start, end + 1)}
    for block in document.blocks:
        if block.line_start in covered or block.kind in {BlockKind.CODE, BlockKind.HTML}:
            continue
        is_whole = block.kind in {BlockKind.ITEM, BlockKind.ROW}
        step = block.line_end - block.line_start + 1 if is_whole else 1
        for start in range(block.line_start, block.line_end + 1, step):
            if name := _opening_name(document.line(start)):
                parts.append((name, start, start + step - 1))
    return iter(sorted(parts, key=lambda part: part[1]))


def _opening_name(line: str) -> str | None:
    match = _NAMED.match(line)
    name = (match["quoted"] or match["code"]).strip() if match else ""
    return name.removesuffix(".md").rsplit("/", 1)[-1] or None
