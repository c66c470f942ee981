"""Tier 5: the runs of one family test one idea, so those that say nothing inherit what the others say."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from linkers.ideas.model import Candidate, RunIdea, ScopeEvidence, TierName
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


@dataclass(frozen=True, slots=True)
class Family:
    """Runs of one recipe, two at least.

    Attributes:
        name: What they share.
        weight: What of a voter's score a run inherits.
        members: Their experiment ids, sorted.
    """

    name: str
    weight: float
    members: tuple[str, ...]


def find_families(evidence: ScopeEvidence) -> list[Family]:
    """Find the families of a scope. A run may be in several, one for each way of being kin."""
    families = []
    for kinship in _KINSHIPS:
        members: dict[str, list[str]] = defaultdict(list)
        for experiment_id in sorted(evidence.runs):
            if (key := kinship.key_of(evidence, experiment_id)) is not None:
                members[key].append(experiment_id)
        families += [
            Family(f"{kinship.label} {key}", kinship.weight, tuple(members[key]))
            for key in sorted(members)
            if len(members[key]) > 1 and not _is_template(evidence, kinship, members[key])
        ]
    return families


def _is_template(evidence: ScopeEvidence, kinship: _Kinship, members: Sequence[str]) -> bool:
    families = {evidence.families[experiment_id] for experiment_id in members}
    return kinship is not _KINSHIPS[0] and len(families) > MAX_FAMILIES


def propose_by_family(families: Iterable[Family], direct: Mapping[str, RunIdea]) -> list[Candidate]:
    """Let the runs of each family vote, each by its own evidence, and propose the outcome to the others.

    Args:
        families: Families of one scope.
        direct: What the evidence of each member decides without the families.
    """
    proposed: dict[tuple[str, str | None], Candidate] = {}
    for family in families:
        for candidate in _votes(family, direct):
            known = proposed.get((candidate.experiment_id, candidate.idea_id))
            if known is None or candidate.score > known.score:
                proposed[candidate.experiment_id, candidate.idea_id] = candidate
    return [proposed[key] for key in sorted(proposed, key=lambda key: (key[0], key[1] or ""))]


def _votes(family: Family, direct: Mapping[str, RunIdea]) -> Iterator[Candidate]:
    """The outcome of a vote for each member, its own voice left out."""
    links = [direct[each] for each in family.members]
    voters = [link for link in links if link.idea_id is not None]
    denied = [link for link in links if any(each.is_against for each in link.candidates)]
    if not voters and not denied:
        return
    outcomes: dict[tuple[str | None, _Voices], list[tuple[str, float, str]]] = {}
    for link in links:
        voices = tuple((voter.idea_id or "", voter.score) for voter in voters if voter is not link)
        if voices:
            key = (link.idea_id, voices)
            if key not in outcomes:
                outcomes[key] = _outcome(family, *key)
            for idea_id, score, evidence in outcomes[key]:
                yield Candidate(link.experiment_id, idea_id, TierName.DEDUP, score, evidence)
        elif denied and denied != [link]:
            witness = next(each for each in denied if each is not link)
            evidence = f"{family.name}: the journal says so of {witness.experiment_id}"
            yield Candidate(
                link.experiment_id, None, TierName.DEDUP, INHERITED_AGAINST, evidence, is_against=True
            )


_Voices = tuple[tuple[str, float], ...]
"""The idea and the score of each voter."""


def _outcome(family: Family, own: str | None, voices: _Voices) -> list[tuple[str, float, str]]:
    """Each idea that has votes, what it weighs with a run that shows an idea of its own or none, and why."""
    weights: dict[str, float] = defaultdict(float)
    best: dict[str, float] = defaultdict(float)
    votes: Counter[str] = Counter()
    for idea_id, score in voices:
        weights[idea_id] += score
        best[idea_id] = max(best[idea_id], score)
        votes[idea_id] += 1
    total = sum(weights.values())
    evidence = f"inherited in {family.name}: " + ", ".join(
        f"{votes[idea_id]} for {idea_id}" for idea_id in sorted(votes)
    )
    found = []
    for idea_id in sorted(weights):
        share = weights[idea_id] / total
        scale = share if share >= MAJORITY else share / 2
        scale *= DISSENT if own not in {None, idea_id} else 1.0
        found.append((idea_id, round(family.weight * best[idea_id] * scale, 4), evidence))
    return found
