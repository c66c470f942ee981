"""Tier 1: the name of a run, or of the variant file that it executed, spells an idea's slug or code."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from linkers.ideas.aliases import OWN_NAMES
from linkers.ideas.model import Candidate, ScopeEvidence, TierName
from linkers.ideas.spans import Role, Span

OTHER_NAME_WEIGHT = 0.7
"""What an idea in the name of the variant file keeps where the run id names another one."""


def propose_by_prefix(evidence: ScopeEvidence) -> list[Candidate]:
    """Propose the ideas whose own names stand in the names of runs."""
    return list(candidates_of_spans(evidence, TierName.PREFIX, are_own_names=True))


def candidates_of_spans(
    evidence: ScopeEvidence, tier: TierName, *, are_own_names: bool
) -> Iterator[Candidate]:
    """Turn the spans of one kind of name into candidates, the best span of each run and idea.

    Args:
        evidence: The scope.
        tier: The tier that proposes them.
        are_own_names: Whether slugs and codes are wanted, or everything else.
    """
    for experiment_id in sorted(evidence.spans):
        best: dict[str, Span] = {}
        for span in _by_weight_of_name(evidence.spans[experiment_id]):
            if (span.alias.kind in OWN_NAMES) == are_own_names:
                known = best.get(span.alias.idea_id)
                if known is None or span.weight > known.weight:
                    best[span.alias.idea_id] = span
        for idea_id, span in sorted(best.items()):
            yield Candidate(experiment_id, idea_id, tier, round(span.weight, 4), _describe(span))


def _by_weight_of_name(spans: Sequence[Span]) -> list[Span]:
    """Where the run id names an idea, another one in its variant file's name weighs less.

    Agents name runs by what they test, while launch scripts point to files that were meant for other runs.
    """
    first = spans[0].name if spans else ""
    said = {span.alias.idea_id for span in spans if span.name == first and span.role is Role.TESTED}
    return [
        span
        if not said or span.name == first or span.alias.idea_id in said
        else replace(span, score=span.score * OTHER_NAME_WEIGHT)
        for span in spans
    ]


def _describe(span: Span) -> str:
    role = "" if span.role is Role.TESTED else f", as {span.role}"
    return f"{span.alias.text} in {span.name} at {span.start}{role}: {span.alias.source}"
