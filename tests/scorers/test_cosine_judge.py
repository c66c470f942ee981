"""The deterministic judge: order, threshold, ties."""

from pathlib import Path

import numpy as np
import pytest

from scorers.candidates import parse_candidate
from scorers.classes import Classification
from scorers.cosine_judge import CosineJudge
from scorers.judging import Finding
from scorers.pools import Benchmark
from tests.scorers.small import SNAPSHOT, Tried, candidate_text, write_dataset

PRIOR, FUTURE = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]


def found(folder: Path, vector: list[float], threshold: float = 0.75, **snapshot: object) -> Finding:
    snapshot = {"prior_experiment_ids": ["p"], "future_improved_experiment_ids": ["f"]} | snapshot
    tried = [Tried("p", PRIOR), Tried("p2", PRIOR), Tried("f", FUTURE, 20), Tried("f2", FUTURE, 20)]
    pools = Benchmark.load(write_dataset(folder, tried, **snapshot)).pools(SNAPSHOT)  # type: ignore[arg-type]
    similarities = pools.similarities(np.array([vector], dtype=np.float32))
    (finding,) = (
        CosineJudge(threshold).judge([parse_candidate(candidate_text())], pools, similarities).findings
    )
    return finding


@pytest.mark.parametrize(
    ("vector", "classification", "matched"),
    [
        ([1.0, 0.0, 0.0], Classification.REDISCOVERY, "p"),
        ([0.0, 1.0, 0.0], Classification.NOVEL_VALIDATED, "f"),
        ([0.0, 0.0, 1.0], Classification.NOVEL_UNVALIDATED, None),
        ([0.75, 0.0, 0.6614378], Classification.REDISCOVERY, "p"),
        ([0.7499999, 0.0, 0.6614379], Classification.NOVEL_UNVALIDATED, None),
        ([0.0, 0.75, 0.6614378], Classification.NOVEL_VALIDATED, "f"),
        ([0.0, 0.7499999, 0.6614379], Classification.NOVEL_UNVALIDATED, None),
    ],
)
def test_a_neighbour_at_the_threshold_is_a_match(
    tmp_path: Path, vector: list[float], classification: Classification, matched: str | None
) -> None:
    finding = found(tmp_path, vector)
    assert (finding.classification, finding.matched_id, finding.confidence) == (classification, matched, 1.0)


def test_a_future_comes_first_also_where_a_prior_is_nearer(tmp_path: Path) -> None:
    # Cosine 0.8 to the prior, 0.6 to the future, and both are enough.
    finding = found(tmp_path, [0.8, 0.6, 0.0], threshold=0.6)
    assert (finding.classification, finding.matched_id) == (Classification.NOVEL_VALIDATED, "f")
    finding = found(tmp_path, [0.8, 0.6, 0.0], threshold=0.7)
    assert (finding.classification, finding.matched_id) == (Classification.REDISCOVERY, "p")


def test_of_equally_near_ones_the_first_id_is_the_match(tmp_path: Path) -> None:
    assert found(tmp_path, PRIOR, prior_experiment_ids=["p2", "p"]).matched_id == "p"
    assert found(tmp_path, FUTURE, future_improved_experiment_ids=["f2", "f"]).matched_id == "f"


def test_without_priors_and_futures_everything_is_new(tmp_path: Path) -> None:
    empty: list[str] = []
    finding = found(tmp_path, PRIOR, prior_experiment_ids=empty, future_improved_experiment_ids=empty)
    assert finding.classification is Classification.NOVEL_UNVALIDATED
    assert finding.reason == "No prior and no future experiment has a cosine of 0.75 or more."
