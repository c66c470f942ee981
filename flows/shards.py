"""Parsed files as bytes: how workers hand them back and caches keep them, believed if every hash is right.

A shard is two Arrow tables: the files, each with its records as one MessagePack payload, and the source texts
that they refer to.
"""

import hashlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pyarrow as pa
import pyarrow.ipc

import parsers
from flows.secrecy import holds_any
from parsers.archive import ArchiveFile
from parsers.audits import Audit
from parsers.export import ExportRun
from parsers.ideas import Idea
from parsers.journal import JournalEntry
from parsers.kinds import FileKind
from parsers.ledger import LedgerEntry
from parsers.logs import Log
from parsers.parsed_files import Batch, ParsedFile
from parsers.quarantine import Quarantined
from parsers.rule_checks import RuleCheck
from parsers.secrets import Secrets
from parsers.stubs import LaunchCommand
from parsers.variants import Variant

_RECORD_OF_KIND: Mapping[FileKind, type] = {
    FileKind.LEDGER: LedgerEntry,
    FileKind.LOG: Log,
    FileKind.VARIANT: Variant,
    FileKind.IDEA: Idea,
    FileKind.IDEA_LIST: Idea,
    FileKind.JOURNAL: JournalEntry,
    FileKind.AUDIT: Audit,
    FileKind.RULE_CHECK: RuleCheck,
    FileKind.STUB: LaunchCommand,
    FileKind.EXPORT_LEDGER: ExportRun,
    FileKind.EXPORT_METADATA: ExportRun,
    FileKind.EXPORT_SCRIPT: Variant,
}
_FILES = pa.schema(
    [
        ("path", pa.large_string()),
        ("size_bytes", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("content_hash", pa.large_string()),
        ("num_seen", pa.int64()),
        ("num_parsed", pa.int64()),
        ("payload", pa.large_binary()),
        ("digest", pa.large_binary()),
    ]
)
_SOURCES = pa.schema([("sha256", pa.large_string()), ("text", pa.large_string())])


def _encode(value: object) -> object:
    """Write an array as its bytes, behind the letter of its type."""
    if isinstance(value, array):
        return value.typecode.encode() + value.tobytes()
    raise NotImplementedError


def _decode(_wanted: type, value: bytes) -> object:
    return array(chr(value[0]), value[1:])


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_encode)


Packed = tuple[bytes, bytes]
"""The bytes of a batch's files and of its sources."""


