"""`ideas.md`, one numbered list of ideas, to one record an idea."""

import re
from collections.abc import Iterator, Sequence

from parsers.ideas import Idea, build_idea
from parsers.kinds import FileKind
from parsers.lines import Place, decode
from parsers.markdown import BlockKind, Document, parse_markdown, plain
from parsers.quarantine import Quarantined, Reason
from parsers.records import Parsed

MAX_SLUG_WORDS = 6
MAX_TITLE_CHARS = 200

_NUMBER = re.compile(
    r"\s*(?:#+\s*)?(?:\*\*|__)?(?:idea\s+)?#?\d{1,4}(?:[.):]|\s+[-\u2013\u2014])\s*", re.IGNORECASE
)
_NUMBERED_HEADING = re.compile(r"(?:idea\s+)?#?\d{1,4}(?:[.):]|\s+[-\u2013\u2014])\s*", re.IGNORECASE)
_ITEM_NUMBER = re.compile(r"\s{0,3}\d{1,9}[.)]\s+")
_QUOTED_NAME = re.compile(r"[*_\s]*`([^`\n]{1,120})`")
_BOLD_NAME = re.compile(r"\s*(?:\*\*|__)([^*\n]{1,160})(?:\*\*|__)")
_TITLE_END = re.compile(r"[:.;!?](?:\s|$)|\s(?:-+|\u2013|\u2014|->)\s")


def parse_idea_list(data: bytes, path: str) -> Parsed[Idea]:
    r"""Read a list of ideas: numbered headings where there are any, else the items of numbered lists.

    An idea's slug is the name in backticks or bold that it opens with, else its first words. A second idea of
    the same name gets `-2` behind it, as ids must differ.

    >>> listed = b"# Ideas\n\n1. `ema-tail`: average late.\n2. **Polar Muon** - orthogonal\n"
    >>> parsed = parse_idea_list(listed, "ideas.md")
    >>> [(idea.slug, idea.title, idea.line_start) for idea in parsed.records]
    [('ema-tail', 'ema-tail', 3), ('polar-muon', 'Polar Muon', 4)]
    """
    place = Place(FileKind.IDEA_LIST, path, data)
    if rejected := place.unusable():
        return Parsed((), (rejected,))
    document = parse_markdown(decode(data))
    ideas: list[Idea] = []
    quarantined: list[Quarantined] = []
    counts: dict[str, int] = {}
    for line_start, line_end in _numbered_parts(document):
        part = parse_markdown(_dedented(document.lines[line_start - 1 : line_end]), line_start - 1)
        slug, title = _name(document.line(line_start))
        if not slug:
            detail = f"The numbered idea on line {line_start} has no name and no words."
            quarantined.append(place.reject_line(line_start, Reason.NO_TITLE_OR_TEXT, detail))
            continue
        counts[slug] = counts.get(slug, 0) + 1
        unique = slug if counts[slug] == 1 else f"{slug}-{counts[slug]}"
        ideas.append(build_idea(part, path, unique, title))
    if not ideas and not quarantined:
        quarantined.append(place.reject(Reason.NO_ENTRIES, "The file holds no numbered idea."))
    return Parsed(tuple(ideas), tuple(quarantined))


def _numbered_parts(document: Document) -> Iterator[tuple[int, int]]:
    headings = [section for section in document.sections if _NUMBERED_HEADING.match(section.heading)]
    level = min((section.level for section in headings), default=0)
    if headings:
        yield from ((s.line_start, s.line_end) for s in headings if s.level == level)
        return
    for block in document.blocks:
        if block.kind is BlockKind.ITEM and block.is_numbered:
            yield block.line_start, block.line_end


def _dedented(lines: Sequence[str]) -> str:
    """Drop an item's number and the indent below it, which would turn its paragraphs into code."""
    number = _ITEM_NUMBER.match(lines[0])
    width = number.end() if number else 0
    rest = (line[min(width, len(line) - len(line.lstrip(" "))) :] for line in lines[1:])
    return "\n".join([lines[0][width:], *rest])


def _name(line: str) -> tuple[str, str]:
    """Read slug and title off the line that opens an idea."""
    numbering = _NUMBER.match(line)
    text = line[numbering.end() if numbering else 0 :]
    if quoted := _QUOTED_NAME.match(text):
        return quoted[1].strip(), quoted[1].strip()
    bold = _BOLD_NAME.match(text)
    title = plain(bold[1]).rstrip(":. ") if bold else _first_clause(plain(text))
    words = re.findall(r"[^\W_]+(?:_[^\W_]+)*", title.lower())
    return "-".join(words[:MAX_SLUG_WORDS]), title


def _first_clause(text: str) -> str:
    end = _TITLE_END.search(text)
    return (text[: end.start()] if end else text)[:MAX_TITLE_CHARS].strip()
