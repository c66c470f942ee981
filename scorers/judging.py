"""What a judge is given, and what it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from outputs.spending.budget import Usage
from scorers.candidates import Candidate
from scorers.classes import Classification
from scorers.pools import Similarities, SnapshotPools


@dataclass(frozen=True, slots=True)
class Finding:
    """What a judge makes of one candidate.

    Attributes:
        classification: What it is; a judge that cannot tell answers `UNJUDGED`.
        matched_id: The future experiment of a `NOVEL_VALIDATED`, the prior one of a `REDISCOVERY`, else None.
        confidence: How sure the judge is, 0 to 1.
        reason: Why, in a sentence.
        orders_agree: Whether a judge that was asked in several orders answered the same; None if it was not.
        stand_in: Name of the judge that judged it in place of the one that was asked; None where none did.
    """

    classification: Classification
    matched_id: str | None = None
    confidence: float = 1.0
    reason: str = ""
    orders_agree: bool | None = None
    stand_in: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge makes of a set.

    Attributes:
        findings: One for each candidate, in their order.
        usage: What it cost to ask.
        model: The model that was asked; None where none was.
    """

    findings: tuple[Finding, ...]
    usage: Usage = field(default_factory=Usage)
    model: str | None = None


class Judge(Protocol):
    """Somebody who tells what well-formed candidates are.

    The scores do not depend on who judges: they follow from the classification, the match and the confidence.
    """

    @property
    def name(self) -> str:
        """Short name, as options and results have it."""

    @property
    def threshold(self) -> float | None:
        """The similarity from which on texts count as one idea; None where it is no rule of this judge."""

    def judge(
        self, candidates: Sequence[Candidate], pools: SnapshotPools, similarities: Similarities
    ) -> Judgement:
        """Judge candidates.

        Args:
            candidates: Valid candidates.
            pools: What they are held against.
            similarities: How near they are to each experiment of the pools, one row a candidate.
        """
