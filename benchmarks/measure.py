"""Times a command as a whole process tree: seconds and the peak memory of all its processes together."""

import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

POLL_INTERVAL_S = 0.02


@dataclass(frozen=True, slots=True)
class Timing:
    """What one run of a command took.

    Attributes:
        seconds: From start to end.
        peak_bytes: Highest sum of the resident memory of the process and all below it.
        exit_code: Its exit code.
    """

    seconds: float
    peak_bytes: int
    exit_code: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Several runs of one command.

    Attributes:
        median_s: Median of the seconds.
        least_s: Smallest.
        most_s: Largest.
        peak_bytes: Largest peak.
        exit_codes: Distinct exit codes.
    """

    median_s: float
    least_s: float
    most_s: float
    peak_bytes: int
    exit_codes: tuple[int, ...]


def run_once(command: Sequence[str], log: Path) -> Timing:
    """Run a command, its output going to a file."""
    with log.open("ab") as out:
        started_s = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)  # noqa: S603 - our own commands
        watched = psutil.Process(process.pid)
        peak_bytes = 0
        while process.poll() is None:
            peak_bytes = max(peak_bytes, _resident_bytes(watched))
            time.sleep(POLL_INTERVAL_S)
        return Timing(time.perf_counter() - started_s, peak_bytes, process.returncode)


def _resident_bytes(process: psutil.Process) -> int:
    total = 0
    try:
        for each in [process, *process.children(recursive=True)]:
            total += each.memory_info().rss
    except psutil.Error:
        return total
    return total


def summarise(timings: Sequence[Timing]) -> Summary:
    """Reduce runs to median and spread."""
    seconds = [timing.seconds for timing in timings]
    return Summary(
        statistics.median(seconds),
        min(seconds),
        max(seconds),
        max(timing.peak_bytes for timing in timings),
        tuple(sorted({timing.exit_code for timing in timings})),
    )
