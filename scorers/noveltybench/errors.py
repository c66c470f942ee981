"""What can go wrong in NoveltyBench; every message is one sentence and holds no key."""

from scorers.errors import ScoringError


class NoveltyBenchError(ScoringError):
    """A stage cannot go on. The message is one sentence: what is wrong, where, and what to do."""


class RowError(Exception):
    """One prompt cannot be done; the others can. The message is one sentence."""
