"""Threads, processes and a Dask cluster write the same bytes, also where a worker of the cluster dies."""

import errno
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import fsspec
import pytest
from rich.console import Console

from flows.record_codec import ShardError
from flows.reporting import QuietReporter
from flows.runners import Processes, RunnerError, Threads, make_runner
from flows.settings import BuildSettings, RunnerName
from flows.shard_store import shard_store
from flows.stages import build_dataset
from parsers.archive import list_archive
from parsers.parsed_files import plan_batches

ROOT = Path(__file__).parents[2]
PATIENCE_S = 240


def contents(folder: Path) -> Mapping[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def wanted(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """What one process writes without a cache."""
    out = tmp_path_factory.mktemp("wanted") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1777777777")
        build_dataset(
            BuildSettings(archive=str(demo_archive), out=str(out)), QuietReporter(Console(quiet=True))
        )
    return contents(out)


@pytest.mark.parametrize(("runner", "workers"), [("threads", 3), ("processes", 2), ("processes", 3)])
def test_runners_and_cache_states_write_the_same_bytes(
    demo_archive: Path,
    tmp_path: Path,
    wanted: Mapping[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    runner: str,
    workers: int,
) -> None:
    """Without a cache, with an empty one, with a full one and with one that lacks a scratchpad."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1777777777")
    cache = tmp_path / "cache"
    for number, kept in enumerate([None, cache, cache, cache]):
        if number == 3:
            (cache / "parsed" / "v1--codex.files.arrow").unlink()
        (cache / "builds.json").unlink(missing_ok=True)
        settings = BuildSettings(
            archive=str(demo_archive),
            out=str(tmp_path / f"out{number}"),
            runner=RunnerName(runner),
            workers=workers,
            cache=str(kept) if kept else None,
        )
        build_dataset(settings, QuietReporter(Console(quiet=True)))
        assert contents(tmp_path / f"out{number}") == wanted


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running cluster.

    Attributes:
        address: Of its scheduler.
        workers: Its workers.
    """

    address: str
    workers: tuple["subprocess.Popen[bytes]", ...]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler and two workers as processes of their own; nobody starts a dead worker again."""
    log = tmp_path / "scheduler.log"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    dask += ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter"]
    started: list[subprocess.Popen[bytes]] = []
    with log.open("wb") as out:
        started.append(subprocess.Popen(dask, cwd=tmp_path, stdout=out, stderr=out))
        try:
            address = wait_for_text(log, r"tcp://127\.0\.0\.1:\d+")
            for number in range(2):
                worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny"]
                worker += [
                    "--nthreads",
                    "1",
                    "--no-dashboard",
                    "--local-directory",
                    str(tmp_path / f"w{number}"),
                ]
                environment = os.environ | {"PYTHONPATH": str(ROOT)}
                started.append(
                    subprocess.Popen(worker, cwd=tmp_path, env=environment, stdout=out, stderr=out)
                )
            wait_for_text(log, r"(?s)(?:Register worker.*){2}")
            yield Cluster(address, tuple(started[1:]))
        finally:
            for process in reversed(started):
                process.kill()
                process.wait()


def wait_for_text(log: Path, pattern: str) -> str:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if match := re.search(pattern, log.read_text(errors="replace")):
            return match[0]
        time.sleep(0.1)
    raise AssertionError(f"{log.name} never said {pattern}: {log.read_text(errors='replace')[-2000:]}")


@pytest.mark.timeout(600)
def test_a_cluster_writes_the_same_bytes_though_a_worker_is_killed(
    demo_archive: Path, tmp_path: Path, wanted: Mapping[str, bytes], cluster: Cluster
) -> None:
    shards, out = tmp_path / "shards", tmp_path / "out"
    command = [sys.executable, "-c", "from flows.cli import main; main()", "build", "--quiet"]
    command += ["--archive", str(demo_archive), "--out", str(out), "--runner", "dask"]
    command += ["--dask-address", cluster.address, "--shards", str(shards)]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "SOURCE_DATE_EPOCH": "1777777777",
    }
    num_batches = len(plan_batches(list_archive(demo_archive).files))
    with (tmp_path / "build.log").open("wb") as log:
        build = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        num_found = wait_for_shards(shards, num_batches + 1, build)
        cluster.workers[0].send_signal(signal.SIGKILL)
        assert num_found < 2 * num_batches, "the work was done before the worker was killed"
        assert build.wait(timeout=PATIENCE_S) == 0, (tmp_path / "build.log").read_text(errors="replace")[
            -3000:
        ]
    finally:
        build.kill()
        build.wait()
    assert cluster.workers[0].wait() == -signal.SIGKILL
    assert cluster.workers[1].poll() is None
    assert contents(out) == wanted
    assert list(shards.iterdir()) == [], "the shards are removed"


def wait_for_shards(folder: Path, count: int, build: "subprocess.Popen[bytes]") -> int:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and build.poll() is None:
        found = len(list(folder.glob("*/*")))
        if found >= count:
            return found
        time.sleep(0.002)
    raise AssertionError("the workers never left a shard")


def test_a_store_in_memory_is_read_back_and_removed() -> None:
    with shard_store("memory://shards/") as store:
        names = [store.write(b"one" * 1000), store.write(b"one" * 1000)]
        assert names[0] != names[1]
        assert [store.read(name) for name in names] == [b"one" * 1000] * 2
    assert not fsspec.filesystem("memory").exists(store.address)


def test_a_shard_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    with shard_store(str(tmp_path)) as store:
        name = store.write(b"one" * 1000)
        path = Path(store.address) / name
        assert path.stat().st_size < 300, "it is compressed"
        path.write_bytes(path.read_bytes()[:-5])
        with pytest.raises(ShardError, match="cannot be read"):
            store.read(name)


def test_a_cluster_must_be_named() -> None:
    with pytest.raises(RunnerError, match="--dask-address"):
        make_runner(BuildSettings(archive="a", out="b", runner=RunnerName.DASK))


def here(_: object) -> int:
    time.sleep(0.001)
    return os.getpid()


def test_this_process_works_as_well() -> None:
    """From the last item on, while the other works from the first one on."""
    pids = list(Processes(2).map(here, range(400)))
    assert pids[-1] == os.getpid()
    assert len({*pids}) == 2
    assert pids == sorted(pids, key=lambda pid: pid == os.getpid())
    assert {*Processes(1).map(here, range(4))} == {os.getpid()}


def fail_at_three(item: int) -> int:
    if item == 3:
        raise ValueError("three")
    return item


@pytest.mark.parametrize("num_items", [4, 400])
def test_a_failure_anywhere_is_the_builds(num_items: int) -> None:
    """In this process, which works on the last item, and in the others."""
    with pytest.raises(ValueError, match="three"):
        list(Processes(2).map(fail_at_three, range(num_items)))


def leave_a_mark(mark: Path) -> None:
    if mark.name == "last":
        raise ValueError("last")
    time.sleep(0.02)
    mark.touch()


def test_who_ends_early_leaves_the_rest_undone(tmp_path: Path) -> None:
    """This process fails at once; the other has started no more than what was on its way to it."""
    marks = [*(tmp_path / str(number) for number in range(200)), tmp_path / "last"]
    with pytest.raises(ValueError, match="last"):
        list(Processes(2).map(leave_a_mark, marks))
    assert len(list(tmp_path.iterdir())) < 10


def die_elsewhere(item: int) -> int:
    """Work in the process of the tests, and kill any other after some items."""
    if multiprocessing.parent_process() is not None and item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return -item


@pytest.mark.timeout(120)
@pytest.mark.parametrize("workers", [2, 3])
def test_a_killed_process_costs_no_result(workers: int) -> None:
    said: list[str] = []
    assert list(Processes(workers, said.append).map(die_elsewhere, range(100))) == [
        -item for item in range(100)
    ]
    assert len(said) == 1
    assert "killed" in said[0]


def test_where_no_process_can_be_started_this_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(ProcessPoolExecutor, "submit", refuse)
    said: list[str] = []
    assert list(Processes(2, said.append).map(abs, [-3, -1, -2])) == [3, 1, 2]
    assert said == [
        f"Warning: the other processes are lost ({os.strerror(errno.EAGAIN)}): this one does what is left."
    ]


def test_results_come_in_the_order_of_the_items() -> None:
    assert list(Threads(4).map(abs, [-3, -1, -2])) == [3, 1, 2]
    assert list(Processes(2).map(abs, [-3, -1, -2])) == [3, 1, 2]
    assert list(Processes(2).map(abs, [])) == []
