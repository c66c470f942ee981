"""One run of a proposer's command: in its workspace, without a shell, for a limited time, its output kept.

The command is no prisoner: it runs with the rights of whoever starts it. It is told nothing of the dataset,
and ends with its whole process group; a process that leaves the group, as daemons do, is not followed.
"""

import os
import selectors
import shlex
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import IO

from scorers.errors import ScoringError

PLACEHOLDER = "{workspace}"
"""Stands for the folder of the workspace in a command."""

MAX_LOG_BYTES = 1_000_000
"""Of longer output the log keeps the first and the last half of this."""

_CHUNK_BYTES = 65_536
_TICK_S = 0.1
_MAX_LAST_CHUNKS = 16


class CommandError(ScoringError):
    """A command cannot be understood or started. The message is one sentence."""


class ProposerFailedError(Exception):
    """A proposer did not do its work. The message is one sentence."""


class StoppedError(Exception):
    """The work was called off."""


@dataclass(frozen=True, slots=True)
class ProposerCommand:
    """How a proposer is started.

    Attributes:
        arguments: Program and arguments, with `{workspace}` for the folder.
        timeout_s: How long it may take.
        environment: Its environment variables.
    """

    arguments: tuple[str, ...]
    timeout_s: float
    environment: Mapping[str, str]

    def filled(self, workspace: Path) -> list[str]:
        """Put the folder of the workspace into the arguments."""
        return [argument.replace(PLACEHOLDER, str(workspace)) for argument in self.arguments]


def split_command(text: str) -> tuple[str, ...]:
    """Split a command as a shell would; nothing is expanded.

    >>> split_command("agent --in '{workspace}' $HOME")
    ('agent', '--in', '{workspace}', '$HOME')

    Raises:
        CommandError: If it is empty, a quote is left open, or the program's place depends on the workspace.
    """
    try:
        arguments = tuple(shlex.split(text))
    except ValueError as error:
        raise CommandError(f"The command {text!r} cannot be split ({error}): close its quotes.") from None
    if not arguments:
        raise CommandError("The command is empty: name a program, such as 'agent {workspace}'.")
    if "/" in arguments[0] and not Path(arguments[0]).is_absolute():
        raise CommandError(
            f"The program {arguments[0]} has no absolute path, and it is started inside the workspace: "
            "name its absolute path."
        )
    return arguments


def environment_without(environment: Mapping[str, str], dataset: Path) -> dict[str, str]:
    """Leave out every variable that tells where a dataset is, and the folder of whoever starts the proposer.

    Args:
        environment: Environment variables.
        dataset: Folder of the dataset.
    """
    places = {str(dataset.absolute()), str(dataset.resolve())}
    return {
        name: value
        for name, value in environment.items()
        if name not in {"PWD", "OLDPWD"}
        and not any(place in value for place in places)
        and not any(_lies_in(part, dataset) for part in value.split(os.pathsep))
    }


def _lies_in(text: str, dataset: Path) -> bool:
    try:
        return bool(text) and Path(text).resolve().is_relative_to(dataset.resolve())
    except (OSError, ValueError):
        return False


def run_command(command: ProposerCommand, workspace: Path, log: Path, stop: Event) -> None:
    """Run a proposer in its workspace until it ends.

    Args:
        command: How it is started.
        workspace: The folder that it works in.
        log: File for what it prints.
        stop: Set from another thread to call it off.

    Raises:
        ProposerFailedError: If it cannot be started, takes too long, or says that it failed.
        StoppedError: If it was called off.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
            command.filled(workspace),
            cwd=workspace,
            env={**command.environment, "PWD": str(workspace)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise ProposerFailedError(
            f"The command {command.arguments[0]} could not be started ({type(error).__name__})."
        ) from None
    assert process.stdout is not None
    with process.stdout, log.open("wb") as file:
        kept = _BoundedLog(file)
        try:
            has_ended = _follow(process, kept, time.monotonic() + command.timeout_s, stop)
        finally:
            _end_group(process)
            _take_the_rest(process.stdout, kept)
            kept.close()
    if stop.is_set():
        raise StoppedError
    if not has_ended:
        raise ProposerFailedError(f"The command took longer than {command.timeout_s:g} s and was ended.")
    if process.returncode < 0:
        raise ProposerFailedError(f"The command was ended by signal {-process.returncode}.")
    if process.returncode > 0:
        raise ProposerFailedError(f"The command ended with exit code {process.returncode}.")


def _follow(process: "subprocess.Popen[bytes]", log: "_BoundedLog", deadline_s: float, stop: Event) -> bool:
    """Keep what a process prints until it ends; tell whether it did so in time."""
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while process.poll() is None and not stop.is_set():
            if time.monotonic() >= deadline_s:
                return False
            if not selector.get_map():
                # It has closed its output and works on.
                time.sleep(_TICK_S)
            elif selector.select(_TICK_S) and not _take(process.stdout, log):
                selector.unregister(process.stdout)
    return process.returncode is not None


def _take(output: IO[bytes], log: "_BoundedLog") -> bool:
    """Keep what there is to read just now; tell whether more may come."""
    try:
        chunk = os.read(output.fileno(), _CHUNK_BYTES)
    except BlockingIOError:
        return True
    log.write(chunk)
    return bool(chunk)


def _take_the_rest(output: IO[bytes], log: "_BoundedLog") -> None:
    """Keep what is left in the pipe, which a process that has left its group may go on filling."""
    for _ in range(_MAX_LAST_CHUNKS):
        try:
            chunk = os.read(output.fileno(), _CHUNK_BYTES)
        except BlockingIOError:
            return
        log.write(chunk)
        if not chunk:
            return


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """End a process and all that it has started and left behind."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class _BoundedLog:
    """A log that keeps the beginning and the end of what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._room = MAX_LOG_BYTES // 2
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._dropped = 0

    def write(self, data: bytes) -> None:
        head, rest = data[: self._room], data[self._room :]
        self._file.write(head)
        self._file.flush()
        self._room -= len(head)
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
        while self._tail and self._tail_bytes - len(self._tail[0]) >= MAX_LOG_BYTES // 2:
            dropped = self._tail.popleft()
            self._tail_bytes -= len(dropped)
            self._dropped += len(dropped)

    def close(self) -> None:
        tail = b"".join(self._tail)
        kept = tail[-(MAX_LOG_BYTES // 2) :]
        dropped = self._dropped + len(tail) - len(kept)
        if dropped:
            self._file.write(f"\n[{dropped} bytes are left out here]\n".encode())
        self._file.write(kept)