class ShardError(ValueError):
    """Bytes that are no whole shard of this parser version. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Row:
    """A file as a shard keeps it.

    Attributes:
        path: POSIX path relative to the archive's root.
        size_bytes: Its size.
        mtime_ns: When it was last written, for caches alone.
        content_hash: Hash of its bytes.
        num_seen: Units of input in it.
        num_parsed: Units that were read.
        payload: Its records and rejects.
        digest: Hash of all that was read from it.
    """

    path: str
    size_bytes: int
    mtime_ns: int
    content_hash: str
    num_seen: int
    num_parsed: int
    payload: bytes
    digest: bytes

    def decode(self, file: ArchiveFile) -> ParsedFile | None:
        """Read the records, or answer None where they are not what was written."""
        if _digest(self.content_hash, self.num_seen, self.num_parsed, self.payload) != self.digest:
            return None
        try:
            records, quarantined = _decoder(file.kind).decode(self.payload)
        except msgspec.MsgspecError:
            return None
        return ParsedFile(file, self.content_hash, records, quarantined, self.num_seen, self.num_parsed)


@cache
def parser_version() -> str:
    """Hash the source of every parser: whatever is changed there, nothing parsed before is believed."""
    digest = hashlib.sha256()
    for path in sorted(Path(parsers.__path__[0]).glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def sources_of(parsed: ParsedFile) -> set[str]:
    """List the hashes of the source texts that a file refers to."""
    records = [record for record in parsed.records if isinstance(record, Log | Variant)]
    return {record.source_sha256 for record in records if record.source_sha256 is not None}


def files_table(files: Iterable[ParsedFile]) -> pa.Table:
    """Lay parsed files out as rows."""
    files = list(files)
    payloads = [_ENCODER.encode((each.records, each.quarantined)) for each in files]
    columns: dict[str, Sequence[object]] = {
        "path": [each.file.path for each in files],
        "size_bytes": [each.file.size_bytes for each in files],
        "mtime_ns": [each.file.mtime_ns for each in files],
        "content_hash": [each.content_hash for each in files],
        "num_seen": [each.num_seen for each in files],
        "num_parsed": [each.num_parsed for each in files],
        "payload": payloads,
        "digest": [
            _digest(each.content_hash, each.num_seen, each.num_parsed, payload)
            for each, payload in zip(files, payloads, strict=True)
        ],
    }
    return _table(columns, _FILES)


def sources_table(texts: Mapping[str, str]) -> pa.Table:
    """Lay source texts out as rows, by their hashes."""
    hashes = sorted(texts)
    return _table({"sha256": hashes, "text": [texts[each] for each in hashes]}, _SOURCES)


def _table(columns: Mapping[str, Sequence[object]], schema: pa.Schema) -> pa.Table:
    """Lay lists out as columns by polars: to look at a list, pyarrow imports pandas, which takes a while."""
    return pl.DataFrame(columns, schema=pl.Schema(schema)).to_arrow().cast(schema)


def rows_of(table: pa.Table) -> dict[str, Row]:
    """Read the rows of a table of files, by path."""
    _check(table, _FILES)
    columns = (column.to_pylist() for column in table.columns)
    return {values[0]: Row(*values) for values in zip(*columns, strict=True)}


def texts_of(table: pa.Table) -> dict[str, str]:
    """Read the texts of a table of sources whose hash is right."""
    _check(table, _SOURCES)
    pairs = zip(table["sha256"].to_pylist(), table["text"].to_pylist(), strict=True)
    return {sha256: text for sha256, text in pairs if hashlib.sha256(text.encode()).hexdigest() == sha256}


def to_bytes(table: pa.Table) -> bytes:
    """Write a table as an Arrow IPC file that names the parser version.

    It is compressed, as sources repeat each other: a twentieth of the bytes goes through pipes and stores.
    """
    sink = pa.BufferOutputStream()
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    stamped = table.replace_schema_metadata({"parser_version": parser_version()})
    with pyarrow.ipc.new_file(sink, stamped.schema, options=options) as writer:
        writer.write_table(stamped)
    return bytes(sink.getvalue())


def from_bytes(data: bytes) -> pa.Table:
    """Read a table that `to_bytes` wrote.

    Raises:
        ShardError: If it is damaged, or of another parser version.
    """
    try:
        table = pyarrow.ipc.open_file(pa.py_buffer(data)).read_all()
    except (OSError, pa.ArrowException) as error:
        raise ShardError(f"A shard cannot be read: {type(error).__name__}.") from None
    if (table.schema.metadata or {}).get(b"parser_version") != parser_version().encode():
        raise ShardError("A shard was written by another version of the parsers.")
    return table


def pack(batch: Batch) -> Packed:
    """Turn a batch into the bytes of its files and of its sources."""
    return to_bytes(files_table(batch.files)), to_bytes(sources_table(batch.sources))


def speaks_of(packed: Packed, secrets: Secrets) -> bool:
    """Whether a batch holds one of some secrets. Its bytes are compressed, so the tables tell.

    Raises:
        ShardError: If it is not what was written.
    """
    chunks = (chunk for part in packed for column in from_bytes(part).columns for chunk in column.chunks)
    buffers = (buffer for chunk in chunks for buffer in chunk.buffers() if buffer is not None)
    return any(holds_any(buffer.to_pybytes(), secrets) for buffer in buffers)


def unpack(packed: Packed, files: Iterable[ArchiveFile]) -> Batch:
    """Read a batch back.

    Args:
        packed: What `pack` returned.
        files: The files of the batch.

    Raises:
        ShardError: If it is not what was written.
    """
    rows = rows_of(from_bytes(packed[0]))
    decoded = [(file, row.decode(file) if (row := rows.get(file.path)) else None) for file in files]
    lost = [file.path for file, parsed in decoded if parsed is None]
    if lost:
        raise ShardError(f"A shard lacks {lost[0]} and {len(lost) - 1} other files, or holds them damaged.")
    table = from_bytes(packed[1])
    texts = texts_of(table)
    if len(texts) != table.num_rows:
        raise ShardError("A shard holds a source whose hash is wrong.")
    return Batch(tuple(parsed for _, parsed in decoded if parsed is not None), texts)


def _check(table: pa.Table, schema: pa.Schema) -> None:
    if not table.schema.equals(schema):
        raise ShardError("A shard has other columns than this version writes.")


def _digest(content_hash: str, num_seen: int, num_parsed: int, payload: bytes) -> bytes:
    head = f"{content_hash} {num_seen} {num_parsed} ".encode()
    return hashlib.blake2b(head + payload, digest_size=16).digest()


@cache
def _decoder(kind: FileKind) -> "msgspec.msgpack.Decoder[Any]":
    record = _RECORD_OF_KIND[kind]
    return msgspec.msgpack.Decoder(tuple[tuple[record, ...], tuple[Quarantined, ...]], dec_hook=_decode)  # type: ignore[valid-type]  # mypy wants types it can see
