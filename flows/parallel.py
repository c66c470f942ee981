"""A pool of processes that parses batches of files, and hands the results back in their order."""

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from parsers.archive import ArchiveFile
from parsers.parsed_files import Batch, parse_batch
from parsers.secrets import Secrets


def parse_batches(
    root: Path,
    batches: Sequence[Sequence[ArchiveFile]],
    workers: int,
    advance: Callable[[int], None],
    secrets: Secrets = (),
) -> list[Batch]:
    """Parse batches in this process or in a pool.

    Args:
        root: The archive's root.
        batches: The batches.
        workers: Processes; with one the work is done in this process.
        advance: Called with the number of files after each batch.
        secrets: Values that are removed from every text.

    Returns:
        The results in the order of the batches, whichever was finished first.
    """
    done: list[Batch] = []
    if workers == 1 or len(batches) == 1:
        for batch in batches:
            done.append(parse_batch(root, batch, secrets))
            advance(len(batch))
        return done
    with ProcessPoolExecutor(workers, mp_context=_context()) as pool:
        futures = [pool.submit(parse_batch, root, batch, secrets) for batch in batches]
        for future, batch in zip(futures, batches, strict=True):
            done.append(future.result())
            advance(len(batch))
    return done


def _context() -> multiprocessing.context.BaseContext:
    """Fork from a clean server where there is one: a plain fork would copy the threads of polars half-way."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload(["parsers.parsed_files"])
    return context
