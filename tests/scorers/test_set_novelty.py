"""Different ideas of a set and their worth, with the arithmetic beside them."""

from pathlib import Path

import numpy as np
import pytest

from scorers import Benchmark, parse_candidate, score
from scorers.set_novelty import distinct_classes, measure_set, quality_of_score
from tests.scorers.result_cases import result
from tests.scorers.small import SNAPSHOT, Tried, candidate_text, write_dataset

IDEA = "Replace the learning rate schedule of the optimizer by another one"
"""Longer than what is compared token by token."""


@pytest.mark.parametrize(
    ("score", "quality"),
    [(-1, 1), (-0.5, 3.25), (0, 5.5), (0.3, 6.85), (0.6, 8.2), (1, 10), (7, 10), (-7, 1)],
)
def test_quality_is_a_line_from_the_worst_to_the_best(score: float, quality: float) -> None:
    """5.5 + 4.5 * score."""
    assert quality_of_score(score) == pytest.approx(quality)


def test_a_set_of_different_ideas() -> None:
    """Weights 1, 0.8, 0.64, 0.512, 0.4096, together 3.3616; qualities 10, 5.5, 6.85, 1, 10."""
    found = measure_set(result([1, 0, 0.3, -1, 1]), k=5)
    assert found.distinct_k == 5
    worth = (10 + 0.8 * 5.5 + 0.64 * 6.85 + 0.512 * 1 + 0.4096 * 10) / 3.3616
    assert found.utility_k == pytest.approx(worth)


def test_a_repeated_idea_is_worth_nothing() -> None:
    """Qualities 10, then nothing for its repetition, then 5.5."""
    found = measure_set(result([1, 1, 0], [0, 0, 1]), k=3)
    assert found.distinct_k == 2
    assert found.utility_k == pytest.approx((10 + 0.64 * 5.5) / (1 + 0.8 + 0.64))


def test_the_first_of_a_class_counts_and_not_its_best() -> None:
    assert measure_set(result([-1, 1], [0, 0]), k=2).utility_k == pytest.approx(1 / 1.8)


def test_an_invalid_candidate_keeps_its_place_and_is_worth_nothing() -> None:
    """The second place earns nothing; the third has its weight all the same."""
    found = measure_set(result([1, -1, 1], [0, None, 1]), k=3)
    assert found.distinct_k == 2
    assert found.utility_k == pytest.approx((10 + 0.64 * 10) / (1 + 0.8 + 0.64))


def test_two_invalid_ones_are_not_one_idea() -> None:
    assert measure_set(result([-1, -1], [None, None]), k=2).distinct_k == 0


def test_places_that_a_set_leaves_empty_count() -> None:
    """One candidate of five: 10 / 3.3616, not 10."""
    assert measure_set(result([1]), k=5).utility_k == pytest.approx(10 / 3.3616)
    assert measure_set(result([1]), k=1).utility_k == pytest.approx(10)


def test_more_than_k_candidates_do_not_count() -> None:
    assert measure_set(result([1, 0, 0.3]), k=2) == measure_set(result([1, 0]), k=2)


def test_an_empty_set() -> None:
    found = measure_set(result([]), k=5)
    assert (found.distinct_k, found.utility_k) == (0, 0.0)


def test_classes_are_those_of_the_first_member() -> None:
    """The angles 0, 30 and 60 degrees: the second is near to both, the third not to the first."""
    angles = np.radians([0, 30, 60])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    texts = [f"{IDEA} number {n}" for n in range(3)]
    assert distinct_classes(texts, vectors, 0.8) == [0, 0, 1]
    assert distinct_classes(texts, vectors, 0.9) == [0, 1, 2]
    assert distinct_classes(texts[::-1], vectors[::-1], 0.8) == [0, 0, 1]


def test_what_has_no_direction_is_near_to_nothing() -> None:
    vectors = np.array([[0, 0], [1, 0], [0, 0], [1, 0]], dtype=np.float32)
    texts = [f"{IDEA} number {n}" for n in range(4)]
    assert distinct_classes(texts, vectors, 0.8) == [0, 1, 2, 1]
    assert distinct_classes([], np.zeros((0, 0), dtype=np.float32), 0.8) == []


def test_a_cosine_that_is_the_threshold_is_enough() -> None:
    vectors = np.array([[1, 0], [0.75, 0.6614378]], dtype=np.float32)
    assert distinct_classes([IDEA, IDEA + " twice"], vectors, 0.75) == [0, 0]
    assert distinct_classes([IDEA, IDEA + " twice"], vectors, 0.7501) == [0, 1]


def test_a_scored_set_tells_its_classes(tmp_path: Path) -> None:
    """The second is invalid, the third is near the first, the fourth is not."""
    benchmark = Benchmark.load(
        write_dataset(tmp_path, [Tried("tried", [1, 0])], prior_experiment_ids=["tried"])
    )
    texts = [candidate_text("First idea"), "no idea", candidate_text("Third idea"), candidate_text("Fourth")]
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.1], [0.0, 1.0]])
    scored = score(benchmark, SNAPSHOT, [parse_candidate(text) for text in texts], vectors=vectors)
    assert [each.distinct_class for each in scored.candidates] == [0, None, 0, 1]
    assert measure_set(scored, k=4).distinct_k == 2
