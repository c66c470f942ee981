"""The ledgers, in the dialect of each scope, with later lines that supersede earlier ones and some damage."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from demo.curves import TARGET
from demo.model import Point, Reject, Run, ScopePlan
from demo.paths import stated_variant
from demo.rng import rng
from demo.times import iso, ledger_time

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures that the agent read off a finished run: those of its last trial."""

    final_step: int
    final_loss: float | None
    min_loss: float | None
    crossing: int | None
    train_time_s: float


@dataclass(frozen=True, slots=True)
class _Line:
    at: datetime
    order: int
    text: str


def outcome_of(run: Run) -> Outcome | None:
    """Read the figures off a run's last trial, or None when it has no checkpoint."""
    if not run.trials:
        return None
    points: tuple[Point, ...] = run.trials[-1]
    if "truncated" in run.quirks:
        points = points[:-1]
    numbers = [loss for _, loss in points if loss == loss and loss != float("inf")]
    step, loss = points[-1]
    return Outcome(
        final_step=step,
        final_loss=loss if numbers and loss == numbers[-1] else None,
        min_loss=min(numbers, default=None),
        crossing=next((step for step, loss in points if loss <= TARGET), None),
        train_time_s=round(step * run.ms_per_step / 1000, 1),
    )


def states_outcome(run: Run) -> bool:
    """Say whether the ledger states the run's figures. It always does where no log remains."""
    if not run.evidence.in_ledger or not run.trials:
        return False
    is_launch_only = (run.scope.agent, run.scope.wave) == ("claude-code", "v3")
    share = 0.0 if is_launch_only else 0.7 if run.scope.agent == "claude-code" else 0.93
    return not run.has_log or rng(run.scope, run.run_id, "states").random() < share


def write_ledger(plan: ScopePlan, seed: int) -> tuple[bytes, tuple[Reject, ...]]:
    """Write `runs.jsonl` of a scope.

    Args:
        plan: What the scope holds.
        seed: Seed of the archive.

    Returns:
        The file, and the lines of it that are damaged.
    """
    source = rng(seed, plan.scope, "ledger")
    lines: list[_Line] = []
    for run in plan.runs:
        if run.evidence.in_ledger:
            lines += _lines_of(run, rng(plan.scope, run.run_id, "ledger"))
    lines.sort(key=lambda line: (line.at, line.order, line.text))
    return _with_damage([line.text for line in lines], plan, source)


def _lines_of(run: Run, source: random.Random) -> list[_Line]:
    dialect = _DIALECTS[(run.scope.agent, run.scope.wave)]
    launch, result = dialect(run, source)
    done_at = run.launched_at + timedelta(seconds=30 + run.stop_step * run.ms_per_step / 1000)
    rows = [(run.launched_at, 0, launch)]
    if result and (source.random() < 0.35 or run.scope.agent == "claude-code"):
        if source.random() < 0.12:
            rows.append(
                (run.launched_at, 1, {"run_id": run.run_id, "status": "running", "last_step_logged": 250})
            )
        rows.append((done_at, 2, {"run_id": run.run_id} | result))
    else:
        rows = [(done_at, 2, launch | result)]
    if source.random() < 0.02 and "final_val_loss" in result:
        early: Row = {"run_id": run.run_id, "final_val_loss": 3.41907, "note": "read too early"}
        rows.insert(1, (run.launched_at, 1, early))
    return [_Line(at, order, json.dumps(_renamed(run, row), ensure_ascii=False)) for at, order, row in rows]


def _renamed(run: Run, row: Row) -> Row:
    """Call the run by another field than `run_id` in a few rows of the later codex waves."""
    if run.scope.agent != "codex" or run.scope.wave not in ("v2", "v3") or run.job_id % 25:
        return row
    rest = {key: value for key, value in row.items() if key != "run_id"}
    if run.job_id % 50 and run.has_log:
        return rest | {"log": f"runs/{run.run_id}.{run.log_files[0]}"}
    return {"uuid": run.run_id} | rest


def _time(run: Run, field: str) -> Row:
    if run.evidence.ledger_time == "iso":
        return {field: iso(ledger_time(run))}
    return {field: f"{run.launched_at:%Y-%m-%d}"} if run.evidence.ledger_time == "date" else {}


def _variant(run: Run) -> Row:
    form = run.evidence.ledger_variant
    return {"variant": stated_variant(run, form)} if form else {}


def _purpose(run: Run) -> Row:
    seed = run.nominal_seed or 0
    return {
        "purpose": "statistical_verification"
        if seed > 1
        else ("search", "screen", "ablation")[run.job_id % 3]
    }


def _status(run: Run) -> Row:
    return {"status": run.ledger_status} if run.ledger_status else {}


