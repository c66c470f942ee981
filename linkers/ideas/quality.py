"""How the matcher behaves where no truth is known: flow, agreement, sensitivity and a negative control."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from linkers.ideas.aliases import OWN_NAMES
from linkers.ideas.dedup import Family, propose_by_family
from linkers.ideas.evidence import scope_evidence
from linkers.ideas.llm import LlmTally
from linkers.ideas.model import RunIdea, ScopeEvidence, TierName
from linkers.ideas.resolver import DEFAULT_THRESHOLDS, Thresholds, idea_under, resolve_anew
from linkers.ideas.tiers import Decision, IdeaLinks, decide, propose
from linkers.variants.coverage import CoverageRow

STEP = 0.05
"""How far each threshold is moved to see how many links hang on it."""


@dataclass(frozen=True, slots=True)
class TierFlow:
    """What became of the runs that reached a tier. `eligible` is the sum of the last three.

    Attributes:
        tier: The tier.
        eligible: Runs that no earlier tier had decided.
        proposed: Those for which it has a candidate.
        accepted: Those whose published link it decided.
        ambiguous: Those for which its candidates did not suffice, or were outweighed.
        abstained: Those of which it says nothing.
    """

    tier: str
    eligible: int
    proposed: int
    accepted: int
    ambiguous: int
    abstained: int


@dataclass(frozen=True, slots=True)
class TierAgreement:
    """How often two tiers have the same best idea, where both have one.

    Attributes:
        tier: The earlier tier.
        other_tier: The later one.
        both: Runs for which both propose an idea.
        agreeing: Runs for which it is the same.
    """

    tier: str
    other_tier: str
    both: int
    agreeing: int


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How many links hang on one threshold.

    Attributes:
        threshold: Its name.
        value: Its value in this trial.
        changed: Links that differ from the published ones.
    """

    threshold: str
    value: float
    changed: int


@dataclass(frozen=True, slots=True)
class NegativeControl:
    """What the matcher links where nothing is true: the runs of one scope against the ideas of another.

    Attributes:
        scope: Whose runs.
        other_scope: Whose ideas, without those that the scope has itself.
        runs: Number of runs.
        linked: Runs that were linked all the same.
    """

    scope: str
    other_scope: str
    runs: int
    linked: int


@dataclass(frozen=True, slots=True)
class IdeaCoverage:
    """Everything that can be said without knowing the truth.

    Attributes:
        flow: What became of the runs, by tier.
        waterfall: How far the tiers reach, by scope and tier.
        agreement: How often tiers agree.
        sensitivity: How many links hang on each threshold.
        negative_control: What is linked where nothing is true, by scope.
        conflicts: Runs whose evidence contradicts itself.
        llm: What came of the questions to a model, if any were asked.
    """

    flow: tuple[TierFlow, ...] = ()
    waterfall: tuple[CoverageRow, ...] = ()
    agreement: tuple[TierAgreement, ...] = ()
    sensitivity: tuple[Sensitivity, ...] = ()
    negative_control: tuple[NegativeControl, ...] = ()
    conflicts: int = 0
    llm: LlmTally | None = None


def measure(found: IdeaLinks) -> IdeaCoverage:
    """Measure all of it."""
    return IdeaCoverage(
        flow=tier_flow(found.links.values()),
        waterfall=tier_waterfall(found),
        agreement=tier_agreement(found.links.values()),
        sensitivity=threshold_sensitivity(found.decisions),
        negative_control=negative_control([each.evidence for each in found.decisions]),
        conflicts=sum(link.is_conflict for link in found.links.values()),
        llm=found.tally,
    )


def tier_flow(links: Iterable[RunIdea]) -> tuple[TierFlow, ...]:
    """Follow the runs down the tiers."""
    reached = [(link.tier, _best_of_tiers(link)) for link in links]
    rows = []
    for tier in TierName:
        accepted = sum(decided_by is tier for decided_by, _ in reached)
        proposed = sum(decided_by is tier or tier in best for decided_by, best in reached)
        eligible = len(reached)
        rows.append(
            TierFlow(tier.value, eligible, proposed, accepted, proposed - accepted, eligible - proposed)
        )
        reached = [each for each in reached if each[0] is not tier]
    return tuple(rows)


