"""Parsed files as caches keep them, believed if every hash is right.

A shard is two Arrow tables: the files, each with its records as one payload, and the source texts that they
refer to.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa
import pyarrow.ipc

from flows.record_codec import ShardError, decode_records, encode_records, parser_version
from parsers.archive import ArchiveFile
from parsers.logs import Log
from parsers.parsed_files import ParsedFile
from parsers.variants import Variant

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
            records, quarantined = decode_records(file.kind, self.payload)
        except ShardError:
            return None
        return ParsedFile(file, self.content_hash, records, quarantined, self.num_seen, self.num_parsed)


def sources_of(parsed: ParsedFile) -> set[str]:
    """List the hashes of the source texts that a file refers to."""
    records = [record for record in parsed.records if isinstance(record, Log | Variant)]
    return {record.source_sha256 for record in records if record.source_sha256 is not None}


def files_table(files: Iterable[ParsedFile]) -> pa.Table:
    """Lay parsed files out as rows."""
    files = list(files)
    payloads = [encode_records(each) for each in files]
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

    It is compressed, as sources repeat each other, to a twentieth of the bytes.
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


def _check(table: pa.Table, schema: pa.Schema) -> None:
    if not table.schema.equals(schema):
        raise ShardError("A shard has other columns than this version writes.")


def _digest(content_hash: str, num_seen: int, num_parsed: int, payload: bytes) -> bytes:
    head = f"{content_hash} {num_seen} {num_parsed} ".encode()
    return hashlib.blake2b(head + payload, digest_size=16).digest()
