"""Parsed files kept between builds: one Arrow shard a scratchpad, believed only where every hash is right."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from flows.locks import cache_lock
from flows.record_codec import ShardError
from flows.secrecy import holds_any, known_secrets
from flows.shards import (
    Row,
    files_table,
    from_bytes,
    rows_of,
    sources_of,
    sources_table,
    texts_of,
    to_bytes,
)
from parsers.archive import ArchiveFile
from parsers.parsed_files import ParsedFile, hash_content
from parsers.secrets import VALUE_OF, Secrets


class ParseCache:
    """A folder of shards. A file that holds a secret of this environment is parsed afresh, and never kept.

    Args:
        folder: Where they lie; made when the first shard is stored.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

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
        secrets = known_secrets()
        for shard, members in _by_shard(files).items():
            try:
                rows = rows_of(self._read(shard, "files"))
                kept = texts_of(self._read(shard, "sources")).items()
                texts.update((sha256, text) for sha256, text in kept if not holds_any(text.encode(), secrets))
            except (OSError, ShardError):
                continue
            known.update(_reuse(root, members, rows, secrets))
        is_whole = {path: sources_of(each) <= texts.keys() for path, each in known.items()}
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
            if each.content_hash and not any(row.detail.startswith(VALUE_OF) for row in each.quarantined):
                by_shard[_shard_of(each.file)].append(each)
        if not fresh:
            return
        with cache_lock(self._folder):
            for shard, members in by_shard.items():
                if any(each.file.path in fresh for each in members):
                    wanted = {sha256 for each in members for sha256 in sources_of(each)}
                    self._write(shard, "sources", sources_table({sha256: texts[sha256] for sha256 in wanted}))
                    self._write(shard, "files", files_table(members))

    def _path(self, shard: str, what: str) -> Path:
        return self._folder / f"{shard}.{what}.arrow"

    def _read(self, shard: str, what: str) -> pa.Table:
        return from_bytes(self._path(shard, what).read_bytes())

    def _write(self, shard: str, what: str, table: pa.Table) -> None:
        path = self._path(shard, what)
        beside = path.with_suffix(".new")
        beside.write_bytes(to_bytes(table))
        beside.replace(path)


def _shard_of(file: ArchiveFile) -> str:
    return f"{file.scope.wave}--{file.scope.agent}" if file.scope else "elsewhere"


def _by_shard(files: Iterable[ArchiveFile]) -> dict[str, list[ArchiveFile]]:
    shards: dict[str, list[ArchiveFile]] = defaultdict(list)
    for file in files:
        shards[_shard_of(file)].append(file)
    return shards


def _reuse(
    root: Path, files: Iterable[ArchiveFile], rows: Mapping[str, Row], secrets: Secrets
) -> Iterator[tuple[str, ParsedFile]]:
    for file in files:
        row = rows.get(file.path)
        if row is None or row.size_bytes != file.size_bytes:
            continue
        if row.mtime_ns != file.mtime_ns and _hash_of(root / file.path) != row.content_hash:
            continue
        if not holds_any(row.payload, secrets) and (parsed := row.decode(file)) is not None:
            yield file.path, parsed


def _hash_of(path: Path) -> str:
    try:
        return hash_content(path.read_bytes())
    except OSError:
        return ""
