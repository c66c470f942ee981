"""`python -m benchmarks`: our build beside the public reference and the byte-scan floor, on one archive."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.growth import scale
from benchmarks.measure import Summary, run_once, summarise
from benchmarks.reference import tame
from demo import generate_archive
from flows.runners import Processes

COUNTED_RUNS = 3
FOLDER = Path("build/bench")
RESULTS = Path(__file__).parent / "RESULTS.md"
REFERENCE = "evo-autoresearch-novelty-bench==0.1.1"
FLOOR, LOGS, CORE, COLD = "byte-scan floor", "log parsing", "core: archive to Parquet", "whole command, cold"
UNCHANGED, REFERENCE_ROW = "whole command, nothing changed", "reference, tamed archive"

Row = tuple[str, Summary]


def main() -> None:
    """Generate, measure, print, write the results and clean up."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    try:
        summary = generate_archive(FOLDER / "archive", scale="full", seed=0, mapper=Processes(2).map)
        rows, growth = measure(), measure_growth()
        write(rows, growth, summary.log_bytes, summary.runs)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


def build_command(archive: Path, *more: str) -> list[str]:
    """The whole command, in a new interpreter, on two processes."""
    command = [str(Path(sys.executable).with_name("speedrun-etl")), "build", "--archive", str(archive)]
    return [*command, "--out", str(FOLDER / "out"), "--engine", "direct", "--workers", "2", *more]


def measure() -> list[Row]:
    """Measure everything, one command at a time."""
    archive, cache = FOLDER / "archive", FOLDER / "cache"
    tame(archive, FOLDER / "tame")
    here = [sys.executable, "-m"]
    cached = build_command(archive, "--cache", str(cache))
    reference = [str(reference_python()), str(Path(__file__).with_name("reference.py"))]

    def forget() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    def forget_build() -> None:
        (cache / "builds.json").unlink(missing_ok=True)

    def change_a_log() -> None:
        log = next(path for path in sorted(archive.glob("v2/codex/scratchpad/runs/*.log")))
        with log.open("ab") as file:
            file.write(b"# touched\n")

    return [
        (FLOOR, repeat([*here, "benchmarks.floor", str(archive)])),
        (LOGS, repeat([*here, "benchmarks.logs", str(archive)])),
        (CORE, repeat([*here, "benchmarks.core", str(archive), str(FOLDER / "core")])),
        (COLD, repeat(build_command(archive))),
        (REFERENCE_ROW, repeat([*reference, str(FOLDER / "tame"), str(FOLDER / "reference")])),
        ("whole command, cold, filling a cache", repeat(cached, forget)),
        ("whole command, one log changed", repeat(cached, change_a_log)),
        ("whole command, all files known", repeat(cached, forget_build)),
        (UNCHANGED, repeat(cached)),
    ]


def measure_growth() -> list[tuple[str, int, Summary]]:
    """Build a tenth of the archive, the archive, and ten times of it, once each, cold."""
    measured = []
    for tenths in (1, 10, 100):
        copy = FOLDER / f"growth-{tenths}"
        num_logs = scale(FOLDER / "archive", copy, tenths)
        measured.append((f"{tenths / 10:g}", num_logs, summarise([run_once(build_command(copy), LOG)])))
        shutil.rmtree(copy)
    return measured


LOG = FOLDER / "output.log"


def repeat(command: list[str], before: Callable[[], None] = lambda: None) -> Summary:
    """Run a command once uncounted, then the counted runs."""
    timings = []
    for _ in range(COUNTED_RUNS + 1):
        before()
        timings.append(run_once(command, LOG))
    return summarise(timings[1:])


def reference_python() -> Path:
    """Install the reference in a virtual environment of its own and return its interpreter."""
    environment = FOLDER / "reference-venv"
    python = environment / "bin/python"
    for command in (
        [sys.executable, "-m", "venv", str(environment)],
        [str(python), "-m", "pip", "install", "--quiet", REFERENCE],
    ):
        subprocess.run(command, check=True)  # noqa: S603 - our own commands
    return python


def write(rows: list[Row], growth: list[tuple[str, int, Summary]], log_bytes: int, num_runs: int) -> None:
    """Print the tables and write them down; what stands behind the line `<!-- notes -->` is kept."""
    by_name = dict(rows)
    floor, reference = by_name[FLOOR].median_s, by_name[REFERENCE_ROW].median_s
    speed = [
        ("what", "median s", "spread s", "MB/s of logs", "peak MB", "x floor", "reference / this"),
        *(
            (
                name + ("" if each.exit_codes == (0,) else f" (exit {each.exit_codes})"),
                f"{each.median_s:.2f}",
                f"{each.least_s:.2f} to {each.most_s:.2f}",
                f"{log_bytes / 1e6 / each.median_s:.0f}",
                f"{each.peak_bytes / 1e6:.0f}",
                f"{each.median_s / floor:.1f}",
                f"{reference / each.median_s:.1f}",
            )
            for name, each in rows
        ),
    ]
    targets = [
        ("target", "wanted", "measured"),
        ("log parsing over floor", "at most 4", f"{by_name[LOGS].median_s / floor:.1f}"),
        ("reference over core", "at least 6", f"{reference / by_name[CORE].median_s:.1f}"),
        ("reference over whole command", "at least 3", f"{reference / by_name[COLD].median_s:.1f}"),
        ("peak of all processes", "under 1.5 GB", f"{by_name[COLD].peak_bytes / 1e9:.2f} GB"),
        ("nothing changed", "under 2 s", f"{by_name[UNCHANGED].median_s:.2f} s"),
    ]
    sizes = [
        ("times the archive", "logs", "seconds", "ms a log", "peak MB", "kB a log"),
        *(
            (
                times + ("" if each.exit_codes == (0,) else f" (exit {each.exit_codes})"),
                f"{num_logs:,}",
                f"{each.median_s:.1f}",
                f"{each.median_s / num_logs * 1e3:.2f}",
                f"{each.peak_bytes / 1e6:.0f}",
                f"{each.peak_bytes / num_logs / 1e3:.0f}",
            )
            for times, num_logs, each in growth
        ),
    ]
    notes = RESULTS.read_text(encoding="utf-8").partition("<!-- notes -->")[2] if RESULTS.exists() else ""
    machine = (
        f"{cpu_name()}, {os.cpu_count()} cores, {memory_gb():.0f} GB, Python {platform.python_version()}"
    )
    RESULTS.write_text(
        f"# Speed\n\nFull demo archive, {num_runs:,} runs, {log_bytes / 1e9:.2f} GB of logs, on {machine}. "
        f"{COUNTED_RUNS} counted runs after one uncounted; a whole process each, interpreter start included. "
        "Memory is the sum over all processes. Written by `make bench`.\n\n"
        f"{markdown(speed)}\n\n{markdown(targets)}\n\n"
        "One cold build each; the larger archives hold the same logs under other names.\n\n"
        f"{markdown(sizes)}\n\n<!-- notes -->{notes}",
        encoding="utf-8",
    )
    console = Console(width=140)
    for header, *lines in (speed, targets, sizes):
        table = Table(*header)
        for line in lines:
            table.add_row(*line)
        console.print(table)


def markdown(lines: Sequence[tuple[str, ...]]) -> str:
    """Lay lines out as a table, the first as its header."""
    rows = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([rows[0], "| --- |" + " ---: |" * (len(lines[0]) - 1), *rows[1:]])


def cpu_name() -> str:
    """The processor's name where the system tells it, else its architecture."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def memory_gb() -> float:
    """Memory of the machine in GB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


if __name__ == "__main__":
    main()
