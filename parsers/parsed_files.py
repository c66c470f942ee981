"""Every file of an archive turned into records: which parser reads which kind, and what came of each file."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

from blake3 import blake3

from parsers.archive import Archive, ArchiveFile
from parsers.audits import parse_audits
from parsers.export import parse_export_ledger, parse_export_metadata
from parsers.idea_list import parse_idea_list
from parsers.ideas import parse_idea
from parsers.journal import parse_journal
from parsers.kinds import PARSED_KINDS, FileKind
from parsers.ledger import parse_ledger
from parsers.logs import MAX_LOG_BYTES, Log, parse_log
from parsers.quarantine import Quarantined, Reason, excerpt
from parsers.records import Parsed
from parsers.rule_checks import parse_rule_check
from parsers.secrets import Secrets, remove_keys
from parsers.source_table import SourceTable
from parsers.stubs import parse_stub
from parsers.variants import Variant, parse_variant

MAX_TEXT_BYTES = 64_000_000
"""A larger write-up, journal, script or ledger is set aside; the largest real one has 445 KB."""

_BATCH_BYTES = 16_000_000
_BATCH_FILES = 512
_READ_BYTES = 1_000_000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What became of one file.

    Attributes:
        file: The file.
        content_hash: BLAKE3 of its bytes, as hex digits; empty for a file that was not read.
        records: What was read from it, in its order. Source texts stand apart: see `Batch.sources`.
        quarantined: What was set aside. A reject without a line is the whole file.
        num_seen: Units of input in it: lines for the ledger, else 1 for the file.
        num_parsed: Units that were read.
    """

    file: ArchiveFile
    content_hash: str
    records: tuple[object, ...]
    quarantined: tuple[Quarantined, ...]
    num_seen: int
    num_parsed: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Some parsed files.

    Attributes:
        files: The files, in the order in which they were given.
        sources: Each distinct text of a variant, or embedded in a log, normalised, by its hash.
    """

    files: tuple[ParsedFile, ...]
    sources: Mapping[str, str]


@dataclass(frozen=True)
class ParsedArchive:
    """All parsed files of an archive.

    Attributes:
        archive: Where they come from.
        files: The files, sorted by path.
        sources: Each distinct text of a variant, or embedded in a log, normalised, by its hash.
    """

    archive: Archive
    files: tuple[ParsedFile, ...]
    sources: Mapping[str, str]

    def records(self, record_type: type[T]) -> Sequence[tuple[ArchiveFile, T]]:
        """List every record of a type with the file it comes from, in the order of paths and lines."""
        return cast("Sequence[tuple[ArchiveFile, T]]", self._records_of.get(record_type, []))

    @cached_property
    def _records_of(self) -> Mapping[type, list[tuple[ArchiveFile, object]]]:
        found: dict[type, list[tuple[ArchiveFile, object]]] = defaultdict(list)
        for parsed in self.files:
            for record in parsed.records:
                found[type(record)].append((parsed.file, record))
        return dict(found)

    def quarantined(self) -> list[tuple[ArchiveFile | None, Quarantined]]:
        """List everything that was set aside, with the file where there is one."""
        refused: list[tuple[ArchiveFile | None, Quarantined]] = [
            (None, reject) for reject in self.archive.refused
        ]
        return refused + [(parsed.file, reject) for parsed in self.files for reject in parsed.quarantined]


def plan_batches(files: Iterable[ArchiveFile]) -> list[tuple[ArchiveFile, ...]]:
    """Divide the files that have a parser into batches of bounded size and one scope, in the order given."""
    batches: list[tuple[ArchiveFile, ...]] = []
    current: list[ArchiveFile] = []
    size = 0
    for file in files:
        if file.kind not in PARSED_KINDS:
            continue
        is_full = size + file.size_bytes > _BATCH_BYTES or len(current) >= _BATCH_FILES
        if current and (is_full or file.scope != current[0].scope):
            batches.append(tuple(current))
            current, size = [], 0
        current.append(file)
        size += file.size_bytes
    if current:
        batches.append(tuple(current))
    return batches


def parse_batch(root: Path, files: Iterable[ArchiveFile], secrets: Secrets = ()) -> Batch:
    """Read and parse some files of an archive.

    Args:
        root: The archive's root.
        files: Files to read. One that cannot be read is set aside.
        secrets: Values that are removed, as is all that looks like a key.
    """
    texts = SourceTable()
    parsed = [_read_and_parse(root, file, secrets, texts) for file in files]
    return Batch(tuple(parsed), texts.texts)


def merge_batches(archive: Archive, batches: Iterable[Batch]) -> ParsedArchive:
    """Put batches together again, whatever the order in which they were finished."""
    batches = list(batches)
    files = sorted(
        (parsed for batch in batches for parsed in batch.files), key=lambda parsed: parsed.file.path
    )
    texts = {sha256: text for batch in batches for sha256, text in batch.sources.items()}
    wanted = {
        record.source_sha256 for each in files for record in each.records if isinstance(record, Log | Variant)
    }
    sources = {sha256: text for sha256, text in texts.items() if sha256 in wanted}
    return ParsedArchive(archive, tuple(files), dict(sorted(sources.items())))


def hash_content(data: bytes) -> str:
    """Hash a file's bytes, by BLAKE3: it takes a third of the time of SHA-256 and is as hard to deceive."""
    return blake3(data).hexdigest()


