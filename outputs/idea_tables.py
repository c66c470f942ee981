"""The table of the idea matcher: every candidate link with its evidence."""

from collections.abc import Iterable

import polars as pl

from linkers.ideas.model import Candidate, RunIdea
from outputs.schemas import RUN_IDEA_LINKS
from outputs.tables import frame_of


def build_run_idea_links(links: Iterable[RunIdea]) -> pl.DataFrame:
    """Build the table `run_idea_links`: one row a candidate, the strongest of each run first."""
    rows = (
        _row(link, rank, candidate)
        for link in links
        for rank, candidate in enumerate(link.candidates, start=1)
    )
    return frame_of(RUN_IDEA_LINKS, rows)


def _row(link: RunIdea, rank: int, candidate: Candidate) -> dict[str, object]:
    idea_id = candidate.idea_id
    return {
        "experiment_id": link.experiment_id,
        "rank": rank,
        "idea_id": idea_id,
        "tier": candidate.tier.value,
        "score": candidate.score,
        "idea_score": dict(link.scores).get(idea_id) if idea_id else None,
        "evidence": candidate.evidence,
        "is_against": candidate.is_against,
        "runner_up_idea_id": link.runner_up,
        "margin": link.margin,
        "is_chosen": idea_id is not None and idea_id == link.idea_id and not candidate.is_against,
        "is_conflict": link.is_conflict,
    }
