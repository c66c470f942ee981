"""From all candidates of a run to one idea or none, by the weight of the evidence."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from linkers.ideas.existence import describe_conflict, lead_time
from linkers.ideas.model import Candidate, RunIdea, ScopeEvidence, TierName


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a link needs.

    Attributes:
        accept: Score from which an idea is accepted.
        margin: How far the runner-up must be behind.
    """

    accept: float = 0.6
    margin: float = 0.15


DEFAULT_THRESHOLDS = Thresholds()

CERTAIN = 0.9
"""From here on an idea survives that the run was launched before anything dates it; the row says so."""

LATE_WRITE_UP = timedelta(days=2)
"""Ideas were written up as much later than their first probe."""

EARLY_WEIGHT = 0.8
"""What a launch so little before its idea leaves of weaker evidence."""

TOO_EARLY_WEIGHT = 0.5
"""What an even earlier launch leaves of it: the name means something else."""

MAX_SCORE = 0.995
"""No evidence is beyond doubt."""


def resolve(
    evidence: ScopeEvidence,
    candidates: Iterable[Candidate],
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> dict[str, RunIdea]:
    """Decide for every run of a scope.

    Tiers that propose the same idea strengthen each other, as their evidence is independent; within a tier
    the best candidate counts. What a family hands down is no further evidence, so it counts only where it is
    the strongest. Evidence that no idea stands behind a run weakens all of its ideas.

    Args:
        evidence: The scope.
        candidates: What the tiers proposed.
        thresholds: What a link needs.

    Returns:
        The decision by experiment id, for every run.
    """
    of_run: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        of_run[candidate.experiment_id].append(candidate)
    return {
        experiment_id: _decide(evidence, experiment_id, of_run.get(experiment_id, []), thresholds)
        for experiment_id in sorted(evidence.runs)
    }


def resolve_anew(
    evidence: ScopeEvidence,
    links: Mapping[str, RunIdea],
    more: Iterable[Candidate],
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> dict[str, RunIdea]:
    """Decide anew for the runs for which there are more candidates than before.

    Args:
        evidence: The scope.
        links: What was decided without them, for every run.
        more: The further candidates.
        thresholds: What a link needs.

    Returns:
        The decision by experiment id, for every run.
    """
    of_run: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in more:
        of_run[candidate.experiment_id].append(candidate)
    return dict(links) | {
        experiment_id: _decide(
            evidence, experiment_id, [*links[experiment_id].candidates, *candidates], thresholds
        )
        for experiment_id, candidates in of_run.items()
    }


def idea_under(link: RunIdea, thresholds: Thresholds) -> str | None:
    """The idea that the same candidates give a run with other thresholds."""
    if not link.scores or not _is_accepted(link.score, link.margin, thresholds):
        return None
    return link.scores[0][0]


def _is_accepted(score: float, margin: float | None, thresholds: Thresholds) -> bool:
    return score >= thresholds.accept and (margin is None or margin >= thresholds.margin)


_TIER_ORDER = {tier: place for place, tier in enumerate(TierName)}


def _by_strength(candidate: Candidate) -> tuple[float, int, str]:
    return -candidate.score, _TIER_ORDER[candidate.tier], candidate.idea_id or ""


def _decide(
    evidence: ScopeEvidence, experiment_id: str, candidates: Sequence[Candidate], thresholds: Thresholds
) -> RunIdea:
    if not candidates:
        return RunIdea(experiment_id, None, None, 0.0, None, None, is_conflict=False)
    ordered = sorted(candidates, key=_by_strength)
    against = max((each.score for each in ordered if each.is_against), default=0.0)
    ideas = sorted({each.idea_id for each in ordered if each.idea_id is not None})
    launch = evidence.runs[experiment_id].launch
    early_by = {idea_id: lead_time(launch, evidence.births.get(idea_id)) for idea_id in ideas}
    scores = {idea_id: _score(idea_id, ordered, against, early_by[idea_id]) for idea_id in ideas}
    ranking = sorted(scores, key=lambda idea_id: (-scores[idea_id], idea_id))
    best = ranking[0] if ranking else None
    runner_up = ranking[1] if len(ranking) > 1 else None
    score = scores[best] if best else 0.0
    margin = round(score - scores[runner_up], 4) if runner_up else None
    is_accepted = best is not None and _is_accepted(score, margin, thresholds)
    reasons = []
    if best and early_by[best] and launch is not None:
        reasons.append(describe_conflict(launch, evidence.births[best]))
    if against and ideas:
        reasons.append("the journal says that no idea stands behind it")
    if runner_up and scores[runner_up] >= thresholds.accept:
        reasons.append(f"{runner_up} is supported as well, by {_supporters(runner_up, ordered)}")
    return RunIdea(
        experiment_id=experiment_id,
        idea_id=best if is_accepted else None,
        tier=_deciding_tier(best, ordered, thresholds) if best and is_accepted else None,
        score=score,
        runner_up=runner_up,
        margin=margin,
        is_conflict=bool(reasons),
        reasons=tuple(reasons),
        candidates=tuple(ordered),
        scores=tuple((idea_id, scores[idea_id]) for idea_id in ranking),
    )


def _score(idea_id: str, candidates: Sequence[Candidate], against: float, early_by: timedelta) -> float:
    by_tier: dict[TierName, float] = {}
    for each in candidates:
        if each.idea_id == idea_id and not each.is_against:
            by_tier[each.tier] = max(each.score, by_tier.get(each.tier, 0.0))
    inherited = by_tier.pop(TierName.DEDUP, 0.0)
    doubt = 1.0
    for score in by_tier.values():
        doubt *= 1.0 - score
    score = min(MAX_SCORE, max(1.0 - doubt, inherited)) * (1.0 - against)
    if early_by and score < CERTAIN:
        score *= EARLY_WEIGHT if early_by <= LATE_WRITE_UP else TOO_EARLY_WEIGHT
    return round(score, 4)


def _deciding_tier(idea_id: str, candidates: Sequence[Candidate], thresholds: Thresholds) -> TierName:
    """The first tier whose own evidence would do; failing that, the one with the strongest."""
    mine = [each for each in candidates if each.idea_id == idea_id and not each.is_against]
    enough = [each.tier for each in mine if each.score >= thresholds.accept]
    return min(enough, key=_TIER_ORDER.__getitem__) if enough else mine[0].tier


def _supporters(idea_id: str, candidates: Sequence[Candidate]) -> str:
    return ", ".join(dict.fromkeys(each.tier.value for each in candidates if each.idea_id == idea_id))
