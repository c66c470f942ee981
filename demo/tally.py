"""What the checkpoint lines of a log amount to, by the rules that the gold states."""

from dataclasses import dataclass, field

from demo.curves import TARGET
from demo.model import Point


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """One trial as a log shows it.

    Attributes:
        points: Its checkpoints, repeated lines left out.
    """

    points: tuple[Point, ...]

    @property
    def final_loss(self) -> float:
        """Loss of the last checkpoint, which may be NaN."""
        return self.points[-1][1]

    @property
    def min_loss(self) -> float | None:
        """Smallest loss that is a number, or None."""
        numbers = [loss for _, loss in self.points if loss == loss]
        return min(numbers) if numbers else None

    @property
    def step_to_target(self) -> int | None:
        """First step at or below the target, or None."""
        return next((step for step, loss in self.points if loss <= TARGET), None)


@dataclass(slots=True)
class Tally:
    """Counts checkpoints while a log is written.

    A line that equals an earlier one counts for nothing, unless a line `seed:<int>` stands between them. A
    trial begins where the step does not rise, or at a trial marker with another number.
    """

    _seen: set[str] = field(default_factory=set)
    _trials: list[list[Point]] = field(default_factory=list)
    _marker: int = 0
    _must_begin: bool = True

    def checkpoint(self, line: str, point: Point) -> None:
        """Count a checkpoint line."""
        if line in self._seen:
            return
        self._seen.add(line)
        if self._must_begin or point[0] <= self._trials[-1][-1][0]:
            self._trials.append([])
            self._must_begin = False
        self._trials[-1].append(point)

    def seed_header(self) -> None:
        """Note a line that consists of `seed:<int>`."""
        self._seen.clear()

    def trial_marker(self, number: int) -> None:
        """Note a line such as `trial:2/10 seed:1`."""
        self._must_begin = self._must_begin or (number != self._marker and bool(self._trials))
        self._marker = number

    def outcomes(self) -> tuple[TrialOutcome, ...]:
        """Close the books."""
        return tuple(TrialOutcome(tuple(points)) for points in self._trials)
