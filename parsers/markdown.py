"""The block structure of a Markdown text: sections, blocks and table rows with the lines they stand on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from markdown_it import MarkdownIt
from markdown_it.token import Token

from parsers.lines import join_lines, split_lines

BOLD_LEVEL = 7
"""Level of a heading that is only a bold line: below every real one."""

MAX_FRONT_MATTER_LINES = 100

_PARSER = MarkdownIt("commonmark").enable("table").disable("reference")
_PARSER.core.ruler.disable(["inline", "text_join"])

_BOLD_LINE = re.compile(r"(\*\*|__)(?P<text>[^*_\n]{1,120}|[^*\n]{1,120})\1\s*:?")
_FRONT_MATTER_PAIR = re.compile(r"(?P<key>[A-Za-z][\w -]{0,40}):(?:\s+(?P<value>.*))?")
_MARKS = re.compile(r"[*`~]+|(?<!\w)_+|_+(?!\w)")


class BlockKind(StrEnum):
    """What a block is. A list item is one block together with everything nested in it."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    QUOTE = "quote"
    CODE = "code"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, down to the next heading that is not deeper.

    Attributes:
        heading: Text of the heading, without its marks.
        level: 1 to 6, or `BOLD_LEVEL`.
        line_start: Line of the heading.
        line_end: Last line of the section that is not blank, subsections included.
        text: The section without its heading, subsections included.
        heading_end: Last line of the heading, which is below its first where it is underlined.
    """

    heading: str
    level: int
    line_start: int
    line_end: int
    text: str
    heading_end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block, or one item or row of a top-level list or table.

    Attributes:
        kind: What it is.
        line_start: First line.
        line_end: Last line.
        is_numbered: Whether it is an item of a numbered list.
    """

    kind: BlockKind
    line_start: int
    line_end: int
    is_numbered: bool = False


@dataclass(frozen=True, slots=True)
class FrontMatterPair:
    """A `key: value` line of the YAML front matter; a list below a key gives one pair an item.

    Attributes:
        key: Key in lower case, with blanks and hyphens as `_`.
        value: Value without quotes.
        line: Line of the value.
    """

    key: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """A Markdown text, by its blocks. Line numbers are 1-based and both ends are included.

    Attributes:
        lines: Every line of the text, front matter included.
        front_matter: Its pairs, in order.
        sections: Its sections, in order; nested ones overlap.
        blocks: Its blocks, headings aside, in order; they do not overlap.
        prose_lines: Numbers of the lines that are neither code nor raw HTML nor front matter.
        lines_before: Number of lines of the file above this text, which all line numbers count in.
    """

    lines: tuple[str, ...]
    front_matter: tuple[FrontMatterPair, ...]
    sections: tuple[Section, ...]
    blocks: tuple[Block, ...]
    prose_lines: tuple[int, ...]
    lines_before: int = 0

    @property
    def line_end(self) -> int:
        """Number of the last line."""
        return self.lines_before + len(self.lines)

    def line(self, number: int) -> str:
        """One line."""
        return self.lines[number - 1 - self.lines_before]

    def text(self, line_start: int, line_end: int) -> str:
        """Cut lines out of the text, without the blank ones around them."""
        return join_lines(self.lines, line_start - self.lines_before, line_end - self.lines_before)


def parse_markdown(text: str, lines_before: int = 0) -> Document:
    r"""Find the blocks of a text, by the rules of CommonMark and the table rule of GitHub.

    >>> document = parse_markdown("# One\n\n```\n# not a heading\n```\n\nTwo\n---\n\n- a\n  - b\n")
    >>> [(section.heading, section.level, section.line_start) for section in document.sections]
    [('One', 1, 1), ('Two', 2, 7)]
    >>> [(block.kind.value, block.line_start, block.line_end) for block in document.blocks]
    [('code', 3, 5), ('item', 10, 11)]

    Args:
        text: The text.
        lines_before: Number of lines of the file above it, where it is a part of one.
    """
    lines = split_lines(text)
    front_matter, body_start = _front_matter(lines, lines_before)
    body = "\n" * body_start + "\n".join(lines[body_start:])
    tokens = _PARSER.parse(body)
    headings, blocks = _headings_and_blocks(tokens, lines)
    opaque = {
        index
        for token in tokens
        if token.map and token.type in {"fence", "code_block", "html_block"}
        for index in range(*token.map)
    }
    prose = (index for index in range(body_start, len(lines)) if index not in opaque)
    return Document(
        lines=lines,
        front_matter=front_matter,
        sections=_sections(headings, lines, lines_before),
        blocks=tuple(_shifted(block, lines_before) for block in blocks),
        prose_lines=tuple(index + 1 + lines_before for index in prose),
        lines_before=lines_before,
    )


