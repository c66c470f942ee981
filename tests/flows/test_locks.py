"""Locks: who comes second is told who holds it, and a process that dies holds nothing."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from flows.locks import LockedError, cache_lock, output_lock

ROOT = Path(__file__).parents[2]
HOLD = """
import sys, pathlib
from flows.locks import output_lock
with output_lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(out: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", HOLD, str(out)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_is_told_who_holds_it(tmp_path: Path) -> None:
    with hold(tmp_path / "out") as process:
        told = rf"built by process {process.pid} on \S+ since \d{{4}}-"
        with pytest.raises(LockedError, match=told), output_lock(tmp_path / "out"):
            raise AssertionError("two hold it")
        with output_lock(tmp_path / "elsewhere"):
            pass
        process.communicate("")
    with output_lock(tmp_path / "out"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    with hold(tmp_path / "out") as process:
        process.kill()
    assert (tmp_path / ".out.lock").exists()
    with output_lock(tmp_path / "out"):
        pass


def test_a_lock_without_a_name_in_it_still_holds(tmp_path: Path) -> None:
    with output_lock(tmp_path / "out"):
        (tmp_path / ".out.lock").write_text("")
        with pytest.raises(LockedError, match="just started"), output_lock(tmp_path / "out"):
            raise AssertionError("two hold it")


def test_a_cache_lock_waits(tmp_path: Path) -> None:
    seen: list[str] = []

    def second() -> None:
        with cache_lock(tmp_path):
            seen.append("second")

    with cache_lock(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(timeout=0.2)
        seen.append("first")
    thread.join()
    assert seen == ["first", "second"]
