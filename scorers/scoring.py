"""Scoring a set of candidates against a snapshot: read, embed, judge, add up."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from outputs.embeddings.model import Embedding
from scorers.candidates import Candidate, read_candidate
from scorers.classes import Classification
from scorers.cosine_judge import CosineJudge
from scorers.errors import ScoringError
from scorers.judging import Finding, Judge
from scorers.matches import make_result
from scorers.pools import Benchmark, Priors
from scorers.results import ScoringResult, UsageResult
from scorers.set_novelty import distinct_classes
from scorers.set_score import (
    DIVERSITY_WEIGHT,
    VALIDITY_WEIGHT,
    mean_pairwise_distance,
    set_score,
    valid_fraction,
)
from scorers.thresholds import PUBLISHED, Threshold
from scorers.vectors import Vectors, rows_of_bytes, unit_rows

COMPAT_TITLE_CHARS = 3
"""The reference takes a shorter title for none."""


def score(
    benchmark: Benchmark,
    snapshot_id: str,
    candidates: Sequence[str | Path | Candidate],
    *,
    judge: Judge | None = None,
    threshold: Threshold | None = None,
    vectors: NDArray[np.floating] | None = None,
    priors: Priors = "scope",
    is_compat: bool = False,
    diversity_weight: float = DIVERSITY_WEIGHT,
    validity_weight: float = VALIDITY_WEIGHT,
) -> ScoringResult:
    """Score a set of candidates.

    Args:
        benchmark: The dataset, loaded once for all sets.
        snapshot_id: What they were proposed for.
        candidates: Markdown files, or candidates that were read already. No candidates score 0.
        judge: Who judges; None takes the cosine judge at the threshold.
        threshold: From which cosine on two texts count as one idea, for the result and for telling the ideas
            of the set apart; None takes the judge's, else the published one.
        vectors: The candidates' vectors, shape (n, d), of any length; None embeds them by the benchmark's
            backend.
        priors: Whose experiments count as priors.
        is_compat: Score as the reference client does where it differs: invalid candidates feed the diversity
            term, an idea counts as rejected also before it was, and a title of one or two characters is none.
        diversity_weight: Weight of the mean pairwise cosine distance.
        validity_weight: Weight of the share of well-formed candidates.

    Raises:
        ScoringError: If there is no such snapshot, or the vectors or the judge's threshold do not fit.
    """
    threshold = _threshold(judge, threshold)
    judge = judge or CosineJudge(threshold.value)
    pools = benchmark.pools(snapshot_id, priors, is_compat=is_compat)
    read = [each if isinstance(each, Candidate) else read_candidate(each) for each in candidates]
    complaints = [_complaint(each, is_compat) for each in read]
    is_embedded = [is_compat or complaint is None for complaint in complaints]
    embedded = (
        _embed(benchmark, read, is_embedded) if vectors is None else _given(benchmark, vectors, len(read))
    )
    judged = [
        place for place, each in enumerate(embedded) if complaints[place] is None and each.vector is not None
    ]
    dimensions = benchmark.catalogue.vectors.shape[1]
    judged_vectors = _stack([embedded[place] for place in judged], dimensions)
    similarities = pools.similarities(judged_vectors)
    judgement = judge.judge([read[place] for place in judged], pools, similarities)
    results = [
        make_result(each, _unjudged(complaint, embedding), pools)
        for each, complaint, embedding in zip(read, complaints, embedded, strict=True)
    ]
    classes = distinct_classes([read[place].text for place in judged], judged_vectors, threshold.value)
    for row, (place, finding) in enumerate(zip(judged, judgement.findings, strict=True)):
        made = make_result(read[place], finding, pools, similarities.of(row))
        results[place] = made.model_copy(update={"distinct_class": classes[row]})
    diversity = mean_pairwise_distance(
        _stack([each for each, counts in zip(embedded, is_embedded, strict=True) if counts], dimensions)
    )
    validity = valid_fraction(complaints.count(None), len(read))
    scores = [each.score for each in results]
    usage = judgement.usage
    return ScoringResult(
        snapshot_id=snapshot_id,
        wall_clock=pools.wall_clock,
        judge=judge.name,
        judge_model=judgement.model,
        embedding=benchmark.embedding,
        embedding_model=benchmark.model,
        threshold=judge.threshold,
        distinct_threshold=threshold.value,
        threshold_source=threshold.source,
        priors=priors,
        num_priors=len(pools.priors),
        num_futures=len(pools.futures),
        is_compat=is_compat,
        set_score=set_score(
            scores, diversity, validity, diversity_weight=diversity_weight, validity_weight=validity_weight
        ),
        sum_of_scores=float(sum(scores)),
        diversity=diversity,
        valid_fraction=validity,
        diversity_weight=diversity_weight,
        validity_weight=validity_weight,
        num_unjudged=sum(each.classification is Classification.UNJUDGED for each in results),
        usage=UsageResult(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, usd=usage.usd),
        candidates=tuple(results),
    )


def _threshold(judge: Judge | None, threshold: Threshold | None) -> Threshold:
    """Find the threshold that a set is scored by."""
    own = judge.threshold if judge else None
    if threshold is None:
        return PUBLISHED if own is None else Threshold.named(own)
    if own is not None and own != threshold.value:
        raise ScoringError(
            f"The judge goes by a threshold of {own:g} and the set by {threshold.value:g}: name one for both."
        )
    return threshold


def _complaint(candidate: Candidate, is_compat: bool) -> str | None:
    if candidate.is_valid and is_compat and len(candidate.title) < COMPAT_TITLE_CHARS:
        return f"The reference takes a title of fewer than {COMPAT_TITLE_CHARS} characters for none."
    return candidate.invalid_reason


def _unjudged(complaint: str | None, embedded: "_Embedded") -> Finding:
    """What is known of a candidate before it is judged."""
    if complaint is not None:
        return Finding(Classification.INVALID, reason=complaint)
    return Finding(Classification.UNJUDGED, confidence=0.0, reason=f"It has no vector: {embedded.reason}")


@dataclass(frozen=True, slots=True, eq=False)
class _Embedded:
    """The vector of a candidate, or why it has none."""

    vector: Vectors | None
    reason: str = ""


def _embed(
    benchmark: Benchmark, candidates: Sequence[Candidate], is_wanted: Sequence[bool]
) -> list[_Embedded]:
    """Embed the wanted ones of some candidates."""
    wanted = [each.text for each, wants in zip(candidates, is_wanted, strict=True) if wants]
    made = iter(benchmark.embed(wanted)) if wanted else iter(())
    return [_unpacked(next(made)) if wants else _Embedded(None) for wants in is_wanted]


def _unpacked(embedding: Embedding) -> _Embedded:
    if embedding.vector is None:
        return _Embedded(None, embedding.reason or "nobody embedded it.")
    return _Embedded(rows_of_bytes([embedding.vector])[0])


def _given(benchmark: Benchmark, vectors: NDArray[np.floating], num_candidates: int) -> list[_Embedded]:
    """Check and scale the caller's vectors."""
    wanted = (num_candidates, benchmark.catalogue.vectors.shape[1])
    if num_candidates and (vectors.shape != wanted or not np.isfinite(vectors).all()):
        raise ScoringError(
            f"The vectors have the shape {vectors.shape}, or hold something that is no number: candidates "
            f"compared by {benchmark.model} need finite numbers in the shape {wanted}."
        )
    return [_Embedded(row) for row in unit_rows(vectors)] if num_candidates else []


def _stack(embedded: Sequence[_Embedded], dimensions: int) -> Vectors:
    vectors = [each.vector for each in embedded if each.vector is not None]
    return np.stack(vectors) if vectors else np.zeros((0, dimensions), dtype=np.float32)
