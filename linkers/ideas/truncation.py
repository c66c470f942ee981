"""Slugs whose words were cut short and joined, as `tailradgate` is made of `tail-radial-gate`."""

import re
from dataclasses import dataclass
from functools import lru_cache

MIN_LETTERS = 6
"""A truncation that keeps fewer letters than this fits too many names."""

MIN_PART = 3
"""Every word keeps at least so many letters, or all it has: two are found inside of other words."""

HEAD = 2
"""Letters by which truncations are looked up."""

MIN_KEPT = 0.4
"""A truncation keeps at least this share of the slug's letters."""

_PART = re.compile(r"[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Truncation:
    """The ways in which one slug may be cut short.

    Attributes:
        idea_id: The idea.
        slug: Its slug, without a code.
        start: What each of them begins with.
        size: Letters and digits of the slug.
    """

    idea_id: str
    slug: str
    start: str
    size: int

    @classmethod
    def of(cls, idea_id: str, slug: str) -> "Truncation":
        """Derive the truncations of a slug.

        >>> Truncation.of("x", "tail-radial-gate").start
        'tai'
        """
        parts = _PART.findall(slug.lower())
        first = parts[0] if parts else ""
        return cls(idea_id, slug, first if first.isdigit() else first[:MIN_PART], sum(map(len, parts)))

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches the joined beginnings of the slug's words, digits whole, the longest first.

        >>> pattern = Truncation.of("x", "tail-radial-gate").pattern
        >>> pattern.match("tailradgate0350").group(), pattern.match("tailgate")
        ('tailradgate', None)
        """
        return _pattern(self.slug)

    def kept(self, text: str) -> float:
        """Say which share of the slug a text keeps; 0 for too little to tell."""
        share = len(text) / self.size if self.size else 0.0
        return share if len(text) >= MIN_LETTERS and share >= MIN_KEPT else 0.0


@lru_cache(maxsize=10_000)
def _pattern(slug: str) -> re.Pattern[str]:
    return re.compile("".join(map(_beginning, _PART.findall(slug.lower()))))


def _beginning(part: str) -> str:
    """A pattern for the beginnings of a word, the longest first; numbers stay whole.

    >>> _beginning("tail")
    'tai(?:l)?'
    """
    if part.isdigit():
        return part
    rest = ""
    for letter in reversed(part[MIN_PART:]):
        rest = f"(?:{letter}{rest})?"
    return part[:MIN_PART] + rest


@lru_cache(maxsize=10_000)
def is_shortened(text: str, slug: str) -> bool:
    """Say whether a text may stand for a slug: its letters in their order, starting with its first.

    >>> is_shortened("agm", "adagrad-muon"), is_shortened("soap", "adagrad-muon")
    (True, False)
    """
    letters = iter("".join(_PART.findall(slug.lower())))
    return bool(text) and slug[:1].lower() == text[0] and all(letter in letters for letter in text)
