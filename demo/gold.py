"""The truth about a synthetic archive, as tables."""

import csv
import io
from dataclasses import dataclass
from datetime import datetime

from demo.knowability import Knowability
from demo.ledgers import Outcome, outcome_of, states_outcome
from demo.model import Idea, Reject, Run, ScopePlan
from demo.profiles import PROFILES
from demo.run_plan import is_misreported
from demo.tally import TrialOutcome
from demo.times import launch_stated
from demo.writeups import rejected_on

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run only once its logs are written.

    Attributes:
        outcomes: Its trials as the logs show them.
        source_sha256: Hash of the source in its log, or empty.
    """

    outcomes: tuple[TrialOutcome, ...]
    source_sha256: str


def run_rows(plan: ScopePlan, facts: dict[str, RunFacts]) -> list[Row]:
    """Make the rows of `runs.csv` for one scope."""
    knowability = Knowability(plan)
    return [_run_row(plan, run, facts[run.run_id], knowability) for run in plan.runs]


def _run_row(plan: ScopePlan, run: Run, facts: RunFacts, knowability: Knowability) -> Row:
    launched_at, launched_source = launch_stated(run)
    return {
        "agent": run.scope.agent,
        "wave": run.scope.wave,
        "run_id": run.run_id,
        "idea_slug": run.recipe.idea_slug,
        "idea_knowable_by": knowability.idea(run),
        "variant_path": f"variants/{run.variant}.py",
        "variant_knowable_by": knowability.variant(run),
        "source_sha256": facts.source_sha256,
        "is_drifted": _flag(bool(facts.source_sha256) and plan.variant_by_stem[run.variant].is_edited),
        "is_variant_contradicted": _flag(run.evidence.is_stub_stale),
        "launched_at": launched_at,
        "launched_at_source": launched_source,
        "status": _status(run, facts),
        "is_status_misreported": _flag(is_misreported(run)),
        **_outcome_columns(run, facts),
        **_seed_columns(run, facts),
        "family": run.recipe.family,
        "mechanism": run.recipe.mechanism,
        "has_log": _flag(run.has_log),
        "in_ledger": _flag(run.evidence.in_ledger),
        "is_exported": _flag(run.evidence.is_exported),
        "slurm_job": run.job_id,
        "quirk": " ".join(run.quirks),
    }


def _status(run: Run, facts: RunFacts) -> str:
    """What became of the run, as far as ledger or log can tell it."""
    if run.ledger_status.isdigit() and run.ledger_status != "0" and not facts.outcomes:
        return "failed"
    if run.status == "canceled" and not run.ledger_status and not facts.outcomes:
        return "incomplete" if run.has_log else ""
    return run.status if run.has_log or run.ledger_status else ""


def _outcome_columns(run: Run, facts: RunFacts) -> Row:
    count = sum(len(outcome.points) for outcome in facts.outcomes)
    row: Row = {"n_trials": len(facts.outcomes), "n_checkpoints": count}
    stated = outcome_of(run) if states_outcome(run) and not run.has_log else None
    if facts.outcomes:
        first = facts.outcomes[0]
        figures = Outcome(first.points[-1][0], first.final_loss, first.min_loss, first.step_to_target, 0.0)
        return row | {"first_step": first.points[0][0]} | _figures(figures, run, "log")
    if stated:
        return row | {"first_step": ""} | _figures(stated, run, "ledger")
    return row | {"first_step": ""} | _figures(None, run, "")


def _figures(outcome: Outcome | None, run: Run, source: str) -> Row:
    return {
        "final_step": outcome.final_step if outcome else "",
        "scheduled_steps": run.train_steps if outcome else "",
        "final_val_loss": _loss(outcome.final_loss) if outcome else "",
        "min_val_loss": _loss(outcome.min_loss) if outcome else "",
        "step_to_3_28": _blank(outcome.crossing) if outcome else "",
        "outcome_source": source,
    }


def _seed_columns(run: Run, facts: RunFacts) -> Row:
    headers = {"seeded_trials": 12648430, "marked_trials": 0}
    header = next((headers[quirk] for quirk in run.quirks if quirk in headers), None)
    printed = header if header is not None else run.printed_seed
    has_text = run.has_log and "empty_log" not in run.quirks
    is_forwarded = PROFILES[run.scope].is_seed_forwarded and run.nominal_seed is not None and header is None
    return {"seed": _blank(printed) if has_text else "", "is_seed_forwarded": _flag(is_forwarded)}


def trial_rows(plan: ScopePlan, facts: dict[str, RunFacts]) -> list[Row]:
    """Make the rows of `trials.csv` for one scope."""
    return [
        {
            "wave": plan.scope.wave,
            "agent": plan.scope.agent,
            "run_id": run.run_id,
            "trial": number,
            "n_checkpoints": len(outcome.points),
            "first_step": outcome.points[0][0],
            "final_step": outcome.points[-1][0],
            "scheduled_steps": run.train_steps,
            "final_val_loss": _loss(outcome.final_loss),
            "min_val_loss": _loss(outcome.min_loss),
            "first_step_le_3_28": _blank(outcome.step_to_target),
        }
        for run in plan.runs
        for number, outcome in enumerate(facts[run.run_id].outcomes)
    ]


def idea_rows(plan: ScopePlan) -> list[Row]:
    """Make the rows of `ideas.csv` for one scope."""
    launches: dict[str, list[datetime]] = {}
    for run in plan.runs:
        launches.setdefault(run.recipe.idea_slug, []).append(run.launched_at)
    return [_idea_row(plan, idea, launches.get(idea.slug, [])) for idea in plan.ideas]


def _idea_row(plan: ScopePlan, idea: Idea, launches: list[datetime]) -> Row:
    return {
        "agent": plan.scope.agent,
        "wave": plan.scope.wave,
        "slug": idea.slug,
        "source_path": idea.source_path,
        "list_number": idea.list_number or "",
        "title": idea.title,
        "first_seen_at": f"{idea.created_at:%Y-%m-%d}" if idea.dated_by else "",
        "first_seen_source": idea.dated_by,
        "mechanism": idea.mechanism,
        "token": idea.token,
        "is_token_declared": _flag(idea.is_token_declared),
        "parent_slug": idea.parent_slug,
        "rule_gate": idea.rule_gate,
        "novelty_gate": idea.novelty_gate,
        "is_rejected": _flag(bool(idea.rejection_class)),
        "rejection_class": idea.rejection_class,
        "rejected_at": rejected_on(idea),
        "n_runs": len(launches),
        "is_written_after_first_run": _flag(bool(launches) and min(launches) < idea.created_at),
    }


def reject_rows(rejects: list[Reject]) -> list[Row]:
    """Make the rows of `quarantine.csv`."""
    ordered = sorted(rejects, key=lambda one: (one.path, one.byte_offset))
    return [
        {
            "kind": one.kind,
            "path": one.path,
            "line": _blank(one.line),
            "byte_offset": one.byte_offset,
            "what": one.what,
        }
        for one in ordered
    ]


def as_csv(rows: list[Row], keys: tuple[str, ...]) -> bytes:
    """Write rows as CSV, sorted by some of their columns."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(rows, key=lambda row: tuple(str(row[key]) for key in keys)))
    return text.getvalue().encode()


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _blank(value: int | None) -> object:
    return "" if value is None else value


def _loss(value: float | None) -> str:
    return "" if value is None else f"{value:.5f}"
