"""Keys and passwords in texts: found by what they look like or as values that are known, and written over.

A key that was committed by accident must not be published a second time, so whatever looks like one is
written over before a file is parsed. What is written has the same length in bytes: sizes, offsets and line
numbers stay those of the file, and a Python text stays Python.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from parsers.key_shapes import SHAPES
from parsers.kinds import FileKind
from parsers.quarantine import EXCERPT_CHARS, Quarantined, Reason, excerpt

MARK = "[key removed"
"""How a text begins that stands where a key was; a key that is shorter becomes asterisks."""

MIN_SECRET_CHARS = 8
"""A shorter value of a variable counts as no secret."""

MIN_WORD_CHARS = 20
"""So long must a word of such a value be to count alone."""

WORDS_A_SIEVE = 20
"""So few words are looked for by comparing whole registers; many at once take eight times as long."""

MAX_ROWS = 1_000
"""So many removed keys of a file are named one by one."""

VALUE_OF = "value of "
"""How the kind of a key begins that is known; the name of what holds it follows."""

Secrets = tuple[tuple[str, bytes], ...]
"""Values that must not appear anywhere, whatever they look like, each behind the name of what holds it."""

_NAME_WORDS = {"KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "PAT", "AUTH"}
_NAME_WORDS |= {"CREDENTIAL", "CREDENTIALS", "WEBHOOK"}
_PLACE_WORDS = {"PATH", "FILE", "DIR", "DIRECTORY", "FOLDER", "HOME", "SOCK", "NAME", "USER"}
_PLAIN_WORD = re.compile(r"[a-z]{1,15}|[0-9]{1,15}")
_LINE = re.compile(rb"[^\r\n]+")
_NEEDLES = tuple((needle, shape) for shape in SHAPES for needle in shape.needles)


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A place that holds something like a key. The key itself is not kept.

    Attributes:
        kind: What it looks like.
        start: Offset of its first byte.
        stop: Offset behind its last byte.
    """

    kind: str
    start: int
    stop: int


def secrets_among(variables: Mapping[str, str]) -> Secrets:
    """Choose the variables that hold secrets, by the words of their names.

    A value that is short or a plain word would be found everywhere, and is none. Of a value with blanks each
    long word counts as well, as it may be quoted alone.

    >>> secrets_among({"MY_API_KEY": " 0123-abcd ", "TOKENIZER": "gpt2-medium", "KEY_FILE": "/root/key"})
    (('MY_API_KEY', b'0123-abcd'),)
    """
    stripped = {name: value.strip() for name, value in sorted(variables.items()) if _is_secret_name(name)}
    return tuple(
        (name, part.encode("utf-8", "surrogateescape"))
        for name, value in stripped.items()
        if len(value) >= MIN_SECRET_CHARS and not _PLAIN_WORD.fullmatch(value)
        for part in dict.fromkeys([value, *(word for word in value.split() if len(word) >= MIN_WORD_CHARS)])
    )


def _is_secret_name(name: str) -> bool:
    words = set(re.split(r"[^A-Z0-9]+", name.upper()))
    return bool(words & _NAME_WORDS) and not words & _PLACE_WORDS


def find_keys(data: bytes, secrets: Secrets = ()) -> list[FoundKey]:
    """Find everything that looks like a key, in order and without overlaps.

    Args:
        data: A text.
        secrets: Values that count as keys whatever they look like.
    """
    if not any(sieve.find_matches_as_indexes(data) for sieve in _sieves(secrets)):
        return []
    found: list[FoundKey] = []
    for key in sorted(_candidates(data, secrets), key=lambda key: (key.start, -key.stop)):
        if not found or key.start >= found[-1].stop:
            found.append(key)
        elif key.stop > found[-1].stop:
            found[-1] = FoundKey(found[-1].kind, found[-1].start, key.stop)
    return found


