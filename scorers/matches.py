"""What a finding means: the matched experiment looked up, what it earns, and what was near besides."""

from scorers.candidates import Candidate
from scorers.catalogue import Experiment
from scorers.classes import REJECTION_MULTIPLIERS, Classification, Impact, candidate_score
from scorers.judging import Finding
from scorers.pools import Pool, Similarities, SnapshotPools
from scorers.results import CandidateResult, Neighbour
from scorers.vectors import Vectors

SIMILARITY_DIGITS = 6
"""Further digits of a float32 sum differ from machine to machine."""


def make_result(
    candidate: Candidate, finding: Finding, pools: SnapshotPools, similarities: Similarities | None = None
) -> CandidateResult:
    """Score a finding, and say what it matches.

    Args:
        candidate: Whose it is.
        finding: What a judge makes of it.
        pools: What it was held against.
        similarities: How near it is to them, one row; None where it has no vector.

    Raises:
        ValueError: If the judge names an experiment that it was not given, or none where it must.
    """
    prior = _nearest(pools.priors, similarities.priors) if similarities else None
    future = _nearest(pools.futures, similarities.futures) if similarities else None
    matched: Experiment | None = None
    impact: Impact | None = None
    rejection_class: str | None = None
    similarity = max((each.similarity for each in (prior, future) if each), default=None)
    if similarities and finding.classification is Classification.NOVEL_VALIDATED:
        matched, similarity = _look_up(pools.futures, similarities.futures, finding)
        impact = pools.impact(matched)
    elif similarities and finding.classification is Classification.REDISCOVERY:
        matched, similarity = _look_up(pools.priors, similarities.priors, finding)
        rejection_class = pools.rejection_class(matched)
    is_rejected = rejection_class is not None and REJECTION_MULTIPLIERS[rejection_class] > 1
    return CandidateResult(
        path=candidate.path,
        title=candidate.title,
        classification=finding.classification,
        score=candidate_score(
            finding.classification, finding.confidence, impact=impact, rejection_class=rejection_class
        ),
        confidence=finding.confidence,
        impact=impact,
        rejection_class=rejection_class,
        multiplier=None if rejection_class is None else REJECTION_MULTIPLIERS[rejection_class],
        similarity=similarity,
        matched_id=matched.experiment_id if matched else None,
        matched_idea_id=matched.idea_id if matched else None,
        matched_at=matched.launched_at if matched else None,
        matched_text=matched.text if matched else None,
        matched_outcome=outcome(matched) if matched else None,
        matched_rejection=matched.rejection_evidence if matched and is_rejected else None,
        rejected_at=matched.rejected_at if matched and is_rejected else None,
        reason=finding.reason,
        orders_agree=finding.orders_agree,
        stand_in=finding.stand_in,
        nearest_prior=prior,
        nearest_future=future,
    )


def outcome(experiment: Experiment) -> str:
    """Say in words what came of an experiment."""
    if experiment.step_to_3_28 is None:
        return f"{experiment.verdict}, never reached 3.28"
    return f"{experiment.verdict}, reached 3.28 at step {experiment.step_to_3_28}"


def _look_up(pool: Pool, similarities: Vectors, finding: Finding) -> tuple[Experiment, float]:
    place = pool.place(finding.matched_id or "")
    if place is None:
        raise ValueError(f"The judge names {finding.matched_id}, which it was not given to choose from.")
    return pool[place], _rounded(similarities, place)


def _nearest(pool: Pool, similarities: Vectors) -> Neighbour | None:
    """Describe the nearest experiment of a pool; None of an empty one."""
    for place in pool.nearest(similarities[0]):
        experiment = pool[place]
        return Neighbour(
            experiment_id=experiment.experiment_id,
            idea_id=experiment.idea_id,
            similarity=_rounded(similarities, place),
            launched_at=experiment.launched_at,
            text=experiment.text,
            outcome=outcome(experiment),
        )
    return None


def _rounded(similarities: Vectors, place: int) -> float:
    return round(float(similarities[0, place]), SIMILARITY_DIGITS)
