"""A benchmark of a few experiments with vectors by hand, and candidates that go with it."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from scorers.candidates import Candidate
from scorers.pools import Benchmark
from scorers.vectors import Vectors, unit_rows
from tests.scorers.small import SNAPSHOT, Thought, Tried, write_dataset

__all__ = ["FUTURES", "PRIORS", "SNAPSHOT", "Row", "benchmark", "candidate", "vectors_of"]

DIMENSIONS = 8
CLOCK = 10.0

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
    """Two priors, of which `i-decay` had failed by then, and two futures; `i-polar` is on the frontier."""
    with TemporaryDirectory() as folder:
        return Benchmark.load(write_small(Path(folder), priors, futures))


def write_small(folder: Path, priors: Sequence[Row] = PRIORS, futures: Sequence[Row] = FUTURES) -> Path:
    """Write that benchmark as a dataset."""
    return write_dataset(
        folder,
        [
            *(_tried(row, CLOCK - 1) for row in priors),
            *(_tried(row, CLOCK + 1) for row in futures),
            _tried(
                ("z-later", None, "Came to nothing later.", "inconclusive", None, (0, 0, 0, 1)), CLOCK + 2
            ),
        ],
        [Thought("i-decay", "failed", CLOCK - 0.5), Thought("i-polar")],
        clock=CLOCK,
        wave_constraint="Anything goes.",
        prior_experiment_ids=[row[0] for row in priors],
        future_frontier_idea_ids=["i-polar"],
        future_improved_experiment_ids=[row[0] for row in futures],
    )


def _tried(row: Row, at: float) -> Tried:
    name, idea, text, verdict, step, vector = row
    return Tried(name, vectors_of(vector)[0].tolist(), at, idea, text, step, verdict)


def vectors_of(*rows: Sequence[float]) -> Vectors:
    """Rows of unit length, filled up with zeros."""
    padded = np.zeros((len(rows), DIMENSIONS))
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    return unit_rows(padded)


def candidate(text: str = "Decays the head.", path: str = "a.md") -> Candidate:
    """A well-formed candidate."""
    return Candidate(path, text.splitlines()[0], text, text)
