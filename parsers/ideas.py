"""An idea write-up to its record: title, sections, gates, names, references and its own date."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from parsers.idea_names import (
    Alias,
    LocalReference,
    arxiv_ids,
    declared_aliases,
    idea_code,
    local_references,
)
from parsers.idea_sections import IdeaSection, is_section_name, read_sections, section_text
from parsers.kinds import FileKind
from parsers.lines import Place, decode
from parsers.markdown import Document, parse_markdown
from parsers.quarantine import Quarantined, Reason
from parsers.times import Instant, find_instants
from parsers.verdicts import Verdict, find_verdict, is_stated


@dataclass(frozen=True, slots=True)
class StatedDate:
    """A date that stands in a write-up.

    Attributes:
        instant: The date or time.
        line: 1-based line.
        is_own: Whether it dates the write-up, rather than something it writes about.
    """

    instant: Instant
    line: int
    is_own: bool


@dataclass(frozen=True, slots=True)
class Idea:
    """One idea as written up by an agent.

    Attributes:
        path: POSIX path of the file, relative to the archive's root.
        line_start: First line of the write-up in it, 1-based.
        line_end: Last line, included.
        slug: The file's stem; in a list of ideas, the name that the item gives itself.
        code: Three or four letters and three digits, in lower case, if it has one.
        title: First heading, else the slug in words.
        text: The whole write-up as written.
        sections: Its sections, in order; nested ones overlap.
        proposal_text: What it proposes.
        novelty_rationale: Why it thinks it is new.
        prior_art_cited: Its references, or the lines that name its closest priors.
        rule_gate_verdict: Whether it keeps the rules, if it says so.
        novelty_gate_verdict: Whether it is new, if it says so.
        is_killed_by_existence_check: Whether it says that a check for existing work ended it.
        is_invalidated: Whether a later note takes it back.
        aliases: Other names that it declares.
        arxiv_ids: Papers that it cites.
        local_references: Other ideas of the experiment that it names.
        dates: Every date in it, in order.
        first_date: The earliest date that is its own, if it states one.
    """

    path: str
    line_start: int
    line_end: int
    slug: str
    code: str | None
    title: str
    text: str
    sections: tuple[IdeaSection, ...]
    proposal_text: str
    novelty_rationale: str | None
    prior_art_cited: str | None
    rule_gate_verdict: Verdict | None
    novelty_gate_verdict: Verdict | None
    is_killed_by_existence_check: bool
    is_invalidated: bool
    aliases: tuple[Alias, ...]
    arxiv_ids: tuple[str, ...]
    local_references: tuple[LocalReference, ...]
    dates: tuple[StatedDate, ...]
    first_date: Instant | None


_PROPOSAL_LADDER = ("proposal", "mechanism", "idea", "summary", "mathematics", "intuition")
_NOVELTY_LADDER = ("novelty", "novelty_gate", "existence_check")
_PRIORS_LINE = re.compile(r"\b(?:closest|nearest|local)\b.{0,30}\bpriors?\b", re.IGNORECASE)
_RULE_LABEL = re.compile(r"rules?[ -](?:gate|check|verdict|audit|compliance)\b", re.IGNORECASE)
_NOVELTY_LABEL = re.compile(
    r"(?:novelty|existence)[ -](?:gate|check|verdict|audit)\b|novelty\s*[:=|]", re.IGNORECASE
)
_NOVELTY_VERDICTS = frozenset(
    {Verdict.NOVEL_ENOUGH, Verdict.NOT_NOVEL, Verdict.KILLED_BY_EXISTENCE_CHECK, Verdict.KILLED}
)
_INVALIDATED = re.compile(
    r"(?:^[\W_]*|[:\u2013\u2014]\s*)invalidated\b(?!\s+(?:if|when|unless|by a\b))"
    r"|\b(?:idea|write-?up|proposal|runs?|results?|verdict|this|it|they)"
    r"\s+(?:is|are|was|were|has been|have been|got)"
    r"\s+(?:later\s+|now\s+|since\s+|therefore\s+)?invalidated\b(?!\s+(?:if|when|unless))",
    re.IGNORECASE | re.MULTILINE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|when|unless|not|never|once|would|until)\b[^.\n]{0,30}$|n['\u2019]t\b[^.\n]{0,30}$",
    re.IGNORECASE,
)
_OWN_DATE = re.compile(
    r"[\W_]*(?:(?:date|dated|created|written|drafted|proposed|first seen|updated?|last updated|timestamp|"
    r"launched)\b"
    r"(?:\s+(?:at|on|time|utc))?[\s:=*_(`]*)?\d{4}-\d{2}-\d{2}",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s|\s+\S")
_DATE_KEY = re.compile(r"date|created|updated|written|time")
_LINE_CHARS = 20_000


def parse_idea(data: bytes, path: str) -> Idea | Quarantined:
    r"""Read one write-up.

    >>> idea = parse_idea(b"# Polar Muon (ABP001)\n\n## PROPOSAL:\n\nDo it.\n", "ideas/polar_muon.md")
    >>> idea.slug, idea.code, idea.title, idea.proposal_text
    ('polar_muon', 'abp001', 'Polar Muon (ABP001)', 'Do it.')
    """
    place = Place(FileKind.IDEA, path, data)
    if rejected := place.unusable():
        return rejected
    document = parse_markdown(decode(data))
    slug = PurePosixPath(path).stem
    if not slug.strip("._- "):
        return place.reject(Reason.NO_TITLE_OR_TEXT, "The file has no name that could be a slug.")
    return build_idea(document, path, slug)


def build_idea(document: Document, path: str, slug: str, title: str | None = None) -> Idea:
    """Read a write-up that may be part of a file.

    Args:
        document: The write-up's own lines.
        path: Path of the file.
        slug: Name of the idea.
        title: Title, where the write-up has no heading that gives it.
    """
    title, title_line = (title, _heading_line(document)) if title else _title(document, slug)
    sections = read_sections(document, title_line)
    code = idea_code(slug, title)
    aliases = tuple(
        alias for alias in declared_aliases(document, title, title_line) if alias.text.lower() != slug.lower()
    )
    own_names = frozenset({slug.lower(), code or "", *(alias.text.lower() for alias in aliases)})
    text = document.text(document.lines_before + 1, document.line_end)
    dates = tuple(_dates(document, sections))
    references = section_text(sections, ("references",))
    return Idea(
        path=path,
        line_start=document.lines_before + 1,
        line_end=document.line_end,
        slug=slug,
        code=code,
        title=title,
        text=text,
        sections=sections,
        proposal_text=section_text(sections, _PROPOSAL_LADDER) or _body(document, title_line) or title,
        novelty_rationale=section_text(sections, _NOVELTY_LADDER),
        prior_art_cited=references or _prior_lines(document),
        rule_gate_verdict=_rule_gate(document, sections),
        novelty_gate_verdict=_novelty_gate(document, sections),
        is_killed_by_existence_check=_is_killed(text, sections),
        is_invalidated=_is_invalidated(text),
        aliases=aliases,
        arxiv_ids=arxiv_ids(text, references or ""),
        local_references=local_references(document, own_names),
        dates=dates,
        first_date=min((date.instant for date in dates if date.is_own), default=None),
    )


def _heading_line(document: Document) -> int:
    """The line of a heading that opens the text, else the line above the text."""
    opens_text = any(section.line_start == document.lines_before + 1 for section in document.sections[:1])
    return document.lines_before + opens_text


def _title(document: Document, slug: str) -> tuple[str, int]:
    """The first heading of level 1, or else of the text, that is not a section's name; else the slug."""
    for section in (*(top for top in document.sections if top.level == 1), *document.sections[:1]):
        if section.heading and not is_section_name(section.heading, is_top=section.level == 1):
            return section.heading, section.line_start
    for pair in document.front_matter:
        if pair.key == "title":
            return pair.value, pair.line
    return re.sub(r"[-_.\s]+", " ", slug).strip(), document.lines_before