def _claude(run: Run, source: random.Random) -> tuple[Row, Row]:
    launch: Row = {
        "run_id": run.run_id,
        "script": f"scratchpad/sbatch-stubs/{run.run_id}.sh",
        "slurm_job": run.job_id,
        **_variant(run),
        "train_steps": run.train_steps,
        **_purpose(run),
        **_time(run, "launched" if run.scope.wave == "v3" else source.choice(("launched", "time"))),
    }
    result = _status(run)
    outcome = outcome_of(run)
    if outcome and states_outcome(run):
        result |= {
            "final_step": outcome.final_step,
            "final_val_loss": outcome.final_loss,
            "min_val_loss": outcome.min_loss,
            "step_to_3_28": outcome.crossing,
        }
    return launch, result


def _codex_v1(run: Run, source: random.Random) -> tuple[Row, Row]:
    launch: Row = {"run_id": run.run_id, **_variant(run), "train_steps": run.train_steps, "jobid": run.job_id}
    launch |= _time(run, "launched_at")
    if run.has_log:
        launch["log_path"] = f"scratchpad/runs/{run.run_id}.{run.log_files[0]}"
    result = _status(run)
    outcome = outcome_of(run)
    if outcome and states_outcome(run):
        result |= {
            "final_step": outcome.final_step,
            "final_val_loss": outcome.final_loss,
            "best_val_loss": outcome.min_loss,
            source.choice(("step_to_3.28", "step_to_target")): outcome.crossing,
        }
    return launch, result


def _codex_novelty(run: Run, source: random.Random) -> tuple[Row, Row]:
    launch: Row = {
        "run_id": run.run_id,
        **_variant(run),
        "slurm_job_id": run.job_id,
        **_time(run, "time_utc"),
    }
    if run.has_log:
        launch["stdout_log"] = f"runs/{run.run_id}.{run.log_files[0]}"
    result = _status(run)
    outcome = outcome_of(run)
    if outcome and states_outcome(run):
        if source.random() < 0.6:
            result["final"] = {
                "step": outcome.final_step,
                "train_steps": run.train_steps,
                "val_loss": outcome.final_loss,
                "train_time_s": outcome.train_time_s,
            }
        else:
            result |= {"final_step": outcome.final_step, "final_val_loss": outcome.final_loss}
            launch["total_steps"] = run.train_steps
        result |= {"min_val_loss": outcome.min_loss, "first_observed_step_le_3_28": outcome.crossing}
    return launch, result


def _codex_late(run: Run, source: random.Random) -> tuple[Row, Row]:
    launch: Row = {
        "run_id": run.run_id,
        **_variant(run),
        "slurm_job": run.job_id,
        "total_steps": run.train_steps,
    }
    launch |= _time(run, "launched_at")
    result = _status(run)
    outcome = outcome_of(run)
    if outcome and states_outcome(run):
        result |= {
            "first_step_le_3p28": outcome.crossing,
            "final_step": outcome.final_step,
            "final_val_loss": outcome.final_loss,
            "min_val_loss": outcome.min_loss,
            "source_log": f"logs/{_uuid(source)}.txt",
        }
        if run.nominal_seed is None and "-r" in run.run_id:
            result["stat_verify"] = True
    return launch, result


def _uuid(source: random.Random) -> str:
    digits = f"{source.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


_DIALECTS: dict[tuple[str, str], Callable[[Run, random.Random], tuple[Row, Row]]] = {
    ("claude-code", "v1"): _claude,
    ("claude-code", "novelty"): _claude,
    ("claude-code", "v2"): _claude,
    ("claude-code", "v3"): _claude,
    ("codex", "v1"): _codex_v1,
    ("codex", "novelty"): _codex_novelty,
    ("codex", "v2"): _codex_late,
    ("codex", "v3"): _codex_late,
}


def _with_damage(
    lines: list[str], plan: ScopePlan, source: random.Random
) -> tuple[bytes, tuple[Reject, ...]]:
    """Insert damaged heartbeats, which cost no information, and note where they stand."""
    one, two = (
        json.dumps({"run_id": run.run_id, "status": "running", "last_step_logged": 1250})
        for run in plan.runs[:2]
    )
    cut = source.randrange(15, len(one) - 12)
    damaged = [
        ("half line of a preempted job", one[:cut]),
        ("two jobs appended at once", one[:cut] + two),
        ("remainder of an interleaved append", one[cut:]),
        ("not an object", '["runs.jsonl", "see THREAD.md"]'),
        ("no run id", '{"note": "cleaned up the queue", "status": "ok"}'),
    ]
    places = sorted(source.sample(range(1, len(lines)), 4))
    first, second, third, fourth = places
    inserted = {first: damaged[:1], second: damaged[1:3], third: damaged[3:4], fourth: damaged[4:]}
    rejects: list[Reject] = []
    out: list[str] = []
    offset = 0
    path = f"{plan.scope.folder}/runs.jsonl"
    for number, line in enumerate(lines):
        for what, text in inserted.get(number, []):
            rejects.append(Reject("ledger", path, len(out) + 1, offset, what))
            out.append(text)
            offset += len(text.encode()) + 1
        out.append(line)
        offset += len(line.encode()) + 1
    return ("\n".join(out) + "\n").encode(), tuple(rejects)
