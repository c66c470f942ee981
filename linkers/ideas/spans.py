"""Where names of ideas stand inside the names of a run, and which of several is the tested one.

One name often stacks several ideas (`normuon-tailstack-adamini-lion-b095`): the recipe grew by appending, so
the last idea is the one under test and those before it are what it stands on. Three things overrule the
position: an idea behind `from`, `on` or `vs` is a parent, one behind `no` or `without` is left out, and one
that goes with many other ideas (as a suffix that a whole campaign carries does) is part of the base wherever
it stands.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from linkers.ideas.aliases import STRENGTH, AliasIndex, AliasKind, IdeaAlias
from linkers.ideas.tokens import NameForm, is_end, name_form, words
from linkers.ideas.truncation import HEAD, Truncation


class Role(StrEnum):
    """What an idea is in the name of a run."""

    TESTED = "tested"
    BASE = "base"
    LEFT_OUT = "left out"


ROLE_WEIGHT: Mapping[Role, float] = {Role.TESTED: 1.0, Role.BASE: 0.4, Role.LEFT_OUT: 0.3}

COMMON_SHARE = 1 / 3
"""A name that this share of the scope's families carry proves nothing."""

RARE_SHARE = 0.12
"""Up to this share a name proves all it can; from here to `COMMON_SHARE` less and less."""

MIN_FAMILIES = 12
"""With fewer families in the scope a share says nothing."""

MANY_PARTNERS = 5
"""An idea that goes with so many others, and three times as many as its neighbour, is part of the base."""

_PARENT_WORDS = frozenset({"from", "on", "over", "vs", "atop", "onto"})
_NEGATIONS = frozenset({"no", "without", "minus", "wo", "sans", "not"})
_SHORT = 4
_EQUAL_RIGHT = 0.9


@dataclass(frozen=True, slots=True)
class Span:
    """A name of an idea inside a name of a run.

    Attributes:
        name: The run's name that holds it: run id or variant stem, without seed and replicate.
        start: Where it begins in the folded name.
        end: Where it ends.
        alias: The idea's name.
        score: 0 to 1, what it proves.
        role: What the idea is there.
    """

    name: str
    start: int
    end: int
    alias: IdeaAlias
    score: float
    role: Role = Role.TESTED

    @property
    def weight(self) -> float:
        """The score that its role leaves."""
        return self.score * ROLE_WEIGHT[self.role]


def find_spans(
    families_of_name: Mapping[str, frozenset[str]], index: AliasIndex, knobs: frozenset[str]
) -> dict[str, tuple[Span, ...]]:
    """Find the names of ideas in all names of a scope's runs.

    Args:
        families_of_name: The names, each with the families whose runs carry it: a family counts once where it
            comes to how common a name is.
        index: The ideas' names.
        knobs: Hyperparameters of the scope.
    """
    finder = _Finder(index, knobs)
    raw = {name: _outermost(finder.find(name)) for name in sorted(families_of_name)}
    rarity = _rarity(raw, families_of_name)
    weighed = {
        name: [replace(span, score=span.score * rarity[span.alias.text]) for span in spans]
        for name, spans in raw.items()
    }
    partners = _partners(weighed.values())
    return {name: _with_roles(name, spans, partners) for name, spans in weighed.items()}


class _Finder:
    """Looks names up, by the two letters that they begin with."""

    def __init__(self, index: AliasIndex, knobs: frozenset[str]) -> None:
        self._knobs = knobs
        self._aliases: dict[str, list[tuple[IdeaAlias, ...]]] = defaultdict(list)
        for text, group in index.by_text.items():
            self._aliases[text[:HEAD]].append(group)
        self._truncations: dict[str, list[Truncation]] = defaultdict(list)
        for truncation in index.truncations:
            if len(truncation.start) >= HEAD:
                self._truncations[truncation.start[:HEAD]].append(truncation)

    def find(self, name: str) -> list[Span]:
        form = name_form(name)
        counter = re.match(r"v\d+", form.text)
        found: list[Span] = []
        for start in sorted(form.starts):
            is_edge = start in form.edges or (counter is not None and start == counter.end())
            head = form.text[start : start + HEAD]
            for group in self._aliases.get(head, ()):
                if form.text.startswith(group[0].text, start):
                    found += self._of_group(name, form, start, group, is_edge)
            if head in self._truncations:
                found += self._truncated(name, form, start, head)
        return found

    def _of_group(
        self, name: str, form: NameForm, start: int, group: Sequence[IdeaAlias], is_edge: bool
    ) -> list[Span]:
        end = start + len(group[0].text)
        is_short = end - start < _SHORT
        is_given = group[0].kind not in {AliasKind.INITIALS, AliasKind.WORD}
        if (is_short and not is_edge) or not is_end(
            form, end, self._knobs, may_be_glued=is_given or not is_short
        ):
            return []
        return [Span(name, start, end, alias, STRENGTH[alias.kind] / alias.rivals) for alias in group]

    def _truncated(self, name: str, form: NameForm, start: int, head: str) -> list[Span]:
        found: list[Span] = []
        for truncation in self._truncations.get(head, ()):
            if not form.text.startswith(truncation.start, start):
                continue
            match = truncation.pattern.match(form.text, start)
            end = self._longest_end(form, start, match.end()) if match else start
            text = form.text[start:end]
            if not match or not truncation.pattern.fullmatch(text) or not truncation.kept(text):
                continue
            alias = IdeaAlias(text, truncation.idea_id, AliasKind.TRUNCATION, f"{truncation.slug} cut short")
            found.append(Span(name, start, end, alias, STRENGTH[alias.kind]))
        longest = max((span.end for span in found), default=0)
        rivals = [span for span in found if span.end == longest]
        return [replace(span, score=span.score / len(rivals)) for span in rivals]

    def _longest_end(self, form: NameForm, start: int, end: int) -> int:
        """Step back to where a token ends: the pattern may have eaten a hyperparameter's first letter."""
        while end > start and not is_end(form, end, self._knobs, may_be_glued=True):
            end -= 1
        return end


