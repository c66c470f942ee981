"""Every file of an archive turned into records: which parser reads which kind, and what came of each file."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

from parsers.archive import Archive, ArchiveFile
from parsers.audits import parse_audits
from parsers.embedded_source import normalise_source
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
from parsers.stubs import parse_stub
from parsers.variants import Variant, parse_variant

MAX_TEXT_BYTES = 64_000_000
"""A larger write-up, journal, script or ledger is set aside; the largest real one has 445 KB."""

_BATCH_BYTES = 16_000_000
_BATCH_FILES = 512

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What became of one file.

    Attributes:
        file: The file.
        sha256: Hash of its bytes; empty for a file that was not read.
        records: What was read from it, in its order. Source texts are left out: see `Batch.sources`.
        quarantined: What was set aside. A reject without a line is the whole file.
        num_seen: Units of input in it: lines for the ledger, else 1 for the file.
        num_parsed: Units that were read.
    """

    file: ArchiveFile
    sha256: str
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
    parsed = []
    sources: dict[str, str] = {}
    for file in files:
        done = _read_and_parse(root, file, secrets)
        if any(isinstance(record, Log | Variant) for record in done.records):
            done = replace(done, records=tuple(_without_source(record, sources) for record in done.records))
        parsed.append(done)
    return Batch(tuple(parsed), sources)


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


def parse_file(data: bytes, file: ArchiveFile) -> ParsedFile:
    """Parse one file by its kind."""
    sha256 = hashlib.sha256(data).hexdigest()
    if file.kind == FileKind.LEDGER:
        ledger = parse_ledger(data, file.path)
        num_parsed = ledger.num_lines - ledger.num_lines_quarantined
        rejects = ledger.parsed.quarantined
        return ParsedFile(file, sha256, ledger.parsed.records, rejects, ledger.num_lines, num_parsed)
    result = _PARSERS[file.kind](data, file.path)
    if isinstance(result, Quarantined):
        return ParsedFile(file, sha256, (), (result,), 1, 0)
    if isinstance(result, Parsed):
        is_whole = all(reject.line is not None for reject in result.quarantined)
        return ParsedFile(file, sha256, result.records, result.quarantined, 1, int(is_whole))
    rejects = result.damaged if isinstance(result, Log) else ()
    return ParsedFile(file, sha256, (result,), rejects, 1, 1)


_PARSERS: Mapping[FileKind, Callable[[bytes, str], object]] = {
    FileKind.LOG: parse_log,
    FileKind.VARIANT: parse_variant,
    FileKind.IDEA: parse_idea,
    FileKind.IDEA_LIST: parse_idea_list,
    FileKind.JOURNAL: parse_journal,
    FileKind.AUDIT: parse_audits,
    FileKind.RULE_CHECK: parse_rule_check,
    FileKind.STUB: parse_stub,
    FileKind.EXPORT_LEDGER: parse_export_ledger,
    FileKind.EXPORT_METADATA: parse_export_metadata,
    FileKind.EXPORT_SCRIPT: parse_variant,
}


def _read_and_parse(root: Path, file: ArchiveFile, secrets: Secrets) -> ParsedFile:
    def set_aside(reason: Reason, detail: str, data: bytes = b"") -> ParsedFile:
        reject = Quarantined(file.kind, file.path, None, 0, reason, detail, excerpt(data))
        return ParsedFile(file, "", (), (reject,), 1, 0)

    limit = MAX_LOG_BYTES if file.kind == FileKind.LOG else MAX_TEXT_BYTES
    if file.size_bytes > limit:
        return set_aside(Reason.FILE_TOO_LARGE, f"The file has {file.size_bytes} bytes, over {limit}.")
    try:
        with open(f"{root}/{file.path}", "rb", buffering=0) as opened:  # noqa: PTH123 - a Path costs as much as a small log
            data = opened.read()
    except OSError as error:
        return set_aside(Reason.UNREADABLE, f"The file cannot be read: {error.strerror}.")
    clean, keys = remove_keys(data, file.kind, file.path, secrets)
    try:
        parsed = parse_file(clean, file)
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"[:300]
        parsed = set_aside(
            Reason.PARSER_FAULT, f"The parser failed on this file, please report it: {cause}", clean
        )
    return _with_removed(parsed, data, keys) if keys else parsed


def _with_removed(parsed: ParsedFile, data: bytes, keys: tuple[Quarantined, ...]) -> ParsedFile:
    """List the removed keys; the file's hash stays that of the file as it is."""
    sha256 = hashlib.sha256(data).hexdigest() if parsed.sha256 else ""
    return replace(parsed, sha256=sha256, quarantined=(*parsed.quarantined, *keys))


def _without_source(record: object, sources: dict[str, str]) -> object:
    """Move a source into the shared table, so that a text that thousands of logs embed is kept once."""
    if not isinstance(record, Log | Variant):
        return record
    if record.source_text is not None and record.source_sha256 is not None:
        if record.source_sha256 not in sources:
            sources[record.source_sha256] = normalise_source(record.source_text)
        return replace(record, source_text=None)
    return record
