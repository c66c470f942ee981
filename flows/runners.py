"""Who parses and links: threads or processes of this machine, or the workers of a Dask cluster."""

import gc
import multiprocessing
import multiprocessing.process
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from flows.settings import BuildSettings, RunnerName

T = TypeVar("T")
R = TypeVar("R")

_ITEMS_A_WORKER = 2
"""So many items a process has at a time: one in its hands, one on its way."""

_LOSSES = (BrokenExecutor, OSError)
"""What it is called when a process dies, and when the system starts none."""


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


def _say_nothing(_sentence: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Processes:
    """Processes of this machine, this one among them. A single item is not worth starting any.

    Attributes:
        workers: How many, with this one.
        say: Told where fewer can work, as one was killed or none could be started.
    """

    workers: int
    say: Callable[[str], None] = _say_nothing

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Call a function on each item; see `Runner`.

        The others work from the first item on, this process from the last one back until they meet: what it
        does itself need not be handed over, and it works while the others start. In between it hands on what
        the others have done. Where one of the others dies, as the system kills it for want of memory, this
        process does what is left.
        """
        if len(items) < 2 or self.workers < 2:
            yield from map(function, items)
            return
        pool = ProcessPoolExecutor(self.workers - 1, mp_context=_context(), initializer=_prepare)
        try:
            here: list[R] = []
            todo = deque(items)
            starting = threading.Thread(target=_start, args=(pool,))
            starting.start()
            while starting.is_alive() and todo:
                here.append(function(todo.pop()))
            starting.join()
            others = _Others(pool, function, self.workers - 1, self.say)
            while todo:
                others.take_from(todo)
                if todo:
                    here.append(function(todo.pop()))
                yield from others.results(is_waiting=False)
            yield from others.results(is_waiting=True)
            yield from reversed(here)
        finally:
            # Who ends a build early need not wait for work that nobody wants any more.
            pool.shutdown(cancel_futures=True)


class _Others(Generic[T, R]):
    """The other processes, and what they have taken.

    They take few items at a time: a pool whose process dies while items of it are called back never ends.
    """

    def __init__(
        self,
        pool: ProcessPoolExecutor,
        function: Callable[[T], R],
        workers: int,
        say: Callable[[str], None],
    ) -> None:
        self.pool = pool
        self.function = function
        self.most = _ITEMS_A_WORKER * workers
        self.say = say
        self.is_lost = False
        self.taken: deque[tuple[T, Future[R]]] = deque()

    def take_from(self, todo: deque[T]) -> None:
        """Take the next items, as many as keep them busy."""
        while todo and not self.is_lost and sum(not done.done() for _, done in self.taken) < self.most:
            try:
                done = self.pool.submit(self.function, todo[0])
            except _LOSSES as error:
                self._lose(error)
            else:
                self.taken.append((todo.popleft(), done))

    def results(self, is_waiting: bool) -> Iterator[R]:
        """Hand on what they have done, in order: all of it, or without waiting."""
        while self.taken and (is_waiting or self.taken[0][1].done()):
            item, done = self.taken.popleft()
            try:
                yield done.result()
            except BrokenExecutor as error:
                self._lose(error)
                yield self.function(item)

    def _lose(self, error: Exception) -> None:
        if not self.is_lost:
            cause = (
                error.strerror if isinstance(error, OSError) else "one was killed, mostly for want of memory"
            )
            self.say(f"Warning: the other processes are lost ({cause}): this one does what is left.")
        self.is_lost = True


def _start(pool: ProcessPoolExecutor) -> None:
    """Have the first process started; whoever wants it next is told where that fails."""
    with suppress(*_LOSSES):
        pool.submit(os.getpid)


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


def make_runner(settings: BuildSettings, say: Callable[[str], None] = _say_nothing) -> Runner:
    """Make the runner that the settings ask for.

    Args:
        settings: The settings.
        say: Told where fewer can work than were asked for.

    Raises:
        RunnerError: If no cluster is named, or the extra `dask` is not installed.
    """
    if settings.runner == RunnerName.THREADS:
        return Threads(settings.workers)
    if settings.runner == RunnerName.PROCESSES:
        return Processes(settings.workers, say)
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
