"""The floor: read every log and find every `val_loss:` in its bytes, on two processes, and nothing else."""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

PROCESSES = 2


def count(paths: list[Path]) -> int:
    """Count the needle in some files."""
    found = 0
    for path in paths:
        data = path.read_bytes()
        at = data.find(b"val_loss:")
        while at >= 0:
            found += 1
            at = data.find(b"val_loss:", at + 9)
    return found


def main() -> None:
    """Scan the logs below the folder named on the command line."""
    logs = sorted(path for path in Path(sys.argv[1]).glob("*/*/scratchpad/runs/**/*") if path.is_file())
    with ProcessPoolExecutor(PROCESSES) as pool:
        found = sum(pool.map(count, [logs[part::PROCESSES] for part in range(PROCESSES)]))
    sys.stdout.write(f"{len(logs)} logs, {found} needles\n")


if __name__ == "__main__":
    main()