def plain(text: str) -> str:
    """Drop emphasis and code marks from a line, and the blanks around it.

    >>> plain("**Family slug:** `ag_muon` ")
    'Family slug: ag_muon'
    """
    return _MARKS.sub("", text).strip()


def _shifted(block: Block, lines_before: int) -> Block:
    if not lines_before:
        return block
    return replace(block, line_start=block.line_start + lines_before, line_end=block.line_end + lines_before)


def _front_matter(lines: Sequence[str], lines_before: int) -> tuple[tuple[FrontMatterPair, ...], int]:
    """Read the front matter and answer how many lines it takes: 0 where there is none."""
    if lines_before or not lines or lines[0].rstrip() != "---":
        return (), 0
    pairs: list[FrontMatterPair] = []
    key = ""
    for number, line in enumerate(lines[1:MAX_FRONT_MATTER_LINES], start=2):
        content = line.strip()
        if content in {"---", "..."}:
            return tuple(pairs), number
        if match := _FRONT_MATTER_PAIR.fullmatch(content):
            key = re.sub(r"[ -]+", "_", match["key"].strip().lower())
            values = (match["value"] or "").strip().strip("[]").split(",")
        elif content.startswith("- ") and key:
            values = [content[2:]]
        elif not content or content.startswith("#") or line[0] in " \t":
            continue
        else:
            break
        cleaned = (value.strip().strip("\"'") for value in values)
        pairs += [FrontMatterPair(key, value, number) for value in cleaned if value]
    return (), 0


@dataclass(frozen=True, slots=True)
class _Heading:
    text: str
    level: int
    line_start: int
    line_end: int


_LEAF_KINDS = {
    "paragraph_open": BlockKind.PARAGRAPH,
    "blockquote_open": BlockKind.QUOTE,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "html_block": BlockKind.HTML,
}


def _headings_and_blocks(tokens: Sequence[Token], lines: Sequence[str]) -> tuple[list[_Heading], list[Block]]:
    headings: list[_Heading] = []
    blocks: list[Block] = []
    is_body_row = False
    for index, token in enumerate(tokens):
        if token.type in {"tbody_open", "thead_open"}:
            is_body_row = token.type == "tbody_open"
        if token.map is None:
            continue
        start, end = token.map[0] + 1, _last_line(token.map[0] + 1, token.map[1], lines)
        if token.type == "heading_open" and token.level == 0:
            text = plain(tokens[index + 1].content)
            headings.append(_Heading(text, int(token.tag[1]), start, end))
        elif token.type == "paragraph_open" and token.level == 0 and (bold := _bold(lines, start, end)):
            headings.append(_Heading(bold, BOLD_LEVEL, start, end))
        elif kind := _block_kind(token, is_body_row):
            blocks.append(Block(kind, start, end, is_numbered=token.markup in {".", ")"}))
    return headings, blocks


def _block_kind(token: Token, is_body_row: bool) -> BlockKind | None:
    if token.level == 0:
        return _LEAF_KINDS.get(token.type)
    if token.level == 1 and token.type == "list_item_open":
        return BlockKind.ITEM
    if token.level == 2 and token.type == "tr_open" and is_body_row:
        return BlockKind.ROW
    return None


def _last_line(start: int, end: int, lines: Sequence[str]) -> int:
    """Cut the blank lines that a range ends with."""
    end = min(end, len(lines))
    while end > start and not lines[end - 1].strip():
        end -= 1
    return max(start, end)


def _bold(lines: Sequence[str], start: int, end: int) -> str | None:
    if start != end or start > len(lines):
        return None
    match = _BOLD_LINE.fullmatch(lines[start - 1].strip())
    return plain(match["text"]).rstrip(":").strip() or None if match else None


def _sections(headings: Sequence[_Heading], lines: Sequence[str], lines_before: int) -> tuple[Section, ...]:
    ends: list[int] = []
    next_start = [len(lines) + 1] * (BOLD_LEVEL + 1)
    for heading in reversed(headings):
        end = min(next_start[: heading.level + 1]) - 1
        ends.append(_last_line(heading.line_end, end, lines))
        next_start[heading.level] = heading.line_start
    return tuple(
        Section(
            heading.text,
            heading.level,
            heading.line_start + lines_before,
            end + lines_before,
            join_lines(lines, heading.line_end + 1, end),
            heading.line_end + lines_before,
        )
        for heading, end in zip(headings, reversed(ends), strict=True)
    )
