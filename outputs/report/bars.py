"""Counts laid out as bars: stacked by what they are, or as a waterfall of tiers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from linkers.variants.coverage import CoverageRow, sum_by_tier
from parsers.scopes import SCOPES

OPEN = "left open"
"""What no tier answered."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar.

    Attributes:
        name: What is counted.
        count: How many.
        start: Where it begins, in percent of the bar.
        share: How wide it is, in percent of the bar.
        place: Its number in the legend.
    """

    name: str
    count: int
    start: float
    share: float
    place: int


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of parts that make up a whole.

    Attributes:
        scope: Whose counts these are.
        total: The whole.
        segments: The parts, also those of which there are none.
    """

    scope: str
    total: int
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a waterfall.

    Attributes:
        tier: The tier.
        answered: Runs of which it says something, or None for what is left open.
        added: Runs that it decided.
        start: Where its bar begins, in percent of all runs.
        share: How wide its bar is, in percent of all runs.
        reached: Runs decided by it and all before it.
    """

    tier: str
    answered: int | None
    added: int
    start: float
    share: float
    reached: int

    @property
    def end(self) -> float:
        """Where its bar ends, in percent of all runs."""
        return self.start + self.share


def stack(scope: str, names: Sequence[str], counts: Mapping[str, int]) -> Bar:
    """Lay counts side by side in the order of their names.

    >>> bar = stack("v1/codex", ["a", "b"], {"a": 1, "b": 3})
    >>> [(each.name, each.start, each.share) for each in bar.segments]
    [('a', 0.0, 25.0), ('b', 25.0, 75.0)]
    """
    total = sum(counts.get(name, 0) for name in names)
    segments, before = [], 0
    for place, name in enumerate(names):
        count = counts.get(name, 0)
        segments.append(Segment(name, count, _percent(before, total), _percent(count, total), place))
        before += count
    return Bar(scope, total, tuple(segments))


def stack_by_scope(experiments: pl.DataFrame, column: str, names: Sequence[str]) -> tuple[Bar, ...]:
    """Count the values of a column scope by scope; what occurs nowhere is left out of all bars.

    Args:
        experiments: The table.
        column: What is counted.
        names: Its values in the order of the legend.
    """
    counts: dict[tuple[str, str], dict[str, int]] = {}
    rows = experiments.with_columns(pl.col(column).fill_null(OPEN)).group_by("agent", "wave", column).len()
    for agent, wave, value, count in rows.iter_rows():
        counts.setdefault((agent, wave), {})[value] = count
    present = [scope for scope in SCOPES if (scope.agent, scope.wave) in counts]
    used = {name for of_scope in counts.values() for name in of_scope}
    bars = [stack(str(scope), names, counts[scope.agent, scope.wave]) for scope in present]
    return tuple(
        Bar(bar.scope, bar.total, tuple(part for part in bar.segments if part.name in used)) for bar in bars
    )


def waterfall(tiers: Iterable[tuple[str, int, int]], total: int) -> tuple[Step, ...]:
    """Lay tiers out one after the other, and what is left open last.

    Args:
        tiers: Name of each tier, the runs of which it says something, and those that it decided.
        total: All runs.
    """
    steps, reached = [], 0
    for tier, answered, added in tiers:
        start = _percent(reached, total)
        reached += added
        steps.append(Step(tier, answered, added, start, _percent(added, total), reached))
    rest = total - reached
    return (*steps, Step(OPEN, None, rest, _percent(reached, total), _percent(rest, total), total))


def coverage_waterfall(rows: Iterable[CoverageRow]) -> tuple[Step, ...]:
    """Follow the runs of all scopes down the tiers."""
    steps = sum_by_tier(rows)
    total = steps[0].runs if steps else 0
    return waterfall(((step.tier, step.answered, step.added) for step in steps), total)


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 3) if whole else 0.0
