"""Records to frames that have the declared columns, types and row order."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import accumulate, chain
from operator import itemgetter
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from linkers.ideas.model import RunIdea
from linkers.run_outcomes import Outcome
from linkers.runs import Run
from linkers.variants.cascade import RunVariant
from linkers.write_ups import WriteUp
from outputs.schemas import QUARANTINE, RUNS, VAL_TRAJECTORIES, Column, Table
from parsers.archive import ArchiveFile
from parsers.ledger_fields import LedgerFields
from parsers.parsed_files import ParsedArchive
from parsers.quarantine import Quarantined


def frame_of(table: Table, rows: Iterable[Mapping[str, object]]) -> pl.DataFrame:
    """Build a frame with the table's types and row order, also without any row.

    Args:
        table: The declaration.
        rows: One mapping of column name to value a row.
    """
    names = [column.name for column in table.columns]
    columns = [*zip(*map(itemgetter(*names), rows), strict=True)] or [()] * len(names)
    return frame_of_columns(table, dict(zip(names, columns, strict=True)))


def frame_of_columns(table: Table, columns: Mapping[str, Sequence[object]]) -> pl.DataFrame:
    """Build a frame with the table's types and row order from a mapping of column name to values."""
    frame = pl.DataFrame([_series(column, columns[column.name]) for column in table.columns])
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
    runs = tuple(runs)
    links = [ideas[run.experiment_id] for run in runs]
    columns = {
        **_run_columns(runs),
        **_ledger_columns(runs),
        **_variant_columns(variants),
        **_idea_columns(links),
    }
    return frame_of_columns(RUNS, columns)


def _run_columns(runs: Sequence[Run]) -> dict[str, list[object]]:
    outcomes = [run.outcome for run in runs]
    return {
        "experiment_id": [run.experiment_id for run in runs],
        "run_id": [run.run_id for run in runs],
        "agent": [run.scope.agent for run in runs],
        "wave": [run.scope.wave for run in runs],
        "launched_at": [run.launch.at if run.launch else None for run in runs],
        "launched_at_source": [run.launch.source.value if run.launch else None for run in runs],
        "log_path": [run.logs[0].path if run.logs else None for run in runs],
        "log_paths": [[log.path for log in run.logs] for run in runs],
        **{field.name: [getattr(each, field.name) for each in outcomes] for field in fields(Outcome)},
        "hit_target": [each.step_to_3_28 is not None for each in outcomes],
        "status": [run.status.value for run in runs],
        "seed": [run.seed for run in runs],
        "seed_source": [run.seed_source.value if run.seed_source else None for run in runs],
        "val_trajectory_count": [run.num_trials for run in runs],
        "ledger_lines": [run.ledger_lines for run in runs],
        "export_ids": [run.export_ids for run in runs],
        "conflicts": [run.conflicts for run in runs],
        "same_log_as": [run.scope.qualify(run.same_log_as) if run.same_log_as else None for run in runs],
    }


def _ledger_columns(runs: Sequence[Run]) -> dict[str, list[object]]:
    facts = [run.ledger or LedgerFields() for run in runs]
    return {
        "ledger_variant": [each.variant or each.script for each in facts],
        "purpose": [each.purpose for each in facts],
        "is_stat_verify": [each.is_stat_verify for each in facts],
        "slurm_job_id": [each.slurm_job_id for each in facts],
        "note": [each.note for each in facts],
        "ledger_final_val_loss": [each.final_val_loss for each in facts],
        "ledger_min_val_loss": [each.min_val_loss for each in facts],
        "ledger_step_to_3_28": [each.step_to_3_28 for each in facts],
        "ledger_final_step": [each.final_step for each in facts],
        "ledger_status": [each.status.value if each.status else None for each in facts],
    }


def _variant_columns(variants: Iterable[RunVariant]) -> dict[str, list[object]]:
    variants = list(variants)
    return {
        "variant_path": [each.path for each in variants],
        "variant_tier": [each.tier for each in variants],
        "is_variant_conflict": [each.is_conflict for each in variants],
        "recovered_source_sha256": [each.source_sha256 for each in variants],
        "is_variant_drifted": [each.is_drifted for each in variants],
    }


def _idea_columns(links: Sequence[RunIdea]) -> dict[str, list[object]]:
    return {
        "idea_id": [link.idea_id for link in links],
        "idea_tier": [link.tier.value if link.tier else None for link in links],
        "idea_link_score": [link.score if link.idea_id else None for link in links],
        "is_idea_conflict": [link.is_conflict for link in links],
        "idea_conflicts": [link.reasons for link in links],
    }


def build_val_trajectories(runs: Iterable[Run]) -> pl.DataFrame:
    """Build the table `val_trajectories` from the published log of each run: one row a checkpoint.

    In a log each trial and each step of a trial has a larger number than the one before, so that rows are in
    order where runs are.
    """
    logged = sorted((run for run in runs if run.logs), key=lambda run: run.experiment_id)
    logs = [run.logs[0].checkpoints for run in logged]
    names = pl.DataFrame(
        {
            "experiment_id": [run.experiment_id for run in logged],
            "run_id": [run.run_id for run in logged],
        },
        schema_overrides={"experiment_id": pl.String, "run_id": pl.String},
    )
    counts = np.array([len(checkpoints) for checkpoints in logs], np.int64)
    columns = [
        _joined(column, [getattr(checkpoints, column.name) for checkpoints in logs])
        for column in VAL_TRAJECTORIES.columns
        if column.name not in names.columns
    ]
    is_known = pl.col("step_avg_ms").is_finite()
    return (
        names[np.repeat(np.arange(names.height), counts)]
        .hstack(columns)
        .with_columns(step_avg_ms=pl.when(is_known).then("step_avg_ms"))
    )


def _joined(column: Column, parts: Sequence[Any]) -> pl.Series:
    """Join the numbers of all logs: arrays by their bytes, lists value by value."""
    if parts and isinstance(parts[0], array):
        return pl.Series(column.name, np.frombuffer(b"".join(parts), parts[0].typecode), column.kind.polars)
    return _series(column, [*chain.from_iterable(parts)])


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
