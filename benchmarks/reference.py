"""The public reference package as a black box: its indexer and its four recovery modules, one after another.

Run by the interpreter of a virtual environment that holds the package; arguments: archive, output folder. The
indexer of version 0.1.1 cannot read every dialect of a ledger, so it is given a tamed copy (see `tame`).
"""

import json
import os
import re
import runpy
import shutil
import sys
import traceback
from pathlib import Path

RECOVERY_MODULES = (
    "extract_embedded_sources",
    "link_via_dynamo_warnings",
    "link_via_sbatch_stubs",
    "link_via_name_stem",
)


def main() -> None:
    """Run the package as its own documentation says."""
    archive, out = sys.argv[1:3]
    run("novelty_bench.indexer", "--pi-repo", archive, "--out", out)
    for name in RECOVERY_MODULES:
        run(f"novelty_bench.indexer.{name}", "--pi-repo", archive, "--data-root", out)


def run(module: str, *arguments: str) -> None:
    """Run one module like `python -m`; a failure is printed and the rest goes on."""
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__")
    except SystemExit as stop:
        if stop.code:
            sys.stdout.write(f"{module} ended with {stop.code}\n")
    except Exception:
        traceback.print_exc()


def tame(archive: Path, copy: Path) -> None:
    """Copy an archive by hard links, with ledgers that hold nothing but whole rows with full timestamps."""
    shutil.copytree(archive, copy, copy_function=os.link, ignore=shutil.ignore_patterns("gold"))
    for ledger in copy.glob("*/*/scratchpad/runs.jsonl"):
        rows = [row for line in ledger.read_text(errors="replace").splitlines() if (row := _row(line))]
        ledger.unlink()
        ledger.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _row(line: str) -> dict[str, object] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    if not isinstance(row, dict) or not row.get("run_id"):
        return None
    return {key: _full_time(value) for key, value in row.items()}


def _full_time(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return value + "T00:00:00Z"
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+", value):
        return value + "Z"
    return value


if __name__ == "__main__":
    main()
