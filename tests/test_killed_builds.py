"""Builds that are killed or starved of disk, as real processes: never half a dataset."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from tests.helpers import log_text, write_scratchpad

ROOT = Path(__file__).parents[1]
STAGES = ("parse", "link", "variants", "outcomes", "write", "validate")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from flows.cli import main; main()", *arguments]


def environment() -> dict[str, str]:
    clean = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PREFECT_HOME": "/nonexistent"}
    return clean | {"SOURCE_DATE_EPOCH": "1777777777"}


def build(archive: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    arguments = command("build", "--archive", str(archive), "--out", str(out), "--workers", "1", *more)
    return subprocess.run(arguments, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)


def kill_in(stage: str, delay_s: float, archive: Path, out: Path, cache: Path) -> None:
    """Start a build, wait until a stage has started and then a little, and kill it with all its workers."""
    arguments = command("build", "--archive", str(archive), "--out", str(out), "--cache", str(cache))
    process = subprocess.Popen(
        [*arguments, "--workers", "2"], cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    with process:
        any(f"{stage}: started" in line for line in process.stderr)
        time.sleep(delay_s)
        os.killpg(process.pid, signal.SIGKILL)


def contents(folder: Path) -> Mapping[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_ten_kills_lose_nothing(demo_archive: Path, tmp_path: Path) -> None:
    """Two archives take turns, so that every build has something to replace."""
    archives = [demo_archive, tmp_path / "other"]
    shutil.copytree(demo_archive, archives[1])
    with (archives[1] / "v1/codex/scratchpad/runs.jsonl").open("a") as file:
        file.write('{"run_id": "one-more-run", "status": "completed"}\n')
    wanted = []
    for number, archive in enumerate(archives):
        assert build(archive, tmp_path / f"calm-{number}", "--quiet").returncode == 0
        wanted.append(contents(tmp_path / f"calm-{number}"))
    assert wanted[0] != wanted[1]

    moments = random.Random(3)  # noqa: S311 - the same moments every time
    out, cache = tmp_path / "out", tmp_path / "cache"
    for number in range(10):
        stage, delay_s = STAGES[number % len(STAGES)], moments.uniform(0, 0.4)
        kill_in(stage, delay_s, archives[number % 2], out, cache)
        assert not out.exists() or contents(out) in wanted, f"half a dataset after {stage} + {delay_s:.2f} s"

    for archive, whole in zip(archives, wanted, strict=True):
        done = build(archive, out, "--cache", str(cache), "--quiet")
        assert (done.returncode, contents(out) == whole) == (0, True), done.stderr
    beside = {path.name for path in tmp_path.iterdir()}
    assert beside == {"other", "calm-0", "calm-1", "out", "cache"}


def processes_of(session: int) -> set[int]:
    """List the processes that were started in a session, whoever is their parent by now."""
    found = set()
    for pid in psutil.pids():
        with suppress(ProcessLookupError):
            if os.getsid(pid) == session:
                found.add(pid)
    return found


def wait_until(is_so: Callable[[], bool], patience_s: float = 60) -> bool:
    deadline = time.monotonic() + patience_s
    while not (done := is_so()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return done


def test_nothing_outlives_a_killed_build(demo_archive: Path, tmp_path: Path) -> None:
    """The build alone is killed while others parse for it: they would wait for ever for more to do."""
    arguments = command("build", "--archive", str(demo_archive), "--out", str(tmp_path / "out"), "--quiet")
    process = subprocess.Popen(
        [*arguments, "--workers", "3"], cwd=ROOT, env=environment(), start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with process:
        is_seen = wait_until(lambda: len(processes_of(process.pid)) > 3)
        process.kill()
    assert is_seen, "the build never started another process"
    assert wait_until(lambda: not processes_of(process.pid))


def test_a_full_disk_leaves_the_old_dataset(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: both end in an error of the same call."""
    archive = write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8), (3000, 3.3))})
    out = tmp_path / "out"
    assert build(archive, out).returncode == 0
    before = contents(out)
    write_scratchpad(tmp_path / "archive", {"runs/b.log": log_text((0, 10.8), (3000, 3.3))})
    largest = max(len(data) for name, data in before.items() if name.endswith(".parquet"))
    for limit in (0, 1000, largest - 1):
        done = subprocess.run(
            command("build", "--archive", str(archive), "--out", str(out), "--workers", "1"),
            cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
            preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),  # type: ignore[misc]  # a default binds the loop's value
        )  # fmt: skip
        assert done.returncode == 1, (limit, done.stdout, done.stderr)
        assert done.stderr.splitlines()[-1].startswith("Error: "), done.stderr
        assert "Traceback" not in done.stderr
        assert contents(out) == before
        assert {path.name for path in tmp_path.iterdir()} == {"archive", "out"}


def test_two_builds_at_once_are_told_of_each_other(tmp_path: Path) -> None:
    from flows.locks import output_lock

    archive = write_scratchpad(tmp_path / "archive")
    with output_lock(tmp_path / "out"):
        done = build(archive, tmp_path / "out")
    assert done.returncode == 1
    assert f"is being built by process {os.getpid()} on " in done.stderr
    assert not (tmp_path / "out").exists()
