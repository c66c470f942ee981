"""A run id cut into pieces that the vocabulary, the scope's ideas or nobody can explain."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from outputs.descriptions.vocabulary import (
    KNOBS,
    LEAVE_ONE_OUT,
    LETTERS_AFTER,
    NEGATIONS,
    PARENT_WORD,
    PHRASES,
    PLACES,
    STEPS_AT_THE_END,
    WORDS,
)
from parsers.run_ids import RunName

MAX_NAME_CHARS = 400
"""Longer names are quoted as they are; the longest real one has 150 characters."""

MAX_SEGMENT_CHARS = 64
MAX_JOINED_SEGMENTS = 6
MIN_GLUED_CHARS = 3
"""Shorter words are found in anything when names are written without separators."""

MIN_SURE_CHARS = 6
"""A word at least so long is found even behind letters that nobody knows."""


class PieceKind(StrEnum):
    """What a piece of a name is."""

    IDEA = "idea"
    TERM = "term"
    PLACE = "place"
    KNOB = "knob"
    LABEL = "label"
    NOT = "not"
    PARENT = "parent"
    CELL = "cell"
    NUMBER = "number"
    STEP = "step"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a name.

    Attributes:
        kind: What it is.
        raw: As it stands in the name.
        key: The name that it was found under: an idea, a word, or the letters of a hyperparameter.
        value: The digits behind it, or empty.
        segment: Number of the segment it stands in; pieces of one segment belong together.
    """

    kind: PieceKind
    raw: str
    key: str
    value: str = ""
    segment: int = 0


_Option = tuple[PieceKind, str, str, int]
"""What may stand at a place: kind, name, digits and end."""

_EXPONENT = re.compile(r"(?<=\de)-(?=\d)")
_SEPARATORS = re.compile(r"[-_.\s]+")
_NOT_TELLING = re.compile(r"[^0-9A-Za-z\u2212+-]+")
_LETTERS = re.compile(r"[a-z]+")
_STEP_MARK = re.compile(r"(?:horizon|start|stop|exact|ts|h|s|t)(\d{4})(?!\d)")
_VALUE = re.compile(r"m?\d+(?:[p.]\d+)?(?:e[-\u2212m]?\d{1,2})?")
_NUMBERED_BETA = re.compile(r"(b[12])p(?=\d)")
_RANGE = re.compile(r"([a-z]+)(\d+)to(\d+)")
_LABEL = re.compile(r"v\d{1,3}(?:opt)?|sub(?:\d{4})?")
_CELL = re.compile(r"loo\d*|[a-z]\d+loo")
_MINUS = "\u2212"

_LEXICON: Mapping[str, PieceKind] = {
    **dict.fromkeys((name.replace(" ", "") for name in PHRASES), PieceKind.TERM),
    **dict.fromkeys(WORDS, PieceKind.TERM),
    **dict.fromkeys(PLACES, PieceKind.PLACE),
}
_COSTS = {
    PieceKind.STEP: 0.5,
    PieceKind.IDEA: 1.0,
    PieceKind.KNOB: 1.0,
    PieceKind.LABEL: 0.9,
    PieceKind.CELL: 1.2,
    PieceKind.NOT: 1.2,
    PieceKind.TERM: 1.4,
    PieceKind.PLACE: 1.4,
    PieceKind.PARENT: 1.4,
    PieceKind.NUMBER: 0.9,
    PieceKind.UNKNOWN: 6.0,
}


def cut_name(name: RunName, wave: str, is_idea: Callable[[str], bool]) -> tuple[Piece, ...]:
    """Cut the stem of a run id into pieces.

    Args:
        name: The run id.
        wave: The scope's wave, with which some scopes begin every name.
        is_idea: Whether the scope has an idea of that name.
    """
    stem = name.stem[:MAX_NAME_CHARS]
    segments = [each for each in _SEPARATORS.split(_EXPONENT.sub(_MINUS, stem)) if each]
    return tuple(_Cutter(segments, wave, is_idea, name.train_steps is None).pieces())


