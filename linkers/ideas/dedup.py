"""Tier 5: the runs of one family test one idea, so those that say nothing inherit what the others say."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from linkers.ideas.model import Candidate, RunIdea, ScopeEvidence, TierName
from linkers.ideas.resolver import DEFAULT_THRESHOLDS, Thresholds, resolve
from linkers.ideas.tokens import family_of
from linkers.names import fold, without_prefixes

MAJORITY = 0.75
"""Voters who disagree leave a family open unless this share of the votes is for one idea."""

DISSENT = 0.8
"""What the others' vote for one idea weighs with a run that shows another one itself."""

MAX_FAMILIES = 3
"""A source that the runs of more families embed is a template, not a recipe."""

INHERITED_AGAINST = 0.6
"""A run of whose family the journal says that no idea stands behind it."""


@dataclass(frozen=True, slots=True)
class _Kinship:
    """One way in which runs are of one family.

    Attributes:
        label: What they share.
        weight: What of a voter's score a run inherits.
        key_of: Names the family of a run; None for none.
    """

    label: str
    weight: float
    key_of: Callable[[ScopeEvidence, str], str | None]


def _run_family(evidence: ScopeEvidence, experiment_id: str) -> str | None:
    return evidence.families[experiment_id]


def _variant_family(evidence: ScopeEvidence, experiment_id: str) -> str | None:
    stem = evidence.variant_stems.get(experiment_id)
    return family_of(without_prefixes(fold(stem))) if stem else None


def _source(evidence: ScopeEvidence, experiment_id: str) -> str | None:
    logs = evidence.runs[experiment_id].logs
    return next((log.source_sha256 for log in logs if log.source_sha256), None)


_KINSHIPS = (
    _Kinship("run family", 0.85, _run_family),
    _Kinship("variant family", 0.8, _variant_family),
    _Kinship("source text", 0.75, _source),
)


def propose_by_family(
    evidence: ScopeEvidence, earlier: Sequence[Candidate], thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> list[Candidate]:
    """Let the runs of each family vote, each by its own evidence, and propose the outcome to the others."""
    direct = resolve(evidence, earlier, thresholds)
    proposed: dict[tuple[str, str | None], Candidate] = {}
    for kinship in _KINSHIPS:
        members: dict[str, list[str]] = defaultdict(list)
        for experiment_id in sorted(evidence.runs):
            if (key := kinship.key_of(evidence, experiment_id)) is not None:
                members[key].append(experiment_id)
        for key in sorted(members):
            if len(members[key]) > 1 and not _is_template(evidence, kinship, members[key]):
                for candidate in _votes(kinship, key, members[key], direct):
                    known = proposed.get((candidate.experiment_id, candidate.idea_id))
                    if known is None or candidate.score > known.score:
                        proposed[candidate.experiment_id, candidate.idea_id] = candidate
    return [proposed[key] for key in sorted(proposed, key=lambda key: (key[0], key[1] or ""))]


def _is_template(evidence: ScopeEvidence, kinship: _Kinship, members: Sequence[str]) -> bool:
    families = {evidence.families[experiment_id] for experiment_id in members}
    return kinship is not _KINSHIPS[0] and len(families) > MAX_FAMILIES


def _votes(
    kinship: _Kinship, key: str, members: Sequence[str], direct: Mapping[str, RunIdea]
) -> list[Candidate]:
    """The outcome of a vote for each member, its own voice left out."""
    found: list[Candidate] = []
    denied = [each for each in members if any(c.is_against for c in direct[each].candidates)]
    for member in members:
        voters = [direct[each] for each in members if each != member and direct[each].idea_id is not None]
        if voters:
            found += _inherited(kinship, key, direct[member], voters)
        elif denied and denied != [member]:
            witness = next(each for each in denied if each != member)
            evidence = f"{kinship.label} {key}: the journal says so of {witness}"
            found.append(
                Candidate(member, None, TierName.DEDUP, INHERITED_AGAINST, evidence, is_against=True)
            )
    return found


def _inherited(kinship: _Kinship, key: str, member: RunIdea, voters: Sequence[RunIdea]) -> list[Candidate]:
    weights: dict[str, float] = defaultdict(float)
    best: dict[str, float] = defaultdict(float)
    for voter in voters:
        idea_id = voter.idea_id or ""
        weights[idea_id] += voter.score
        best[idea_id] = max(best[idea_id], voter.score)
    total = sum(weights.values())
    tally = ", ".join(
        f"{sum(voter.idea_id == idea_id for voter in voters)} for {idea_id}" for idea_id in sorted(weights)
    )
    found = []
    for idea_id in sorted(weights):
        share = weights[idea_id] / total
        scale = share if share >= MAJORITY else share / 2
        scale *= DISSENT if member.idea_id not in {None, idea_id} else 1.0
        score = round(kinship.weight * best[idea_id] * scale, 4)
        evidence = f"inherited in {kinship.label} {key}: {tally}"
        found.append(Candidate(member.experiment_id, idea_id, TierName.DEDUP, score, evidence))
    return found
