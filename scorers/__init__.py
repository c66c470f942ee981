"""Proposals against a snapshot: who reads, judges and scores them. What is public stands here."""

from scorers.candidates import Candidate, parse_candidate, read_candidate
from scorers.classes import Classification, Impact
from scorers.cosine_judge import CosineJudge
from scorers.errors import ScoringError
from scorers.pools import Benchmark
from scorers.results import CandidateResult, ScoringResult
from scorers.scoring import score

__all__ = [
    "Benchmark",
    "Candidate",
    "CandidateResult",
    "Classification",
    "CosineJudge",
    "Impact",
    "ScoringError",
    "ScoringResult",
    "parse_candidate",
    "read_candidate",
    "score",
]