class _Cutter:
    def __init__(
        self, segments: list[str], wave: str, is_idea: Callable[[str], bool], may_end_in_steps: bool
    ) -> None:
        self._segments = segments
        self._wave = wave
        self._is_idea = is_idea
        self._may_end_in_steps = may_end_in_steps

    def pieces(self) -> Iterator[Piece]:
        at = 0
        while at < len(self._segments):
            joined = self._joined(at)
            if joined is not None:
                piece, at = joined
                yield piece
                continue
            yield from self._cut_segment(at)
            at += 1

    def _joined(self, at: int) -> tuple[Piece, int] | None:
        """Find the longest run of whole segments that is one name or phrase."""
        for stop in range(min(len(self._segments), at + MAX_JOINED_SEGMENTS), at, -1):
            parts = self._segments[at:stop]
            key = "".join(parts).lower()
            raw = "-".join(parts)
            if self._is_idea(key):
                return Piece(PieceKind.IDEA, raw, key, segment=at), stop
            if stop - at > 1 and key in _PHRASE_KEYS:
                return Piece(PieceKind.TERM, raw, key, segment=at), stop
        word = self._segments[at].lower()
        kind = _whole_word(word)
        return (Piece(kind, self._segments[at], word, segment=at), at + 1) if kind else None

    def _cut_segment(self, at: int) -> list[Piece]:
        segment = self._segments[at]
        if len(segment) > MAX_SEGMENT_CHARS:
            return [Piece(PieceKind.UNKNOWN, segment, segment.lower(), segment=at)]
        is_last = at == len(self._segments) - 1
        start = 0
        text = segment.lower()
        if at == 0 and re.match(rf"{re.escape(self._wave)}[a-z]", text):
            start = len(self._wave)
        has_steps = is_last and self._may_end_in_steps

        @cache
        def best(begin: int) -> tuple[float, tuple[Piece, ...]]:
            if begin == len(text):
                return 0.0, ()
            options = []
            for kind, key, value, stop in self._options(text, begin, start, has_steps):
                cost, rest = best(stop)
                raw = segment[begin:stop].replace(_MINUS, "-")
                piece = Piece(kind, raw, key, value.replace(_MINUS, "-"), at)
                options.append((cost + _cost(piece), (piece, *rest)))
            return min(options, key=lambda option: option[0], default=(float("inf"), ()))

        return _merge_place_values(segment, list(best(start)[1]))

    def _options(self, text: str, begin: int, start: int, has_steps: bool) -> Iterator[_Option]:
        """List what may stand at a place: kind, name, digits and end."""
        yield from _marks(text, begin, start)
        for stop in range(begin + 2, len(text) + 1):
            word = text[begin:stop]
            is_short = len(word) < MIN_GLUED_CHARS
            if self._is_idea(word) and (
                not is_short or (begin == start and not text[stop : stop + 1].isalpha())
            ):
                yield PieceKind.IDEA, word, "", stop
            if word in NEGATIONS and begin == start and stop < len(text):
                yield PieceKind.NOT, word, "", stop
            if not is_short and word in _LEXICON:
                yield _LEXICON[word], word, "", stop
        yield from _with_digits(text, begin, start, has_steps)


_PHRASE_KEYS = frozenset(name.replace(" ", "") for name in PHRASES)


def _cost(piece: Piece) -> float:
    """Prefer few pieces, and known ones; the more letters nobody knows, the worse."""
    cost = _COSTS[piece.kind]
    if piece.kind == PieceKind.UNKNOWN:
        return cost + 0.5 * len(piece.raw)
    return cost + (1.0 if piece.kind == PieceKind.KNOB and piece.key not in KNOBS else 0.0)


def _merge_place_values(segment: str, pieces: list[Piece]) -> list[Piece]:
    """Take a place with a number for what it is: a hyperparameter of that place, as in `attn0625`."""
    if [piece.kind for piece in pieces] != [PieceKind.PLACE, PieceKind.NUMBER]:
        return pieces
    place, number = pieces
    return [Piece(PieceKind.KNOB, segment, place.key, number.value, place.segment)]