def tier_waterfall(found: IdeaLinks) -> tuple[CoverageRow, ...]:
    """Count, scope by scope and tier by tier, for how many runs a tier has an idea and which it decides."""
    rows = []
    for decision in found.decisions:
        scope = decision.evidence.scope
        links = [found.links[each] for each in decision.links]
        proposers = [_best_of_tiers(link) for link in links]
        reached = 0
        for tier in TierName:
            decided = [link for link in links if link.tier is tier]
            reached += len(decided)
            answered = sum(tier in each for each in proposers)
            in_conflict = sum(link.is_conflict for link in decided)
            counts = (len(links), answered, len(decided), reached, in_conflict)
            rows.append(CoverageRow(scope.agent, scope.wave, tier.value, *counts))
    return tuple(rows)


def tier_agreement(links: Iterable[RunIdea]) -> tuple[TierAgreement, ...]:
    """Compare every pair of tiers on every run, whichever of them decided it."""
    both: Counter[tuple[TierName, TierName]] = Counter()
    agreeing: Counter[tuple[TierName, TierName]] = Counter()
    order = list(TierName)
    for link in links:
        best = _best_of_tiers(link)
        for pair in combinations(sorted(best, key=order.index), 2):
            both[pair] += 1
            agreeing[pair] += best[pair[0]] == best[pair[1]]
    pairs = sorted(both, key=lambda pair: (order.index(pair[0]), order.index(pair[1])))
    return tuple(TierAgreement(a.value, b.value, both[a, b], agreeing[a, b]) for a, b in pairs)


def _best_of_tiers(link: RunIdea) -> dict[TierName, str]:
    """Each tier's strongest idea for a run; candidates stand in that order."""
    best: dict[TierName, str] = {}
    for each in link.candidates:
        if each.idea_id is not None and not each.is_against:
            best.setdefault(each.tier, each.idea_id)
    return best


def threshold_sensitivity(decisions: Iterable[Decision]) -> tuple[Sensitivity, ...]:
    """Decide anew with each threshold moved up and down."""
    decisions = list(decisions)
    return tuple(
        Sensitivity(name, value, sum(_count_changed(each, _moved(name, value)) for each in decisions))
        for name in ("accept", "margin")
        for value in (round(getattr(DEFAULT_THRESHOLDS, name) + step, 4) for step in (-STEP, STEP))
    )


def _count_changed(decision: Decision, thresholds: Thresholds) -> int:
    """Count the links of a scope that other thresholds would change.

    Candidates and their scores hang on no threshold. What a threshold moves are the voices of some runs, and
    with them what their families hand down.
    """
    direct = decision.direct
    moved = {
        each: replace(link, idea_id=idea_id)
        for each, link in direct.items()
        if (idea_id := idea_under(link, thresholds)) != link.idea_id
    }
    heirs = {each for family in _with_any(decision.families, moved) for each in family.members}
    inherited = propose_by_family(_with_any(decision.families, heirs), {**direct, **moved})
    before = {each: direct[each] for each in heirs}
    more = (candidate for candidate in inherited if candidate.experiment_id in heirs)
    anew = resolve_anew(decision.evidence, before, more, thresholds)
    return sum(
        idea_under(anew.get(each, link), thresholds) != link.idea_id for each, link in decision.links.items()
    )


def _with_any(families: Iterable[Family], runs: Collection[str]) -> list[Family]:
    return [family for family in families if any(each in runs for each in family.members)]


def _moved(name: str, value: float) -> Thresholds:
    if name == "accept":
        return replace(DEFAULT_THRESHOLDS, accept=value)
    return replace(DEFAULT_THRESHOLDS, margin=value)


def negative_control(scopes: Sequence[ScopeEvidence]) -> tuple[NegativeControl, ...]:
    """Match each scope's runs against the ideas of the next scope, which none of them can have tested."""
    rows = []
    for evidence, other in zip(scopes, [*scopes[1:], *scopes[:1]], strict=True):
        if evidence is other or not other.ideas:
            continue
        shared = {
            alias.idea_id
            for text, group in other.aliases.by_text.items()
            for alias in group
            if alias.kind in OWN_NAMES and text in evidence.aliases.by_text
        }
        foreign = [each for each in other.ideas.values() if each.idea_id not in shared]
        entries = [mention.entry for mention in evidence.mentions]
        crossed = scope_evidence(
            evidence.scope, evidence.runs.values(), foreign, evidence.variant_stems, entries, (), {}
        )
        links = decide(crossed, propose(crossed)).links
        linked = sum(link.idea_id is not None for link in links.values())
        rows.append(NegativeControl(str(evidence.scope), str(other.scope), len(links), linked))
    return tuple(rows)
