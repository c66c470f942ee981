"""`python -m benchmarks`: our build beside the public reference and the byte-scan floor, on one archive."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Summary, run_once, summarise
from benchmarks.reference import tame
from demo import generate_archive

COUNTED_RUNS = 3
FOLDER = Path("build/bench")
RESULTS = Path(__file__).parent / "RESULTS.md"
REFERENCE = "evo-autoresearch-novelty-bench==0.1.1"

Row = tuple[str, Summary]


def main() -> None:
    """Generate, measure, print, write the results and clean up."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    try:
        summary = generate_archive(FOLDER / "archive", scale="full", seed=0)
        rows = measure()
        write(rows, summary.log_bytes)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


def measure() -> list[Row]:
    """Measure everything, one command at a time."""
    archive, out, cache = FOLDER / "archive", FOLDER / "out", FOLDER / "cache"
    tame(archive, FOLDER / "tame")
    here = [sys.executable, "-m"]
    build = [str(Path(sys.executable).with_name("speedrun-etl")), "build", "--archive", str(archive)]
    build += ["--out", str(out), "--engine", "direct", "--workers", "2"]
    cached = [*build, "--cache", str(cache)]
    reference = [str(reference_python()), str(Path(__file__).with_name("reference.py"))]

    def forget() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    def forget_build() -> None:
        (cache / "builds.json").unlink(missing_ok=True)

    def change_a_log() -> None:
        log = next(path for path in sorted(archive.glob("v2/codex/scratchpad/runs/*.log")))
        os.utime(log)
        with log.open("ab") as file:
            file.write(b"# touched\n")

    return [
        ("byte-scan floor", repeat([*here, "benchmarks.floor", str(archive)])),
        ("log parsing", repeat([*here, "benchmarks.logs", str(archive)])),
        ("core: parse to Parquet", repeat([*here, "benchmarks.stages", str(archive), str(out), "none"])),
        ("whole command, cold", repeat(build)),
        ("whole command, cold, filling a cache", repeat(cached, forget)),
        ("whole command, one log changed", repeat(cached, change_a_log)),
        ("whole command, all logs known", repeat(cached, forget_build)),
        ("whole command, nothing changed", repeat(cached)),
        ("reference, tamed archive", repeat([*reference, str(FOLDER / "tame"), str(FOLDER / "reference")])),
    ]


def repeat(command: list[str], before: Callable[[], None] = lambda: None) -> Summary:
    """Run a command once uncounted, then the counted runs."""
    timings = []
    for _ in range(COUNTED_RUNS + 1):
        before()
        timings.append(run_once(command, FOLDER / "output.log"))
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


def write(rows: list[Row], log_bytes: int) -> None:
    """Print the table and write it down."""
    by_name = dict(rows)
    floor, reference = by_name["byte-scan floor"].median_s, by_name["reference, tamed archive"].median_s
    header = ("what", "median s", "spread s", "MB/s of logs", "peak MB", "x floor", "reference / this")
    lines = [
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
    ]
    table = Table(*header)
    for line in lines:
        table.add_row(*line)
    Console(width=140).print(table)
    rule = "| --- |" + " ---: |" * (len(header) - 1)
    body = "\n".join("| " + " | ".join(line) + " |" for line in (header, *lines)).split("\n", 1)
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    notes = text.partition("<!-- notes -->")[2]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    RESULTS.write_text(
        f"# Speed\n\nFull demo archive, {log_bytes / 1e9:.2f} GB of logs, on {machine}. "
        f"{COUNTED_RUNS} counted runs after one uncounted. Memory is the sum over all processes. "
        "Written by `make bench`.\n\n"
        f"{body[0]}\n{rule}\n{body[1]}\n\n<!-- notes -->{notes}",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