def _whole_word(word: str) -> PieceKind | None:
    """Tell a segment that is one word; it may be short, as nothing is glued to it."""
    if word in NEGATIONS:
        return PieceKind.NOT
    if word == PARENT_WORD:
        return PieceKind.PARENT
    return PieceKind.CELL if word == LEAVE_ONE_OUT else _LEXICON.get(word)


def _marks(text: str, begin: int, start: int) -> Iterator[_Option]:
    is_after_letter = begin > start and text[begin - 1].isalpha()
    if (match := _STEP_MARK.match(text, begin)) and not is_after_letter:
        yield PieceKind.STEP, "", match[1], match.end()
    if begin == start:
        if match := _LABEL.match(text, begin):
            yield PieceKind.LABEL, match.group(), "", match.end()
        if match := _CELL.match(text, begin):
            yield PieceKind.CELL, match.group(), "", match.end()


def _with_digits(text: str, begin: int, start: int, has_steps: bool) -> Iterator[_Option]:
    """List hyperparameters, bare numbers and unknown words with the digits behind them."""
    letters = _LETTERS.match(text, begin)
    if letters is None:
        yield from _bare_number(text, begin, has_steps)
        return
    yield from _hyperparameters(text, begin, letters.end(), has_steps)
    if begin == start or not text[begin - 1].isalpha():
        yield from _unknown(text, begin, letters.end(), has_steps)


def _bare_number(text: str, begin: int, has_steps: bool) -> Iterator[_Option]:
    for value, stop in _values(text, begin, has_steps):
        is_steps = has_steps and stop == len(text) and _is_step_count(value)
        yield (PieceKind.STEP if is_steps else PieceKind.NUMBER), "", value, stop
    if not text[begin].isdigit():
        yield PieceKind.UNKNOWN, text[begin], "", begin + 1


def _hyperparameters(text: str, begin: int, letters_end: int, has_steps: bool) -> Iterator[_Option]:
    if match := _RANGE.match(text, begin):
        yield PieceKind.KNOB, match[1], f"{match[2]}to{match[3]}", match.end()
    numbered = _NUMBERED_BETA.match(text, begin)
    if numbered:
        yield from (
            (PieceKind.KNOB, numbered[1], *value) for value in _values(text, numbered.end(), has_steps)
        )
        return
    for end in range(begin + 1, letters_end + 1):
        word = text[begin:end]
        if word in KNOBS or len(word) == 1:
            yield from ((PieceKind.KNOB, word, *value) for value in _values(text, end, has_steps))


def _unknown(text: str, begin: int, letters_end: int, has_steps: bool) -> Iterator[_Option]:
    rest = text[letters_end:]
    if not rest[:1].isdigit() or (has_steps and _is_step_count(rest)):
        yield PieceKind.UNKNOWN, text[begin:letters_end], "", letters_end
    for end in range(begin + 1, letters_end - MIN_SURE_CHARS + 1):
        if any(text[end:stop] in _LEXICON for stop in range(end + MIN_SURE_CHARS, letters_end + 1)):
            yield PieceKind.UNKNOWN, text[begin:end], "", end
    for value, stop in _values(text, letters_end, has_steps):
        yield PieceKind.UNKNOWN, text[begin:letters_end], value, stop


def _values(text: str, begin: int, has_steps: bool) -> Iterator[tuple[str, int]]:
    """Read the digits at a place: all of them, or all but four at the end that are a number of steps."""
    match = _VALUE.match(text, begin)
    if match is None:
        return
    stop = match.end()
    if has_steps and len(text) - begin > 4 and _is_step_count(text[-4:]):
        head = _VALUE.match(text[:-4], begin)
        if head is not None and head.end() == len(text) - 4:
            yield head.group(), head.end()
            return
    yield match.group(), stop


def _is_step_count(digits: str) -> bool:
    return len(digits) == 4 and digits.isdigit() and int(digits) in STEPS_AT_THE_END


def explained_by(pieces: tuple[Piece, ...], at: int) -> str | None:
    """Name the hyperparameter that a single letter stands for, if a word before it explains the letter."""
    letter = pieces[at].key
    for before in reversed(pieces[:at]):
        for word, letters in LETTERS_AFTER.items():
            if before.key.endswith(word) and letter in letters:
                return letters[letter]
    return None
