"""The self-contained export's rows, from its ledger and from each run's `metadata.json`."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BeforeValidator, TypeAdapter
from pydantic.dataclasses import dataclass

from parsers.kinds import FileKind
from parsers.lines import Place
from parsers.quarantine import Quarantined, Reason, excerpt
from parsers.records import Parsed
from parsers.scopes import AGENTS, WAVES, Scope
from parsers.times import Instant, parse_instant
from parsers.values import as_int, as_number, as_text

MAX_ROW_BYTES = 1_000_000
"""A longer row is damage: a genuine one has under three thousand bytes."""

_LARGEST_INT = 2**63 - 1
_TRUE_WORDS = frozenset({"true", "1", "yes"})
_FALSE_WORDS = frozenset({"false", "0", "no"})
_AGENT_OF = {"cc": "claude-code", "claude": "claude-code", "claudecode": "claude-code", "codex": "codex"}


def _as_int(value: object) -> int | None:
    return as_int(value, -_LARGEST_INT, _LARGEST_INT)


def _as_bool(value: object) -> bool | None:
    word = str(value).strip().lower() if isinstance(value, bool | int | str) else ""
    return True if word in _TRUE_WORDS else False if word in _FALSE_WORDS else None


def _as_instant(value: object) -> Instant | None:
    if isinstance(value, Instant):
        return value
    return parse_instant(value) if isinstance(value, str) and len(value) < 80 else None


_Float = Annotated[float | None, BeforeValidator(as_number)]
_Int = Annotated[int | None, BeforeValidator(_as_int)]
_Bool = Annotated[bool | None, BeforeValidator(_as_bool)]
_Text = Annotated[str | None, BeforeValidator(as_text)]
_Time = Annotated[Instant | None, BeforeValidator(_as_instant)]


@dataclass(frozen=True, slots=True)
class ExportArtifact:
    """A file that the export holds of a run.

    Attributes:
        name: What it is, such as `train_log`.
        bytes: Its size.
        sha256: Its hash.
        original_path: Where it lay before the export.
    """

    name: str
    bytes: _Int = None
    sha256: _Text = None
    original_path: _Text = None


@dataclass(frozen=True, slots=True)
class ExportRun:
    """A run as the export states it. A value that is absent or makes no sense is None.

    Attributes:
        path: POSIX path of the file that states it, relative to the archive's root.
        line: 1-based line of the ledger; 1 for a `metadata.json`.
        scope: Agent and wave; None for the re-verification of seeds, which belongs to none.
        artifacts: The files that the export holds of it, by name.
        export_id: Id in the export: five digits, the run id or the start of it, ten hexadecimal digits.
        run_id: Id in its scope.
        agent_version: Agent and wave in short, such as `cc_v1`.
        agent_label: The same for people.
        version: Wave.
        agent: Agent.
        family: What the export takes for its family.
        purpose: What it was for.
        status: How it ended, in the ledger's words.
        slurm_job_id: Slurm job.
        launched_at: When it was launched.
        final_val_loss: Validation loss of the last checkpoint.
        min_val_loss: Lowest validation loss.
        final_step: Step of the last checkpoint.
        train_steps: Length of its schedule.
        step_to_3_28: First step at or below the target.
        num_val_points: Number of checkpoints.
        train_time_s: Training time in seconds.
        step_avg_ms: Milliseconds a step.
        is_completed: Whether it ran to its end.
        is_canceled: Whether it was cancelled.
        is_preempted: Whether it was preempted.
        is_timeout: Whether it ran out of time.
        is_failed: Whether it failed.
        is_incomplete: Whether it stopped early for another reason.
        is_stat_verify: Whether it repeats a recipe for statistics.
        config_path_source: Where the path of its source was found.
        repo_path: Working tree that it ran in.
        log_path: Its log before the export.
        run_dir: Its folder in the export.
        train_log: Its log in the export.
        launched_script: Its source in the export.
        source_snapshot: Another copy of its source in the export.
        console_log: Its console log in the export.
        launch_stub: Its stub in the export.
    """

    path: str
    line: int
    scope: Scope | None = None
    artifacts: tuple[ExportArtifact, ...] = ()
    export_id: _Text = None
    run_id: _Text = None
    agent_version: _Text = None
    agent_label: _Text = None
    version: _Text = None
    agent: _Text = None
    family: _Text = None
    purpose: _Text = None
    status: _Text = None
    slurm_job_id: _Text = None
    launched_at: _Time = None
    final_val_loss: _Float = None
    min_val_loss: _Float = None
    final_step: _Int = None
    train_steps: _Int = None
    step_to_3_28: _Int = None
    num_val_points: _Int = None
    train_time_s: _Float = None
    step_avg_ms: _Float = None
    is_completed: _Bool = None
    is_canceled: _Bool = None
    is_preempted: _Bool = None
    is_timeout: _Bool = None
    is_failed: _Bool = None
    is_incomplete: _Bool = None
    is_stat_verify: _Bool = None
    config_path_source: _Text = None
    repo_path: _Text = None
    log_path: _Text = None
    run_dir: _Text = None
    train_log: _Text = None
    launched_script: _Text = None
    source_snapshot: _Text = None
    console_log: _Text = None
    launch_stub: _Text = None


_RUN = TypeAdapter(ExportRun)
_ARTIFACT = TypeAdapter(ExportArtifact)
_STATED_FIELDS = [
    field.name for field in fields(ExportRun) if field.name not in {"path", "line", "scope", "artifacts"}
]


def parse_export_metadata(data: bytes, path: str) -> ExportRun | Quarantined:
    """Read the `metadata.json` of one run of the export.

    >>> row = b'{"run_id": "a-s0", "agent_version": "cc_v1", "final_step": "3500"}'
    >>> run = parse_export_metadata(row, "metadata.json")
    >>> str(run.scope), run.final_step, run.min_val_loss
    ('v1/claude-code', 3500, None)
    """
    place = Place(FileKind.EXPORT_METADATA, path, data)
    if len(data) > MAX_ROW_BYTES:
        detail = (
            f"The file has {len(data)} bytes, more than the {MAX_ROW_BYTES} that a run's metadata may have."
        )
        return place.reject(Reason.FILE_TOO_LARGE, detail)
    if not data.strip():
        return place.reject(Reason.EMPTY_FILE, "The file is empty.")
    result = _run(data, path, 1)
    return result if isinstance(result, ExportRun) else place.reject(*result)


def parse_export_ledger(data: bytes, path: str) -> Parsed[ExportRun]:
    """Read the export's `runs.jsonl`, one run a line. Blank lines are no rows."""
    place = Place(FileKind.EXPORT_LEDGER, path, data)
    runs: list[ExportRun] = []
    quarantined: list[Quarantined] = []
    offset = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            result = _run(line, path, number)
            if isinstance(result, ExportRun):
                runs.append(result)
            else:
                kind = FileKind.EXPORT_LEDGER
                quarantined.append(Quarantined(kind, path, number, offset, *result, excerpt(line)))
        offset += len(line) + 1
    if not runs and not quarantined:
        quarantined.append(place.reject(Reason.EMPTY_FILE, "The ledger holds no row."))
    return Parsed(tuple(runs), tuple(quarantined))


