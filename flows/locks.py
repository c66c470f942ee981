"""Locks of folders: one build an output folder, one writer a cache; a process that dies frees its locks."""

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path


class LockedError(Exception):
    """Another build holds the output folder. The message is one sentence that says which."""


@contextmanager
def output_lock(out: Path) -> Iterator[None]:
    """Hold the lock of an output folder for the length of a `with` block.

    Raises:
        LockedError: If another process holds it.
    """
    path = out.parent / f".{out.name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = _acquire(path, out)
    try:
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": _now()}
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(holder).encode(), 0)
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path, out: Path) -> int:
    """Open and lock the file that is at `path` now, not one that its last holder has just removed."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_ino == path.stat().st_ino:
                return descriptor
        except BlockingIOError:
            told = _holder(descriptor)
            os.close(descriptor)
            raise LockedError(
                f"{out} is being built by {told}: wait for it, or name another folder."
            ) from None
        except FileNotFoundError:
            pass
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
        return f"process {holder['pid']} on {holder['host']} since {holder['since']}"
    except (ValueError, KeyError, TypeError):
        return "another process that has just started"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def cache_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a cache folder for the length of a `with` block; wait for it as long as it takes."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
