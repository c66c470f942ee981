"""distinct_k and utility_k: by hand, against published rows, and whatever the input."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.noveltybench import credit, distinct_k, first_members, utility_k

LABELS = st.lists(st.integers(0, 9), max_size=12)
QUALITIES = st.floats(1, 10)


@st.composite
def scored(draw: st.DrawFn, min_size: int = 0) -> tuple[list[int], list[float]]:
    labels = draw(st.lists(st.integers(0, 9), min_size=min_size, max_size=12))
    return labels, draw(st.lists(QUALITIES, min_size=len(labels), max_size=len(labels)))


def test_first_members_are_where_classes_show_up() -> None:
    assert first_members([0, 1, 0, 2, 1]) == [0, 1, 3]
    assert first_members([7, 7, 3]) == [0, 2], "labels need not be numbered from 0"
    assert first_members([]) == []


def test_distinct_k_counts_classes_not_the_highest_label() -> None:
    assert distinct_k([0, 1, 0, 2]) == 3
    assert distinct_k([0] * 10) == 1
    assert distinct_k([4, 9]) == 2
    assert distinct_k([]) == 0


def test_utility_by_hand() -> None:
    # (1 * 5 + 0.8 * 10 + 0.64 * 0) / (1 + 0.8 + 0.64) = 13 / 2.44
    assert utility_k([0, 1, 0], [5, 10, 9]) == pytest.approx(13 / 2.44, abs=1e-12)
    # Patience 0.5: (1 * 5 + 0.5 * 10) / 1.75
    assert utility_k([0, 1, 0], [5, 10, 9], 0.5) == pytest.approx(10 / 1.75, abs=1e-12)
    # Ten times the same: 10 / (1 + 0.8 + ... + 0.8^9) = 10 * 0.2 / (1 - 0.8^10)
    assert utility_k([0] * 10, [10] * 10) == pytest.approx(2 / (1 - 0.8**10), abs=1e-12)
    assert utility_k([0], [3]) == 3
    assert utility_k([0, 1], [5, 10], 1) == 7.5, "all positions count alike"
    assert utility_k([0, 1], [5, 10], 0) == 5, "only the first position counts"


def test_no_output_is_worth_nothing() -> None:
    assert utility_k([], []) == 0


@pytest.mark.parametrize(
    ("labels", "scores", "utility"),
    [
        (range(10), [9, 6, 6, 9, 6, 6, 7, 4, 2, 7], 6.860795780773976),
        ([0, 1, 2, 3, 4, 5, 6, 3, 6, 7], [4, 10, 9, 4, 10, 10, 10, 0, 0, 10], 6.978157401661962),
        ([0, 1, 0, 2, 1, 3, 2, 4, 5, 6], [2, 9, 0, 4, 0, 10, 0, 9, 7, 10], 4.241154317246582),
        ([0, 1, 0, 0, 2, 3, 3, 4, 5, 0], [9, 2, 0, 0, 10, 9, 0, 10, 8, 0], 4.724140589320996),
        ([0] * 10, [10, 0, 0, 0, 0, 0, 0, 0, 0, 0], 2.2405804992033427),
    ],
)
def test_utilities_of_published_rows(labels: list[int], scores: list[int], utility: float) -> None:
    """Rows of `scores.jsonl` in the results and sample data of github.com/novelty-bench/novelty-bench."""
    assert utility_k(list(labels), scores) == pytest.approx(utility, abs=1e-12)


def test_only_first_members_are_credited() -> None:
    assert credit([0, 0, 1, 0], [4, 10, 7, 10]) == [4, 0, 7, 0]
    assert credit([0, 0, 1], [4, None, 7]) == [4, 0, 7], "a repetition needs no quality"
    with pytest.raises(ValueError, match="Output 3 is the first of its class"):
        credit([0, 0, 1], [4, 10, None])
    with pytest.raises(ValueError, match="3 outputs have 2 qualities"):
        credit([0, 0, 1], [4, 10])


@pytest.mark.parametrize("patience", [-0.1, 1.1, math.nan])
def test_patience_is_a_probability(patience: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        utility_k([0], [5], patience)


@given(LABELS)
def test_distinct_is_within_bounds_and_blind_to_order(labels: list[int]) -> None:
    assert (distinct_k(labels) > 0) == bool(labels)
    assert distinct_k(labels) <= len(labels)
    assert distinct_k(random.Random(0).sample(labels, len(labels))) == distinct_k(labels)  # noqa: S311
    assert len(first_members(labels)) == distinct_k(labels)


@given(scored(1), st.floats(0, 1))
def test_utility_is_within_bounds(case: tuple[list[int], list[float]], patience: float) -> None:
    labels, qualities = case
    utility = utility_k(labels, qualities, patience)
    assert 0 <= utility <= max(qualities) + 1e-9
    first_alone = qualities[0] / sum(patience**each for each in range(len(labels)))
    assert utility >= first_alone - 1e-9


@given(scored(1), st.permutations(range(10)))
def test_utility_does_not_see_names_of_classes(case: tuple[list[int], list[float]], names: list[int]) -> None:
    labels, qualities = case
    assert utility_k([names[each] for each in labels], qualities) == utility_k(labels, qualities)


@given(scored(1))
def test_utility_does_not_depend_on_where_the_index_begins(case: tuple[list[int], list[float]]) -> None:
    labels, qualities = case
    weights = [0.8 ** (position + 1) for position in range(len(labels))]
    earned = sum(w * s for w, s in zip(weights, credit(labels, qualities), strict=True))
    assert utility_k(labels, qualities) == pytest.approx(earned / sum(weights), abs=1e-9)


@given(st.integers(1, 12), QUALITIES)
def test_equally_good_outputs_that_all_differ_are_worth_their_quality(count: int, quality: float) -> None:
    assert utility_k(range(count), [quality] * count) == pytest.approx(quality)


@given(scored(2))
def test_better_outputs_first_are_worth_more(case: tuple[list[int], list[float]]) -> None:
    _, qualities = case
    labels = range(len(qualities))
    assert utility_k(labels, sorted(qualities, reverse=True)) >= utility_k(labels, qualities) - 1e-9
