"""The sweep says what the judge would, and the largest kappa wins."""

from pathlib import Path

import pytest

from scorers.calibration.calibrate import GRID, calibrate, choose, judge_cases
from scorers.calibration.cases import make_cases
from scorers.calibration.results import read_calibration
from scorers.calibration.rewriting import rewrite_by_rules
from scorers.cosine_judge import CosineJudge
from scorers.errors import ScoringError
from scorers.pools import Benchmark


@pytest.fixture(scope="module")
def benchmark(built_dataset: Path) -> Benchmark:
    return Benchmark.load(built_dataset, "lexical")


@pytest.mark.parametrize("number", [0, 25, 45])
def test_the_sweep_says_what_the_judge_says(benchmark: Benchmark, number: int) -> None:
    cases = make_cases(benchmark, rewrite_by_rules, per_kind=2)
    found = judge_cases(benchmark, cases, CosineJudge(GRID[number]))
    right = sum(found[each.case_id] is each.expected for each in cases)
    result = calibrate(benchmark, cases, "rules")
    assert result.sweep[number].threshold == GRID[number]
    assert result.sweep[number].accuracy.value == pytest.approx(right / len(cases))


def test_a_calibration_is_kept_and_read_back(benchmark: Benchmark, tmp_path: Path) -> None:
    cases = make_cases(benchmark, rewrite_by_rules, per_kind=2)
    result = calibrate(benchmark, cases, "rules")
    path = tmp_path / "calibration.json"
    path.write_text(result.model_dump_json())
    assert read_calibration(path) == result
    assert result.num_cases == len(cases)
    best = max(each.kappa.value or -1 for each in result.sweep)
    assert next(each for each in result.sweep if each.threshold == result.threshold).kappa.value == best
    told = {right: sum(row.values()) for right, row in result.judge.confusion.items()}
    assert sum(told.values()) == len(cases)


def test_the_largest_kappa_wins_and_ties_go_to_the_published() -> None:
    assert choose([(0.5, 0.9), (0.75, 0.8)]) == 0.5
    assert choose([(0.5, 0.9), (0.74, 0.9), (0.76, 0.9)]) == 0.74
    assert choose([(0.9, None), (0.8, None)]) == 0.8


def test_nothing_to_calibrate_on_is_refused(benchmark: Benchmark) -> None:
    with pytest.raises(ScoringError, match="no dev snapshot"):
        calibrate(benchmark, [], "rules")


def test_what_is_no_calibration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScoringError, match="cannot be read"):
        read_calibration(tmp_path / "none.json")
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ScoringError, match="is no calibration"):
        read_calibration(tmp_path / "other.json")
