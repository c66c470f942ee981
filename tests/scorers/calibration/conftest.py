"""The demo dataset compared without a model, and a few cases made from it."""

from pathlib import Path

import pytest

from scorers.calibration.cases import Case, make_cases
from scorers.calibration.rewriting import rewrite_by_rules
from scorers.pools import Benchmark


@pytest.fixture(scope="module")
def benchmark(built_dataset: Path) -> Benchmark:
    return Benchmark.load(built_dataset, "lexical")


@pytest.fixture(scope="module")
def cases(benchmark: Benchmark) -> tuple[Case, ...]:
    return make_cases(benchmark, rewrite_by_rules, per_kind=2)
