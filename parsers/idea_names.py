"""The names that a write-up declares for itself and the other works that it names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from parsers.markdown import Document, plain


class AliasOrigin(StrEnum):
    """Where a write-up declares another name of its idea."""

    FRONT_MATTER = "front_matter"
    LABEL = "label"
    INLINE = "inline"
    TITLE = "title"


class Relation(StrEnum):
    """How a write-up relates to another idea that it names."""

    PARENT = "parent"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of an idea, as declared in its write-up.

    Attributes:
        text: The name as written.
        origin: What kind of declaration it is.
        line: 1-based line of the declaration.
    """

    text: str
    origin: AliasOrigin
    line: int


@dataclass(frozen=True, slots=True)
class LocalReference:
    """Another idea of the experiment that a write-up names. It is a parent only where the text says so.

    Attributes:
        name: Code in lower case, or slug as written.
        relation: Parent or mere reference.
        line: 1-based line of the first mention; of the first as a parent, if there is one.
    """

    name: str
    relation: Relation
    line: int


_CODE = r"[A-Za-z]{3,4}\d{3}"
_LEADING_CODE = re.compile(rf"({_CODE})(?![A-Za-z\d])")
_TITLE_CODE = re.compile(rf"(?:^|[(\[`\s])({_CODE})(?=$|[)\]`:,\s\u2013\u2014-])")
_TITLE_SHORT = re.compile(r"\(([A-Za-z][\w-]{1,40})\)")

_NOT_A_CODE = frozenset(
    {
        *(
            "adam",
            "adan",
            "arm",
            "beta",
            "cap",
            "dim",
            "ema",
            "eps",
            "exp",
            "fig",
            "fwa",
            "gain",
            "gpt",
            "gpu",
        ),
        *("head", "iter", "job", "kron", "lion", "lmbd", "loo", "loss", "lrs", "mars", "mean", "mom", "muon"),
        *("page", "pmi", "rank", "rev", "run", "runs", "seed", "soap", "std", "step", "stop", "tail", "top"),
        *("ver", "wave", "wid"),
    }
)
"""Words that stand before three digits without making a code: hyperparameters, methods, counters."""

_MENTIONED_CODE = re.compile(rf"(?<![A-Za-z\d])({_CODE})(?![A-Za-z\d])")
_SLUG = r"[A-Za-z][A-Za-z0-9]*(?:[-_.+][A-Za-z0-9]+){0,15}"
_QUOTED_SLUG = re.compile(rf"`(?:[\w./-]{{0,100}}/)?({_SLUG}?)(?:\.md)?`")
_BARE_SLUG = re.compile(r"(?<![\w`/.-])([A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+){1,15})(?![\w/-])")

