"""The sections of a write-up under the names that all write-ups share, however a heading spells them."""

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parsers.markdown import BOLD_LEVEL, Document, Section, plain

_PHRASES = {
    "proposal": ("proposal", "proposed change", "proposed method", "proposed mechanism", "proposed update"),
    "mechanism": ("mechanism", "method", "algorithm", "approach", "update rule", "implementation"),
    "idea": ("idea", "concept", "hypothesis", "thesis"),
    "summary": ("summary", "tl dr", "tldr", "abstract", "overview"),
    "mathematics": (
        "mathematics",
        "math",
        "maths",
        "formulation",
        "derivation",
        "equations",
        "formal definition",
    ),
    "intuition": ("intuition", "motivation", "why it might work", "why it should work"),
    "references": (
        "references",
        "prior art",
        "related work",
        "bibliography",
        "citations",
        "literature",
        "priors",
    ),
    "novelty": ("novelty", "what is new", "what is novel", "why novel", "why this is novel", "why it is new"),
    "novelty_gate": ("novelty gate", "novelty check", "novelty verdict", "novelty audit"),
    "rule_gate": (
        "rule gate",
        "rules gate",
        "rule check",
        "rules check",
        "rule compliance",
        "rule audit",
        "compliance",
    ),
    "existence_check": ("existence check", "cross check existing ideas", "cross check", "prior existence"),
    "ablation_plan": ("ablation plan", "ablation", "ablations", "experiment plan", "test plan"),
    "failure_prediction": ("failure prediction", "failure modes", "failure mode", "predicted failure"),
    "kill_criterion": ("kill criterion", "kill criteria", "stop criterion"),
    "results": ("results", "result", "outcome", "outcomes"),
}
_KEY_OF = {tuple(phrase.split()): key for key, phrases in _PHRASES.items() for phrase in phrases}
_LONGEST_FIRST = sorted(_KEY_OF, key=lambda words: (-len(words), words))

_NUMBERING = re.compile(
    r"[\W_]*(?:(?:section|part|step)\s+)?(?:\d{1,3}(?:\.\d{1,3}){0,3}(?:[.):]\s*|\s+)|(?:[ivx]{1,4}|[a-h])[.)]\s+)?",
    re.IGNORECASE,
)
_ARTICLES = frozenset({"the", "our", "my", "a", "this"})
_MAX_KEY_WORDS = 8
_MAX_LABEL_CHARS = 60
_RUN_IN = re.compile(
    r"\s{0,3}(?:[-*+]\s+|\d{1,2}[.)]\s+)?"
    r"(?:(?P<mark>\*\*|__)(?P<bold>[^*\n:]{2,60}):?(?P=mark):?|(?P<plain>[A-Z][A-Za-z -]{2,40}):)"
    r"\s+(?P<rest>\S.*)"
)


@dataclass(frozen=True, slots=True)
class IdeaSection:
    """A section of a write-up.

    Attributes:
        key: The shared name, such as `proposal` or `rule_gate`; else the heading in lower case.
        heading: The heading as written, without marks.
        line_start: Line of the heading.
        line_end: Last line, subsections included.
        text: What stands below the heading, subsections included.
    """

    key: str
    heading: str
    line_start: int
    line_end: int
    text: str


def section_key(heading: str) -> str:
    """Give a heading its shared name.

    >>> section_key("## 1. Cross-check existing ideas"), section_key("2) The Rule-Gate")
    ('existence_check', 'rule_gate')
    >>> section_key("Open questions")
    'open_questions'
    """
    words = _words(heading)
    return _shared_key(words) or "_".join(words[:_MAX_KEY_WORDS])


def is_section_name(heading: str, is_top: bool) -> bool:
    """Whether a heading names a section and so cannot be a title.

    Args:
        heading: Text of the heading.
        is_top: Whether it is of level 1, where a title may hold a section's name among other words.
    """
    words = _words(heading)
    return tuple(words) in _KEY_OF or not (is_top or _shared_key(words) is None)


def read_sections(document: Document, title_line: int) -> tuple[IdeaSection, ...]:
    """List the sections of a write-up in order, those that open within a line (`**Proposal:** ...`) included.

    Args:
        document: The write-up.
        title_line: Line of the title, whose section is the whole text and is left out.
    """
    run_in = list(_run_in_sections(document))
    starts = [section.line_start for section in run_in]
    sections = [
        _cut_before(found, document, starts) for found in document.sections if found.line_start != title_line
    ]
    return tuple(sorted([*sections, *run_in], key=lambda section: section.line_start))


def _cut_before(found: Section, document: Document, starts: Sequence[int]) -> IdeaSection:
    """Take a section over; one below a bold line ends where the next label opens, being no deeper."""
    line_end, text = found.line_end, found.text
    following = bisect.bisect_right(starts, found.line_start)
    if found.level == BOLD_LEVEL and following < len(starts) and starts[following] <= line_end:
        line_end = starts[following] - 1
        text = document.text(found.line_start + 1, line_end)
    return IdeaSection(section_key(found.heading), found.heading, found.line_start, line_end, text)


def section_text(sections: Sequence[IdeaSection], keys: Sequence[str]) -> str | None:
    """Take the text of the first key that has a section with any."""
    for key in keys:
        for section in sections:
            if section.key == key and section.text:
                return section.text
    return None


def _words(heading: str) -> list[str]:
    text = plain(heading.lstrip("# ")).lower()
    numbering = _NUMBERING.match(text)
    words = re.findall(r"[^\W_]+", text[numbering.end() if numbering else 0 :])
    return words[1:] if words and words[0] in _ARTICLES else words


def _shared_key(words: Sequence[str]) -> str | None:
    """Match a phrase at the start of the heading; of several words, anywhere; of one word, at its end."""
    for phrase in _LONGEST_FIRST:
        if tuple(words[: len(phrase)]) == phrase:
            return _KEY_OF[phrase]
    joined = f" {' '.join(words[:_MAX_KEY_WORDS])} "
    for phrase in _LONGEST_FIRST:
        text = " ".join(phrase)
        if f" {text} " in joined and (len(phrase) > 1 or joined.endswith(f" {text} ")):
            return _KEY_OF[phrase]
    return None


def _run_in_sections(document: Document) -> Iterator[IdeaSection]:
    labels = [
        (number, match)
        for number in document.prose_lines
        if (match := _RUN_IN.match(document.line(number)))
        and tuple(_words((match["bold"] or match["plain"])[:_MAX_LABEL_CHARS])) in _KEY_OF
    ]
    starts = sorted({number for number, _ in labels} | {section.line_start for section in document.sections})
    next_start = dict(itertools.pairwise([*starts, document.line_end + 1]))
    for number, match in labels:
        heading = (match["bold"] or match["plain"]).strip()
        line_end = next_start[number] - 1
        following = document.text(number + 1, line_end)
        text = match["rest"].strip() + (f"\n{following}" if following else "")
        yield IdeaSection(section_key(heading), heading, number, line_end, text)
