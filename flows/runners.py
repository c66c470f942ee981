"""Who parses and links: threads or processes of this machine, or the workers of a Dask cluster."""

import gc
import multiprocessing
import multiprocessing.process
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, TypeVar

from flows.settings import BuildSettings, RunnerName

T = TypeVar("T")
R = TypeVar("R")


class RunnerError(ValueError):
    """Nobody can do the work as was asked. The message is one sentence."""


class Runner(Protocol):
    """Calls a function on many items."""

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Call a function of a module on each item.

        Returns:
            The results in the order of the items, whichever was done first.
        """


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process: little to start, but Python lets one of them work at a time.

    Attributes:
        workers: How many.
    """

    workers: int = 1

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Call a function on each item; see `Runner`."""
        if self.workers == 1:
            yield from map(function, items)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            yield from pool.map(function, items)


@dataclass(frozen=True, slots=True)
class Processes:
    """Processes of this machine, this one among them. A single item is not worth starting any.

    Attributes:
        workers: How many, with this one.
    """

    workers: int

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Call a function on each item; see `Runner`.

        The others work from the first item on, this process from the last one back until they meet: what it
        does itself need not be handed over, and it works while the others start. In between it hands on what
        the others have done.
        """
        if len(items) < 2 or self.workers < 2:
            yield from map(function, items)
            return
        pool = ProcessPoolExecutor(self.workers - 1, mp_context=_context(), initializer=_prepare)
        try:
            here: list[R] = []
            left = len(items)
            starting = threading.Thread(target=pool.submit, args=(os.getpid,))
            starting.start()
            while starting.is_alive() and left:
                left -= 1
                here.append(function(items[left]))
            starting.join()
            elsewhere = deque(pool.submit(function, item) for item in items[:left])
            while elsewhere and elsewhere[-1].cancel():
                elsewhere.pop()
                left -= 1
                here.append(function(items[left]))
                while elsewhere and elsewhere[0].done():
                    yield elsewhere.popleft().result()
            for future in elsewhere:
                yield future.result()
            yield from reversed(here)
        finally:
            # Who ends a build early need not wait for work that nobody wants any more.
            pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Make a new process ready: it looks for no cycles, and ends with the process that wants its work.

    A pool's workers wait for ever for the next item of one that was killed.
    """
    gc.disable()
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


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
    if find_spec("prefect_dask") is None:
        raise RunnerError("The runner dask needs the extra dask: pip install 'speedrun-etl[dask]'.")
    from flows.dask_runner import Dask

    beside_out = Path(settings.out).resolve().parent
    return Dask(settings.dask_address, settings.shards or str(beside_out))


def make_linker(settings: BuildSettings) -> Runner:
    """Make the runner that links, scope by scope: the workers of a cluster, or this process alone.

    To hand its records to another process of this machine takes longer than to link a scope.
    """
    return make_runner(settings) if settings.runner == RunnerName.DASK else Threads()


def start_early(settings: BuildSettings) -> None:
    """Start what other processes are forked from: it takes a while, in which this one does something else."""
    if settings.runner == RunnerName.PROCESSES and settings.workers > 1 and _can_fork_from_a_server():
        from multiprocessing import forkserver  # there is none on Windows

        _context()
        forkserver.ensure_running()


def _can_fork_from_a_server() -> bool:
    return "forkserver" in multiprocessing.get_all_start_methods()


def _context() -> multiprocessing.context.BaseContext:
    """Fork from a clean server where there is one: a plain fork would copy the threads of polars half-way."""
    if not _can_fork_from_a_server():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["flows.parsing"])
    return context
