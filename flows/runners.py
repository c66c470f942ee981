"""Who parses: threads or processes of this machine, or the workers of a Dask cluster."""

import gc
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from flows.settings import BuildSettings, RunnerName
from flows.shards import pack, unpack
from parsers.archive import ArchiveFile
from parsers.parsed_files import Batch, parse_batch


class RunnerError(ValueError):
    """Nobody can parse as was asked. The message is one sentence."""


class Runner(Protocol):
    """Parses the batches of an archive."""

    def parse(
        self, root: Path, batches: Sequence[Sequence[ArchiveFile]], advance: Callable[[int], None]
    ) -> list[Batch]:
        """Parse batches.

        Args:
            root: The archive's root.
            batches: The batches.
            advance: Called with the number of files after each batch.

        Returns:
            The results in the order of the batches, whichever was finished first.
        """


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process: little to start, but Python lets one of them parse at a time.

    Attributes:
        workers: How many.
    """

    workers: int = 1

    def parse(
        self, root: Path, batches: Sequence[Sequence[ArchiveFile]], advance: Callable[[int], None]
    ) -> list[Batch]:
        """Parse batches; see `Runner`."""
        with ThreadPoolExecutor(self.workers) as pool:
            done = []
            for batch, files in zip(
                pool.map(lambda each: parse_batch(root, each), batches), batches, strict=True
            ):
                done.append(batch)
                advance(len(files))
        return done


@dataclass(frozen=True, slots=True)
class Processes:
    """Processes of this machine. A single one, or a single batch, is not worth starting any.

    Attributes:
        workers: How many.
    """

    workers: int

    def parse(
        self, root: Path, batches: Sequence[Sequence[ArchiveFile]], advance: Callable[[int], None]
    ) -> list[Batch]:
        """Parse batches; see `Runner`."""
        if self.workers == 1 or len(batches) < 2:
            return Threads().parse(root, batches, advance)
        done: list[Batch] = []
        with ProcessPoolExecutor(self.workers, mp_context=_context(), initializer=gc.disable) as pool:
            futures = [pool.submit(_parse_and_pack, root, batch) for batch in batches]
            for future, files in zip(futures, batches, strict=True):
                done.append(unpack(future.result(), files))
                advance(len(files))
        return done


def make_runner(settings: BuildSettings) -> Runner:
    """Make the runner that the settings ask for.

    Raises:
        RunnerError: If no cluster is named, or the extra `dask` is not installed.
    """
    if settings.runner == RunnerName.THREADS:
        return Threads(settings.workers)
    if settings.runner == RunnerName.PROCESSES:
        return Processes(settings.workers)
    if settings.dask_address is None:
        raise RunnerError("The runner dask needs the address of a cluster's scheduler: give --dask-address.")
    try:
        from flows.dask_runner import Dask
    except ImportError:
        raise RunnerError("The runner dask needs the extra dask: pip install 'speedrun-etl[dask]'.") from None
    beside_out = Path(settings.out).resolve().parent
    return Dask(settings.dask_address, settings.shards or str(beside_out))


def _parse_and_pack(root: Path, files: Sequence[ArchiveFile]) -> tuple[bytes, bytes]:
    """Parse in a worker. Bytes are handed back: to pickle the records takes ten times as long."""
    return pack(parse_batch(root, files))


def _context() -> multiprocessing.context.BaseContext:
    """Fork from a clean server where there is one: a plain fork would copy the threads of polars half-way."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload(["flows.runners"])
    return context
