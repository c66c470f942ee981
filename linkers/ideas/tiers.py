"""The tiers of the idea matcher in their order, and the run of them over a scope."""

from collections.abc import Iterable, Mapping, Sequence

from linkers.ideas.abbreviation import propose_by_abbreviation
from linkers.ideas.dedup import propose_by_family
from linkers.ideas.model import Candidate, RunIdea, ScopeEvidence, Tier, TierName
from linkers.ideas.prefix import propose_by_prefix
from linkers.ideas.resolver import DEFAULT_THRESHOLDS, Thresholds, resolve
from linkers.ideas.thread import propose_by_thread

TIERS: tuple[tuple[TierName, Tier], ...] = (
    (TierName.PREFIX, propose_by_prefix),
    (TierName.ABBREVIATION, propose_by_abbreviation),
    (TierName.THREAD, propose_by_thread),
    (TierName.DEDUP, propose_by_family),
)
"""The tiers that need nothing but the archive. The last one lets families vote on what the others found."""


def propose(evidence: ScopeEvidence, tiers: Iterable[tuple[TierName, Tier]] = TIERS) -> list[Candidate]:
    """Run tiers one after the other, each on every run."""
    found: list[Candidate] = []
    for _, tier in tiers:
        found += tier(evidence, tuple(found))
    return found


def link_ideas(
    scopes: Sequence[ScopeEvidence], thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Mapping[str, RunIdea]:
    """Decide which idea each run of an archive tested.

    Args:
        scopes: The evidence of each scope.
        thresholds: What a link needs.

    Returns:
        The decision by experiment id, for every run.
    """
    return {
        experiment_id: decision
        for evidence in scopes
        for experiment_id, decision in resolve(evidence, propose(evidence), thresholds).items()
    }
