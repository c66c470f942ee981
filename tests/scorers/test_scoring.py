"""Whole sets of candidates, with scores that are reckoned by hand."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outputs.embeddings.model import Embedding, Role
from outputs.spending.budget import Estimate, Usage
from scorers import Benchmark, Candidate, CosineJudge, ScoringError, ScoringResult, parse_candidate, score
from scorers.classes import Classification
from scorers.judging import Finding, Judgement
from scorers.pools import Priors, Similarities, SnapshotPools
from scorers.thresholds import Threshold, ThresholdSource
from tests.scorers.small import MODEL, SNAPSHOT, Thought, Tried, candidate_text, hour, write_dataset

TRIED = [
    Tried("kept", [1, 0, 0, 0], idea="kept", step=3450, verdict="neutral"),
    Tried("killed", [0, 1, 0, 0], 2, idea="killed"),
    Tried("doomed", [0, 0, 1, 0], 3, idea="doomed", step=3300, verdict="improved"),
    Tried("ahead", [0, 0, 0, 1], 20, idea="winner", step=3200, verdict="improved"),
]
IDEAS = [
    Thought("kept"),
    Thought("killed", "existence_killed", 5, "An audit says so."),
    Thought("doomed", "failed", 15, "100 later launches."),
    Thought("winner"),
]


@pytest.fixture
def benchmark(tmp_path: Path) -> Benchmark:
    return Benchmark.load(
        write_dataset(
            tmp_path / "dataset",
            TRIED,
            IDEAS,
            prior_experiment_ids=["doomed", "kept", "killed"],
            rejected_idea_ids=["killed"],
            future_improved_idea_ids=["winner"],
            future_improved_experiment_ids=["ahead"],
            future_frontier_experiment_ids=["ahead"],
        )
    )


def candidate(title: str = "A title", proposal: str | None = None) -> Candidate:
    text = candidate_text(title) if proposal is None else candidate_text(title, proposal)
    return parse_candidate(text, f"{title}.md")


def scored(
    benchmark: Benchmark,
    vectors: Sequence[Sequence[float]],
    invalid: Sequence[int] = (),
    is_compat: bool = False,
) -> ScoringResult:
    candidates = [candidate(f"Candidate {n}", "short" if n in invalid else None) for n in range(len(vectors))]
    given = np.array(vectors, dtype=float).reshape(len(vectors), 4)
    return score(benchmark, SNAPSHOT, candidates, vectors=given, is_compat=is_compat)


def test_a_set_of_every_class(benchmark: Benchmark) -> None:
    result = scored(
        benchmark,
        [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1]],
        invalid=[4],
    )
    assert [(each.classification.value, each.score, each.matched_id) for each in result.candidates] == [
        ("novel_validated", 0.6, "ahead"),
        ("rediscovery", -0.5, "kept"),
        ("rediscovery", -1.0, "killed"),  # -0.5 x 2.0
        ("novel_unvalidated", 0.3, None),  # its cosine to all four is 0.5
        ("invalid", -1.0, None),
    ]
    # Of the four valid ones three are orthogonal, and the fourth has the cosine 0.5 to each of them:
    # (3 x 1 + 3 x 0.5) / 6 = 0.75.
    assert result.diversity == pytest.approx(0.75, abs=1e-6)
    assert result.valid_fraction == 0.8
    assert result.sum_of_scores == pytest.approx(-1.6)
    # -1.6 + 0.5 x 0.75 + 0.1 x 0.8
    assert result.set_score == pytest.approx(-1.145, abs=1e-6)
    assert (result.num_priors, result.num_futures, result.num_unjudged) == (3, 1, 0)
    assert (result.judge, result.threshold, result.embedding_model) == ("cosine", 0.75, MODEL)


def test_a_result_says_what_matched_and_what_came_of_it(benchmark: Benchmark) -> None:
    ahead, killed, unmatched = scored(
        benchmark, [[0.6, 0, 0, 0.8], [0, 3, 0, 0], [0.6, 0.6, 0.5, 0.1]]
    ).candidates
    assert (ahead.impact, ahead.similarity, ahead.matched_idea_id) == ("improved_idea", 0.8, "winner")
    assert (ahead.matched_at, ahead.matched_text) == (hour(20), "Title of ahead\n\nWhat ahead does.")
    assert ahead.matched_outcome == "improved, reached 3.28 at step 3200"
    assert ahead.nearest_prior is not None
    assert (ahead.nearest_prior.experiment_id, ahead.nearest_prior.similarity) == ("kept", 0.6)
    assert (killed.rejection_class, killed.multiplier, killed.similarity) == ("existence_killed", 2.0, 1.0)
    assert (killed.matched_rejection, killed.rejected_at) == ("An audit says so.", hour(5))
    assert killed.matched_outcome == "inconclusive, never reached 3.28"
    assert (unmatched.matched_id, unmatched.matched_text, unmatched.impact) == (None, None, None)
    # 0.6 / sqrt(0.36 + 0.36 + 0.25 + 0.01), and of the two priors that are as near the first by its id.
    assert unmatched.similarity == pytest.approx(0.6 / 0.98**0.5, abs=1e-6)
    assert unmatched.nearest_prior is not None
    assert unmatched.nearest_prior.experiment_id == "kept"


def test_no_candidates_score_nothing(benchmark: Benchmark) -> None:
    result = score(benchmark, SNAPSHOT, [])
    assert (result.set_score, result.diversity, result.valid_fraction, result.candidates) == (0, 0, 0, ())


def test_one_candidate_has_no_diversity(benchmark: Benchmark) -> None:
    assert scored(benchmark, [[1, 1, 1, 1]]).set_score == pytest.approx(0.4)  # 0.3 + 0.1


def test_a_repeated_candidate_earns_twice_and_costs_diversity(benchmark: Benchmark) -> None:
    result = scored(benchmark, [[1, 1, 1, 1], [1, 1, 1, 1]])
    assert result.diversity == pytest.approx(0, abs=1e-6)
    assert result.set_score == pytest.approx(0.7, abs=1e-6)  # 0.3 + 0.3 + 0.1


def test_invalid_candidates_feed_the_diversity_only_in_compat(benchmark: Benchmark) -> None:
    vectors = [[1, 1, 1, 1], [1, 1, -1, -1], [-1, 1, 1, -1]]
    strict, compat = (scored(benchmark, vectors, invalid=[1], is_compat=each) for each in (False, True))
    # Valid are the first and the third, whose cosine is 0, as is that of every pair.
    assert strict.diversity == compat.diversity == pytest.approx(1)
    twice = [vectors[0], vectors[0], vectors[1]]
    strict, compat = (scored(benchmark, twice, invalid=[1], is_compat=each) for each in (False, True))
    assert strict.diversity == pytest.approx(1)
    assert compat.diversity == pytest.approx(2 / 3)  # (0 + 1 + 1) / 3
    # 0.3 - 1 + 0.3 + 0.5 x diversity + 0.1 x 2 / 3
    assert strict.set_score == pytest.approx(-0.4 + 0.5 + 0.2 / 3)
    assert compat.set_score == pytest.approx(-0.4 + 1 / 3 + 0.2 / 3)


def test_all_invalid(benchmark: Benchmark) -> None:
    result = scored(benchmark, [[1, 0, 0, 0], [0, 1, 0, 0]], invalid=[0, 1])
    assert (result.set_score, result.diversity, result.valid_fraction) == (-2.0, 0.0, 0.0)
    # -2 + 0.5 x 1
    assert scored(
        benchmark, [[1, 0, 0, 0], [0, 1, 0, 0]], invalid=[0, 1], is_compat=True
    ).set_score == pytest.approx(-1.5)


def test_compat_knows_no_time_of_a_rejection(benchmark: Benchmark) -> None:
    assert scored(benchmark, [[0, 0, 1, 0]]).candidates[0].score == -0.5
    assert scored(benchmark, [[0, 0, 1, 0]], is_compat=True).candidates[0].score == pytest.approx(-0.7)


def test_compat_takes_a_title_of_two_letters_for_none(benchmark: Benchmark) -> None:
    vectors = np.eye(4)[:1]
    for title, is_compat, classification in (
        ("Ab", False, "rediscovery"),
        ("Ab", True, "invalid"),
        ("Abc", True, "rediscovery"),
    ):
        result = score(benchmark, SNAPSHOT, [candidate(title)], vectors=vectors, is_compat=is_compat)
        assert result.candidates[0].classification == classification


def test_priors_of_the_field(tmp_path: Path) -> None:
    benchmark = Benchmark.load(
        write_dataset(tmp_path, TRIED, IDEAS, field_prior_experiment_ids=["kept"], prior_experiment_ids=[])
    )
    vectors = np.eye(4)[:1]
    cases: tuple[tuple[Priors, float], ...] = (("scope", 0.4), ("field", -0.4))
    for priors, expected in cases:  # 0.3 + 0.1 and -0.5 + 0.1
        result = score(benchmark, SNAPSHOT, [candidate()], vectors=vectors, priors=priors)
        assert result.set_score == pytest.approx(expected)
        assert result.priors == priors


def test_weights_are_the_callers(benchmark: Benchmark) -> None:
    result = score(
        benchmark,
        SNAPSHOT,
        [candidate(), candidate()],
        vectors=np.array([[1, 1, 1, 1], [1, 1, -1, -1]]),
        diversity_weight=2,
        validity_weight=3,
    )
    assert result.set_score == pytest.approx(5.6)  # 0.3 + 0.3 + 2 x 1 + 3 x 1


@pytest.mark.parametrize("vectors", [np.eye(3)[:1], np.eye(4)[:2], np.array([[np.nan] * 4]), np.zeros(4)])
def test_vectors_that_do_not_fit_are_refused(benchmark: Benchmark, vectors: np.ndarray) -> None:
    with pytest.raises(ScoringError, match=r"need finite numbers in the shape \(1, 4\)"):
        score(benchmark, SNAPSHOT, [candidate()], vectors=vectors)


def test_files_are_read_and_a_bad_one_costs_no_other(tmp_path: Path, benchmark: Benchmark) -> None:
    good = tmp_path / "good.md"
    good.write_text(candidate_text(), encoding="utf-8")
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\x00")
    files: list[str | Path | Candidate] = [good, str(tmp_path / "bad.md"), tmp_path / "absent.md"]
    result = score(benchmark, SNAPSHOT, files, vectors=np.eye(4)[:3])
    assert [each.classification.value for each in result.candidates] == ["rediscovery", "invalid", "invalid"]
    assert [each.path for each in result.candidates] == [str(each) for each in files]
    assert result.set_score == pytest.approx(-0.5 - 2 + 0.1 / 3)


class Embedder:
    """Gives each text a vector by its first letter, and none to a text that begins with X."""

    name = "fake"
    model = MODEL

    def __init__(self) -> None:
        self.asked: list[str] = []

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """Cost nothing."""
        return Estimate("embeddings", self.model, len(texts), 0, Usage())

    def embed(self, texts: Sequence[str], role: Role) -> Mapping[str, Embedding]:
        """Note what is asked, and answer."""
        self.asked += texts
        return {text: self._embed(text) for text in texts}

    def _embed(self, text: str) -> Embedding:
        if text.startswith("X"):
            return Embedding(None, reason="It was refused.")
        return Embedding(np.eye(4, dtype="<f4")["KDA".index(text[0])].tobytes())


def test_what_has_no_vector_is_unjudged_and_the_set_says_so(benchmark: Benchmark) -> None:
    embedder = Embedder()
    result = score(
        benchmark.with_backend(embedder),
        SNAPSHOT,
        [candidate("Kept"), candidate("X"), candidate("A", "short")],
    )
    assert [each.classification.value for each in result.candidates] == ["rediscovery", "unjudged", "invalid"]
    assert result.candidates[1].reason == "It has no vector: It was refused."
    assert (result.num_unjudged, result.candidates[1].score) == (1, 0.0)
    # -0.5 + 0 - 1 + 0.1 x 2 / 3: an unjudged candidate is well-formed.
    assert result.set_score == pytest.approx(-1.5 + 0.2 / 3)
    assert [text[0] for text in embedder.asked] == ["K", "X"], "nobody pays for an invalid one"


def test_in_compat_invalid_ones_are_embedded_too(benchmark: Benchmark) -> None:
    embedder = Embedder()
    result = score(
        benchmark.with_backend(embedder),
        SNAPSHOT,
        [candidate("Kept"), candidate("Abc", "short")],
        is_compat=True,
    )
    assert [text[0] for text in embedder.asked] == ["A", "K"]
    assert result.diversity == pytest.approx(1)


class Stubborn:
    """A judge that always says the same."""

    name = "stubborn"
    threshold = None

    def __init__(self, *findings: Finding) -> None:
        self.findings = findings

    def judge(
        self, candidates: Sequence[Candidate], pools: SnapshotPools, similarities: Similarities
    ) -> Judgement:
        """Say it."""
        return Judgement(self.findings, Usage(1, 100, 20, 0.5))


def test_any_judge_will_do_and_its_confidence_scales_the_score(benchmark: Benchmark) -> None:
    judge = Stubborn(
        Finding(Classification.NOVEL_VALIDATED, "ahead", 0.9, "Both average."),
        Finding(Classification.REDISCOVERY, "killed", 0.5),
        Finding(Classification.NOVEL_UNVALIDATED, confidence=0.8),
        Finding(Classification.UNJUDGED, confidence=0.0, reason="The model hung."),
    )
    result = score(benchmark, SNAPSHOT, [candidate()] * 4, vectors=np.eye(4), judge=judge)
    assert [each.score for each in result.candidates] == pytest.approx([0.54, -0.5, 0.24, 0.0])
    assert [each.similarity for each in result.candidates][:2] == [0.0, 1.0]
    assert (result.judge, result.threshold, result.num_unjudged) == ("stubborn", None, 1)
    assert (result.usage.input_tokens, result.usage.output_tokens, result.usage.usd) == (100, 20, 0.5)


@pytest.mark.parametrize("matched_id", ["kept", "nobody", None])
def test_a_judge_that_names_what_it_was_not_given_is_a_fault(
    benchmark: Benchmark, matched_id: str | None
) -> None:
    judge = Stubborn(Finding(Classification.NOVEL_VALIDATED, matched_id))
    with pytest.raises(ValueError, match="not given"):
        score(benchmark, SNAPSHOT, [candidate()], vectors=np.eye(4)[:1], judge=judge)


def test_the_threshold_is_the_judges(benchmark: Benchmark) -> None:
    vectors = np.array([[0.6, 0.0, 0.0, 0.8]])
    for threshold, classification in ((0.8, "novel_validated"), (0.81, "novel_unvalidated")):
        result = score(benchmark, SNAPSHOT, [candidate()], vectors=vectors, judge=CosineJudge(threshold))
        assert result.candidates[0].classification == classification


def test_the_result_tells_where_the_threshold_comes_from(benchmark: Benchmark) -> None:
    vectors = np.array([[0.6, 0.0, 0.0, 0.8]])
    calibrated = Threshold(0.8, ThresholdSource.CALIBRATION)

    def told(**given: Any) -> tuple[float | None, float | None, ThresholdSource | None, str]:
        result = score(benchmark, SNAPSHOT, [candidate()], vectors=vectors, **given)
        return (
            result.threshold,
            result.distinct_threshold,
            result.threshold_source,
            result.candidates[0].classification.value,
        )

    assert told() == (0.75, 0.75, ThresholdSource.PUBLISHED, "novel_validated")
    assert told(judge=CosineJudge(0.81)) == (0.81, 0.81, ThresholdSource.NAMED, "novel_unvalidated")
    assert told(threshold=calibrated) == (0.8, 0.8, ThresholdSource.CALIBRATION, "novel_validated")
    assert told(threshold=calibrated, judge=CosineJudge(0.8))[2] == ThresholdSource.CALIBRATION
    stubborn = Stubborn(Finding(Classification.NOVEL_UNVALIDATED))
    assert told(judge=stubborn)[:3] == (None, 0.75, ThresholdSource.PUBLISHED)
    assert told(threshold=calibrated, judge=stubborn)[:3] == (None, 0.8, ThresholdSource.CALIBRATION)
    with pytest.raises(ScoringError, match=r"goes by a threshold of 0\.75 and the set by 0\.8"):
        told(threshold=calibrated, judge=CosineJudge())


def test_ideas_of_a_set_are_told_apart_by_the_threshold_in_use(benchmark: Benchmark) -> None:
    """The cosine of both candidates is 0.8: one idea from 0.8 on, and two above."""
    vectors = np.array([[1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0]])
    for value, classes in ((0.8, [0, 0]), (0.81, [0, 1])):
        judge = Stubborn(*[Finding(Classification.NOVEL_UNVALIDATED)] * 2)
        threshold = Threshold(value, ThresholdSource.CALIBRATION)
        candidates = [candidate("First"), candidate("Second")]
        result = score(benchmark, SNAPSHOT, candidates, vectors=vectors, judge=judge, threshold=threshold)
        assert [each.distinct_class for each in result.candidates] == classes


def test_json_holds_everything_and_comes_back(benchmark: Benchmark) -> None:
    result = scored(benchmark, [[0, 0, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1]], invalid=[2])
    text = result.model_dump_json()
    assert ScoringResult.model_validate_json(text) == result
    assert (
        text == scored(benchmark, [[0, 0, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1]], invalid=[2]).model_dump_json()
    )
    assert {
        "snapshot_id",
        "judge",
        "embedding",
        "threshold",
        "set_score",
        "diversity",
        "valid_fraction",
        "num_unjudged",
        "usage",
        "candidates",
    } <= json.loads(text).keys()


def test_a_built_dataset_scores_copies_of_what_it_holds(built_dataset: Path) -> None:
    benchmark = Benchmark.load(built_dataset, "lexical")
    pools = benchmark.pools("snap_codex_v1_k0056")
    texts = [
        next(text for place in range(len(pool)) if len(text := pool[place].text) > 120)
        for pool in (pools.priors, pools.futures)
    ]
    copies = [
        parse_candidate(f"# {text.replace(chr(10), chr(10) + '## Proposal' + chr(10), 1)}") for text in texts
    ]
    result = score(benchmark, "snap_codex_v1_k0056", copies)
    assert [each.classification.value for each in result.candidates] == ["rediscovery", "novel_validated"]
    assert [each.matched_text for each in result.candidates] == texts
