"""The batches of an archive, parsed by whoever runs the build."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.handover import pack, unpack
from flows.secrecy import holds_any, known_secrets
from parsers.archive import ArchiveFile
from parsers.parsed_files import Batch, parse_batch

if TYPE_CHECKING:  # a worker needs no settings
    from flows.runners import Runner


@dataclass(frozen=True, slots=True)
class Work:
    """A batch to parse.

    Attributes:
        root: The archive's root.
        files: The files.
    """

    root: Path
    files: tuple[ArchiveFile, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """A parsed batch, handed over as bytes; see `flows.handover`.

    Attributes:
        work: What was to be done.
        content: What came of it, as records where they were made and as bytes elsewhere.
    """

    work: Work
    content: Batch | bytes

    def __reduce__(self) -> tuple[type["Done"], tuple[Work, bytes]]:
        """Hand over bytes."""
        return Done, (self.work, pack(self.content) if isinstance(self.content, Batch) else self.content)

    def batch(self) -> Batch:
        """Read the records, or parse the files here where another process did not know our secrets."""
        if isinstance(self.content, Batch):
            return self.content
        secrets = known_secrets()
        if secrets and holds_any(self.content, secrets):
            return parse_batch(self.work.root, self.work.files, secrets)
        return unpack(self.content, self.work.files)


def parse_batches(
    runner: "Runner", root: Path, batches: Sequence[tuple[ArchiveFile, ...]], advance: Callable[[int], None]
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
    root = root.resolve()
    parsed: list[Batch] = []
    for done in runner.map(parse_here, [Work(root, files) for files in batches]):
        parsed.append(done.batch())
        advance(len(done.work.files))
    return parsed


def parse_here(work: Work) -> Done:
    """Parse in this process, which knows the secrets of its own environment."""
    return Done(work, parse_batch(work.root, work.files, known_secrets()))
