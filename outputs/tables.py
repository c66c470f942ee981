"""Records to frames that have the declared columns, types and row order."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from operator import itemgetter
from typing import Any

import polars as pl
import pyarrow as pa

from linkers.ideas.model import RunIdea
from linkers.runs import Run
from linkers.variants.cascade import RunVariant
from linkers.write_ups import WriteUp
from outputs.schemas import QUARANTINE, RUNS, VAL_TRAJECTORIES, Column, Table
from parsers.archive import ArchiveFile
from parsers.parsed_files import ParsedArchive
from parsers.quarantine import Quarantined


def frame_of(table: Table, rows: Iterable[Mapping[str, object]]) -> pl.DataFrame:
    """Build a frame with the table's types and row order, also without any row.

    Args:
        table: The declaration.
        rows: One mapping of column name to value a row.
    """
    cells = map(itemgetter(*(column.name for column in table.columns)), rows)
    columns = [*zip(*cells, strict=True)] or [()] * len(table.columns)
    frame = pl.DataFrame([*map(_series, table.columns, columns)])
    return frame.sort(table.primary_key, maintain_order=True)


def _series(column: Column, values: Sequence[Any]) -> pl.Series:
    kind = column.kind.polars
    if not isinstance(kind, pl.List):
        return pl.Series(column.name, values, kind)
    # Polars reads lists value by value, and Arrow imports pandas, where it is installed, to look at them.
    items = pl.Series([*chain.from_iterable(values)], dtype=kind.inner)
    ends = pl.Series([0, *accumulate(map(len, values))], dtype=pl.Int64)
    return pl.Series(column.name, pa.LargeListArray.from_arrays(ends.to_arrow(), items.to_arrow()))


def build_runs(
    runs: Iterable[Run], variants: Iterable[RunVariant], ideas: Mapping[str, RunIdea]
) -> pl.DataFrame:
    """Build the table `runs`: one row a launch.

    Args:
        runs: The runs.
        variants: Their variants, in the same order.
        ideas: Which idea each tested, by experiment id.
    """
    rows = (
        {**_run_row(run), **_variant_columns(variant), **_idea_columns(ideas[run.experiment_id])}
        for run, variant in zip(runs, variants, strict=True)
    )
    return frame_of(RUNS, rows)


def _variant_columns(variant: RunVariant) -> dict[str, object]:
    return {
        "variant_path": variant.path,
        "variant_tier": variant.tier,
        "is_variant_conflict": variant.is_conflict,
        "recovered_source_sha256": variant.source_sha256,
        "is_variant_drifted": variant.is_drifted,
    }


def _idea_columns(link: RunIdea) -> dict[str, object]:
    return {
        "idea_id": link.idea_id,
        "idea_tier": link.tier.value if link.tier else None,
        "idea_link_score": link.score if link.idea_id else None,
        "is_idea_conflict": link.is_conflict,
        "idea_conflicts": list(link.reasons),
    }


def _run_row(run: Run) -> dict[str, object]:
    outcome = run.outcome
    ledger = run.ledger
    return {
        "experiment_id": run.experiment_id,
        "run_id": run.run_id,
        "agent": run.scope.agent,
        "wave": run.scope.wave,
        "launched_at": run.launch.at if run.launch else None,
        "launched_at_source": run.launch.source.value if run.launch else None,
        "log_path": run.logs[0].path if run.logs else None,
        "log_paths": [log.path for log in run.logs],
        "ledger_variant": (ledger.variant or ledger.script) if ledger else None,
        "final_val_loss": outcome.final_val_loss,
        "min_val_loss": outcome.min_val_loss,
        "step_to_3_28": outcome.step_to_3_28,
        "final_step": outcome.final_step,
        "scheduled_steps": outcome.scheduled_steps,
        "train_time_s": outcome.train_time_s,
        "step_avg_ms": outcome.step_avg_ms,
        "num_val_points": outcome.num_val_points,
        "hit_target": outcome.step_to_3_28 is not None,
        "status": run.status.value,
        "seed": run.seed,
        "seed_source": run.seed_source.value if run.seed_source else None,
        "val_trajectory_count": run.num_trials,
        "purpose": ledger.purpose if ledger else None,
        "is_stat_verify": ledger.is_stat_verify if ledger else None,
        "slurm_job_id": ledger.slurm_job_id if ledger else None,
        "note": ledger.note if ledger else None,
        "ledger_final_val_loss": ledger.final_val_loss if ledger else None,
        "ledger_min_val_loss": ledger.min_val_loss if ledger else None,
        "ledger_step_to_3_28": ledger.step_to_3_28 if ledger else None,
        "ledger_final_step": ledger.final_step if ledger else None,
        "ledger_status": ledger.status.value if ledger and ledger.status else None,
        "ledger_lines": list(run.ledger_lines),
        "export_ids": list(run.export_ids),
        "conflicts": list(run.conflicts),
        "same_log_as": run.scope.qualify(run.same_log_as) if run.same_log_as else None,
    }


def build_val_trajectories(runs: Iterable[Run]) -> pl.DataFrame:
    """Build the table `val_trajectories` from the published log of each run: one row a checkpoint."""
    logged = [run for run in runs if run.logs]
    logs = [run.logs[0].checkpoints for run in logged]
    names = pl.DataFrame(
        {
            "experiment_id": [run.experiment_id for run in logged],
            "run_id": [run.run_id for run in logged],
            "rows": [len(checkpoints) for checkpoints in logs],
        }
    )
    numbers = [
        _series(column, [*chain.from_iterable(getattr(checkpoints, column.name) for checkpoints in logs)])
        for column in VAL_TRAJECTORIES.columns
        if column.name not in names.columns
    ]
    places = pl.select(pl.int_range(names.height).repeat_by(names["rows"]).explode()).to_series()
    frame = names.drop("rows")[places].hstack(numbers)
    return frame.sort(VAL_TRAJECTORIES.primary_key, maintain_order=True)


def idea_text_row(write_up: WriteUp) -> dict[str, object]:
    """Lay out what a write-up says, the first columns of the table `ideas`."""
    idea = write_up.idea
    return {
        "idea_id": write_up.idea_id,
        "slug": idea.slug,
        "agent": write_up.scope.agent,
        "wave": write_up.scope.wave,
        "source_path": idea.path,
        "title": idea.title,
        "proposal_text": idea.proposal_text,
        "novelty_rationale": idea.novelty_rationale,
        "prior_art_cited": idea.prior_art_cited,
        "rule_gate_verdict": idea.rule_gate_verdict.value if idea.rule_gate_verdict else None,
        "novelty_gate_verdict": idea.novelty_gate_verdict.value if idea.novelty_gate_verdict else None,
        "aliases": [alias.text for alias in idea.aliases],
        "arxiv_ids": list(idea.arxiv_ids),
        "local_references": sorted({reference.name for reference in idea.local_references}),
    }


def build_quarantine(
    parsed: ParsedArchive, duplicates: Iterable[tuple[ArchiveFile, Quarantined]]
) -> pl.DataFrame:
    """Build the table `quarantine`: one row a rejected input.

    Args:
        parsed: The parsed archive.
        duplicates: Write-ups that were set aside because their slug is taken.
    """
    rows = [
        {
            "kind": reject.kind.value,
            "agent": file.scope.agent if file and file.scope else None,
            "wave": file.scope.wave if file and file.scope else None,
            "path": reject.path,
            "line": reject.line,
            "byte_offset": reject.byte_offset,
            "reason": reject.reason.value,
            "detail": reject.detail,
            "excerpt": reject.excerpt,
        }
        for file, reject in [*parsed.quarantined(), *duplicates]
    ]
    return frame_of(QUARANTINE, rows)
