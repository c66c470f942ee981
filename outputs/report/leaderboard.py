"""The leaderboard of the report: numbers that are handed over, laid out on scales."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of numbers.

    Attributes:
        name: What is measured.
        low: Where its scale begins.
        high: Where its scale ends.
        is_share: Whether it is shown in percent.
    """

    name: str
    low: float
    high: float
    is_share: bool = False

    def show(self, value: float) -> str:
        """Write a value the way people read it."""
        return f"{100 * value:.1f}%" if self.is_share else f"{value:.2f}"

    def show_end(self, end: float) -> str:
        """Write an end of the scale the way people read it."""
        return f"{100 * end:.0f}%" if self.is_share else f"{end:.3g}"

    def place(self, value: float) -> float:
        """Place a value on the scale, in percent of its width."""
        width = self.high - self.low
        return round(100 * min(max((value - self.low) / width, 0.0), 1.0), 2) if width else 50.0


@dataclass(frozen=True, slots=True)
class Number:
    """A mean with its interval.

    Attributes:
        mean: The mean; None where there is none.
        interval: Its bounds; None where there are none.
    """

    mean: float | None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """A snapshot that does not count. The reason is untrusted text.

    Attributes:
        snapshot_id: The snapshot.
        outcome: What became of it, in a word.
        reason: Why, if that is known.
    """

    snapshot_id: str
    outcome: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class ProposerRow:
    """A proposer. Its name is untrusted text.

    Attributes:
        rank: Its rank, if it has one.
        proposer: Its name.
        numbers: A number for each metric.
        cells: What it has to show for each snapshot: a score, or a word in place of one.
        num_scored: How many snapshots count.
        missing: Those that do not.
    """

    rank: int | None
    proposer: str
    numbers: Sequence[Number]
    cells: Sequence[str]
    num_scored: int
    missing: Sequence[Missing]


@dataclass(frozen=True, slots=True)
class LeaderboardSection:
    """What the section shows.

    Attributes:
        split: The split whose snapshots count.
        notes: What to know about the numbers, in sentences.
        facts: How the sets were scored, by name.
        metrics: The columns of numbers.
        snapshot_ids: The snapshots.
        rows: The proposers by rank.
    """

    split: str
    notes: Sequence[str]
    facts: Sequence[tuple[str, str]]
    metrics: Sequence[Metric]
    snapshot_ids: Sequence[str]
    rows: Sequence[ProposerRow]
