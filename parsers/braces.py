"""Brace lists such as `pmi{02,05,10}_ts3000`, spelled out with a bound on their number."""

import itertools
import math
import re

MAX_EXPANDED = 128
"""A template that stands for more names than this is left as it is: nobody lists so many runs."""

MAX_GROUPS = 6

_GROUP = re.compile(r"(?<!\$)\{([^{}\n]{1,300})\}")
_RANGE = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})")
_LETTER = re.compile(r"[^\W\d_]")
_TEMPLATE = re.compile(r"(?:[\w.+-]|\{[^{}\n$]{1,300}\})+")


def expand_braces(word: str) -> tuple[str, ...]:
    """Spell out the brace lists and ranges of a word, first group slowest, as a shell would.

    >>> expand_braces("pmi{02,05}_ts{3000,3025}")
    ('pmi02_ts3000', 'pmi02_ts3025', 'pmi05_ts3000', 'pmi05_ts3025')
    >>> expand_braces("sig-r{08..10}")
    ('sig-r08', 'sig-r09', 'sig-r10')
    >>> expand_braces("{a}") == ("{a}",) and len(expand_braces("{1,2}" * 99)) == 1
    True
    """
    pieces = _GROUP.split(word)
    choices = [
        _choices(piece) if index % 2 else (piece,) for index, piece in enumerate(pieces[: 2 * MAX_GROUPS + 2])
    ]
    if len(pieces) > len(choices) or math.prod(map(len, choices)) > MAX_EXPANDED:
        return (word,)
    return tuple("".join(chosen) for chosen in itertools.product(*choices))


def find_brace_lists(text: str) -> list[str]:
    """Find the words of a text that stand for several names; a set of bare numbers is none.

    >>> find_brace_lists("ran `pmi{02, 05}_ts3000` at {3250, 3240}, and {this}")
    ['pmi{02, 05}_ts3000']
    """
    words = (word.strip(".+-") for word in _TEMPLATE.findall(text) if "{" in word)
    return [word for word in words if _LETTER.search(_GROUP.sub("", word)) and len(expand_braces(word)) > 1]


def _choices(group: str) -> tuple[str, ...]:
    if match := _RANGE.fullmatch(group.strip()):
        first, last = int(match[1]), int(match[2])
        width = max(len(match[1]), len(match[2])) if "0" in (match[1][0], match[2][0]) else 0
        step = 1 if first <= last else -1
        if abs(last - first) >= MAX_EXPANDED:
            return ("{" + group + "}",)
        return tuple(str(number).zfill(width) for number in range(first, last + step, step))
    if "," in group:
        return tuple(part.strip() for part in group.split(","))
    return ("{" + group + "}",)
