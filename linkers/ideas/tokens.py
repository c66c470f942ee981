"""Names cut into tokens: the one notion of a word that every tier of the idea matcher shares.

A name is folded to its letters and digits, and keeps where its tokens begin and end. A token ends at a
separator, at a hump (`soapLite`) and between letters and digits, so that `ema` is found in `ema099` but not
in `schema`, and `v1` not in `v12`. Names without separators glue hyperparameters to words (`auroratailg090`);
a hyperparameter of the scope at the end of a run of letters, with its digits behind it, is cut off as well.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from parsers.run_ids import NAMES_KEPT, parse_run_id

MAX_NAME_CHARS = 300
"""Longer names are cut: no run was ever called that."""

_TOKEN = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]*|\d+")
_VALUE = r"m?\d[\dp]*(?:e-?\d+)?"
_KNOB_SEGMENT = re.compile(rf"([a-z]{{1,5}})({_VALUE})")
_SEPARATORS = re.compile(r"[^0-9A-Za-z]+")
_STEP_MARK = re.compile(r"(?<![a-z])(?:horizon|stop|exact|ts|h|s|t)-?(?:2[5-9]|3\d|4[0-4])\d\d(?!\d)(?=-|$)")
_RUNG_AT_END = re.compile(r"(?<=\w)-?(?:2[7-9]|3\d)\d\d$")

COMMON_KNOBS = frozenset(
    [
        *(
            "a",
            "alpha",
            "b",
            "beta",
            "c",
            "cm",
            "d",
            "decay",
            "eps",
            "f",
            "floor",
            "g",
            "gain",
            "gamma",
            "gate",
        ),
        *("h", "horizon", "k", "kd", "ks", "lr", "m", "mu", "n", "ns", "p", "power", "r", "rank", "rho", "s"),
        *("scale", "seed", "start", "stop", "t", "tau", "temp", "ts", "w", "warmup", "wd", "x"),
    ]
)
"""Hyperparameters that optimizer research abbreviates this way everywhere."""

MIN_KNOB_NAMES = 2
"""Letters stand for a hyperparameter if names of the scope carry them with so many different values."""


@dataclass(frozen=True, slots=True)
class NameForm:
    """A name without its separators.

    Attributes:
        text: Letters and digits in lower case.
        starts: Where tokens begin.
        ends: Where tokens end.
        edges: Where a separator stood, the begin and the end of the name included.
    """

    text: str
    starts: frozenset[int]
    ends: frozenset[int]
    edges: frozenset[int]


@lru_cache(maxsize=NAMES_KEPT)
def name_form(name: str) -> NameForm:
    """Fold a name and remember its tokens.

    >>> form = name_form("muon2f-ema099")
    >>> form.text, sorted(form.starts), sorted(form.edges)
    ('muon2fema099', [0, 4, 5, 6, 9], [0, 6, 12])
    """
    parts: list[str] = []
    starts, ends, edges = set[int](), set[int](), {0}
    at = 0
    for segment in _SEPARATORS.split(name[:MAX_NAME_CHARS]):
        for token in _TOKEN.findall(segment):
            starts.add(at)
            at += len(token)
            ends.add(at)
            parts.append(token.lower())
        edges.add(at)
    return NameForm("".join(parts), frozenset(starts), frozenset(ends), frozenset(edges))


def compact(name: str) -> str:
    """Keep the letters and digits of a name, in lower case.

    >>> compact("Mousse-lite_2")
    'mousselite2'
    """
    return _SEPARATORS.sub("", name[:MAX_NAME_CHARS]).lower()


def words(name: str) -> tuple[str, ...]:
    """Split a name at its separators only, in lower case.

    >>> words("adabelief-Optimizer1")
    ('adabelief', 'optimizer1')
    """
    return tuple(part.lower() for part in _SEPARATORS.split(name[:MAX_NAME_CHARS]) if part)


def learn_knobs(names: Iterable[str]) -> frozenset[str]:
    """Collect the hyperparameters of a scope: letters that its names carry with various digits behind them.

    A counter such as `v12` is none, whatever the numbers.

    >>> "zq" in learn_knobs(["a-zq01", "b-zq02", "c-zq10"]), "zq" in learn_knobs(["a-zq01", "b-zq01"])
    (True, False)
    """
    values: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for segment in words(name):
            if knob := _KNOB_SEGMENT.fullmatch(segment):
                values[knob[1]].add(knob[2])
    learned = {
        letters for letters, seen in values.items() if len(seen) >= MIN_KNOB_NAMES and len(letters) <= 3
    }
    return (COMMON_KNOBS | learned) - {"v"}


def is_end(form: NameForm, at: int, knobs: frozenset[str], *, may_be_glued: bool) -> bool:
    """Say whether a token of a name ends at a place.

    Args:
        form: The name.
        at: The place.
        knobs: Hyperparameters of the scope.
        may_be_glued: Whether a hyperparameter with its value may follow without a boundary.
    """
    if at in form.ends:
        return True
    if not may_be_glued:
        return False
    for length in range(1, 6):
        end = at + length
        if form.text[at:end] in knobs and (
            re.match(r"m?\d", form.text[end : end + 2]) is not None and form.text[end - 1].isalpha()
        ):
            return True
    return False


@lru_cache(maxsize=50_000)
def family_of(name: str) -> str:
    """Name the family of a run id or variant stem: the recipe without seed, replicate or any step.

    >>> family_of("v12-ts2999-r4"), family_of("v3aur2b0253025-r1"), family_of("adago3275s1")
    ('v12', 'v3aur2b025', 'adago')
    >>> family_of("queue1-item358-h3375-stop3370-seed3"), family_of("v3u2900-worker2833030")
    ('queue1-item358', 'v3u2900-worker283')
    """
    stem = parse_run_id(name.replace("_", "-")).family.lower()
    bare = re.sub(r"-{2,}", "-", _STEP_MARK.sub("", stem)).strip("-")
    unglued = _RUNG_AT_END.sub("", bare)
    return unglued if re.search(r"[a-z]", unglued) else bare or stem
