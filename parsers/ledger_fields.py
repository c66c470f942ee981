"""The facts that a JSON object states of a run, under whichever of the agents' field names."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import lru_cache, reduce
from typing import Any

from parsers.checkpoints import TARGET_VAL_LOSS
from parsers.run_ids import NAMES_KEPT
from parsers.times import Instant, parse_instant
from parsers.values import as_int, as_number, as_text


class Status(StrEnum):
    """How a run ended."""

    COMPLETED = "completed"
    PREEMPTED = "preempted"
    FAILED = "failed"
    CANCELED = "canceled"
    TIMEOUT = "timeout"
    INCOMPLETE = "incomplete"


_STATUS_WORDS = {
    "completed": Status.COMPLETED,
    "complete": Status.COMPLETED,
    "ok": Status.COMPLETED,
    "success": Status.COMPLETED,
    "succeeded": Status.COMPLETED,
    "done": Status.COMPLETED,
    "finished": Status.COMPLETED,
    "preempted": Status.PREEMPTED,
    "failed": Status.FAILED,
    "failure": Status.FAILED,
    "error": Status.FAILED,
    "crashed": Status.FAILED,
    "canceled": Status.CANCELED,
    "cancelled": Status.CANCELED,
    "timeout": Status.TIMEOUT,
    "timed_out": Status.TIMEOUT,
    "incomplete": Status.INCOMPLETE,
}
_CHECKPOINT_AS_STATUS = re.compile(
    r"step:(?P<step>\d{1,9})/(?P<scheduled>\d{1,9}) val_loss:(?P<loss>\d+\.\d+)(?=\s)"
    r"(?: train_time:(?P<time>\d+(?:\.\d+)?)(?P<unit>m?s)\b)?"
)

_RUN_ID = ("run_id", "tag", "uuid", "run_name", "name")
_LOG_PATH = ("log_path", "log", "stdout_log", "source_log", "path")
_MAX_INT = 1_000_000_000


@dataclass(frozen=True, slots=True)
class LedgerFields:
    """What one object says of a run; None where it says nothing.

    Attributes:
        status: How the run ended.
        launched: When it was launched.
        final_step: Last step reached.
        last_logged_step: How far the run was when the row was written; it may have gone on.
        scheduled_steps: Steps of the schedule; the archive calls this `train_steps`.
        final_val_loss: Loss at the last step; of the first trial where several are listed.
        trial_final_val_losses: Last loss of every trial, where listed.
        min_val_loss: Lowest loss.
        step_to_3_28: First step at or below 3.28.
        train_time_s: Seconds of training.
        seed: The seed, where the ledger has a field for it.
        num_trials: How many trials the run had.
        log_path: The log as the ledger writes it.
        variant: The variant as the ledger writes it; may be a mere `v15`.
        script: The launched script, where it is named beside a variant.
        slurm_job_id: Job id as text.
        purpose: search, screen, ablation, statistical_verification, or the agent's own word.
        is_stat_verify: Whether the run is flagged as statistical verification.
        note: The agent's remark.
    """

    status: Status | None = None
    launched: Instant | None = None
    final_step: int | None = None
    last_logged_step: int | None = None
    scheduled_steps: int | None = None
    final_val_loss: float | None = None
    trial_final_val_losses: tuple[float, ...] | None = None
    min_val_loss: float | None = None
    step_to_3_28: int | None = None
    train_time_s: float | None = None
    seed: int | None = None
    num_trials: int | None = None
    log_path: str | None = None
    variant: str | None = None
    script: str | None = None
    slurm_job_id: str | None = None
    purpose: str | None = None
    is_stat_verify: bool | None = None
    note: str | None = None

    def superseded_by(self, later: "LedgerFields") -> "LedgerFields":
        """Merge field by field: what the later object states replaces what this one does."""
        stated = {name: value for name in _NAMES if (value := getattr(later, name)) is not None}
        return replace(self, **stated) if stated else self


_NAMES = tuple(field.name for field in fields(LedgerFields))
_NOTHING = LedgerFields()


def run_id_of(row: Mapping[str, object], *, is_fragment: bool = False) -> str | None:
    """Name the run of an object: its id, else the stem of its log.

    Args:
        row: The object.
        is_fragment: Whether it was cut out of a damaged line, where it may be an inner object of a row:
            then only a `run_id` or `tag` makes it a row of its own.
    """
    if (name := _first(row, _RUN_ID[:2] if is_fragment else _RUN_ID, as_text)) is not None:
        return str(name)
    if is_fragment:
        return None
    log_path = _first(row, _LOG_PATH, as_text)
    return (log_stem(log_path) or None) if log_path is not None else None


@lru_cache(maxsize=NAMES_KEPT)
def log_stem(path: str) -> str:
    """Strip folder and log endings from a log's path.

    >>> log_stem("runs/muonh-r0.console.log")
    'muonh-r0'
    """
    name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return re.sub(r"(?:\.(?:console|sbatch|stdout|stderr))?\.(?:log|out|txt|err)$", "", name)


def read_fields(row: Mapping[str, object]) -> LedgerFields:
    """Read every fact that an object states, whatever its dialect.

    A nested `final` or `env` object counts as part of the row; the row's own fields win. What a field
    states outright replaces what can be inferred from the exit code, from a checkpoint line given as
    the status, from the list of the trials' last losses, or from a `curve` of (step, loss) pairs.
    """
    flat = _flatten(row)
    stated = LedgerFields(**{name: _first(flat, names, read) for name, (names, read) in _FIELDS.items()})
    guesses = (_from_exit(flat), _from_trials(stated), _from_curve(flat), _from_status_line(flat))
    told = [guess for guess in guesses if guess is not _NOTHING]
    return reduce(LedgerFields.superseded_by, [*told, stated])


def _flatten(row: Mapping[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name in ("env", "final"):
        nested = row.get(name)
        if isinstance(nested, Mapping):
            flat.update({str(key): value for key, value in nested.items()})
    flat.update({key: value for key, value in row.items() if value is not None})
    return flat


def _first(row: Mapping[str, object], names: tuple[str, ...], read: Callable[[object], Any]) -> Any:
    """Return the first field that is there and can be read."""
    for name in names:
        if name in row and (reading := read(row[name])) is not None:
            return reading
    return None


def _loss(value: object) -> float | None:
    number = as_number(value)
    return number if number is not None and number > 0 else None


def _int(value: object) -> int | None:
    return as_int(value, 0, _MAX_INT)


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _instant(value: object) -> Instant | None:
    return parse_instant(value) if isinstance(value, str) else None


def _losses(value: object) -> tuple[float, ...] | None:
    if not isinstance(value, list):
        return None
    losses = tuple(loss for item in value if (loss := _loss(item)) is not None)
    return losses if losses and len(losses) == len(value) else None


def status_of_word(value: object) -> Status | None:
    """Read a status word or an exit code given as text; None for what is neither."""
    if not isinstance(value, str):
        return None
    word = value.strip().lower().replace(" ", "_")
    if word.lstrip("-").isdigit():
        return Status.COMPLETED if word.strip("-0") == "" else Status.FAILED
    return _STATUS_WORDS.get(word)


def _script(value: object) -> str | None:
    text = as_text(value)
    return text if text is not None and text.endswith(".py") else None


_FIELDS: dict[str, tuple[tuple[str, ...], Callable[[object], Any]]] = {
    "status": (("status", "state"), status_of_word),
    "launched": (("launched_at", "time_utc", "time", "launched", "started_at"), _instant),
    "final_step": (("final_step", "last_step", "step"), _int),
    "last_logged_step": (("last_step_logged",), _int),
    "scheduled_steps": (("train_steps", "total_steps", "scheduled_steps", "TRAIN_STEPS"), _int),
    "final_val_loss": (("final_val_loss", "final", "val_loss"), _loss),
    "trial_final_val_losses": (("all_finals",), _losses),
    "min_val_loss": (("min_val_loss", "best_val_loss"), _loss),
    "step_to_3_28": (
        (
            "step_to_3_28",
            "step_to_target",
            "step_to_3.28",
            "first_step_le_3p28",
            "first_observed_step_le_3_28",
        ),
        _int,
    ),
    "train_time_s": (("train_time_s",), as_number),
    "seed": (("seed",), _int),
    "num_trials": (("trials", "num_trials"), _int),
    "log_path": (_LOG_PATH, as_text),
    "variant": (("variant", "variant_path"), as_text),
    "script": (("script",), _script),
    "slurm_job_id": (("slurm_job_id", "slurm_job", "jobid", "job_id"), as_text),
    "purpose": (("purpose",), as_text),
    "is_stat_verify": (("stat_verify", "is_stat_verify"), _flag),
    "note": (("note", "notes"), as_text),
}
"""Each field with the names that the agents gave it, the most telling first, and how its value is read."""


def _from_exit(row: Mapping[str, object]) -> LedgerFields:
    code = _first(row, ("rc", "exit_code", "returncode"), _exit_code)
    if row.get("error") is True or (isinstance(row.get("error"), str) and row["error"]):
        return LedgerFields(status=Status.FAILED)
    return _NOTHING if code is None else LedgerFields(status=Status.FAILED if code else Status.COMPLETED)


def _exit_code(value: object) -> int | None:
    return as_int(value, -_MAX_INT, _MAX_INT)


def _from_trials(stated: LedgerFields) -> LedgerFields:
    finals = stated.trial_final_val_losses
    return LedgerFields(final_val_loss=finals[0], num_trials=len(finals)) if finals else _NOTHING


def _from_curve(row: Mapping[str, object]) -> LedgerFields:
    """Read [[step, loss], ...]; a loss without a step, as in `losses`, states nothing that can be placed."""
    curve = row.get("curve")
    pairs = (
        [pair for pair in curve if isinstance(pair, list) and len(pair) == 2]
        if isinstance(curve, list)
        else []
    )
    points = [
        (step, loss) for pair in pairs if (step := _int(pair[0])) is not None if (loss := _loss(pair[1]))
    ]
    if not points:
        return _NOTHING
    return LedgerFields(
        final_step=points[-1][0],
        final_val_loss=points[-1][1],
        min_val_loss=min(loss for _, loss in points),
        step_to_3_28=next((step for step, loss in points if loss <= TARGET_VAL_LOSS), None),
    )


def _from_status_line(row: Mapping[str, object]) -> LedgerFields:
    status = row.get("status")
    match = _CHECKPOINT_AS_STATUS.match(status) if isinstance(status, str) else None
    if match is None:
        return _NOTHING
    step, scheduled = int(match["step"]), int(match["scheduled"])
    seconds = float(match["time"]) / (1000 if match["unit"] == "ms" else 1) if match["time"] else None
    return LedgerFields(
        status=Status.COMPLETED if step == scheduled else Status.INCOMPLETE,
        final_step=step,
        scheduled_steps=scheduled,
        final_val_loss=float(match["loss"]),
        train_time_s=seconds,
    )
