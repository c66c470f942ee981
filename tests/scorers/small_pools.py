"""A benchmark of a few experiments with vectors by hand, whose cosines are plain numbers."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl

from outputs.schemas import SNAPSHOTS
from scorers.candidates import Candidate
from scorers.catalogue import Catalogue
from scorers.pools import Benchmark
from scorers.vectors import Vectors, unit_rows

SNAPSHOT = "snap_codex_v1_k0002"
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
DIMENSIONS = 8

Row = tuple[str, str | None, str, str, int | None, Sequence[float]]
"""Id, idea, text, verdict, step, vector."""

PRIORS: tuple[Row, ...] = (
    ("p-decay", "i-decay", "Decays the weights of the head alone.", "regressed", 3600, (1, 0, 0)),
    ("p-ema", None, "Averages the weights over the last steps.", "neutral", 3480, (0, 1, 0)),
)
FUTURES: tuple[Row, ...] = (
    ("f-polar", "i-polar", "Orthogonalises by the polar express.", "improved", 3200, (0, 0, 1)),
    ("f-warm", None, "Warms the momentum up.", "improved", 3390, (0, 1, 1)),
)


def benchmark(priors: Sequence[Row] = PRIORS, futures: Sequence[Row] = FUTURES) -> Benchmark:
    """Two priors, of which `i-decay` had failed by then, and two futures, of which `i-polar` is on the frontier."""
    rows = sorted([*priors, *futures])
    later = {each[0] for each in futures}
    experiments = pl.DataFrame(
        [
            {
                "experiment_id": name,
                "idea_id": idea,
                "idea_title": None,
                "text": text,
                "launched_at": NOON + timedelta(hours=1 if name in later else -1),
                "finished_at": None,
                "verdict": verdict,
                "step_to_3_28": step,
                "rejection_class": "failed" if idea == "i-decay" else "none",
                "rejected_at": NOON - timedelta(minutes=1) if idea == "i-decay" else None,
                "rejection_evidence": None,
            }
            for name, idea, text, verdict, step, _ in rows
        ],
        schema_overrides={"idea_title": pl.String, "rejection_evidence": pl.String, "step_to_3_28": pl.Int64},
        infer_schema_length=None,
    )
    snapshot = {
        **{column.name: [] if column.kind.value == "texts" else None for column in SNAPSHOTS.columns},
        "snapshot_id": SNAPSHOT,
        "agent": "codex",
        "wave": "v1",
        "wall_clock": NOON,
        "split": "test",
        "wave_constraint": "Anything goes.",
        "prior_experiment_ids": [each[0] for each in priors],
        "future_frontier_idea_ids": ["i-polar"],
        "future_improved_experiment_ids": [each[0] for each in futures],
    }
    catalogue = Catalogue(experiments, vectors_of(*(each[5] for each in rows)), np.arange(len(rows)))
    snapshots = pl.DataFrame([snapshot], schema=SNAPSHOTS.polars_schema)
    return Benchmark("by-hand", "by-hand", catalogue, snapshots, None)


def vectors_of(*rows: Sequence[float]) -> Vectors:
    """Rows of unit length, filled up with zeros."""
    padded = np.zeros((len(rows), DIMENSIONS))
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    return unit_rows(padded)


def candidate(text: str = "Decays the head.", path: str = "a.md") -> Candidate:
    """A well-formed candidate."""
    return Candidate(path, text.splitlines()[0], text, text)
