"""The self-contained export, which copies a share of the runs with their metadata."""

import csv
import hashlib
import io
import json
from dataclasses import dataclass

from demo.curves import TARGET
from demo.model import Run
from demo.rng import rng
from demo.times import iso, seconds

ROOT = "data/runs_self_contained"
"""Where the export lies in the archive."""

_WAVE_LABELS = {"v1": "v1", "novelty": "novelty", "v2": "v2", "v3": "v3"}
_FIELDS = (
    "export_id",
    "agent_version",
    "run_id",
    "launched_at",
    "final_val_loss",
    "final_step",
    "step_to_3_28",
)


@dataclass(frozen=True, slots=True)
class Exported:
    """One run of the export.

    Attributes:
        row: Its line of `runs.jsonl`.
        files: Paths relative to the archive's root, with bytes.
    """

    row: dict[str, object]
    files: tuple[tuple[str, bytes], ...]


def export_run(run: Run, number: int, source_text: str, log: bytes) -> Exported:
    """Write the export of one run.

    Args:
        run: Which run.
        number: Its number in the export.
        source_text: What it executed.
        log: Its main log.

    Returns:
        Its row and files.
    """
    agent = "cc" if run.scope.agent == "claude-code" else "codex"
    version = f"{agent}_{_WAVE_LABELS[run.scope.wave]}"
    mark = hashlib.sha256(f"{run.scope}/{run.run_id}".encode()).hexdigest()[:10]
    export_id = f"{number:05d}-{run.run_id[:60]}-{mark}"
    folder = f"agents/{version}/runs/{export_id}"
    row = _row(run, export_id, version, folder)
    script = source_text.encode()
    origin = f"{run.scope.folder}/variants/{run.variant}.py"
    metadata = row | {
        "slurm_job_id": run.job_id,
        "repo_path": f"{run.scope.wave}/{run.scope.agent}",
        "log_path": f"{run.scope.folder}/runs/{run.run_id}.{run.log_files[0]}",
        "artifacts": {
            "launched_script": _artifact(script, origin),
            "train_log": _artifact(log, f"{run.scope.folder}/runs/{run.run_id}.{run.log_files[0]}"),
        },
    }
    files = (
        (f"{ROOT}/{folder}/metadata.json", json.dumps(metadata, indent=1).encode() + b"\n"),
        (f"{ROOT}/{folder}/launched_script.py", script),
        (f"{ROOT}/{folder}/train.log", log),
    )
    return Exported(row, files)


def export_index(exported: list[Exported], dropped: list[Run]) -> list[tuple[str, bytes]]:
    """Write the files at the top of the export."""
    table = io.StringIO()
    writer = csv.DictWriter(table, _FIELDS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(one.row for one in exported)
    lines = "".join(json.dumps(one.row) + "\n" for one in exported)
    gone = "".join(json.dumps({"run_id": run.run_id, "reason": "no log"}) + "\n" for run in dropped)
    manifest = {"runs": len(exported), "dropped": len(dropped)}
    return [
        (f"{ROOT}/runs.jsonl", lines.encode()),
        (f"{ROOT}/runs.csv", table.getvalue().encode()),
        (f"{ROOT}/dropped_runs.jsonl", gone.encode()),
        (f"{ROOT}/manifest.json", json.dumps(manifest, indent=1).encode() + b"\n"),
        (f"{ROOT}/README.md", b"# Self-contained runs\n\nEach folder holds one run with what it executed.\n"),
    ]


def _artifact(data: bytes, origin: str) -> dict[str, object]:
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "original_path": origin}


def _row(run: Run, export_id: str, version: str, folder: str) -> dict[str, object]:
    points = run.trials[0]
    numbers = [loss for _, loss in points if loss == loss and loss != float("inf")]
    final = points[-1][1]
    return {
        "export_id": export_id,
        "agent_version": version,
        "agent_label": run.scope.agent,
        "version": run.scope.wave,
        "agent": run.scope.agent,
        "family": run.recipe.stem,
        "purpose": rng(run.scope, run.run_id, "purpose").choice(("search", "screen", "ablation")),
        "status": run.status,
        "run_id": run.run_id,
        "launched_at": iso(seconds(run.launched_at)),
        "final_val_loss": final if final in numbers else None,
        "min_val_loss": min(numbers, default=None),
        "final_step": points[-1][0],
        "train_steps": run.train_steps,
        "step_to_3_28": next((step for step, loss in points if loss <= TARGET), None),
        "num_val_points": len(points),
        "train_time_s": round(points[-1][0] * run.ms_per_step / 1000, 1),
        "step_avg_ms": run.ms_per_step,
        "is_completed": run.status == "completed",
        "is_canceled": False,
        "is_preempted": False,
        "is_timeout": False,
        "is_failed": False,
        "is_incomplete": False,
        "is_stat_verify": False,
        "config_path_source": "ledger",
        "run_dir": folder,
        "train_log": f"{folder}/train.log",
        "launched_script": f"{folder}/launched_script.py",
        "source_snapshot": None,
        "console_log": None,
        "launch_stub": None,
    }
