"""The self-contained export: typed values, scopes and artifacts, and rows that are none."""

import json

import pytest

from parsers.export import ExportArtifact, ExportRun, parse_export_ledger, parse_export_metadata
from parsers.quarantine import Quarantined, Reason
from parsers.scopes import Scope

FOLDER = "data/runs_self_contained/agents/cc_v1/runs/00001-a-0123456789/metadata.json"


def run(values: dict[str, object], path: str = FOLDER) -> ExportRun:
    result = parse_export_metadata(json.dumps(values).encode(), path)
    assert isinstance(result, ExportRun)
    return result


def test_values_get_their_types() -> None:
    found = run(
        {
            "export_id": "00001-a-0123456789",
            "run_id": "a-s0",
            "launched_at": "2026-05-02T15:42:04+02:00",
            "final_val_loss": "3.27969",
            "min_val_loss": float("nan"),
            "final_step": "3500",
            "train_steps": 3500.0,
            "step_to_3_28": "",
            "num_val_points": True,
            "is_completed": 1,
            "is_failed": "false",
            "slurm_job_id": 8720,
            "status": ["odd"],
        }
    )
    assert found.launched_at is not None
    assert found.launched_at.at.isoformat() == "2026-05-02T13:42:04+00:00"
    assert (found.final_val_loss, found.min_val_loss) == (3.27969, None)
    assert (found.final_step, found.train_steps, found.step_to_3_28) == (3500, 3500, None)
    assert (found.num_val_points, found.status, found.slurm_job_id) == (None, None, "8720")
    assert (found.is_completed, found.is_failed, found.is_timeout) == (True, False, None)


@pytest.mark.parametrize(
    ("values", "path", "scope"),
    [
        ({"agent_version": "codex_novelty"}, "x", Scope("codex", "novelty")),
        ({"agent": "claude-code", "version": "v2"}, "x", Scope("claude-code", "v2")),
        ({}, FOLDER, Scope("claude-code", "v1")),
        ({"agent_version": "seed_reverify"}, "x", None),
        ({"agent_version": 7}, "agents", None),
    ],
)
def test_scopes(values: dict[str, object], path: str, scope: Scope | None) -> None:
    assert run({"run_id": "a", **values}, path).scope == scope


def test_artifacts_are_sorted_and_odd_ones_left_out() -> None:
    artifacts = {
        "train_log": {"bytes": "12", "sha256": "ab", "original_path": "/x/runs/a.log", "other": 1},
        "launched_script": {"bytes": None},
        "odd": "text",
    }
    assert run({"run_id": "a", "artifacts": artifacts}).artifacts == (
        ExportArtifact("launched_script"),
        ExportArtifact("train_log", 12, "ab", "/x/runs/a.log"),
    )


def test_text_that_no_file_can_hold_is_mended() -> None:
    result = parse_export_metadata(b'{"run_id": "a\\ud800\\u0000", "path": "/etc", "\\ud800": 1}', "m.json")
    assert isinstance(result, ExportRun)
    assert (result.run_id, result.path) == ("a?\ufffd", "m.json")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Reason.EMPTY_FILE),
        (b"{", Reason.BAD_JSON),
        (b"[" * 100_000, Reason.BAD_JSON),
        (b'{"final_step": ' + b"9" * 5_000 + b"}", Reason.BAD_JSON),
        (b"[1]", Reason.NOT_AN_OBJECT),
        (b'{"status": "ok"}', Reason.NO_RUN_ID),
        (b'{"run_id": "' + b"a" * 1_000_000 + b'"}', Reason.FILE_TOO_LARGE),
    ],
)
def test_what_is_no_metadata_is_set_aside(data: bytes, reason: Reason) -> None:
    result = parse_export_metadata(data, FOLDER)
    assert isinstance(result, Quarantined)
    assert result.reason is reason


def test_damaged_rows_of_the_ledger_keep_their_place() -> None:
    data = b'{"run_id": "a"}\r\n\r\n{"run_id": "b", \xff\n{"export_id": "c"}'
    parsed = parse_export_ledger(data, "data/runs_self_contained/runs.jsonl")
    assert [(r.run_id, r.export_id, r.line) for r in parsed.records] == [("a", None, 1), (None, "c", 4)]
    assert [(q.reason, q.line, q.byte_offset) for q in parsed.quarantined] == [(Reason.BAD_JSON, 3, 19)]
