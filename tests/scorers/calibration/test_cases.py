"""Cases: made from dev snapshots alone, labelled by what they are made of, the same every time."""

from collections import Counter
from pathlib import Path

import pytest

from scorers.calibration.cases import MALFORMED, Kind, as_candidate, make_cases
from scorers.calibration.rewriting import rewrite_by_rules
from scorers.candidates import parse_candidate
from scorers.pools import Benchmark


@pytest.fixture(scope="module")
def benchmark(built_dataset: Path) -> Benchmark:
    return Benchmark.load(built_dataset, "lexical")


def test_cases_come_from_dev_snapshots_and_are_what_their_label_says(benchmark: Benchmark) -> None:
    cases = make_cases(benchmark, rewrite_by_rules, per_kind=2)
    assert {each.snapshot_id for each in cases} == set(benchmark.snapshot_ids("dev"))
    assert set(Counter(each.kind for each in cases)) == set(Kind)
    for each in cases:
        pools = benchmark.pools(each.snapshot_id)
        assert each.candidate.is_valid == (each.kind is not Kind.MALFORMED), each.case_id
        if each.kind in (Kind.VERBATIM_PRIOR, Kind.PARAPHRASED_PRIOR):
            assert each.source_id in pools.priors.ids
            assert each.source_id not in pools.futures.ids
        elif each.kind in (Kind.VERBATIM_FUTURE, Kind.PARAPHRASED_FUTURE):
            assert each.source_id in pools.futures.ids
        elif each.kind is Kind.OTHER_SCOPE:
            assert f"--{pools.wave}--" not in (each.source_id or "")


def test_cases_are_the_same_every_time_and_named_once(benchmark: Benchmark) -> None:
    cases = make_cases(benchmark, rewrite_by_rules)
    assert cases == make_cases(benchmark, rewrite_by_rules)
    assert len({each.case_id for each in cases}) == len(cases)


def test_a_text_that_nobody_can_paraphrase_makes_no_case(benchmark: Benchmark) -> None:
    cases = make_cases(benchmark, lambda texts: [None] * len(texts))
    assert not {Kind.PARAPHRASED_PRIOR, Kind.PARAPHRASED_FUTURE} & {each.kind for each in cases}


@pytest.mark.parametrize("text", MALFORMED)
def test_what_is_malformed_is_invalid(text: str) -> None:
    assert not parse_candidate(text).is_valid


def test_a_description_of_one_paragraph_gets_its_first_words_as_title() -> None:
    candidate = parse_candidate(
        as_candidate("Run the baseline with a longer warmup of five hundred steps, nothing else.")
    )
    assert (candidate.title, candidate.is_valid) == ("Run the baseline with a longer warmup of", True)


def test_paraphrases_keep_numbers_and_change_words() -> None:
    text = "Decay gate\n\nApply weight decay 0.1 to the embeddings, because small weights help."
    (rewritten,) = rewrite_by_rules([text])
    assert rewritten == (
        "Shrinkage gate\n\nSince little weights help, use weight shrinkage 0.1 to the embeddings."
    )
    assert rewrite_by_rules(["Muon"]) == [None]
    assert rewrite_by_rules([]) == []
