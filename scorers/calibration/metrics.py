"""Figures of a confusion matrix, with intervals over resampled snapshots.

Precision, recall and F1 are those of one class against the rest; F1 is `2 tp / (2 tp + fp + fn)`. Kappa is
Cohen's (1960): `(p_o - p_e) / (1 - p_e)`, p_o the share of agreement and p_e what chance alone would give.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorers.bootstrap import Draws, Interval, percentile_interval
from scorers.classes import Classification

Confusion = NDArray[np.int64]
"""How often what is expected (row) was found (column), in the order of `Classification`, shape
(..., classes, classes); leading axes are snapshots or resamples."""

CLASSES = tuple(Classification)

Codes = NDArray[np.int64]
"""Classes as places in `CLASSES`, shape (n,)."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its interval.

    Attributes:
        value: The number; None where it is not defined, as the precision of a class that was never found.
        interval: The interval; None where it cannot be had.
    """

    value: float | None
    interval: Interval | None


def codes(classes: Sequence[Classification]) -> Codes:
    """Give the places of classes in `CLASSES`, shape (n,)."""
    return np.array([CLASSES.index(each) for each in classes], np.int64)


def count_confusion(expected: Codes, found: Codes, snapshots: NDArray[np.int64] | None = None) -> Confusion:
    """Count what was found where what was expected.

    Args:
        expected: The right answers, shape (n,).
        found: The answers, shape (n,).
        snapshots: The number of each case's snapshot from 0 on, shape (n,); None counts all as of one.

    Returns:
        Shape (snapshots, classes, classes).
    """
    places = np.zeros_like(expected) if snapshots is None else snapshots
    counts = np.zeros((places.max(initial=0) + 1, len(CLASSES), len(CLASSES)), np.int64)
    np.add.at(counts, (places, expected, found), 1)
    return counts


def without(confusion: Confusion, of: Classification) -> Confusion:
    """Leave out the cases of a class."""
    rest = confusion.copy()
    rest[..., CLASSES.index(of), :] = 0
    return rest


def accuracy(confusion: Confusion) -> NDArray[np.float64]:
    """The share of right answers; NaN of none."""
    return _ratio(np.trace(confusion, axis1=-2, axis2=-1), confusion.sum(axis=(-2, -1)))


def precision(confusion: Confusion, of: Classification) -> NDArray[np.float64]:
    """The share of what was found to be of a class that is; NaN where nothing was."""
    place = CLASSES.index(of)
    return _ratio(confusion[..., place, place], confusion[..., :, place].sum(axis=-1))


def recall(confusion: Confusion, of: Classification) -> NDArray[np.float64]:
    """The share of a class that was found; NaN of an empty class."""
    place = CLASSES.index(of)
    return _ratio(confusion[..., place, place], confusion[..., place, :].sum(axis=-1))


def f1(confusion: Confusion, of: Classification) -> NDArray[np.float64]:
    """The harmonic mean of both; NaN where the class is neither expected nor found."""
    place = CLASSES.index(of)
    both = confusion[..., place, :].sum(axis=-1) + confusion[..., :, place].sum(axis=-1)
    return _ratio(2 * confusion[..., place, place], both)


def kappa(confusion: Confusion) -> NDArray[np.float64]:
    """Cohen's kappa; NaN where chance alone would agree always, or there is nothing."""
    total = confusion.sum(axis=(-2, -1)).astype(np.float64)
    rows, columns = confusion.sum(axis=-1), confusion.sum(axis=-2)
    observed = np.trace(confusion, axis1=-2, axis2=-1) * total
    by_chance = (rows * columns).sum(axis=-1)
    return _ratio(observed - by_chance, total * total - by_chance)


def figure(values: NDArray[np.float64], resampled: NDArray[np.float64]) -> Figure:
    """Put a number and its interval together."""
    value = float(values)
    return Figure(None if np.isnan(value) else value, percentile_interval(resampled))


def resample_confusion(by_snapshot: Confusion, draws: Draws) -> Confusion:
    """Add up the confusions of the drawn snapshots.

    Args:
        by_snapshot: Shape (snapshots, classes, classes).
        draws: How often each is drawn, shape (resamples, snapshots).

    Returns:
        Shape (resamples, classes, classes).
    """
    return np.tensordot(draws, by_snapshot, axes=(1, 0))


def _ratio(above: NDArray[np.generic], below: NDArray[np.generic]) -> NDArray[np.float64]:
    above, below = np.asarray(above, np.float64), np.asarray(below, np.float64)
    ratio = np.full(below.shape, np.nan)
    np.divide(above, below, out=ratio, where=below != 0)
    return ratio
