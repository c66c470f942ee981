"""How a build tells what it does: bars for a person, dated lines for a log file, nothing when quiet."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

LINE_INTERVAL_S = 5.0
"""Plain lines report the progress of one stage at most this often."""

FILE_WIDTH = 120
"""Columns of tables that go to a file or a pipe."""


def wide_console() -> Console:
    """Make a console for tables, as wide as the terminal, or as tables in a file should be."""
    console = Console()
    return console if console.is_terminal else Console(width=FILE_WIDTH)


class Reporter(ABC):
    """Where a build reports to."""

    @abstractmethod
    def start(self, stage: str, total: int) -> None:
        """Say that a stage starts, with so many units to do."""

    @abstractmethod
    def advance(self, count: int) -> None:
        """Say that so many more units of the current stage are done."""

    @abstractmethod
    def finish(self) -> None:
        """Say that the current stage is done."""

    @abstractmethod
    def say(self, sentence: str) -> None:
        """Report one sentence, such as a warning."""

    @contextmanager
    def stage(self, name: str, total: int = 1) -> Iterator[None]:
        """Report a stage for the length of a `with` block."""
        self.start(name, total)
        yield
        self.finish()


class QuietReporter(Reporter):
    """Reports warnings alone."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def start(self, stage: str, total: int) -> None:
        """Report nothing."""

    def advance(self, count: int) -> None:
        """Report nothing."""

    def finish(self) -> None:
        """Report nothing."""

    def say(self, sentence: str) -> None:
        """Print the sentence."""
        self._console.print(sentence, markup=False, highlight=False, soft_wrap=True)


class LineReporter(Reporter):
    """Prints dated lines, for output that is not a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._total = self._done = 0
        self._started_s = self._said_s = 0.0

    def start(self, stage: str, total: int) -> None:
        """Print that the stage starts."""
        self._stage, self._total, self._done = stage, total, 0
        self._started_s = self._said_s = time.monotonic()
        self.say(f"{stage}: started")

    def advance(self, count: int) -> None:
        """Print how far the stage is, unless that was said a moment ago."""
        self._done += count
        if time.monotonic() - self._said_s >= LINE_INTERVAL_S:
            self._said_s = time.monotonic()
            self.say(f"{self._stage}: {self._done} of {self._total}")

    def finish(self) -> None:
        """Print that the stage is done and how long it took."""
        self.say(f"{self._stage}: done in {time.monotonic() - self._started_s:.1f} s")

    def say(self, sentence: str) -> None:
        """Print the sentence behind the time."""
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._console.print(f"{stamp} {sentence}", markup=False, highlight=False, soft_wrap=True)


class BarReporter(Reporter):
    """Draws a progress bar a stage, for a person at a terminal."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
        )
        self._task: TaskID | None = None

    def start(self, stage: str, total: int) -> None:
        """Add the stage's bar."""
        self._progress.start()
        self._task = self._progress.add_task(escape(stage), total=total)

    def advance(self, count: int) -> None:
        """Move the bar."""
        if self._task is not None:
            self._progress.advance(self._task, count)

    def finish(self) -> None:
        """Fill the bar."""
        if self._task is not None:
            self._progress.update(self._task, completed=self._progress.tasks[self._task].total)
            self._progress.stop()

    def say(self, sentence: str) -> None:
        """Print the sentence above the bars."""
        self._progress.console.print(sentence, markup=False, highlight=False, soft_wrap=True)


def make_reporter(*, is_quiet: bool, console: Console | None = None) -> Reporter:
    """Choose the reporter that fits where the output goes.

    Args:
        is_quiet: Whether only warnings are wanted.
        console: Where to print; standard error by default, so that results can be piped.
    """
    console = console or Console(stderr=True)
    if is_quiet:
        return QuietReporter(console)
    return BarReporter(console) if console.is_terminal else LineReporter(console)
