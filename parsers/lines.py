"""Untrusted bytes to numbered lines of text, and rejected lines back to their place in the bytes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from parsers.kinds import FileKind
from parsers.quarantine import Quarantined, Reason, excerpt

MAX_TEXT_BYTES = 2_000_000
"""A longer write-up, journal or stub is no such thing: the longest journal has under half a megabyte."""

MAX_TEXT_LINES = 30_000
"""The same in lines: Markdown's worst case costs a tenth of a millisecond a line."""

MAX_UNPRINTABLE_SHARE = 0.3
"""A text with a larger share of control characters and broken UTF-8 is binary."""

_LINE_END = re.compile(rb"\r\n?|\n")
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")


@dataclass(slots=True)
class Place:
    """The file that a record or a rejection comes from.

    Attributes:
        kind: The `parsers.kinds.FileKind` value of the file.
        path: POSIX path relative to the archive's root.
        data: The whole file.
    """

    kind: FileKind
    path: str
    data: bytes
    _line_ends: list[tuple[int, int]] = field(default_factory=list, init=False, repr=False)

    def reject(self, reason: Reason, detail: str) -> Quarantined:
        """Set the whole file aside."""
        return Quarantined(self.kind, self.path, None, 0, reason, detail, excerpt(self.data))

    def reject_line(self, line: int, reason: Reason, detail: str) -> Quarantined:
        """Set one line aside.

        Args:
            line: 1-based number of the line.
            reason: Why.
            detail: One sentence that says what was wrong.
        """
        if not self._line_ends:
            self._line_ends = [match.span() for match in _LINE_END.finditer(self.data)]
            self._line_ends.append((len(self.data), len(self.data)))
        start = self._line_ends[line - 2][1] if line > 1 else 0
        rejected = self.data[start : self._line_ends[line - 1][0]]
        return Quarantined(self.kind, self.path, line, start, reason, detail, excerpt(rejected))

    def unusable(self) -> Quarantined | None:
        """Say why the file cannot be a text of its kind at all, or answer None."""
        n_bytes, n_lines = len(self.data), sum(1 for _ in _LINE_END.finditer(self.data))
        if n_bytes > MAX_TEXT_BYTES or n_lines > MAX_TEXT_LINES:
            limits = f"{MAX_TEXT_BYTES} bytes and {MAX_TEXT_LINES} lines"
            detail = f"The file has {n_bytes} bytes and {n_lines} lines; a text may have {limits}."
            return self.reject(Reason.FILE_TOO_LARGE, detail)
        text = decode(self.data)
        if not text.strip("\x00\ufffd \t\r\n\v\f"):
            return self.reject(Reason.EMPTY_FILE, "The file holds no text.")
        if len(_UNPRINTABLE.findall(text)) > MAX_UNPRINTABLE_SHARE * len(text):
            return self.reject(Reason.NOT_TEXT, "The file is binary, not text.")
        return None


def decode(data: bytes) -> str:
    r"""Decode UTF-8 with or without a byte order mark; broken bytes and NUL become U+FFFD.

    >>> decode(b"\xef\xbb\xbfa\xffb\x00")
    'a\ufffdb\ufffd'
    """
    return data.decode("utf-8-sig", errors="replace").replace("\x00", "\ufffd")


def split_lines(text: str) -> tuple[str, ...]:
    r"""Split at LF, CRLF and CR alone, so that line numbers agree with an editor's and with Markdown's.

    >>> split_lines("a\r\nb\x0bc\n")
    ('a', 'b\x0bc')
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def join_lines(lines: Sequence[str], line_start: int, line_end: int) -> str:
    """Cut 1-based lines, both ends included, without the blank ones around them."""
    return "\n".join(lines[line_start - 1 : line_end]).strip("\n ")
