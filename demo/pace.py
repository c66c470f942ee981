"""How good the recipes of a scope are, and how many steps their runs are given, as time passes."""

import math
import random
from datetime import datetime

from demo.profiles import Profile


class Pace:
    """The progress of one scope."""

    def __init__(self, profile: Profile) -> None:
        """Follow a scope's profile.

        Args:
            profile: The scope's habits.
        """
        self._profile = profile

    def progress(self, at: datetime) -> float:
        """Say which share of the scope's time had passed."""
        return (at - self._profile.first_at) / (self._profile.last_at - self._profile.first_at)

    def frontier(self, at: datetime) -> float:
        """Say at which step a good recipe of that time reaches 3.28."""
        gain = self._profile.first_best - self._profile.last_best
        return self._profile.first_best - gain * math.pow(min(max(self.progress(at), 0.0), 1.0), 0.8)

    def crossing(self, at: datetime, source: random.Random) -> float:
        """Draw how good a recipe of that time is: the step at which it reaches 3.28."""
        kind = source.random()
        if kind < 0.2:
            offset = source.uniform(-25, 10)
        elif kind < 0.75:
            offset = source.uniform(10, 120)
        elif kind < 0.92:
            offset = source.uniform(120, 450)
        else:
            offset = source.uniform(900, 9000)
        return self.frontier(at) + offset

    def rungs(self, at: datetime, source: random.Random) -> list[tuple[int, int]]:
        """Draw the pairs of schedule and stop step at which a recipe is tried."""
        best = self.frontier(at)
        count = 1 if self._profile.scope.wave == "novelty" else source.choice((1, 1, 1, 2, 3))
        rungs = []
        for _ in range(count):
            steps = round((best + source.choice((-40, -15, 0, 10, 25, 60, 100))) / 5) * 5
            if self._profile.scope.wave in ("v1", "novelty") and source.random() < 0.15:
                steps = source.choice((3550, 3600, 3700, 3800))
            stop = steps
            if (self._profile.scope.agent, self._profile.scope.wave) == (
                "codex",
                "v1",
            ) and source.random() < 0.5:
                steps = round(stop / 125 + source.choice((0.6, 1, 1.6))) * 125
                steps = max(steps, stop)
            rungs.append((steps, stop))
        return sorted(set(rungs), reverse=True)
