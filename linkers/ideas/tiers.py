"""The tiers of the idea matcher in their order, and the run of them over a scope."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from linkers.ideas.abbreviation import propose_by_abbreviation
from linkers.ideas.dedup import find_families, propose_by_family
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
class IdeaLinks:
    """Which idea each run of an archive tested.

    Attributes:
        scopes: The evidence.
        links: The decision by experiment id, for every run.
        proposed: What the tiers before the last proposed, by scope name.
        tally: What came of the questions to a model; None where none was asked.
    """

    scopes: tuple[ScopeEvidence, ...]
    links: Mapping[str, RunIdea]
    proposed: Mapping[str, tuple[Candidate, ...]]
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
    proposed = {str(evidence.scope): propose(evidence) for evidence in scopes}
    links = decide(scopes, proposed, thresholds)
    tally = None
    if ask is not None:
        answered, tally = consult(scopes, links, ask)
        for scope, candidates in answered.items():
            proposed[scope] += candidates
        links = decide(scopes, proposed, thresholds)
    return IdeaLinks(
        tuple(scopes), links, {scope: tuple(candidates) for scope, candidates in proposed.items()}, tally
    )


def propose(evidence: ScopeEvidence) -> list[Candidate]:
    """Run the direct tiers one after the other, each on every run."""
    return [candidate for _, tier in DIRECT_TIERS for candidate in tier(evidence)]


def decide(
    scopes: Iterable[ScopeEvidence],
    proposed: Mapping[str, Sequence[Candidate]],
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> dict[str, RunIdea]:
    """Let families vote on what was proposed, and decide for every run."""
    links: dict[str, RunIdea] = {}
    for evidence in scopes:
        direct = resolve(evidence, proposed[str(evidence.scope)], thresholds)
        inherited = propose_by_family(find_families(evidence), direct)
        links |= resolve_anew(evidence, direct, inherited, thresholds)
    return links
