"""What cosine makes of cases at every threshold, from one look at how near they are to the pools."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorers.calibration.cases import Case
from scorers.calibration.metrics import CLASSES, Codes
from scorers.classes import Classification
from scorers.pools import Benchmark, Priors
from scorers.thresholds import PUBLISHED_THRESHOLD
from scorers.vectors import Vectors, rows_of_bytes

GRID = tuple(number / 100 for number in range(101))
"""The thresholds that are tried: 0.00 to 1.00."""

KAPPA_DIGITS = 12
"""Kappas that differ by rounding alone are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """How near cases are to what they are held against, in the cases' order.

    Attributes:
        priors: Cosine to the nearest prior, shape (n,); -inf where there is none.
        futures: Cosine to the nearest future, likewise.
        is_valid: Whether the candidate is well-formed.
        is_embedded: Whether it has a vector.
    """

    priors: Vectors
    futures: Vectors
    is_valid: NDArray[np.bool_]
    is_embedded: NDArray[np.bool_]


def measure_nearest(benchmark: Benchmark, cases: Sequence[Case], priors: Priors = "scope") -> Nearest:
    """Look how near cases are to the priors and futures of their snapshots."""
    near = Nearest(
        np.full(len(cases), -np.inf, np.float32),
        np.full(len(cases), -np.inf, np.float32),
        np.array([each.candidate.is_valid for each in cases], bool),
        np.zeros(len(cases), bool),
    )
    wanted = [place for place, each in enumerate(cases) if each.candidate.is_valid]
    texts = [cases[place].candidate.text for place in wanted]
    vectors = [each.vector for each in benchmark.embed(texts)] if texts else []
    rows = {place: vector for place, vector in zip(wanted, vectors, strict=True) if vector is not None}
    near.is_embedded[list(rows)] = True
    for snapshot_id in sorted({cases[place].snapshot_id for place in rows}):
        places = [place for place in rows if cases[place].snapshot_id == snapshot_id]
        pools = benchmark.pools(snapshot_id, priors)
        found = pools.similarities(rows_of_bytes([rows[place] for place in places]))
        near.priors[places] = found.priors.max(axis=1, initial=-np.inf)
        near.futures[places] = found.futures.max(axis=1, initial=-np.inf)
    return near


def classify(near: Nearest, threshold: float) -> Codes:
    """Say what the cosine judge makes of cases, futures first.

    Returns:
        Places in `CLASSES`, shape (n,).
    """
    least = np.float32(threshold)
    classes = {
        Classification.INVALID: ~near.is_valid,
        Classification.UNJUDGED: ~near.is_embedded,
        Classification.NOVEL_VALIDATED: near.futures >= least,
        Classification.REDISCOVERY: near.priors >= least,
    }
    unvalidated = CLASSES.index(Classification.NOVEL_UNVALIDATED)
    codes = [CLASSES.index(each) for each in classes]
    return np.select(list(classes.values()), codes, unvalidated).astype(np.int64)


def choose(thresholds: Sequence[float], kappas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Choose the threshold with the largest kappa; of equal ones the nearest to the published, the lower.

    >>> float(choose([0.7, 0.74, 0.76, 0.8], np.array([0.5, 0.9, 0.9, np.nan])))
    0.74

    Args:
        thresholds: What there is to choose from, t of them.
        kappas: The kappa at each, shape (t, ...), NaN where it is not defined; further axes are chosen for on
            their own.

    Returns:
        What is chosen, shape (...). Where no kappa is defined it is the nearest to the published.
    """
    values = np.asarray(thresholds, np.float64)
    preference = np.lexsort((values, np.round(np.abs(values - PUBLISHED_THRESHOLD), 6)))
    ranked = np.round(np.where(np.isnan(kappas), -np.inf, kappas)[preference], KAPPA_DIGITS)
    chosen: NDArray[np.float64] = values[preference][ranked.argmax(axis=0)]
    return chosen
