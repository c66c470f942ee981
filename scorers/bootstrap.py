"""Percentile intervals by resampling whole clusters, with a fixed seed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Draws = NDArray[np.int64]
"""How often each cluster is drawn in each resample, shape (resamples, clusters)."""

NUM_RESAMPLES = 10_000
SEED = 0
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval.

    Attributes:
        low: Its lower bound.
        high: Its upper bound.
    """

    low: float
    high: float


def resample(num_clusters: int, *, num_resamples: int = NUM_RESAMPLES, seed: int = SEED) -> Draws:
    """Draw as many clusters as there are, with replacement, again and again.

    One array of draws serves every statistic and everybody who is compared, so that all of them are seen on
    the same resamples.

    Args:
        num_clusters: How many clusters there are, in an order that does not hang on the input's.
        num_resamples: How many resamples.
        seed: The same seed gives the same draws.

    Returns:
        How often each cluster is drawn, shape (num_resamples, num_clusters).
    """
    if not num_clusters:
        return np.zeros((num_resamples, 0), dtype=np.int64)
    shares = np.full(num_clusters, 1 / num_clusters)
    return np.random.Generator(np.random.PCG64(seed)).multinomial(num_clusters, shares, size=num_resamples)


def percentile_interval(values: NDArray[np.float64], *, level: float = LEVEL) -> Interval | None:
    """Take the middle of a statistic's resampled values, linear between neighbours.

    Args:
        values: The statistic on each resample; NaN where it is not defined, which is left out.
        level: The share of values between the bounds.

    Returns:
        The interval, or None if no value is defined.
    """
    defined = values[~np.isnan(values)]
    if not defined.size:
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def ratio_interval(
    sums: NDArray[np.float64], counts: NDArray[np.int64], draws: Draws, *, level: float = LEVEL
) -> Interval | None:
    """Bound a mean over things that come in clusters: the sum of the drawn clusters by their count.

    Args:
        sums: The sum over each cluster's things, shape (clusters,).
        counts: How many things each cluster holds, shape (clusters,); 0 where it has none to show.
        draws: Draws of the clusters, from `resample`.
        level: The share of resamples between the bounds.

    Returns:
        The interval, or None where fewer than two clusters hold anything: one cluster tells nothing of how
        clusters differ.
    """
    if np.count_nonzero(counts) < 2:
        return None
    drawn = (draws * counts).sum(axis=1)
    means = np.full(len(draws), np.nan)
    np.divide((draws * sums).sum(axis=1), drawn, out=means, where=drawn > 0)
    return percentile_interval(means, level=level)