def _candidates(data: bytes, secrets: Secrets) -> Iterator[FoundKey]:
    """Match each shape at its needles: one pass over the text, whatever the number of shapes."""
    behind = 0
    for index, start, stop in _automaton(secrets).find_matches_as_indexes(data, overlapping=True):
        if index >= len(_NEEDLES):
            yield FoundKey(VALUE_OF + secrets[index - len(_NEEDLES)][0], start, stop)
        elif start >= behind:
            shape = _NEEDLES[index][1]
            if match := shape.pattern.match(data, start):
                group = "key" if "key" in shape.pattern.groupindex else 0
                behind = match.end()
                yield FoundKey(shape.kind, *match.span(group))


@lru_cache(maxsize=8)
def _automaton(secrets: Secrets) -> BytesAhoCorasick:
    return BytesAhoCorasick(_words(secrets))


@lru_cache(maxsize=8)
def _sieves(secrets: Secrets) -> tuple[BytesAhoCorasick, ...]:
    """Automata that tell at the speed of memory that none of their few words is there, as in most files."""
    words = _words(secrets)
    return tuple(
        BytesAhoCorasick(words[start : start + WORDS_A_SIEVE], matchkind=MatchKind.LeftmostFirst)
        for start in range(0, len(words), WORDS_A_SIEVE)
    )


def _words(secrets: Secrets) -> list[bytes]:
    return [*(needle for needle, _ in _NEEDLES), *(value for _, value in secrets)]


def write_over(data: bytes, keys: Sequence[FoundKey]) -> bytes:
    r"""Write over keys, line by line, so that nothing changes its place.

    >>> write_over(b"a: 0123456789abcdef, b: 01234", [FoundKey("", 3, 19), FoundKey("", 24, 29)])
    b'a: [key removed***], b: *****'
    """
    parts: list[bytes] = []
    at = 0
    for key in keys:
        parts += [data[at : key.start], _LINE.sub(_mask, data[key.start : key.stop])]
        at = key.stop
    return b"".join([*parts, data[at:]])


def _mask(line: re.Match[bytes]) -> bytes:
    length = len(line[0])
    if length <= len(MARK):
        return b"*" * length
    return MARK.encode() + b"*" * (length - len(MARK) - 1) + b"]"


def hide_keys(text: str, secrets: Secrets = ()) -> str:
    """Write over everything in a text that looks like a key."""
    data = text.encode("utf-8", "surrogateescape")
    keys = find_keys(data, secrets)
    return write_over(data, keys).decode("utf-8", "surrogateescape") if keys else text


def remove_keys(
    data: bytes, kind: FileKind, path: str, secrets: Secrets = ()
) -> tuple[bytes, tuple[Quarantined, ...]]:
    """Write over the keys of a file, and say where they stood.

    Args:
        data: The file.
        kind: What kind of file it is.
        path: Its path, for quarantine.
        secrets: Values that count as keys whatever they look like.

    Returns:
        The file without its keys, and a row for each; the very same bytes and no row where it holds none.
    """
    keys = find_keys(data, secrets)
    if not keys:
        return data, ()
    clean = write_over(data, keys)
    rows: list[Quarantined] = []
    line, at = 1, 0
    for number, key in enumerate(keys[:MAX_ROWS], start=1):
        line, at = line + data.count(b"\n", at, key.start), key.start
        unnamed = len(keys) - number if number == MAX_ROWS else 0
        more = f", and {unnamed} more behind it" if unnamed else ""
        detail = f"{key.kind}, removed before the text was read{more}: revoke it."
        shown = _excerpt_around(clean, key.start)
        rows.append(Quarantined(kind, path, line, key.start, Reason.KEY_REMOVED, detail, shown))
    return clean, tuple(rows)


def _excerpt_around(clean: bytes, at: int) -> str:
    """Show the line of a removed key, from a little before it on."""
    start = max(clean.rfind(b"\n", 0, at) + 1, at - EXCERPT_CHARS // 2)
    stop = clean.find(b"\n", at)
    return excerpt(clean[start : stop if stop >= 0 else len(clean)])