def _run(row: bytes, path: str, line: int) -> ExportRun | tuple[Reason, str]:
    if len(row) > MAX_ROW_BYTES:
        return Reason.LINE_TOO_LONG, f"The row has {len(row)} bytes, more than the {MAX_ROW_BYTES} allowed."
    try:
        values = json.loads(row.decode("utf-8-sig", errors="replace"))
    except (ValueError, RecursionError) as error:
        return Reason.BAD_JSON, f"The row is not JSON: {str(error)[:200]}."
    if not isinstance(values, dict):
        return Reason.NOT_AN_OBJECT, f"The row is a JSON {type(values).__name__}, not an object."
    known = {name: values.get(name) for name in _STATED_FIELDS}
    if not as_text(known.get("run_id")) and not as_text(known.get("export_id")):
        return Reason.NO_RUN_ID, "The row has neither `run_id` nor `export_id`."
    place = {"path": path, "line": line, "scope": _scope(values, path), "artifacts": _artifacts(values)}
    return _RUN.validate_python(known | place)


def _scope(values: Mapping[str, Any], path: str) -> Scope | None:
    """Read agent and wave off `agent_version`, else off `agent` and `version`, else off the path."""
    agent, wave = as_text(values.get("agent")) or "", as_text(values.get("version")) or ""
    folders = PurePosixPath(path).parts
    folder = folders[folders.index("agents") + 1] if "agents" in folders[:-1] else ""
    for name in (as_text(values.get("agent_version")) or "", f"{agent}_{wave}", folder):
        short, _, named_wave = name.lower().rpartition("_")
        known_agent = _AGENT_OF.get(re.sub(r"[^a-z]", "", short))
        if known_agent in AGENTS and named_wave in WAVES:
            return Scope(known_agent, named_wave)
    return None


def _artifacts(values: Mapping[str, Any]) -> tuple[ExportArtifact, ...]:
    stated = values.get("artifacts")
    if not isinstance(stated, dict):
        return ()
    named = [(as_text(name), facts) for name, facts in stated.items() if isinstance(facts, dict)]
    artifacts = [
        _ARTIFACT.validate_python(
            {"name": name} | {key: facts.get(key) for key in ("bytes", "sha256", "original_path")}
        )
        for name, facts in named
        if name
    ]
    return tuple(sorted(artifacts, key=lambda artifact: artifact.name))
