"""Where a training log holds the trainer's own text: before a line of 100 equal signs."""

import hashlib
import re
from dataclasses import dataclass

from parsers.byte_search import find, find_all, holds_any
from parsers.source_text import syntax_error

DELIMITER = b"=" * 100
"""What the trainer prints between its own source and its output."""

_DELIMITER_LINE = re.compile(rb"^(?:\[[^\]\n]{1,40}\]:?[ \t]*)?={100}[ \t\r]*$", re.MULTILINE)
_MAX_WRAPPER_LINES = 400
_MAX_BARE_SOURCE_BYTES = 2_000_000

_STARTS_PYTHON = re.compile(
    rb"from[ \t]+[\w.]+[ \t]+import\b|import[ \t]+\w|[rRbBuU]?(?:\"{3}|'{3})|#!|#[ \t](?!\S+=)|#[\r\n]"
    rb"|def[ \t]|class[ \t]|@\w|if[ \t]|try:|with[ \t]|[A-Za-z_]\w*[ \t]=[ \t]"
)
_RARE_BLANKS = b"\r\x0b\x0c\x1c\x1d\x1e\x1f"
_OTHER_LETTERS_AS_BLANK = bytes(range(128)) + b" " * 128
_IS_OUTPUT = re.compile(rb"(?:\[[^\]\n]{1,40}\]:?[ \t]*)?step:\d+/\d+[ \t]")


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """The bytes of a log that are the trainer's text.

    Attributes:
        start: Offset of the first byte.
        stop: Offset behind the last byte: where the delimiter's line starts, or the end of the log.
    """

    start: int
    stop: int


def find_source(data: bytes) -> SourceSpan | None:
    """Find the source that a log starts with, behind wrapper lines if there are any.

    A log that holds nothing but source has no delimiter; it is recognised by being valid Python.

    Args:
        data: The whole log.

    Returns:
        The span, or None where no line before the delimiter looks like Python.
    """
    stop = _find_delimiter(data)
    if stop is None:
        return _bare_source(data)
    start = _skip_wrapper(data, stop)
    return None if start is None else SourceSpan(start, stop)


def find_repeats(data: bytes, span: SourceSpan) -> list[SourceSpan]:
    """Find further copies of the same source, as a requeued job prints it again into the same log."""
    text = data[span.start : span.stop]
    found = find_all(data, text, span.stop, len(data)) if text.strip() else []
    return [SourceSpan(at, at + len(text)) for at in found]


def normalise_source(text: str) -> str:
    r"""Fold what a copy of a script changes without meaning: line ends and trailing blank space.

    >>> normalise_source("a = 1  \r\n\r\n")
    'a = 1\n'
    """
    if _is_plain(text.encode("utf-8", errors="replace")):
        return text.rstrip("\n") + "\n"
    unix = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    return "\n".join([line.rstrip() for line in unix.split("\n")]).rstrip("\n") + "\n"


def source_sha256(text: str) -> str:
    """Hash a source text by its normalised form, as 64 hex digits."""
    return source_bytes_sha256(text.encode("utf-8", errors="replace"))


def source_bytes_sha256(data: bytes) -> str:
    """Hash a source by its normalised form, undecodable bytes replaced, as 64 hex digits."""
    if _is_plain(data):
        return hashlib.sha256(data.rstrip(b"\n") + b"\n").hexdigest()
    normal = normalise_source(data.decode("utf-8", errors="replace"))
    return hashlib.sha256(normal.encode("utf-8", errors="replace")).hexdigest()


def _is_plain(data: bytes) -> bool:
    """Whether normalising changes nothing but the end, as far as a few byte searches can tell."""
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            return False
        data = data.translate(_OTHER_LETTERS_AS_BLANK)
    has_blank_ends = any(find(data, end, 0, len(data)) >= 0 for end in (b" \n", b"\t\n"))
    return not (has_blank_ends or holds_any(data, _RARE_BLANKS) or data.rstrip(b"\n").endswith((b" ", b"\t")))


def _find_delimiter(data: bytes) -> int | None:
    at = find(data, DELIMITER, 0, len(data))
    while at >= 0:
        line_start = data.rfind(b"\n", 0, at) + 1
        if match := _DELIMITER_LINE.match(data, line_start):
            return match.start()
        after = data.find(b"\n", at)
        at = find(data, DELIMITER, after, len(data)) if after >= 0 else -1
    return None


def _skip_wrapper(data: bytes, stop: int) -> int | None:
    """Find the first line that looks like Python. A log's own output ends the search: it has no source."""
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for _ in range(_MAX_WRAPPER_LINES):
        if at >= stop or _IS_OUTPUT.match(data, at):
            return None
        if _STARTS_PYTHON.match(data, at):
            return at
        at = data.find(b"\n", at) + 1 or stop
    return None


def _bare_source(data: bytes) -> SourceSpan | None:
    if len(data) > _MAX_BARE_SOURCE_BYTES:
        return None
    start = _skip_wrapper(data, len(data))
    if start is None:
        return None
    is_python = syntax_error(data[start:].decode("utf-8", errors="replace")) is None
    return SourceSpan(start, len(data)) if is_python else None
