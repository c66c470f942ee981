"""Tier 2: the name of a run, or of its variant file, holds a declared or derived short name of an idea."""

from linkers.ideas.model import Candidate, ScopeEvidence, TierName
from linkers.ideas.prefix import candidates_of_spans


def propose_by_abbreviation(evidence: ScopeEvidence) -> list[Candidate]:
    """Propose the ideas whose short names stand in the names of runs."""
    return list(candidates_of_spans(evidence, TierName.ABBREVIATION, are_own_names=False))
