"""One variant file: a trainer script that an agent wrote and might have run."""

import ast
import hashlib
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from parsers.kinds import FileKind
from parsers.quarantine import Quarantined, Reason
from parsers.source_table import SourceTable

MAX_DOCSTRING_CHARS = 20_000
"""Longer docstrings are cut; real ones have some hundred characters."""

_BEFORE_DOCSTRING = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_LITERAL = re.compile(
    r"[rRuU]?(\"{3}(?:[^\"\\]|\\.|\"(?!\"\"))*\"{3}|'{3}(?:[^'\\]|\\.|'(?!''))*'{3})", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Variant:
    """What a variant file says without being run.

    Attributes:
        stem: File name without `.py`.
        file_sha256: Hash of its bytes.
        source_sha256: Hash of its normalised text, comparable with a log's embedded source.
        size_bytes: Size of the file.
        docstring: Its header docstring, or None.
    """

    stem: str
    file_sha256: str
    source_sha256: str
    size_bytes: int
    docstring: str | None


def parse_variant(data: bytes, path: str, texts: SourceTable) -> Variant | Quarantined:
    """Parse a variant file. Text that is no valid Python is a variant all the same: it may have been run.

    Args:
        data: The file.
        path: Its path, for quarantine.
        texts: Takes its text.
    """
    if not data.strip(b" \t\r\n\0"):
        return Quarantined(FileKind.VARIANT, path, None, 0, Reason.EMPTY_FILE, "The variant is empty.", "")
    source = data.removeprefix(b"\xef\xbb\xbf")
    head = source[: MAX_DOCSTRING_CHARS * 8].decode("utf-8", errors="replace")
    return Variant(
        stem=PurePosixPath(path).stem,
        file_sha256=hashlib.sha256(data).hexdigest(),
        source_sha256=texts.add(source),
        size_bytes=len(data),
        docstring=header_docstring(head),
    )


def header_docstring(text: str) -> str | None:
    r"""Read the docstring that a script starts with, without parsing the rest of it.

    >>> header_docstring("# muon\n'''Aurora on the projections.'''\nimport torch\n")
    'Aurora on the projections.'
    """
    text = text[: MAX_DOCSTRING_CHARS * 2]
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    before = _BEFORE_DOCSTRING.match(text)
    match = _LITERAL.match(text, before.end() if before else 0)
    if match is None:
        return None
    try:
        value = ast.literal_eval(match[0])
    except (SyntaxError, ValueError):
        return None
    return value.strip()[:MAX_DOCSTRING_CHARS] or None if isinstance(value, str) else None