def parse_file(data: bytes, file: ArchiveFile, texts: SourceTable) -> ParsedFile:
    """Parse one file by its kind.

    Args:
        data: Its bytes.
        file: Which it is.
        texts: Takes the source text that it is or holds.
    """
    content_hash = hash_content(data)
    if file.kind == FileKind.LEDGER:
        ledger = parse_ledger(data, file.path)
        num_parsed = ledger.num_lines - ledger.num_lines_quarantined
        rejects = ledger.parsed.quarantined
        return ParsedFile(file, content_hash, ledger.parsed.records, rejects, ledger.num_lines, num_parsed)
    if file.kind in _SOURCE_PARSERS:
        result = _SOURCE_PARSERS[file.kind](data, file.path, texts)
    else:
        result = _PARSERS[file.kind](data, file.path)
    if isinstance(result, Quarantined):
        return ParsedFile(file, content_hash, (), (result,), 1, 0)
    if isinstance(result, Parsed):
        is_whole = all(reject.line is not None for reject in result.quarantined)
        return ParsedFile(file, content_hash, result.records, result.quarantined, 1, int(is_whole))
    rejects = result.damaged if isinstance(result, Log) else ()
    return ParsedFile(file, content_hash, (result,), rejects, 1, 1)


_PARSERS: Mapping[FileKind, Callable[[bytes, str], object]] = {
    FileKind.IDEA: parse_idea,
    FileKind.IDEA_LIST: parse_idea_list,
    FileKind.JOURNAL: parse_journal,
    FileKind.AUDIT: parse_audits,
    FileKind.RULE_CHECK: parse_rule_check,
    FileKind.STUB: parse_stub,
    FileKind.EXPORT_LEDGER: parse_export_ledger,
    FileKind.EXPORT_METADATA: parse_export_metadata,
}
_SOURCE_PARSERS: Mapping[FileKind, Callable[[bytes, str, SourceTable], object]] = {
    FileKind.LOG: parse_log,
    FileKind.VARIANT: parse_variant,
    FileKind.EXPORT_SCRIPT: parse_variant,
}


def _read_and_parse(root: Path, file: ArchiveFile, secrets: Secrets, texts: SourceTable) -> ParsedFile:
    def set_aside(reason: Reason, detail: str, data: bytes = b"") -> ParsedFile:
        reject = Quarantined(file.kind, file.path, None, 0, reason, detail, excerpt(data))
        return ParsedFile(file, "", (), (reject,), 1, 0)

    limit = MAX_LOG_BYTES if file.kind == FileKind.LOG else MAX_TEXT_BYTES
    if file.size_bytes > limit:
        return set_aside(Reason.FILE_TOO_LARGE, f"The file has {file.size_bytes} bytes, over {limit}.")
    try:
        data = _read(f"{root}/{file.path}", file.size_bytes)
    except OSError as error:
        return set_aside(Reason.UNREADABLE, f"The file cannot be read: {error.strerror}.")
    clean, keys = remove_keys(data, file.kind, file.path, secrets)
    try:
        parsed = parse_file(clean, file, texts)
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"[:300]
        parsed = set_aside(
            Reason.PARSER_FAULT, f"The parser failed on this file, please report it: {cause}", clean
        )
    return _with_removed(parsed, data, keys) if keys else parsed


def _read(path: str, size_bytes: int) -> bytes:
    """Read a file in one call, as its size is known; a file object takes twice the time to open and read."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        data = os.read(descriptor, size_bytes + 1)
        if len(data) != size_bytes:  # it has changed since it was listed
            while more := os.read(descriptor, _READ_BYTES):
                data += more
    finally:
        os.close(descriptor)
    return data


def _with_removed(parsed: ParsedFile, data: bytes, keys: tuple[Quarantined, ...]) -> ParsedFile:
    """List the removed keys; the file's hashes stay those of the file as it is."""
    sha256 = hashlib.sha256(data).hexdigest()
    return replace(
        parsed,
        content_hash=hash_content(data) if parsed.content_hash else "",
        records=tuple(
            replace(record, file_sha256=sha256) if isinstance(record, Variant) else record
            for record in parsed.records
        ),
        quarantined=(*parsed.quarantined, *keys),
    )
