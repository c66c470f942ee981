"""Bootstrap intervals against resamples that are enumerated one by one."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from scorers.bootstrap import Interval, percentile_interval, ratio_interval, resample

ONE_EACH = np.ones(4, dtype=np.int64)


def bounds(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


def test_each_resample_draws_as_many_clusters_as_there_are() -> None:
    draws = resample(4, num_resamples=500)
    assert draws.shape == (500, 4)
    assert set(draws.sum(axis=1).tolist()) == {4}


def test_resamples_come_as_often_as_chance_has_it() -> None:
    """Of two clusters, the four equally likely draws are AA, AB, BA and BB."""
    counts = Counter(map(tuple, resample(2, num_resamples=40_000).tolist()))
    assert counts.keys() == {(2, 0), (1, 1), (0, 2)}
    assert counts[2, 0] / 40_000 == pytest.approx(1 / 4, abs=0.01)
    assert counts[1, 1] / 40_000 == pytest.approx(1 / 2, abs=0.01)


def test_an_interval_is_that_of_all_resamples_enumerated() -> None:
    """Of three clusters there are 27 draws, each as likely as the others; a thousand of each stand for chance.

    The lowest means of 0, 1 and 5 are 0 once and 1/3 three times, the highest 5 once and 11/3 three times. A
    draw has 1/27 = 3.7%, so that 2.5% on each side end at 0 and 5, and 10% at 1/3 and 11/3.
    """
    values, counts = np.array([0.0, 1.0, 5.0]), np.ones(3, dtype=np.int64)
    means = np.array([values[list(draw)].mean() for draw in product(range(3), repeat=3)])
    enumerated = np.repeat(means, 1000)
    assert bounds(percentile_interval(enumerated)) == pytest.approx((0.0, 5.0))
    assert bounds(percentile_interval(enumerated, level=0.8)) == pytest.approx((1 / 3, 11 / 3))
    assert bounds(ratio_interval(values, counts, resample(3))) == pytest.approx((0.0, 5.0))
    assert bounds(ratio_interval(values, counts, resample(3), level=0.8)) == pytest.approx((1 / 3, 11 / 3))


def test_a_bound_lies_between_its_neighbours() -> None:
    """Places 0.25 * 3 = 0.75 and 2.25 of 0, 4, 8, 12: 3 and 9."""
    assert percentile_interval(np.array([12.0, 4.0, 0.0, 8.0]), level=0.5) == Interval(3.0, 9.0)


def test_clusters_of_different_size_weigh_what_they_hold() -> None:
    """Cluster A: 3 things that sum to 3; B: 1 thing of 5. AA gives 6/6, AB 8/4, BB 10/2."""
    sums, counts = np.array([3.0, 5.0]), np.array([3, 1])
    assert ratio_interval(sums, counts, resample(2)) == Interval(1.0, 5.0)
    assert ratio_interval(sums, counts, resample(2), level=0.4) == Interval(2.0, 2.0)


def test_clusters_that_are_all_the_same_leave_no_doubt() -> None:
    assert bounds(ratio_interval(np.full(4, 0.7), ONE_EACH, resample(4))) == pytest.approx((0.7, 0.7))


def test_a_resample_without_anything_to_count_is_left_out() -> None:
    """Only the first two of four clusters hold anything; one draw in sixteen has neither."""
    sums, counts = np.array([1.0, 3.0, 0.0, 0.0]), np.array([1, 1, 0, 0])
    draws = resample(4)
    assert (draws[:, :2].sum(axis=1) == 0).any()
    assert ratio_interval(sums, counts, draws) == Interval(1.0, 3.0)


@pytest.mark.parametrize("counts", [[0, 0], [5, 0]])
def test_fewer_than_two_clusters_have_no_interval(counts: list[int]) -> None:
    assert ratio_interval(np.array([5.0, 0.0]), np.array(counts), resample(2)) is None


def test_nothing_at_all_has_no_interval() -> None:
    assert ratio_interval(np.zeros(0), np.zeros(0, dtype=np.int64), resample(0)) is None
    assert percentile_interval(np.array([np.nan])) is None


def test_the_seed_decides() -> None:
    assert (resample(5) == resample(5)).all()
    assert (resample(5, seed=1) != resample(5)).any()
