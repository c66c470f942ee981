"""`audits.md`, a table of ideas and what an audit said of each, to one record a row and idea."""

import re
from dataclasses import dataclass

from parsers.kinds import FileKind
from parsers.lines import Place, decode
from parsers.markdown import BlockKind, Document, parse_markdown, plain
from parsers.quarantine import Quarantined, Reason
from parsers.records import Parsed
from parsers.verdicts import Verdict, find_verdict


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit said of an idea.

    Attributes:
        path: POSIX path of the file, relative to the archive's root.
        idea_slug: The idea as the row names it.
        verdict: What was decided.
        line: 1-based line of the row.
        text: The row as written.
    """

    path: str
    idea_slug: str
    verdict: Verdict
    line: int
    text: str


_CELL_END = re.compile(r"(?<!\\)\|")
_QUOTED = re.compile(r"`([^`\n]{1,160})`")
_BARE_NAME = re.compile(r"[A-Za-z][\w.+-]{2,100}")
_DELIMITER = re.compile(r"[\s|:-]+")


def parse_audits(data: bytes, path: str) -> Parsed[Audit]:
    r"""Read the rows of every table in the file. A row without an idea or a verdict is set aside.

    >>> table = b"| Idea | Result |\n|---|---|\n| `acn` | NOT COMPLIANT, reads data |\n"
    >>> audit = parse_audits(table, "audits.md").records[0]
    >>> audit.idea_slug, audit.verdict.value, audit.line
    ('acn', 'non_compliant', 3)
    """
    place = Place(FileKind.AUDIT, path, data)
    if rejected := place.unusable():
        return Parsed((), (rejected,))
    document = parse_markdown(decode(data))
    audits: list[Audit] = []
    quarantined: list[Quarantined] = []
    for line in _row_lines(document):
        text = document.line(line).strip()
        cells = table_cells(text)
        names, finding = _idea_names(cells[0]), find_verdict("\n".join(cells[1:]))
        if not names:
            detail = f"The row on line {line} names no idea in its first cell."
            quarantined.append(place.reject_line(line, Reason.NO_IDEA, detail))
        elif finding is None:
            detail = f"The row on line {line} gives no verdict."
            quarantined.append(place.reject_line(line, Reason.NO_VERDICT, detail))
        else:
            audits += [Audit(path, name, finding.verdict, line, text) for name in names]
    if not audits and not quarantined:
        quarantined.append(place.reject(Reason.NO_ENTRIES, "The file holds no table row."))
    return Parsed(tuple(audits), tuple(quarantined))


def table_cells(row: str) -> list[str]:
    r"""Split a table row into its cells, however many the header has.

    >>> table_cells("| `a` | x \\| y |")
    ['`a`', 'x | y']
    """
    cells = [cell.replace("\\|", "|").strip() for cell in _CELL_END.split(row.strip())]
    return cells[
        1 if len(cells) > 1 and not cells[0] else 0 : -1 if len(cells) > 1 and not cells[-1] else None
    ]


def _row_lines(document: Document) -> list[int]:
    """Lines of table rows, and of rows that lost their table: lines of a paragraph that open with a bar."""
    lines: list[int] = []
    for block in document.blocks:
        if block.kind is BlockKind.ROW:
            lines.append(block.line_start)
        elif block.kind is BlockKind.PARAGRAPH:
            rows = [
                n for n in range(block.line_start, block.line_end + 1) if _opens_with_bar(document.line(n))
            ]
            lines += [n for n in rows if not _is_header(document, n)]
    return lines


def _opens_with_bar(line: str) -> bool:
    return line.lstrip().startswith("|") and not _DELIMITER.fullmatch(line)


def _is_header(document: Document, number: int) -> bool:
    return number < document.line_end and bool(_DELIMITER.fullmatch(document.line(number + 1).strip() or "x"))


def _idea_names(cell: str) -> list[str]:
    if quoted := _QUOTED.findall(cell):
        return [name.strip().removesuffix(".md").rsplit("/", 1)[-1] for name in quoted if name.strip()]
    bare = _BARE_NAME.fullmatch(plain(cell))
    return [bare.group()] if bare else []
