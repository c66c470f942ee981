"""The tiers of the idea matcher in their order, and the run of them over a scope."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from linkers.ideas.abbreviation import propose_by_abbreviation
from linkers.ideas.dedup import Family, find_families, propose_by_family
from linkers.ideas.llm import Ask, LlmTally, consult
from linkers.ideas.model import Candidate, RunIdea, ScopeEvidence, Tier, TierName
from linkers.ideas.prefix import propose_by_prefix
from linkers.ideas.resolver import DEFAULT_THRESHOLDS, Thresholds, resolve, resolve_anew
from linkers.ideas.thread import propose_by_thread

DIRECT_TIERS: tuple[tuple[TierName, Tier], ...] = (
    (TierName.PREFIX, propose_by_prefix),
    (TierName.ABBREVIATION, propose_by_abbreviation),
    (TierName.THREAD, propose_by_thread),
)
"""The tiers that look at one run at a time, in their order. A tier is a module and a line here."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the matcher decides in one scope.

    Attributes:
        evidence: The evidence.
        direct: The decision by experiment id without the families, for every run.
        families: The families.
        links: The decision by experiment id when they have voted, for every run.
    """

    evidence: ScopeEvidence
    direct: Mapping[str, RunIdea]
    families: Sequence[Family]
    links: Mapping[str, RunIdea]


@dataclass(frozen=True, slots=True)
class IdeaLinks:
    """Which idea each run of an archive tested.

    Attributes:
        decisions: What the matcher decided, by scope.
        links: The decision by experiment id, for every run.
        tally: What came of the questions to a model; None where none was asked.
    """

    decisions: tuple[Decision, ...]
    links: Mapping[str, RunIdea]
    tally: LlmTally | None = None


def link_ideas(
    scopes: Sequence[ScopeEvidence], ask: Ask | None = None, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> IdeaLinks:
    """Decide which idea each run of an archive tested.

    The tiers that need nothing but the archive decide first, the families included. Only what is still open
    is asked about; then the families vote again.

    Args:
        scopes: The evidence of each scope.
        ask: Asks a model; None leaves that tier out.
        thresholds: What a link needs.
    """
    decisions = [decide(evidence, propose(evidence), thresholds) for evidence in scopes]
    tally = None
    if ask is not None:
        answered, tally = consult(scopes, _links_of(decisions), ask)
        decisions = [
            _with_more(each, answered.get(str(each.evidence.scope), ()), thresholds) for each in decisions
        ]
    return IdeaLinks(tuple(decisions), _links_of(decisions), tally)


def propose(evidence: ScopeEvidence) -> list[Candidate]:
    """Run the direct tiers one after the other, each on every run."""
    return [candidate for _, tier in DIRECT_TIERS for candidate in tier(evidence)]


def decide(
    evidence: ScopeEvidence, proposed: Iterable[Candidate], thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Decision:
    """Decide for every run of a scope by what was proposed, and let the families vote on it."""
    direct = resolve(evidence, proposed, thresholds)
    families = find_families(evidence)
    links = resolve_anew(evidence, direct, propose_by_family(families, direct), thresholds)
    return Decision(evidence, direct, families, links)


def _with_more(decision: Decision, more: Iterable[Candidate], thresholds: Thresholds) -> Decision:
    """Decide anew with further candidates, and let the families vote again."""
    direct = resolve_anew(decision.evidence, decision.direct, more, thresholds)
    inherited = propose_by_family(decision.families, direct)
    links = resolve_anew(decision.evidence, direct, inherited, thresholds)
    return replace(decision, direct=direct, links=links)


def _links_of(decisions: Iterable[Decision]) -> dict[str, RunIdea]:
    return {experiment_id: link for each in decisions for experiment_id, link in each.links.items()}
