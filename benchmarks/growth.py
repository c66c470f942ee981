"""A larger or smaller archive of the same kind, by hard links to the logs of another: no byte is copied."""

import json
import os
from pathlib import Path


def scale(archive: Path, copy: Path, tenths: int) -> int:
    """Lay out an archive with some tenths of the logs and ledger rows of another.

    Everything else stands there once. Up to ten tenths every tenth log is kept or not; ten more tenths are
    another copy of every run, under another name.

    Args:
        archive: The archive.
        copy: Folder of the other one, on the same disk.
        tenths: How much of it is wanted: 1, or a multiple of 10.

    Returns:
        The number of logs.
    """
    rounds = max(1, tenths // 10)
    is_part = tenths < 10
    num_logs = 0
    for folder, _, names in os.walk(archive):
        here = copy / Path(folder).relative_to(archive)
        if "gold" in here.relative_to(copy).parts:
            continue
        here.mkdir(parents=True, exist_ok=True)
        is_runs = "runs" in here.relative_to(copy).parts
        for number, name in enumerate(sorted(names)):
            source = Path(folder) / name
            if name == "runs.jsonl":
                _copy_ledger(source, here / name, rounds, is_part)
            elif not is_runs:
                os.link(source, here / name)
            elif not is_part or number % 10 < tenths:
                for again in range(rounds):
                    os.link(source, here / _name(name, again))
                    num_logs += 1
    return num_logs


def _name(name: str, again: int) -> str:
    return f"x{again}-{name}" if again else name


def _copy_ledger(source: Path, target: Path, rounds: int, is_part: bool) -> None:
    lines = source.read_bytes().splitlines()
    kept = lines[::10] if is_part else lines
    with target.open("wb") as file:
        for again in range(rounds):
            for line in kept:
                file.write((_rename(line, again) if again else line) + b"\n")


def _rename(line: bytes, again: int) -> bytes:
    try:
        row = json.loads(line)
    except ValueError:
        return line
    if isinstance(row, dict):
        row |= {key: _name(str(row[key]), again) for key in ("run_id", "tag", "name") if row.get(key)}
    return json.dumps(row).encode()
