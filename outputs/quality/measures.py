"""Precision and recall of the links between runs and ideas, by tier and by scope."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from outputs.quality.gold import GoldIdea
from outputs.schemas import IDEA_TIERS

Z_95 = 1.959964
"""Two-sided 95 percent of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Link:
    """What a dataset says of one run.

    Attributes:
        experiment_id: The run.
        scope: Its scope, `wave/agent`.
        idea_id: The published idea, or None.
        tier: The tier that decided, or None.
        candidate_ids: Every idea that some tier proposed.
    """

    experiment_id: str
    scope: str
    idea_id: str | None
    tier: str | None
    candidate_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 percent Wilson interval.

    Attributes:
        hits: How many.
        n: Of how many.
    """

    hits: int
    n: int

    @property
    def value(self) -> float | None:
        """The share itself; None of nothing."""
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval; all there is, of nothing.

        >>> [round(bound, 4) for bound in Share(8, 10).interval]
        [0.4902, 0.9433]
        """
        if not self.n:
            return 0.0, 1.0
        share, z2 = self.hits / self.n, Z_95**2
        centre = share + z2 / (2 * self.n)
        spread = Z_95 * math.sqrt(share * (1 - share) / self.n + z2 / (4 * self.n**2))
        scale = 1 + z2 / self.n
        return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


@dataclass(frozen=True, slots=True)
class TierQuality:
    """How good one tier is.

    Attributes:
        tier: The tier.
        precision: Right links of the links it decided.
        recall: Right links of this tier and all before it, of the runs whose idea can be known.
    """

    tier: str
    precision: Share
    recall: Share


@dataclass(frozen=True, slots=True)
class ScopeQuality:
    """How good the links of one scope are.

    Attributes:
        scope: The scope, or `all`.
        runs: Runs that the gold standard knows.
        precision: Right links of all links.
        recall: Right links of the runs whose idea can be known.
        proposed: Runs whose right idea some tier proposed, of the same.
    """

    scope: str
    runs: int
    precision: Share
    recall: Share
    proposed: Share


def quality_by_tier(links: Iterable[Link], gold: Mapping[str, GoldIdea]) -> list[TierQuality]:
    """Measure each tier. Runs that the gold standard does not know count for nothing."""
    known = [link for link in links if link.experiment_id in gold]
    knowable = [link for link in known if gold[link.experiment_id].is_knowable]
    rows = []
    for number, tier in enumerate(IDEA_TIERS, start=1):
        upto = IDEA_TIERS[:number]
        rows.append(
            TierQuality(
                tier,
                _right([link for link in known if link.tier == tier], gold),
                Share(sum(_is_right(link, gold) and link.tier in upto for link in knowable), len(knowable)),
            )
        )
    return rows


def quality_by_scope(links: Iterable[Link], gold: Mapping[str, GoldIdea]) -> list[ScopeQuality]:
    """Measure each scope, and all of them together in the last row."""
    known = [link for link in links if link.experiment_id in gold]
    scopes = sorted({link.scope for link in known})
    rows = [_of_scope(scope, [link for link in known if link.scope == scope], gold) for scope in scopes]
    return [*rows, _of_scope("all", known, gold)]


def _of_scope(name: str, links: Sequence[Link], gold: Mapping[str, GoldIdea]) -> ScopeQuality:
    knowable = [link for link in links if gold[link.experiment_id].is_knowable]
    return ScopeQuality(
        scope=name,
        runs=len(links),
        precision=_right([link for link in links if link.idea_id is not None], gold),
        recall=_right(knowable, gold),
        proposed=Share(
            sum(gold[link.experiment_id].idea_id in link.candidate_ids for link in knowable), len(knowable)
        ),
    )


def _right(links: Sequence[Link], gold: Mapping[str, GoldIdea]) -> Share:
    return Share(sum(_is_right(link, gold) for link in links), len(links))


def _is_right(link: Link, gold: Mapping[str, GoldIdea]) -> bool:
    return link.idea_id is not None and link.idea_id == gold[link.experiment_id].idea_id