_LABEL = re.compile(
    r"(?:(?:family|idea|run|short|stable|variant)[ -])?(?:slug|code|id|prefix|alias(?:es)?|abbreviation|"
    r"short(?:hand| name)|aka|a\.k\.a\.|also known as)(?: name)?\s{0,3}[:=]\s{0,3}(?P<value>\S.{0,300})",
    re.IGNORECASE,
)
_INLINE = re.compile(
    r"\b(?:aka|a\.k\.a\.|also known as|also called|family slug|abbreviated(?: as| to)?)[\s:*]{1,4}"
    rf"(?:`(?P<quoted>[^`\n]{{1,80}})`|[\"'*]{{0,2}}(?P<bare>{_SLUG}))",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`\n]{1,80})`")
_WORD = re.compile(rf"\s*[\"'(]?({_SLUG})[\"')]?[.]?\s*")
_ALIAS_KEYS = frozenset(
    {
        "slug",
        "family_slug",
        "code",
        "alias",
        "aliases",
        "aka",
        "family",
        "short",
        "short_name",
        "id",
        "idea_id",
    }
)

_PARENT_CUE = re.compile(
    r"\b(?:parents?\b(?! directory)|builds? (?:up)?on|building on|built on|derive[sd]? from|based on|"
    r"extends?|extension of|(?:is|as) an? (?:variant|refinement|follow[- ]?up) (?:of|to)|descends? from|"
    r"inherits? from|fork(?:s|ed)? (?:of|from)|successor (?:of|to)|on top of|"
    r"starts? from|stack(?:s|ed)? on)\b",
    re.IGNORECASE,
)
_REFERENCE_CUE = re.compile(
    r"\b(?:priors?|prior art|unlike|differs?|different|compared?|versus|vs|rather than|instead of|"
    r"not (?:an? )?(?:\w+ )?(?:builds?|built|based|derived|extends?|parent|variant)|related|neighbou?rs?|"
    r"overlaps?|distinct|existing|cross[- ]?check)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+")
_ARXIV = re.compile(
    r"(?:arxiv(?:\.org/(?:abs|pdf)/|[\s:]{1,3}))((?:0[7-9]|[12]\d)(?:0[1-9]|1[0-2])\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?"
    r"/\d{7})(?!\d)",
    re.IGNORECASE,
)
_BARE_ARXIV = re.compile(r"(?<![\w./-])((?:0[7-9]|[12]\d)(?:0[1-9]|1[0-2])\.\d{5})(?:v\d{1,2})?(?![\w-])")
_LINE_CHARS = 20_000


def idea_code(slug: str, title: str) -> str | None:
    """Read the idea's code, three or four letters and three digits, off its slug or else its title.

    >>> idea_code("abp001_adam_biproduct_polar_muon", "")
    'abp001'
    >>> idea_code("bipolar-gram", "Bipolar Gram Estimator (BIGE001)")
    'bige001'
    >>> idea_code("ema099-tail", "EMA099") is None
    True
    """
    leading = _LEADING_CODE.match(slug)
    found = ([leading[1]] if leading else []) + _TITLE_CODE.findall(title)
    return next((code.lower() for code in found if _is_code(code)), None)


def _is_code(text: str) -> bool:
    return text[:-3].lower() not in _NOT_A_CODE


def declared_aliases(document: Document, title: str, title_line: int) -> tuple[Alias, ...]:
    """Collect the other names that a write-up declares. Nothing is guessed from the slug.

    Args:
        document: The write-up.
        title: Its title.
        title_line: Line of the title.
    """
    aliases = [
        Alias(pair.value, AliasOrigin.FRONT_MATTER, pair.line)
        for pair in document.front_matter
        if pair.key in _ALIAS_KEYS
    ]
    aliases += [Alias(name, AliasOrigin.TITLE, title_line) for name in _title_names(title)]
    for number in document.prose_lines:
        line = document.line(number)[:_LINE_CHARS]
        aliases += [Alias(name, AliasOrigin.LABEL, number) for name in _labelled_names(line)]
        aliases += [
            Alias(match["quoted"] or match["bare"], AliasOrigin.INLINE, number)
            for match in _INLINE.finditer(line)
        ]
    unique: dict[str, Alias] = {}
    for alias in aliases:
        unique.setdefault(alias.text.strip().lower(), alias)
    return tuple(alias for name, alias in unique.items() if name)


def _title_names(title: str) -> Iterator[str]:
    """A code in the title, and an abbreviation in parentheses such as `(SPM)`."""
    yield from (code for code in _TITLE_CODE.findall(title) if _is_code(code))
    for name in _TITLE_SHORT.findall(title):
        if len(name) >= 3 and name.isupper() and name.isalpha():
            yield name


def _labelled_names(line: str) -> list[str]:
    text = re.sub(r"^[\s>#*+_-]+", "", line).replace("*", "")
    match = _LABEL.match(text)
    if not match:
        return []
    if quoted := _QUOTED.findall(match["value"]):
        return quoted
    words = [_WORD.fullmatch(part) for part in re.split(r"[,;/]", match["value"])]
    return [word[1] for word in words if word]


def local_references(document: Document, own_names: frozenset[str]) -> tuple[LocalReference, ...]:
    """Find the other ideas that a write-up names: codes anywhere, slugs where the sentence relates to them.

    Args:
        document: The write-up.
        own_names: The idea's slug, code and aliases in lower case, which are no references.
    """
    found: dict[str, LocalReference] = {}
    mentions = [
        (pair.value, Relation.PARENT, pair.line)
        for pair in document.front_matter
        if pair.key in {"parent", "parents", "parent_idea", "builds_on"}
    ]
    for number in document.prose_lines:
        for sentence in _SENTENCE_END.split(document.line(number)[:_LINE_CHARS]):
            mentions += [(name, relation, number) for name, relation in _mentions(sentence)]
    for name, relation, number in mentions:
        name = name.lower() if _MENTIONED_CODE.fullmatch(name) else name
        if name.lower() in own_names:
            continue
        known = found.get(name)
        if known is None or (relation is Relation.PARENT and known.relation is not Relation.PARENT):
            found[name] = LocalReference(name, relation, number)
    return tuple(found.values())


def _mentions(sentence: str) -> Iterator[tuple[str, Relation]]:
    parent_cue, reference_cue = _PARENT_CUE.search(sentence), _REFERENCE_CUE.search(sentence)
    parents_start = parent_cue.end() if parent_cue and not reference_cue else len(sentence)

    def relation(match: re.Match[str]) -> Relation:
        return Relation.PARENT if match.start() >= parents_start else Relation.REFERENCE

    for match in _MENTIONED_CODE.finditer(sentence):
        if _is_code(match[1]) and (match[1].isupper() or match[1].islower()):
            yield match[1], relation(match)
    if parent_cue or reference_cue:
        names = list(_QUOTED_SLUG.finditer(sentence))
        if parent_cue and not names and plain(sentence[: parent_cue.start()]) in {"", "-"}:
            names = list(_BARE_SLUG.finditer(sentence, parent_cue.end()))
        for match in names:
            if not _LEADING_CODE.match(match[1]):
                yield match[1], relation(match)


def arxiv_ids(text: str, references: str) -> tuple[str, ...]:
    """Collect arXiv ids: those that say so anywhere, bare ones in the references only.

    >>> arxiv_ids("as in arXiv:2502.16982v2, loss 3.28270", "[1] 2409.20325")
    ('2502.16982', '2409.20325')
    """
    return tuple(dict.fromkeys(_ARXIV.findall(text) + _BARE_ARXIV.findall(references)))