def _outermost(spans: Sequence[Span]) -> list[Span]:
    """Drop what lies inside a longer name, or overlaps with a stronger one; of one idea keep the best."""
    best: dict[tuple[int, int, str], Span] = {}
    for span in spans:
        key = (span.start, span.end, span.alias.idea_id)
        if key not in best or best[key].score < span.score:
            best[key] = span
    kept: list[Span] = []
    for span in sorted(
        best.values(), key=lambda each: (each.start - each.end, -each.score, each.alias.idea_id)
    ):
        rivals = [each for each in kept if each.start < span.end and span.start < each.end]
        if all((each.start, each.end) == (span.start, span.end) for each in rivals):
            kept.append(span)
    strongest = {(span.start, span.end): max(s.score for s in kept if s.start == span.start) for span in kept}
    return [span for span in kept if span.score >= strongest[span.start, span.end] * _EQUAL_RIGHT]


def _rarity(spans: Mapping[str, Sequence[Span]], families: Mapping[str, frozenset[str]]) -> dict[str, float]:
    """How much each name proves, by the share of families that carry it."""
    carriers: dict[str, set[str]] = defaultdict(set)
    for name, found in spans.items():
        for span in found:
            carriers[span.alias.text] |= families[name]
    total = len(frozenset[str]().union(*families.values()))
    if total < MIN_FAMILIES:
        return dict.fromkeys(carriers, 1.0)
    shares = {text: len(carrying) / total for text, carrying in carriers.items()}
    return {
        text: min(1.0, max(0.0, (COMMON_SHARE - share) / (COMMON_SHARE - RARE_SHARE)))
        for text, share in shares.items()
    }


def _partners(names: Iterable[Sequence[Span]]) -> dict[str, int]:
    """With how many other ideas each idea shares a name."""
    partners: dict[str, set[str]] = defaultdict(set)
    for spans in names:
        for span in spans:
            partners[span.alias.idea_id] |= {
                other.alias.idea_id for other in spans if (other.start, other.end) != (span.start, span.end)
            }
    return {idea_id: len(others) for idea_id, others in partners.items()}


def _with_roles(name: str, spans: Sequence[Span], partners: Mapping[str, int]) -> tuple[Span, ...]:
    form = name_form(name)
    roles = {(span.start, span.end): _stated_role(name, form, span) for span in spans}
    open_places = sorted(place for place, role in roles.items() if role is Role.TESTED)
    ideas_at = {place: [s.alias.idea_id for s in spans if (s.start, s.end) == place] for place in open_places}

    def spread(place: tuple[int, int]) -> int:
        return min(partners.get(idea_id, 0) for idea_id in ideas_at[place])

    while len(open_places) > 1 and _is_base(spread(open_places[-1]), min(map(spread, open_places[:-1]))):
        roles[open_places.pop()] = Role.BASE
    for place in open_places[:-1]:
        is_same_idea = set(ideas_at[place]) & set(ideas_at[open_places[-1]])
        roles[place] = Role.TESTED if is_same_idea else Role.BASE
    return tuple(replace(span, role=roles[span.start, span.end]) for span in spans)


def _is_base(mine: int, other: int) -> bool:
    return mine >= MANY_PARTNERS and mine >= 3 * other


def _stated_role(name: str, form: NameForm, span: Span) -> Role:
    """What the word before a span says of it."""
    if span.start not in form.edges or span.start == 0:
        return Role.TESTED
    before = ""
    at = 0
    for word in words(name):
        if at == span.start:
            break
        before, at = word, at + len(word)
    if before in _PARENT_WORDS:
        return Role.BASE
    return Role.LEFT_OUT if before in _NEGATIONS else Role.TESTED
