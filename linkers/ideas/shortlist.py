"""At most eight ideas that an open family of runs may have tested, the likeliest first."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from rapidfuzz import fuzz, process

from linkers.ideas.model import Birth, RunIdea, ScopeEvidence
from linkers.ideas.tokens import words

MAX_OFFERED = 8

_PROPOSED = 2.0
_UNTESTED = 1.0
_UNDATED = 0.3
_TOO_LATE = -1.0
_SLACK_DAYS = 0.5


def rank_ideas(
    evidence: ScopeEvidence, members: Sequence[str], links: Mapping[str, RunIdea], num_runs: Mapping[str, int]
) -> list[str]:
    """Order the scope's ideas by how likely a family tested them.

    What a tier proposed comes first. Beyond that it counts how much the names resemble the idea's, how
    shortly after the idea the family was launched, and whether no run of the idea is known yet.

    Args:
        evidence: The scope.
        members: The family's runs.
        links: What the tiers decided.
        num_runs: Runs of each idea that are known.
    """
    query = " ".join(
        dict.fromkeys(
            word
            for each in members[:MAX_OFFERED]
            for word in words(f"{evidence.runs[each].name.stem} {evidence.variant_stems.get(each, '')}")
        )
    )
    titles = {
        idea_id: " ".join((*words(each.idea.slug), each.idea.title.lower()))
        for idea_id, each in evidence.ideas.items()
    }
    likeness = {
        idea_id: score
        for _, score, idea_id in process.extract(query, titles, scorer=fuzz.token_ratio, limit=None)
    }
    proposed = {idea_id: score for each in members for idea_id, score in links[each].scores}
    launches = [launch.at for each in members if (launch := evidence.runs[each].launch) is not None]

    def weight(idea_id: str) -> float:
        return (
            (_PROPOSED + proposed[idea_id] if idea_id in proposed else 0.0)
            + likeness.get(idea_id, 0.0) / 100
            + _nearness(min(launches, default=None), evidence.births.get(idea_id))
            + (_UNTESTED if not num_runs.get(idea_id) else 0.0)
        )

    return sorted(evidence.ideas, key=lambda idea_id: (-weight(idea_id), idea_id))


def _nearness(launch: datetime | None, birth: Birth | None) -> float:
    """1 for a launch right after the idea, less the later it is; negative for one before it."""
    if launch is None or birth is None:
        return _UNDATED
    days = (launch - birth.at).total_seconds() / 86_400
    return _TOO_LATE if days < -_SLACK_DAYS else 1.0 / (1.0 + max(0.0, days))
