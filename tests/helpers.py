"""Small archives written by hand, for tests that need one."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.console import Console

from flows.reporting import QuietReporter, Reporter
from parsers.archive import list_archive
from parsers.parsed_files import ParsedArchive, merge_batches, parse_batch, plan_batches
from parsers.scopes import Scope

SCOPE = Scope("codex", "v1")


def write_scratchpad(
    root: Path,
    files: Mapping[str, str | bytes] = {},
    ledger: Iterable[Mapping[str, object]] = (),
    scope: Scope = SCOPE,
) -> Path:
    """Write one scratchpad with a ledger and files, by path relative to it."""
    folder = root / scope.folder
    rows = "".join(json.dumps(row) + "\n" for row in ledger)
    for name, content in {"runs.jsonl": rows, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def parse_folder(root: Path) -> ParsedArchive:
    """Parse an archive in this process."""
    archive = list_archive(root)
    return merge_batches(archive, [parse_batch(archive.root, batch) for batch in plan_batches(archive.files)])


def log_text(*points: tuple[int, float], scheduled: int = 3000, head: str = "") -> str:
    """Write a log with the given (step, loss) checkpoints."""
    lines = [
        f"step:{step}/{scheduled} val_loss:{loss:.5f} train_time:{step * 0.2:.3f}s step_avg:200.00ms"
        for step, loss in points
    ]
    return head + "\n".join(lines) + "\n"


def quiet_reporter() -> Reporter:
    """A reporter that prints nothing at all."""
    return QuietReporter(Console(quiet=True))
