"""The words in which gates, audits and rule checks give their verdict, read as one enum."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What a gate, an audit or a rule check decided."""

    PASSED = "pass"
    PASSED_CONDITIONALLY = "pass_conditional"
    FAILED = "fail"
    KILLED = "kill"
    COMPLIANT = "compliant"
    NON_COMPLIANT = "non_compliant"
    NOVEL_ENOUGH = "novel_enough"
    NOT_NOVEL = "not_novel"
    KILLED_BY_EXISTENCE_CHECK = "killed_by_existence_check"

    @property
    def is_rejection(self) -> bool:
        """Whether the idea must not go on."""
        return self in _REJECTIONS


_STRICTEST_FIRST = (
    Verdict.KILLED_BY_EXISTENCE_CHECK,
    Verdict.KILLED,
    Verdict.NON_COMPLIANT,
    Verdict.NOT_NOVEL,
    Verdict.FAILED,
    Verdict.PASSED_CONDITIONALLY,
    Verdict.COMPLIANT,
    Verdict.NOVEL_ENOUGH,
    Verdict.PASSED,
)
_REJECTIONS = frozenset(_STRICTEST_FIRST[:5])


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict and where it stands.

    Attributes:
        verdict: What was decided.
        line: 0-based line of the text that was searched.
    """

    verdict: Verdict
    line: int


_DASH = r"[\s\-\u2010-\u2015_]*"
_GATE = (
    r"\s+ (?:(?:both|all|every|its|the|this|of|rule|novelty|existence|compliance)[\s-]+){0,4}"
    r"(?:gates?|checks?|rules|audits?)"
)
_WORDS = re.compile(
    rf"""
    (?<![\w-])(?:
      (?P<killed_by_existence_check> kill(?:ed|s)? \s+ (?:by|at|in) \s+ (?:the\s+)? existence[\s-]+check )
    | (?P<non_compliant> non{_DASH}complian(?:t|ce)
                       | not \s+ (?:yet\s+|fully\s+|rule[\s-]+)? complian(?:t|ce) )
    | (?P<compliant> (?:rule[\s-]+)? compliant )
    | (?P<not_novel> not{_DASH}novel (?:{_DASH}enough)? | non{_DASH}novel )
    | (?P<novel_enough> novel{_DASH}enough )
    | (?P<pass_conditional> pass(?:ed|es)? [\s(:,;/\-\u2010-\u2015]{{0,4}} conditional(?:ly)?
                          | conditional(?:ly)? [\s-]+ pass(?:ed|es)? )
    | (?P<gate_pass> pass(?:ed|es)? {_GATE} )
    | (?P<gate_fail> fail(?:ed|s)? {_GATE} )
    | (?P<kill> kill(?:ed)? )
    | (?P<fail> fail(?:ed|s)? )
    | (?P<pass> pass(?:ed|es)? )
    )(?![\w-]|['\u2019]t)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SPELLED_OUT = frozenset(
    {
        "killed_by_existence_check",
        "non_compliant",
        "compliant",
        "not_novel",
        "novel_enough",
        "gate_pass",
        "gate_fail",
        "pass_conditional",
    }
)
_VERDICT_OF = {"gate_pass": Verdict.PASSED, "gate_fail": Verdict.FAILED}
_NEGATED = {
    Verdict.PASSED: Verdict.FAILED,
    Verdict.PASSED_CONDITIONALLY: Verdict.FAILED,
    Verdict.COMPLIANT: Verdict.NON_COMPLIANT,
    Verdict.NOVEL_ENOUGH: Verdict.NOT_NOVEL,
}
_NEGATION = re.compile(
    r"(?:\b(?:not|never|no|cannot)|n['\u2019]t)\s+(?:(?:yet|an?|fully|be|been|considered|quite|rule|strictly)\s+){0,3}$",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"\b(?:must|should|would|could|might|may|can|shall|to|if|unless|whether|either|until|before|when|once|for)"
    r"\s+(?:(?:it|this|they|the|idea|an?|be|is|are|not|still|only|also)\s+){0,4}$",
    re.IGNORECASE,
)
_DEFINING = re.compile(
    r"[\s:]*(?:\?|(?:if|when|iff|unless|requires?|means|needs?|only\s+(?:if|when)|criteri(?:on|a)|conditions?|"
    r"otherwise|else|over|through|count)\b)",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"[ \t]*(?:/|\||,?[ \t]+(?:or|vs\.?|versus)[ \t]+)[ \t]*", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*\*|__|`)([^*_`\n]{1,60})\1")
_DECORATION = re.compile(r"(?:[\W_]|\d{1,3}[.)](?=\s))*")
_LABEL = re.compile(
    r"(?:(?:final|overall|updated|current|revised|new|audit|rules?|novelty|gate|existence|check|compliance|"
    r"the|our|my|and)[ \t-]+){0,4}"
    r"(?:verdict|decision|ruling|status|conclusion|outcome|result|gate|audit|check|compliance)"
    r"(?:[ \t]*\([^()\n]{0,40}\))?"
    r"[ \t]*(?:[:=\u2013\u2014]|[ \t]-[ \t]|[ \t]is\b|$)(?P<value>.*)",
    re.IGNORECASE,
)
_CONTEXT_CHARS = 60
_LINE_CHARS = 5_000


def find_verdict(text: str) -> Finding | None:
    r"""Find the verdict that a text gives, or answer None when it only talks about verdicts.

    A labelled verdict (`Verdict: ...`) beats one that opens a line, that beats a capitalised or emphasised
    word, and that beats a phrase such as "is not compliant". Of several labelled ones the last holds, as a
    later note revises an earlier; of several others the strictest, so that NOT COMPLIANT beats COMPLIANT.

    >>> find_verdict("Rules 1 to 4 hold.\n**Verdict:** PASS (conditional)")
    Finding(verdict=<Verdict.PASSED_CONDITIONALLY: 'pass_conditional'>, line=1)
    >>> find_verdict("The change is not rule-compliant.").verdict.value
    'non_compliant'
    >>> find_verdict("The gate answers PASS or FAIL. It must pass before a launch.") is None
    True
    """
    lines = [_EMPHASIS.sub(_shout, line[:_LINE_CHARS]) for line in text.split("\n")]
    if labelled := list(_labelled(lines)):
        return labelled[-1]
    for search in (_opening, _capitalised, _phrases):
        found = [Finding(verdict, number) for number, line in enumerate(lines) for verdict in search(line)]
        if found:
            return min(found, key=lambda finding: _STRICTEST_FIRST.index(finding.verdict))
    return None


def is_stated(text: str, verdict: Verdict) -> bool:
    """Whether some line of a text states a verdict, whatever else the text says.

    >>> is_stated("Killed by existence check: it is Lion.", Verdict.KILLED_BY_EXISTENCE_CHECK)
    True
    """
    return any(
        stated.verdict is verdict for line in text.split("\n") for stated in _stated(line[:_LINE_CHARS])
    )


def _shout(match: re.Match[str]) -> str:
    return match[2].upper()


def _labelled(lines: list[str]) -> Iterator[Finding]:
    for number, line in enumerate(lines):
        match = _LABEL.match(line, _text_start(line))
        if not match:
            continue
        value, value_line = match["value"], number
        if not value.strip(" \t*_`:"):
            following = (n for n in range(number + 1, min(number + 4, len(lines))) if lines[n].strip())
            value_line = next(following, number)
            value = lines[value_line] if value_line != number else ""
        for search in (_at_start, _capitalised, _phrases):
            if verdicts := list(search(value)):
                yield Finding(min(verdicts, key=_STRICTEST_FIRST.index), value_line)
                break


def _text_start(line: str) -> int:
    match = _DECORATION.match(line)
    return match.end() if match else 0


@dataclass(frozen=True, slots=True)
class _Statement:
    """A verdict that a line states, negation included, with its span and how it is written."""

    verdict: Verdict
    start: int
    end: int
    is_capitals: bool
    is_spelled_out: bool


def _stated(line: str) -> Iterator[_Statement]:
    """Find what a line states, leaving out what it supposes, defines or offers as an alternative."""
    matches = list(_WORDS.finditer(line))
    offered = {
        index
        for first, (left, right) in enumerate(itertools.pairwise(matches))
        if _ALTERNATIVE.fullmatch(line, left.end(), right.start())
        for index in (first, first + 1)
    }
    for index, match in enumerate(matches):
        context_start = max(0, match.start() - _CONTEXT_CHARS)
        before = line[context_start : match.start()]
        if index in offered or _HYPOTHETICAL.search(before) or _DEFINING.match(line, match.end()):
            continue
        word = match.lastgroup or ""
        verdict = _VERDICT_OF.get(word) or Verdict(word)
        negation = _NEGATION.search(before)
        if negation and verdict not in _NEGATED:
            continue
        yield _Statement(
            verdict=_NEGATED[verdict] if negation else verdict,
            start=context_start + negation.start() if negation else match.start(),
            end=match.end(),
            is_capitals=match.group().isupper(),
            is_spelled_out=word in _SPELLED_OUT,
        )


def _at_start(line: str) -> Iterator[Verdict]:
    text_start = _text_start(line)
    return (stated.verdict for stated in _stated(line) if stated.start == text_start)


def _opening(line: str) -> Iterator[Verdict]:
    text_start = _text_start(line)
    for stated in _stated(line):
        after = line[stated.end : stated.end + 2]
        is_set_off = not after.strip() or not after[0].isspace()
        if stated.start == text_start and (is_set_off or stated.is_capitals):
            yield stated.verdict


def _capitalised(line: str) -> Iterator[Verdict]:
    return (stated.verdict for stated in _stated(line) if stated.is_capitals)


def _phrases(line: str) -> Iterator[Verdict]:
    return (stated.verdict for stated in _stated(line) if stated.is_spelled_out)
