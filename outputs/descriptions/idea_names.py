"""The names that run ids may use for a scope's ideas, each with the idea's title."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from linkers.write_ups import WriteUp
from parsers.scopes import Scope

MIN_DERIVED_CHARS = 3
"""Shorter names that nobody declared stand for too many things."""

MAX_TITLE_CHARS = 120
"""Longer titles are cut: they are sentences."""

_PART = re.compile(r"[a-z]+|\d+")
_CODE = re.compile(r"[a-z]{3,4}\d{3}")
_LEADING_CODE = re.compile(r"^`?[A-Za-z]{3,4}\d{3}`?[\s:.\u2013\u2014-]+(?=\S)")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f]+")
_TRUNCATED_WORD_CHARS = (3, 4)


def clean_title(title: str) -> str:
    r"""Make one short line of a title, without the code before it.

    >>> clean_title("ABP001: Adam\nbi-product **polar** Muon")
    'Adam bi-product polar Muon'
    """
    line = _SPACES.sub(" ", title.replace("*", "").replace("`", "")).strip()
    line = _LEADING_CODE.sub("", line).rstrip(" .")
    return line if len(line) <= MAX_TITLE_CHARS else line[: MAX_TITLE_CHARS - 1].rstrip() + "…"


def idea_names(write_ups: Iterable[WriteUp]) -> dict[Scope, Mapping[str, str]]:
    """Collect the names of every scope's ideas.

    An idea is called by its slug, its code, an alias that its write-up declares, the initials of its slug, or
    the slug's words cut to the same length. A name that two ideas of a scope have by equal right names neither.

    Args:
        write_ups: The ideas.

    Returns:
        For each scope the titles by name, in lower case and without separators.
    """
    claims: dict[Scope, dict[str, dict[int, set[str]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    titles: dict[str, str] = {}
    for each in write_ups:
        title = clean_title(each.idea.title)
        if title:
            titles[each.idea_id] = title
            for right, name in _names_of(each):
                claims[each.scope][name][right].add(each.idea_id)
    return {scope: _settle(names, titles) for scope, names in claims.items()}


def _settle(names: Mapping[str, Mapping[int, set[str]]], titles: Mapping[str, str]) -> dict[str, str]:
    settled: dict[str, str] = {}
    for name in sorted(names):
        claimants = names[name][min(names[name])]
        if len(claimants) == 1:
            settled[name] = titles[next(iter(claimants))]
    return settled


def _names_of(write_up: WriteUp) -> Iterable[tuple[int, str]]:
    """Name an idea, each name with its right: 0 its own, 1 declared, 2 derived."""
    idea = write_up.idea
    parts = _PART.findall(idea.slug.lower())
    leading = "".join(parts[:2])
    bare = parts[2:] if len(parts) > 2 and _CODE.fullmatch(leading) else parts
    yield 0, "".join(parts)
    yield 0, "".join(bare)
    if idea.code:
        yield 0, idea.code.lower()
    for alias in idea.aliases:
        name = "".join(_PART.findall(alias.text.lower()))
        if len(name) >= 2 and not name.isdigit():
            yield 1, name
    words = [part for part in bare if part.isalpha()]
    if len(words) >= MIN_DERIVED_CHARS:
        yield 2, "".join(word[0] for word in words)
    if len(words) >= 2:
        yield from ((2, name) for name in _truncated(words))


def _truncated(words: list[str]) -> set[str]:
    """Cut the words to three or four letters each, the last one maybe less or more.

    >>> "gracenmlpp" in _truncated(["grad", "centre", "mlpproj"])
    True
    """
    heads = {"".join(word[:length] for word in words[:-1]) for length in _TRUNCATED_WORD_CHARS}
    last = words[-1]
    return {
        head + last[:length]
        for head in heads
        for length in range(2, len(last) + 1)
        if len(head) + length >= 2 * MIN_DERIVED_CHARS
    }
