"""Every name under which runs may carry an idea, and where each name was declared."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from linkers.ideas.tokens import compact, words
from linkers.ideas.truncation import Truncation, is_shortened
from linkers.write_ups import WriteUp
from parsers.ideas import Idea


class AliasKind(StrEnum):
    """Where a name of an idea comes from, the strongest first.

    `slug` and `code` are its own, `declared` stands in its write-up as a name of runs, `mentioned` stands
    there in backticks and shortens the slug; the rest is derived from the slug: its words' first letters, a
    word that no other idea has, or its words cut short.
    """

    CODE = "code"
    SLUG = "slug"
    DECLARED = "declared"
    MENTIONED = "mentioned"
    INITIALS = "initials"
    TRUNCATION = "truncation"
    WORD = "word"


OWN_NAMES = frozenset({AliasKind.CODE, AliasKind.SLUG})
"""The kinds that spell the idea; all others abbreviate it."""

STRENGTH: Mapping[AliasKind, float] = {
    AliasKind.CODE: 0.97,
    AliasKind.SLUG: 0.95,
    AliasKind.DECLARED: 0.93,
    AliasKind.MENTIONED: 0.9,
    AliasKind.INITIALS: 0.8,
    AliasKind.TRUNCATION: 0.8,
    AliasKind.WORD: 0.7,
}
"""How much a name proves when it stands in the name of a run."""

MIN_INITIALS = 3
MIN_WORD_CHARS = 7


@dataclass(frozen=True, slots=True)
class IdeaAlias:
    """One name of one idea.

    Attributes:
        text: Letters and digits, in lower case.
        idea_id: The idea.
        kind: What kind of name it is.
        source: Where it was declared, or from what it was derived.
        rivals: How many ideas of the scope have this name by equally strong right.
    """

    text: str
    idea_id: str
    kind: AliasKind
    source: str
    rivals: int = 1


@dataclass(frozen=True, slots=True)
class AliasIndex:
    """The names of all ideas of a scope.

    Attributes:
        by_text: Aliases by their text, sorted.
        truncations: How each slug may be cut short, by idea id.
    """

    by_text: Mapping[str, tuple[IdeaAlias, ...]]
    truncations: tuple[Truncation, ...]


_CODE = re.compile(r"[a-z]{3,4}\d{3}")
_QUOTED = re.compile(r"`([A-Za-z][\w.+-]{0,60}?)(?:\.{2,3}|\u2026|[-_]?\*|[-_]?<[^`>]{0,20}>)?`")
_NAMING_CUE = re.compile(
    r"\b(?:tokens?|called|named|names?|prefix|prefixed|tag|tagged|alias|short(?:hand)?|abbreviat\w+|label(?:led|s)?|"
    r"nick\w*|known as|written as|spelled|dubbed|slug|stem)\b[^`.;]{0,40}$",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"\.(?:py|md|jsonl?|sh|log|txt|csv)$")


def index_aliases(write_ups: Iterable[WriteUp]) -> AliasIndex:
    """Index the names of a scope's ideas.

    A name that an idea declares is not anybody else's by mere derivation.

    Args:
        write_ups: The ideas of one scope.
    """
    write_ups = sorted(write_ups, key=lambda each: each.idea_id)
    own = {name for each in write_ups for name in (compact(each.idea.slug), each.idea.code or "")}
    word_counts = _count_words(write_ups)
    found: dict[str, dict[str, IdeaAlias]] = defaultdict(dict)
    for each in write_ups:
        for alias in (*_own(each), *_declared(each, own), *_derived(each, word_counts)):
            found[alias.text].setdefault(alias.idea_id, alias)
    by_text = {text: _settle(found[text].values()) for text in sorted(found) if len(text) >= 2}
    return AliasIndex(
        by_text, tuple(Truncation.of(each.idea_id, _bare_slug(each.idea)) for each in write_ups)
    )


def _settle(aliases: Iterable[IdeaAlias]) -> tuple[IdeaAlias, ...]:
    """Leave a name to those who have the best right to it."""
    ranks = list(AliasKind)
    claims = sorted(aliases, key=lambda each: (ranks.index(each.kind), each.idea_id))
    best = _right(claims[0].kind)
    kept = [each for each in claims if _right(each.kind) == best]
    return tuple(IdeaAlias(each.text, each.idea_id, each.kind, each.source, len(kept)) for each in kept)


def _right(kind: AliasKind) -> int:
    if kind in OWN_NAMES:
        return 0
    return 1 if kind in {AliasKind.DECLARED, AliasKind.MENTIONED} else 2


def _count_words(write_ups: Iterable[WriteUp]) -> Mapping[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for each in write_ups:
        for word in set(words(each.idea.slug)):
            counts[word] += 1
    return counts


def _bare_slug(idea: Idea) -> str:
    """The slug without the code that it begins with."""
    parts = words(idea.slug)
    return "-".join(parts[1:] if len(parts) > 1 and _CODE.fullmatch(parts[0]) else parts)


def _own(write_up: WriteUp) -> Iterator[IdeaAlias]:
    idea = write_up.idea
    place = f"{idea.path}:{idea.line_start}"
    if idea.code:
        yield IdeaAlias(idea.code, write_up.idea_id, AliasKind.CODE, f"code of {place}")
    for slug in dict.fromkeys((idea.slug, _bare_slug(idea))):
        yield IdeaAlias(compact(slug), write_up.idea_id, AliasKind.SLUG, f"slug of {place}")


def _declared(write_up: WriteUp, own: frozenset[str] | set[str]) -> Iterator[IdeaAlias]:
    idea = write_up.idea
    references = {compact(reference.name) for reference in idea.local_references}
    names = [(alias.text, alias.line, AliasKind.DECLARED) for alias in idea.aliases]
    names += list(_quoted_names(idea))
    for name, line, kind in names:
        text = compact(name.rstrip(".*-_"))
        if len(text) < 2 or text in own or text in references or _FILE_NAME.search(name) or text.isdigit():
            continue
        if kind is AliasKind.MENTIONED and not is_shortened(text, _bare_slug(idea)):
            continue
        yield IdeaAlias(text, write_up.idea_id, kind, f"{kind} in {idea.path}:{line}")


def _quoted_names(idea: Idea) -> Iterator[tuple[str, int, AliasKind]]:
    """Names in backticks: declared where the sentence speaks of naming, else merely mentioned."""
    for number, line in enumerate(idea.text.split("\n"), start=idea.line_start):
        for match in _QUOTED.finditer(line[:5000]):
            is_cued = _NAMING_CUE.search(line[max(0, match.start() - 60) : match.start()]) is not None
            yield match[1], number, AliasKind.DECLARED if is_cued else AliasKind.MENTIONED


def _derived(write_up: WriteUp, word_counts: Mapping[str, int]) -> Iterator[IdeaAlias]:
    slug = _bare_slug(write_up.idea)
    parts = words(slug)
    initials = "".join(part[0] for part in parts)
    if len(parts) >= MIN_INITIALS and initials.isalpha() and initials not in word_counts:
        yield IdeaAlias(initials, write_up.idea_id, AliasKind.INITIALS, f"initials of {slug}")
    for part in parts:
        is_telling = len(part) >= MIN_WORD_CHARS and not part.isalpha() and any(map(str.isalpha, part))
        if len(parts) > 1 and is_telling and word_counts[part] == 1:
            yield IdeaAlias(part, write_up.idea_id, AliasKind.WORD, f"word of {slug} that no other idea has")
