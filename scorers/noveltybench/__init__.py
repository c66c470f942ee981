"""NoveltyBench (Zhang et al. 2025): how many different answers a writer gives, and how good they are."""

from scorers.noveltybench.candidates import CandidatesDiversity, candidates_diversity
from scorers.noveltybench.equivalence import (
    Equivalence,
    Pair,
    cosine_equivalence,
    each_pair,
    embedding_equivalence,
)
from scorers.noveltybench.metrics import PATIENCE, credit, distinct_k, first_members, utility_k
from scorers.noveltybench.partitioning import partition
from scorers.noveltybench.quality import Exchange, RewardModel, quality_of

__all__ = [
    "PATIENCE",
    "CandidatesDiversity",
    "Equivalence",
    "Exchange",
    "Pair",
    "RewardModel",
    "candidates_diversity",
    "cosine_equivalence",
    "credit",
    "distinct_k",
    "each_pair",
    "embedding_equivalence",
    "first_members",
    "partition",
    "quality_of",
    "utility_k",
]
