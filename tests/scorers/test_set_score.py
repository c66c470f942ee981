"""The score of a set, reckoned by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.set_score import mean_pairwise_distance, set_score, valid_fraction
from scorers.vectors import unit_rows


@pytest.mark.parametrize(
    ("rows", "distance"),
    [
        ([], 0.0),
        ([[1, 0]], 0.0),
        ([[1, 0], [1, 0]], 0.0),
        ([[1, 0], [0, 1]], 1.0),
        ([[1, 0], [-1, 0]], 2.0),
        ([[1, 0], [0.6, 0.8]], 0.4),  # 1 - 0.6
        ([[1, 0], [0, 1], [0, 1]], 2 / 3),  # (1 + 1 + 0) / 3
        ([[1, 0], [0, 1], [0.6, 0.8]], 1.6 / 3),  # (1 + 0.4 + 0.2) / 3
    ],
)
def test_diversity_is_the_mean_distance_of_all_pairs(rows: list[list[float]], distance: float) -> None:
    vectors = np.array(rows, dtype=np.float32).reshape(len(rows), 2)
    assert mean_pairwise_distance(vectors) == pytest.approx(distance, abs=1e-6)


@given(st.lists(st.tuples(*[st.floats(-1, 1, width=32)] * 3), min_size=2, max_size=6))
def test_diversity_does_not_depend_on_the_order(rows: list[tuple[float, float, float]]) -> None:
    vectors = unit_rows(np.array(rows))
    distance = mean_pairwise_distance(vectors)
    assert distance == pytest.approx(mean_pairwise_distance(vectors[::-1]), abs=1e-9)
    assert -1e-6 <= distance <= 2 + 1e-6


def test_the_share_of_valid_ones() -> None:
    assert valid_fraction(3, 4) == 0.75
    assert valid_fraction(0, 3) == 0.0
    assert valid_fraction(0, 0) == 0.0


def test_a_set_is_the_sum_and_two_terms() -> None:
    # 0.6 - 0.7 + 0.3 - 1.0 + 0.5 x 0.9 + 0.1 x 0.75 = -0.8 + 0.45 + 0.075
    assert set_score([0.6, -0.7, 0.3, -1.0], 0.9, 0.75) == pytest.approx(-0.275)
    assert set_score([], 0.0, 0.0) == 0.0
    # 0.3 + 2 x 0.5 + 1 x 1
    assert set_score([0.3], 0.5, 1.0, diversity_weight=2, validity_weight=1) == pytest.approx(2.3)
