"""Where a training log holds the trainer's own text: before a line of 100 equal signs."""

import hashlib
import re
from collections.abc import Sequence
from itertools import chain

from parsers.byte_search import Span, find, find_all, holds_any
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


def find_source(data: bytes) -> Span | None:
    """Find the source that a log starts with, behind wrapper lines if there are any.

    A log that holds nothing but source has no delimiter; it is recognised by being valid Python.

    Args:
        data: The whole log.

    Returns:
        The span, up to the delimiter's line or the end of the log, or None where no line before the delimiter
        looks like Python.
    """
    stop = _find_delimiter(data)
    if stop is None:
        return _bare_source(data)
    start = _skip_wrapper(data, stop)
    return None if start is None else Span(start, stop)


def outside(sources: Sequence[Span], size: int) -> list[Span]:
    """List the stretches of a log of some size that are none of its sources: its output."""
    bounds = [0, *chain.from_iterable((source.start, source.stop) for source in sources), size]
    return [Span(start, stop) for start, stop in zip(bounds[::2], bounds[1::2], strict=True) if start < stop]


def find_repeats(data: bytes, span: Span) -> list[Span]:
    """Find further copies of the same source, as a requeued job prints it again into the same log."""
    text = data[span.start : span.stop]
    found = find_all(data, text, span.stop, len(data)) if text.strip() else []
    return [Span(at, at + len(text)) for at in found]


def normalise_source(data: bytes) -> bytes:
    r"""Fold what a copy of a script changes without meaning: line ends and trailing blank space.

    Undecodable bytes are replaced.

    >>> normalise_source(b"a = 1  \r\n\r\n")
    b'a = 1\n'
    """
    if _is_plain(data):
        return data.rstrip(b"\n") + b"\n"
    text = data.decode("utf-8", errors="replace")
    unix = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    normal = "\n".join([line.rstrip() for line in unix.split("\n")]).rstrip("\n") + "\n"
    return normal.encode("utf-8", errors="replace")


def source_sha256(text: str) -> str:
    """Hash a source text by its normalised form, as 64 hex digits."""
    return hashlib.sha256(normalise_source(text.encode("utf-8", errors="replace"))).hexdigest()


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


def _bare_source(data: bytes) -> Span | None:
    if len(data) > _MAX_BARE_SOURCE_BYTES:
        return None
    start = _skip_wrapper(data, len(data))
    if start is None:
        return None
    is_python = syntax_error(data[start:].decode("utf-8", errors="replace")) is None
    return Span(start, len(data)) if is_python else None
