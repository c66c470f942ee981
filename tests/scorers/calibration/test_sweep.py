"""The sweep says what the judge would, at every threshold, and the largest kappa wins."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scorers.calibration.calibrate import judge_cases
from scorers.calibration.cases import Case, Kind
from scorers.calibration.metrics import CLASSES
from scorers.calibration.sweep import GRID, Nearest, choose, classify, measure_nearest
from scorers.classes import Classification
from scorers.cosine_judge import CosineJudge
from scorers.pools import Benchmark
from tests.scorers.small import SNAPSHOT, Tried, candidate_text, write_dataset


def test_the_sweep_says_what_the_judge_says(benchmark: Benchmark, cases: tuple[Case, ...]) -> None:
    near = measure_nearest(benchmark, cases)
    # One that is the very cosine of a case, and its neighbours in float32.
    edge = near.priors[near.is_valid].max()
    edges = [float(np.nextafter(edge, side)) for side in (np.float32(0), edge, np.float32(2))]
    for threshold in [*GRID[::20], *edges]:
        judged = [
            each.classification
            for result in judge_cases(benchmark, cases, CosineJudge(threshold)).values()
            for each in result.candidates
        ]
        assert [CLASSES[code] for code in classify(near, threshold)] == judged, threshold


def test_one_without_a_vector_is_unjudged_and_an_empty_pool_matches_nothing(tmp_path: Path) -> None:
    dataset = write_dataset(
        tmp_path, [Tried("prior", [1.0], text="Decay slowly.")], prior_experiment_ids=["prior"]
    )
    benchmark = Benchmark.load(dataset, "lexical")
    wordless = candidate_text("??? ???", "!" * 60)
    made = [_case(wordless), _case(candidate_text()), _case("")]
    near = measure_nearest(benchmark, made)
    assert [CLASSES[code] for code in classify(near, -1.0)] == [
        # `Proposal` is the one word of the first.
        Classification.REDISCOVERY,
        Classification.REDISCOVERY,
        Classification.INVALID,
    ]
    assert near.futures.tolist() == [-np.inf] * 3
    near.is_embedded[0] = False
    assert CLASSES[classify(near, -1.0)[0]] is Classification.UNJUDGED


def _case(markdown: str) -> Case:
    from scorers.candidates import parse_candidate

    return Case("c", SNAPSHOT, "codex/v1", Kind.MALFORMED, None, markdown, parse_candidate(markdown))


def test_futures_come_first_by_hand() -> None:
    near = Nearest(
        np.array([0.9, 0.9, 0.2, 0.2, 1.0], np.float32),
        np.array([0.8, 0.1, 0.8, 0.1, 1.0], np.float32),
        np.array([True, True, True, True, False]),
        np.ones(5, bool),
    )
    assert [CLASSES[code].value for code in classify(near, 0.8)] == [
        "novel_validated",
        "rediscovery",
        "novel_validated",
        "novel_unvalidated",
        "invalid",
    ]


def test_the_largest_kappa_wins_and_ties_go_to_the_published() -> None:
    assert choose([0.5, 0.75], np.array([0.9, 0.8])) == 0.5
    assert choose([0.5, 0.74, 0.76], np.array([0.9, 0.9, 0.9])) == 0.74, "of two as near the lower"
    assert choose([0.5, 0.7, 0.9], np.array([0.9, 0.9 + 1e-15, 0.9])) == 0.7
    assert choose([0.9, 0.8], np.array([np.nan, np.nan])) == 0.8
    assert choose([0.9, 0.8], np.array([-1.0, np.nan])) == 0.9
    several = choose([0.5, 0.75], np.array([[0.9, 0.1, np.nan], [0.8, 0.2, np.nan]]))
    assert several.tolist() == [0.5, 0.75, 0.75]


@given(st.lists(st.sampled_from([None, 0.0, 0.5, 0.5, 1.0]), min_size=len(GRID), max_size=len(GRID)))
def test_no_other_threshold_is_better_or_as_good_and_nearer(kappas: list[float | None]) -> None:
    values = np.array([np.nan if each is None else each for each in kappas])
    chosen = float(choose(GRID, values))
    best = max((each for each in kappas if each is not None), default=None)
    assert kappas[GRID.index(chosen)] == best
    rivals = [abs(each - 0.75) for each, value in zip(GRID, kappas, strict=True) if value == best]
    assert abs(chosen - 0.75) <= min(rivals) + 1e-9


def test_the_grid_holds_the_published_threshold() -> None:
    assert (GRID[0], GRID[-1], 0.75 in GRID, len(set(GRID))) == (0.0, 1.0, True, 101)
