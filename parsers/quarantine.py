"""What could not be parsed, and why: the record that keeps bad input from being lost in silence."""

from dataclasses import dataclass
from enum import StrEnum

from parsers.kinds import FileKind

EXCERPT_CHARS = 200
"""Length of the excerpt that a quarantine row shows of the rejected input."""


class Reason(StrEnum):
    """Why a piece of input was set aside. A closed list, so that reasons can be counted."""

    BAD_JSON = "bad_json"
    NOT_AN_OBJECT = "not_an_object"
    NO_RUN_ID = "no_run_id"
    LINE_TOO_LONG = "line_too_long"
    FILE_TOO_LARGE = "file_too_large"
    EMPTY_FILE = "empty_file"
    NOT_TEXT = "not_text"
    NO_TITLE_OR_TEXT = "no_title_or_text"
    NO_IDEA = "no_idea"
    NO_VERDICT = "no_verdict"
    NO_COMMAND = "no_command"
    NO_ENTRIES = "no_entries"
    DAMAGED_CHECKPOINT = "damaged_checkpoint"
    TOO_COMPLEX = "too_complex"
    UNREADABLE = "unreadable"
    UNSAFE_MEMBER = "unsafe_member"
    PARSER_FAULT = "parser_fault"
    DUPLICATE_IDEA = "duplicate_idea"
    KEY_REMOVED = "key_removed"


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One rejected input.

    Attributes:
        kind: Kind of the file it came from.
        path: POSIX path relative to the archive's root.
        line: 1-based line, or None when the whole file was rejected.
        byte_offset: Offset of the rejected bytes in the file.
        reason: Why.
        detail: One sentence that says what was wrong.
        excerpt: The first `EXCERPT_CHARS` characters of the rejected bytes.
    """

    kind: FileKind
    path: str
    line: int | None
    byte_offset: int
    reason: Reason
    detail: str
    excerpt: str


def excerpt(data: bytes) -> str:
    r"""Show the start of rejected bytes as printable text.

    Invalid UTF-8 becomes U+FFFD and control characters become spaces, so that the excerpt is safe
    to print on a terminal.

    >>> excerpt(b"a\x1b[31mb\xff")
    'a [31mb\ufffd'
    """
    text = data[: EXCERPT_CHARS * 4].decode("utf-8", errors="replace")[:EXCERPT_CHARS]
    return "".join(char if char.isprintable() else " " for char in text)
