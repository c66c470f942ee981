"""The batches of an archive, parsed by whoever runs the build."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.runners import Runner, Threads
from flows.secrecy import holds_any, known_secrets
from flows.shards import pack, unpack
from parsers.archive import ArchiveFile
from parsers.parsed_files import Batch, parse_batch
from parsers.secrets import Secrets


@dataclass(frozen=True, slots=True)
class Work:
    """A batch to parse.

    Attributes:
        root: The archive's root.
        files: The files.
    """

    root: Path
    files: tuple[ArchiveFile, ...]


def parse_batches(
    runner: Runner, root: Path, batches: Sequence[tuple[ArchiveFile, ...]], advance: Callable[[int], None]
) -> list[Batch]:
    """Parse batches.

    Args:
        runner: Who does it.
        root: The archive's root.
        batches: The batches.
        advance: Called with the number of files after each batch.

    Returns:
        The results in the order of the batches.
    """
    work = [Work(root.resolve(), files) for files in batches]
    done: list[Batch] = []
    if isinstance(runner, Threads) or len(batches) < 2:
        parsed = runner.map(parse_here, work)
    else:
        packed = runner.map(parse_and_pack, work)
        secrets = known_secrets()
        parsed = (_unpack(shard, each, secrets) for shard, each in zip(packed, work, strict=True))
    for batch, files in zip(parsed, batches, strict=True):
        done.append(batch)
        advance(len(files))
    return done


def parse_here(work: Work) -> Batch:
    """Parse in this process, which knows the secrets of its own environment."""
    return parse_batch(work.root, work.files, known_secrets())


def parse_and_pack(work: Work) -> tuple[bytes, bytes]:
    """Parse in another process. Bytes are handed back: to pickle the records takes ten times as long."""
    return pack(parse_here(work))


def _unpack(shard: tuple[bytes, bytes], work: Work, secrets: Secrets) -> Batch:
    """Read a batch back, or parse it here where its parser, elsewhere, did not know our secrets."""
    return parse_here(work) if any(holds_any(part, secrets) for part in shard) else unpack(shard, work.files)