def _body(document: Document, title_line: int) -> str:
    """What stands around the title. An underlined title leaves its underline out as well."""
    front_end = max((pair.line + 1 for pair in document.front_matter), default=document.lines_before)
    before = document.text(front_end + 1, title_line - 1)
    after = document.text(max(title_line, front_end) + 1, document.line_end)
    return "\n".join(part for part in (before, re.sub(r"^(?:=+|-+)\s*\n", "", after)) if part)


def _prior_lines(document: Document) -> str | None:
    """The lines that name the closest priors, each with the list that follows a colon at its end."""
    kept: list[str] = []
    is_listing = False
    for number in document.prose_lines:
        line = document.line(number)
        opens = bool(_PRIORS_LINE.search(line[:_LINE_CHARS]))
        is_listing = opens or (is_listing and bool(_LISTED.match(line)))
        if is_listing:
            kept.append(line.strip())
        is_listing = is_listing and (not opens or line.rstrip(" *_").endswith(":"))
    return "\n".join(kept) or None


def _rule_gate(document: Document, sections: Sequence[IdeaSection]) -> Verdict | None:
    return _section_verdict(sections, "rule_gate") or _labelled_verdict(document, _RULE_LABEL)


def _novelty_gate(document: Document, sections: Sequence[IdeaSection]) -> Verdict | None:
    gate = _section_verdict(sections, "novelty_gate") or _section_verdict(sections, "existence_check")
    if gate or (gate := _labelled_verdict(document, _NOVELTY_LABEL)):
        return gate
    stated = _section_verdict(sections, "novelty")
    return stated if stated in _NOVELTY_VERDICTS else None


