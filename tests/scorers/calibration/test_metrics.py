"""Figures of a confusion matrix, reckoned by hand and one pair at a time."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.bootstrap import resample
from scorers.calibration.metrics import (
    CLASSES,
    Confusion,
    accuracy,
    codes,
    count_confusion,
    f1,
    figure,
    kappa,
    precision,
    recall,
    resample_confusion,
    without,
)
from scorers.classes import Classification

INVALID, VALIDATED, REDISCOVERY, UNVALIDATED, UNJUDGED = Classification

RIGHT = [INVALID, REDISCOVERY, REDISCOVERY, REDISCOVERY, VALIDATED, UNVALIDATED]
TOLD = [INVALID, REDISCOVERY, REDISCOVERY, VALIDATED, VALIDATED, REDISCOVERY]


def confusion(expected: list[Classification], found: list[Classification]) -> Confusion:
    return count_confusion(codes(expected), codes(found))[0]


def test_figures_by_hand() -> None:
    """Four of six are right. Of three told to be rediscoveries two are, of three that are two are told."""
    counts = confusion(RIGHT, TOLD)
    assert float(accuracy(counts)) == pytest.approx(4 / 6)
    assert float(precision(counts, REDISCOVERY)) == pytest.approx(2 / 3)
    assert float(recall(counts, REDISCOVERY)) == pytest.approx(2 / 3)
    assert float(f1(counts, REDISCOVERY)) == pytest.approx(4 / 6)
    assert float(precision(counts, VALIDATED)) == pytest.approx(1 / 2)
    assert float(recall(counts, VALIDATED)) == 1.0
    assert float(f1(counts, VALIDATED)) == pytest.approx(2 / 3)


def test_kappa_by_hand() -> None:
    """p_o = 4/6; p_e = (1*1 + 2*1 + 3*3 + 0*1) / 36 = 12/36; kappa = (24 - 12) / (36 - 12) = 1/2."""
    assert float(kappa(confusion(RIGHT, TOLD))) == pytest.approx(0.5)
    assert float(kappa(confusion(RIGHT, RIGHT))) == 1.0


def test_kappa_of_what_always_errs_is_below_nothing() -> None:
    """p_o = 0, p_e = (1*1 + 1*1) / 4 = 1/2, kappa = (0 - 1/2) / (1 - 1/2) = -1."""
    assert float(kappa(confusion([VALIDATED, REDISCOVERY], [REDISCOVERY, VALIDATED]))) == -1.0


def test_kappa_is_not_defined_where_chance_alone_always_agrees() -> None:
    """All four are expected and found to be one class: p_e = 16/16."""
    assert np.isnan(kappa(confusion([REDISCOVERY] * 4, [REDISCOVERY] * 4)))
    # Found to be another class throughout, p_e = 0 and p_o = 0.
    assert float(kappa(confusion([REDISCOVERY] * 4, [UNVALIDATED] * 4))) == 0.0


def test_a_class_that_is_expected_and_never_found_has_recall_and_no_precision() -> None:
    """Two are expected, none found: recall 0/2, precision 0/0, F1 = 2*0 / (2 + 0)."""
    counts = confusion([VALIDATED, VALIDATED], [UNVALIDATED, UNVALIDATED])
    assert float(recall(counts, VALIDATED)) == 0.0
    assert np.isnan(precision(counts, VALIDATED))
    assert float(f1(counts, VALIDATED)) == 0.0
    # And the other way round for the class that is found and never expected.
    assert float(precision(counts, UNVALIDATED)) == 0.0
    assert np.isnan(recall(counts, UNVALIDATED))
    assert float(f1(counts, UNVALIDATED)) == 0.0


def test_what_is_not_defined_is_no_number() -> None:
    counts = confusion([INVALID, INVALID], [INVALID, INVALID])
    assert np.isnan(precision(counts, REDISCOVERY))
    assert np.isnan(recall(counts, REDISCOVERY))
    assert np.isnan(f1(counts, REDISCOVERY))
    nothing = confusion([], [])
    assert np.isnan(accuracy(nothing))
    assert np.isnan(kappa(nothing))
    told = figure(accuracy(nothing), np.array([np.nan]))
    assert (told.value, told.interval) == (None, None)


def test_cases_of_a_class_can_be_left_out() -> None:
    """Without the one malformed case 3 of 5 are right; what is found to be malformed and is not stays."""
    rest = without(confusion(RIGHT, TOLD), INVALID)
    assert float(accuracy(rest)) == pytest.approx(3 / 5)
    wrongly = confusion([REDISCOVERY], [INVALID])
    assert (without(wrongly, INVALID) == wrongly).all()


def test_each_snapshot_has_a_matrix_of_its_own() -> None:
    by_snapshot = count_confusion(codes(RIGHT), codes(TOLD), np.array([0, 0, 2, 2, 2, 2]))
    assert by_snapshot.sum(axis=(1, 2)).tolist() == [2, 0, 4]
    assert (by_snapshot.sum(axis=0) == confusion(RIGHT, TOLD)).all()


def test_snapshots_that_do_not_differ_have_an_interval_without_width() -> None:
    by_snapshot = np.stack([confusion(RIGHT, TOLD)] * 3)
    drawn = resample_confusion(by_snapshot, resample(3, num_resamples=50))
    found = figure(accuracy(by_snapshot.sum(axis=0)), accuracy(drawn))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((4 / 6, 4 / 6))


def test_resampled_matrices_by_hand() -> None:
    """The first snapshot drawn twice, then both once."""
    by_snapshot = np.stack([confusion([VALIDATED], [VALIDATED]), confusion([VALIDATED], [REDISCOVERY])])
    drawn = resample_confusion(by_snapshot, np.array([[2, 0], [1, 1]]))
    assert accuracy(drawn).tolist() == [1.0, 0.5]


PAIRS = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1, max_size=40)


@given(PAIRS)
def test_figures_are_those_of_the_pairs(pairs: list[tuple[Classification, Classification]]) -> None:
    counts = confusion([right for right, _ in pairs], [told for _, told in pairs])
    total = len(pairs)
    agreed = sum(right is told for right, told in pairs) / total
    assert float(accuracy(counts)) == pytest.approx(agreed)
    rights, tolds = Counter(right for right, _ in pairs), Counter(told for _, told in pairs)
    by_chance = sum(rights[each] * tolds[each] for each in CLASSES) / total**2
    if by_chance < 1:
        assert float(kappa(counts)) == pytest.approx((agreed - by_chance) / (1 - by_chance))
    else:
        assert np.isnan(kappa(counts))
    for each in CLASSES:
        hits = sum(right is told is each for right, told in pairs)
        p, r = float(precision(counts, each)), float(recall(counts, each))
        assert np.isnan(p) if not tolds[each] else p == pytest.approx(hits / tolds[each])
        assert np.isnan(r) if not rights[each] else r == pytest.approx(hits / rights[each])
        if p > 0 and r > 0:
            assert float(f1(counts, each)) == pytest.approx(2 * p * r / (p + r))
