"""Parsed files kept between builds: one Arrow shard a scratchpad, believed only where every hash is right."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.ipc

import parsers
from flows.locks import cache_lock
from parsers.archive import ArchiveFile
from parsers.audits import Audit
from parsers.embedded_source import source_sha256
from parsers.export import ExportRun
from parsers.ideas import Idea
from parsers.journal import JournalEntry
from parsers.kinds import FileKind
from parsers.ledger import LedgerEntry
from parsers.logs import Log
from parsers.parsed_files import ParsedFile
from parsers.quarantine import Quarantined
from parsers.rule_checks import RuleCheck
from parsers.secrets import VALUE_OF, Secrets
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
        ("path", pa.string()),
        ("size_bytes", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("sha256", pa.string()),
        ("num_seen", pa.int64()),
        ("num_parsed", pa.int64()),
        ("payload", pa.large_binary()),
        ("digest", pa.binary(16)),
    ]
)
_SOURCES = pa.schema([("sha256", pa.string()), ("text", pa.large_string())])
_ENCODER = msgspec.msgpack.Encoder()


@cache
def parser_version() -> str:
    """Hash the source of every parser: whatever is changed there, nothing parsed before is believed."""
    digest = hashlib.sha256()
    for path in sorted(Path(parsers.__path__[0]).glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


class ParseCache:
    """A folder of shards.

    Args:
        folder: Where they lie; made when the first shard is stored.
        secrets: Values of this environment: a file that holds one is parsed afresh, and never kept.
    """

    def __init__(self, folder: Path, secrets: Secrets = ()) -> None:
        self._folder = folder
        self._secrets = secrets

    def load(self, root: Path, files: Iterable[ArchiveFile]) -> tuple[dict[str, ParsedFile], dict[str, str]]:
        """Find the files whose content is known.

        A file is known when path, size and time are those of the shard, or path, size and the hash of its
        bytes. A shard of another parser version, or a damaged one, counts for nothing.

        Args:
            root: The archive's root.
            files: Files to look up.

        Returns:
            Parsed files by path, and the source texts that they refer to, by hash.
        """
        known: dict[str, ParsedFile] = {}
        texts: dict[str, str] = {}
        for shard, members in _by_shard(files).items():
            rows = self._read_rows(shard)
            known.update(_reuse(root, members, self._without_secrets(rows)))
            texts.update(self._read_texts(shard))
        is_whole = {path: _sources_of(each) <= texts.keys() for path, each in known.items()}
        return {path: each for path, each in known.items() if is_whole[path]}, texts

    def store(self, files: Iterable[ParsedFile], texts: Mapping[str, str], fresh: set[str]) -> None:
        """Write the shards that hold a file which was parsed afresh.

        Args:
            files: All parsed files of the archive.
            texts: Source texts by hash.
            fresh: Paths that were not known before.
        """
        by_shard: dict[str, list[ParsedFile]] = defaultdict(list)
        for each in files:
            if each.sha256 and not any(row.detail.startswith(VALUE_OF) for row in each.quarantined):
                by_shard[_shard_of(each.file)].append(each)
        if not fresh:
            return
        with cache_lock(self._folder):
            for shard, members in by_shard.items():
                if any(each.file.path in fresh for each in members):
                    self._write(shard, members, texts)

    def _path(self, shard: str, what: str) -> Path:
        return self._folder / f"{shard}.{what}.arrow"

    def _read_rows(self, shard: str) -> dict[str, dict[str, Any]]:
        table = _read(self._path(shard, "files"), _FILES)
        return {row["path"]: row for row in table.to_pylist()} if table is not None else {}

    def _without_secrets(self, rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        if not self._secrets:
            return rows
        return {path: row for path, row in rows.items() if not _holds_any(row["payload"], self._secrets)}

    def _read_texts(self, shard: str) -> dict[str, str]:
        table = _read(self._path(shard, "sources"), _SOURCES)
        if table is None:
            return {}
        pairs = zip(table["sha256"].to_pylist(), table["text"].to_pylist(), strict=True)
        return {
            sha256: text
            for sha256, text in pairs
            if source_sha256(text) == sha256 and not _holds_any(text.encode(), self._secrets)
        }

    def _write(self, shard: str, members: list[ParsedFile], texts: Mapping[str, str]) -> None:
        rows = [_row(each) for each in members]
        wanted = sorted({sha256 for each in members for sha256 in _sources_of(each)})
        sources = [{"sha256": sha256, "text": texts[sha256]} for sha256 in wanted]
        _write(self._path(shard, "sources"), pa.Table.from_pylist(sources, schema=_SOURCES))
        _write(self._path(shard, "files"), pa.Table.from_pylist(rows, schema=_FILES))


def _holds_any(data: bytes, secrets: Secrets) -> bool:
    return any(value in data for _, value in secrets)


def _shard_of(file: ArchiveFile) -> str:
    return f"{file.scope.wave}--{file.scope.agent}" if file.scope else "elsewhere"


def _by_shard(files: Iterable[ArchiveFile]) -> dict[str, list[ArchiveFile]]:
    shards: dict[str, list[ArchiveFile]] = defaultdict(list)
    for file in files:
        shards[_shard_of(file)].append(file)
    return shards


def _sources_of(parsed: ParsedFile) -> set[str]:
    records = [record for record in parsed.records if isinstance(record, Log | Variant)]
    return {record.source_sha256 for record in records if record.source_sha256 is not None}


def _row(each: ParsedFile) -> dict[str, object]:
    payload = _ENCODER.encode((each.records, each.quarantined))
    return {
        "path": each.file.path,
        "size_bytes": each.file.size_bytes,
        "mtime_ns": each.file.mtime_ns,
        "sha256": each.sha256,
        "num_seen": each.num_seen,
        "num_parsed": each.num_parsed,
        "payload": payload,
        "digest": _digest(each.sha256, each.num_seen, each.num_parsed, payload),
    }


def _digest(sha256: str, num_seen: int, num_parsed: int, payload: bytes) -> bytes:
    head = f"{sha256} {num_seen} {num_parsed} ".encode()
    return hashlib.blake2b(head + payload, digest_size=16).digest()


def _reuse(
    root: Path, files: Iterable[ArchiveFile], rows: Mapping[str, dict[str, Any]]
) -> Iterator[tuple[str, ParsedFile]]:
    for file in files:
        row = rows.get(file.path)
        if row is None or row["size_bytes"] != file.size_bytes:
            continue
        if row["mtime_ns"] != file.mtime_ns and _sha256(root / file.path) != row["sha256"]:
            continue
        if (parsed := _decode(file, row)) is not None:
            yield file.path, parsed


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _decode(file: ArchiveFile, row: Mapping[str, Any]) -> ParsedFile | None:
    payload = row["payload"]
    if _digest(row["sha256"], row["num_seen"], row["num_parsed"], payload) != row["digest"]:
        return None
    try:
        records, quarantined = _decoder(file.kind).decode(payload)
    except msgspec.MsgspecError:
        return None
    return ParsedFile(file, row["sha256"], records, quarantined, row["num_seen"], row["num_parsed"])


@cache
def _decoder(kind: FileKind) -> "msgspec.msgpack.Decoder[Any]":
    record = _RECORD_OF_KIND[kind]
    return msgspec.msgpack.Decoder(tuple[tuple[record, ...], tuple[Quarantined, ...]])  # type: ignore[valid-type]  # mypy wants types it can see


def _read(path: Path, schema: pa.Schema) -> pa.Table | None:
    """Read a shard of this version, or None for one that is missing, older or damaged."""
    try:
        with pa.OSFile(str(path), "rb") as file:
            table = pyarrow.ipc.open_file(file).read_all()
    except (OSError, pa.ArrowException):
        return None
    metadata = table.schema.metadata or {}
    if metadata.get(b"parser_version") != parser_version().encode() or not table.schema.equals(schema):
        return None
    return table


def _write(path: Path, table: pa.Table) -> None:
    stamped = table.replace_schema_metadata({"parser_version": parser_version()})
    beside = path.with_suffix(".new")
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with (
        pa.OSFile(str(beside), "wb") as file,
        pyarrow.ipc.new_file(file, stamped.schema, options=options) as writer,
    ):
        writer.write_table(stamped)
    beside.replace(path)