def _section_verdict(sections: Sequence[IdeaSection], key: str) -> Verdict | None:
    for section in sections:
        finding = find_verdict(f"{section.heading}\n{section.text}") if section.key == key else None
        if finding:
            return finding.verdict
    return None


def _labelled_verdict(document: Document, label: re.Pattern[str]) -> Verdict | None:
    """The verdict on the last line, or in the last front matter pair, that opens with a gate's name."""
    lines = [f"{pair.key.replace('_', ' ')}: {pair.value}" for pair in document.front_matter]
    lines += [document.line(number) for number in document.prose_lines]
    verdict = None
    for line in lines:
        text = re.sub(r"^[\W_]+", "", line[:_LINE_CHARS])
        match = label.match(text)
        finding = find_verdict(text[match.end() :]) if match else None
        verdict = finding.verdict if finding else verdict
    return verdict


def _is_killed(text: str, sections: Sequence[IdeaSection]) -> bool:
    return is_stated(text, Verdict.KILLED_BY_EXISTENCE_CHECK) or (
        _section_verdict(sections, "existence_check") is Verdict.KILLED
    )


def _is_invalidated(text: str) -> bool:
    for line in text.split("\n"):
        for match in _INVALIDATED.finditer(line[:_LINE_CHARS]):
            if not _SUPPOSED.search(line[max(0, match.start() - 40) : match.start()]):
                return True
    return False


def _dates(document: Document, sections: Sequence[IdeaSection]) -> Iterator[StatedDate]:
    dated_keys = {pair.line for pair in document.front_matter if _DATE_KEY.search(pair.key)}
    headings = {section.line_start for section in document.sections}
    cited = {
        number
        for section in sections
        if section.key == "references"
        for number in range(section.line_start, section.line_end + 1)
    }
    for number in range(document.lines_before + 1, document.line_end + 1):
        line = document.line(number)[:_LINE_CHARS]
        is_own = number in dated_keys or (
            number not in cited and (number in headings or bool(_OWN_DATE.match(line)))
        )
        for instant in find_instants(line):
            yield StatedDate(instant, number, is_own)
