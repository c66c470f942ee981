"""How far the variant cascade reaches: a waterfall by tier and scope, and how often the tiers agree."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from linkers.runs import Run
from linkers.variants.cascade import TIERS, RunVariant


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One step of the waterfall of one scope.

    Attributes:
        agent: Agent of the scope.
        wave: Wave of the scope.
        tier: The tier.
        runs: Runs of the scope.
        answered: Runs for which the tier names a file, whether another did before or not.
        added: Runs that no earlier tier reached: those for which its answer is published.
        reached: Runs reached by this tier and all before it.
        in_conflict: Runs with its answer published that a later tier contradicts.
    """

    agent: str
    wave: str
    tier: str
    runs: int
    answered: int
    added: int
    reached: int
    in_conflict: int


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """How often two tiers name the same file where both name one.

    Attributes:
        tier: The earlier tier.
        other_tier: The later one.
        both: Runs for which both name a file.
        agreeing: Runs for which it is the same.
    """

    tier: str
    other_tier: str
    both: int
    agreeing: int


def waterfall(runs: Sequence[Run], variants: Sequence[RunVariant]) -> tuple[CoverageRow, ...]:
    """Count, scope by scope and tier by tier, what the cascade reaches.

    Args:
        runs: The runs.
        variants: Their variants, in the same order.
    """
    of_scope: dict[tuple[str, str], list[RunVariant]] = {}
    for run, variant in zip(runs, variants, strict=True):
        of_scope.setdefault((run.scope.agent, run.scope.wave), []).append(variant)
    rows = []
    for (agent, wave), members in of_scope.items():
        reached = 0
        for tier in TIERS:
            published = [each for each in members if each.tier == tier]
            reached += len(published)
            answered = sum(tier in _stems(each) for each in members)
            in_conflict = sum(each.is_conflict for each in published)
            rows.append(
                CoverageRow(agent, wave, tier, len(members), answered, len(published), reached, in_conflict)
            )
    return tuple(rows)


def sum_by_tier(rows: Iterable[CoverageRow]) -> tuple[CoverageRow, ...]:
    """Add a waterfall up over all scopes: a step for each tier, in their order."""
    of_tier: dict[str, list[CoverageRow]] = {}
    for row in rows:
        of_tier.setdefault(row.tier, []).append(row)
    return tuple(
        CoverageRow(
            agent="",
            wave="",
            tier=tier,
            runs=sum(each.runs for each in members),
            answered=sum(each.answered for each in members),
            added=sum(each.added for each in members),
            reached=sum(each.reached for each in members),
            in_conflict=sum(each.in_conflict for each in members),
        )
        for tier, members in of_tier.items()
    )


def _stems(variant: RunVariant) -> dict[str, str]:
    """List the file that each tier names, by tier."""
    return {name: answer.stem for name, answer in variant.answers if answer.stem is not None}


def agreement(variants: Iterable[RunVariant]) -> tuple[AgreementRow, ...]:
    """Count, for each pair of tiers, how often both answer and how often alike."""
    both: Counter[tuple[str, str]] = Counter()
    agreeing: Counter[tuple[str, str]] = Counter()
    for each in variants:
        stems = _stems(each)
        for pair in combinations([tier for tier in TIERS if tier in stems], 2):
            both[pair] += 1
            agreeing[pair] += stems[pair[0]] == stems[pair[1]]
    return tuple(AgreementRow(a, b, both[a, b], agreeing[a, b]) for a, b in combinations(TIERS, 2))
