"""A view of the small archive that shares no code with its writer."""

import csv
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from demo import ArchiveSummary

Row = dict[str, str]


@dataclass
class SmallArchive:
    """The archive's root, what its writer says of it, and its gold."""

    root: Path
    summary: ArchiveSummary
    runs: list[Row] = field(default_factory=list)
    trials: dict[tuple[str, str, str], list[Row]] = field(default_factory=dict)
    ideas: list[Row] = field(default_factory=list)
    rejects: list[Row] = field(default_factory=list)

    def scratchpad(self, row: Row) -> Path:
        """Find the scratchpad of a gold row."""
        return self.root / row["wave"] / row["agent"] / "scratchpad"

    def logs(self, row: Row) -> list[Path]:
        """Find the log files of a run by their names."""
        names = re.compile(
            re.escape(row["run_id"]) + r"\.(?:(?:console|sbatch)\.log|sbatch\.out|log|out|txt)"
        )
        return [
            path for path in sorted((self.scratchpad(row) / "runs").iterdir()) if names.fullmatch(path.name)
        ]

    def ledger_rows(self, row: Row) -> list[dict[str, object]]:
        """Read the intact ledger rows of a run, by whatever field names it."""
        rows = []
        for line in (self.scratchpad(row) / "runs.jsonl").read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            if not isinstance(entry, dict):
                continue
            log = str(entry.get("log", "")).removeprefix("runs/")
            named = entry.get("run_id", entry.get("uuid", ""))
            if named == row["run_id"] or log.startswith(row["run_id"] + "."):
                rows.append(entry)
        return rows


def read_csv(path: Path) -> list[Row]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))
