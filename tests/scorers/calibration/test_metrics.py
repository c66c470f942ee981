"""Figures of a confusion matrix, reckoned by hand."""

import numpy as np
import pytest

from scorers.bootstrap import resample
from scorers.calibration.metrics import (
    accuracy,
    confusion_of,
    f1,
    figure,
    kappa,
    precision,
    recall,
    resample_confusion,
)
from scorers.classes import Classification

RIGHT = [
    Classification.INVALID,
    Classification.REDISCOVERY,
    Classification.REDISCOVERY,
    Classification.REDISCOVERY,
    Classification.NOVEL_VALIDATED,
    Classification.NOVEL_UNVALIDATED,
]
TOLD = [
    Classification.INVALID,
    Classification.REDISCOVERY,
    Classification.REDISCOVERY,
    Classification.NOVEL_VALIDATED,
    Classification.NOVEL_VALIDATED,
    Classification.REDISCOVERY,
]


def test_figures_by_hand() -> None:
    """Four of six are right. Of three told to be rediscoveries two are, of three that are two are told."""
    counts = confusion_of(RIGHT, TOLD)
    assert float(accuracy(counts)) == pytest.approx(4 / 6)
    assert float(precision(counts, Classification.REDISCOVERY)) == pytest.approx(2 / 3)
    assert float(recall(counts, Classification.REDISCOVERY)) == pytest.approx(2 / 3)
    assert float(f1(counts, Classification.REDISCOVERY)) == pytest.approx(4 / 6)
    assert float(precision(counts, Classification.NOVEL_VALIDATED)) == pytest.approx(1 / 2)
    assert float(recall(counts, Classification.NOVEL_VALIDATED)) == 1.0
    assert float(f1(counts, Classification.NOVEL_VALIDATED)) == pytest.approx(2 / 3)


def test_kappa_by_hand() -> None:
    """p_o = 4/6; p_e = (1*1 + 3*3 + 1*2 + 1*0) / 36 = 12/36; kappa = (24 - 12) / (36 - 12) = 1/2."""
    assert float(kappa(confusion_of(RIGHT, TOLD))) == pytest.approx(0.5)
    assert float(kappa(confusion_of(RIGHT, RIGHT))) == 1.0


def test_what_is_not_defined_is_no_number() -> None:
    counts = confusion_of(
        [Classification.INVALID, Classification.INVALID], [Classification.INVALID, Classification.INVALID]
    )
    assert np.isnan(kappa(counts)), "chance alone agrees always"
    assert np.isnan(precision(counts, Classification.REDISCOVERY))
    assert np.isnan(recall(counts, Classification.REDISCOVERY))
    assert np.isnan(f1(counts, Classification.REDISCOVERY))
    nothing = confusion_of([], [])
    assert np.isnan(accuracy(nothing))
    assert figure(accuracy(nothing), np.array([np.nan])).value is None


def test_snapshots_that_do_not_differ_have_an_interval_without_width() -> None:
    by_snapshot = np.stack([confusion_of(RIGHT, TOLD)] * 3)
    drawn = resample_confusion(by_snapshot, resample(3, num_resamples=50))
    found = figure(accuracy(by_snapshot.sum(axis=0)), accuracy(drawn))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((4 / 6, 4 / 6))
