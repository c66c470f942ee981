"""The names that run ids may use for a scope's ideas, each with a phrase that says what the idea is."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import product

from linkers.write_ups import WriteUp
from outputs.descriptions.leaks import find_leak
from parsers.scopes import Scope

MIN_DERIVED_CHARS = 3
"""Shorter names that nobody declared stand for too many things."""

MAX_TITLE_CHARS = 120
"""Longer titles are cut: they are sentences."""

MAX_GIST_CHARS = 160
"""Of what an idea proposes so much is said beside its title."""

MAX_SENTENCES = 8

_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n\s*\n")
_REFERENCE = re.compile(r"\b[A-Z][\w-]{0,30}:\s*[\w.-]+\s*$")
_REASON = re.compile(r",? (?:so that|because|as|since) |[;:] ")
_LEAD = re.compile(
    r"^(?:(?:what if|maybe) )?(?:(?:we|i|let us|let's) )?(?:try|use|apply|test|add) (?:to use )?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z0-9]+")
_PART = re.compile(r"[a-z]+|\d+")
_CODE = re.compile(r"[a-z]{3,4}\d{3}")
_LEADING_CODE = re.compile(r"^`?[A-Za-z]{3,4}\d{3}`?[\s:.\u2013\u2014-]+(?=\S)")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f]+")
_TRUNCATED_WORD_CHARS = (3, 4)
MAX_TRUNCATED_WORDS = 5


def clean_title(title: str) -> str:
    r"""Make one short line of a title, without the code before it.

    >>> clean_title("ABP001: Adam\nbi-product **polar** Muon")
    'Adam bi-product polar Muon'
    """
    line = _SPACES.sub(" ", title.replace("*", "").replace("`", "")).strip()
    line = _LEADING_CODE.sub("", line).rstrip(" .")
    return line if len(line) <= MAX_TITLE_CHARS else line[: MAX_TITLE_CHARS - 1].rstrip() + "…"


def idea_phrase(slug: str, title: str, proposal: str) -> str:
    """Say what an idea is: by its title, and where that only repeats the slug, by what it proposes as well.

    >>> idea_phrase("ortho-init", "Ortho init", "Parent: `x-y`. Use orthogonal initialisation. It helps.")
    'Ortho init (orthogonal initialisation)'
    """
    line = clean_title(title)
    if not line or set(_WORD.findall(line.lower())) - set(_WORD.findall(slug.lower())):
        return line
    gist = _gist(slug, proposal)
    return f"{line} ({gist})" if gist else line


def _gist(slug: str, proposal: str) -> str:
    """Take the first clause that says more than the slug: no reference, no outcome."""
    known = set(_WORD.findall(slug.lower()))
    for sentence in _SENTENCE_END.split(proposal[:4_000])[:MAX_SENTENCES]:
        sentence = _REFERENCE.sub("", _SPACES.sub(" ", sentence.replace("*", "").replace("`", "")))
        for clause in (sentence, _REASON.split(sentence, maxsplit=1)[0]):
            text = _without_lead(clause.strip(" #-.;:,>"), known)
            if len(text) > MAX_GIST_CHARS:
                text = text[:MAX_GIST_CHARS].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
            if len(set(_WORD.findall(text.lower())) - known) > 1 and find_leak(text) is None:
                return text
    return ""


def _without_lead(text: str, known: set[str]) -> str:
    """Drop what leads up to the proposal: its own name, or a verb."""
    head, colon, rest = text.partition(": ")
    if colon and set(_WORD.findall(head.lower())) <= known:
        text = rest
    return _LEAD.sub("", text)


def idea_names(write_ups: Iterable[WriteUp]) -> dict[Scope, Mapping[str, str]]:
    """Collect the names of every scope's ideas.

    An idea is called by its slug, its code, an alias that its write-up declares, the initials of its slug, or
    the slug's words cut short. A name that two ideas of a scope have by equal right names neither.

    Args:
        write_ups: The ideas.

    Returns:
        For each scope the phrases by name, in lower case and without separators.
    """
    claims: dict[Scope, dict[str, dict[int, set[str]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(set))
    )
    titles: dict[str, str] = {}
    for each in write_ups:
        title = idea_phrase(each.idea.slug, each.idea.title, each.idea.proposal_text)
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
    if "optimizer" in bare:
        yield 2, "".join(bare).replace("optimizer", "opt")
    words = _WORD.findall(idea.slug.lower())[1 if bare is not parts else 0 :]
    if len(words) >= MIN_DERIVED_CHARS:
        yield 2, "".join(word[0] for word in words)
    if len(words) >= 2:
        yield from ((2, name) for name in _truncated(words))


def _truncated(words: list[str]) -> set[str]:
    """Cut the words to three or four letters each, and the last one anywhere.

    >>> "gracenmlpp" in _truncated(["grad", "centre", "mlpproj"])
    True
    """
    if len(words) > MAX_TRUNCATED_WORDS:
        return set()
    cuts = product(*({word[:length] for length in _TRUNCATED_WORD_CHARS} for word in words[:-1]))
    heads = {"".join(cut) for cut in cuts}
    last = words[-1]
    return {
        head + last[:length]
        for head in heads
        for length in range(2, len(last) + 1)
        if len(head) + length >= 2 * MIN_DERIVED_CHARS
    }
