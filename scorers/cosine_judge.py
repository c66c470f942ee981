"""The deterministic judge: the nearest neighbour at or above a threshold is a match."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorers.candidates import Candidate
from scorers.classes import Classification
from scorers.judging import Finding, Judgement
from scorers.pools import Pool, Similarities, SnapshotPools
from scorers.thresholds import PUBLISHED_THRESHOLD
from scorers.vectors import Vectors


@dataclass(frozen=True, slots=True)
class CosineJudge:
    """Matches by cosine alone. It is always sure.

    Futures come first: a candidate whose nearest future experiment is near enough anticipates it, also where
    a prior is nearer still, as a prior that ends on a winning thread counts as anticipation. Of equally near
    experiments the one with the first id is the match.

    Attributes:
        threshold: The least cosine of a match.
    """

    threshold: float = PUBLISHED_THRESHOLD
    name: str = "cosine"

    def judge(
        self, candidates: Sequence[Candidate], pools: SnapshotPools, similarities: Similarities
    ) -> Judgement:
        """Judge candidates."""
        rows = zip(candidates, similarities.priors, similarities.futures, strict=True)
        return Judgement(tuple(self._judge(pools, priors, futures) for _, priors, futures in rows))

    def _judge(self, pools: SnapshotPools, priors: Vectors, futures: Vectors) -> Finding:
        return (
            self._match(Classification.NOVEL_VALIDATED, "future", pools.futures, futures)
            or self._match(Classification.REDISCOVERY, "prior", pools.priors, priors)
            or Finding(
                Classification.NOVEL_UNVALIDATED,
                reason=f"No prior and no future experiment has a cosine of {self.threshold:g} or more.",
            )
        )

    def _match(
        self, classification: Classification, name: str, pool: Pool, similarities: Vectors
    ) -> Finding | None:
        for place in pool.nearest(similarities):
            if similarities[place] >= np.float32(self.threshold):
                reason = f"Its cosine to a {name} experiment is at least {self.threshold:g}."
                return Finding(classification, pool.ids[place], reason=reason)
        return None
