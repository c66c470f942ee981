"""What a build tells at its end: small tables for the terminal and for Prefect's artifacts alike."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from linkers.variants.cascade import TIERS
from outputs.manifest import Manifest


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """A small table.

    Attributes:
        title: What it shows, in a sentence.
        columns: Names of the columns; all but the first hold numbers.
        rows: The rows.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]

    def records(self) -> list[dict[str, str | int | float]]:
        """Give the rows as one mapping each."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def summary_tables(manifest: Manifest) -> dict[str, SummaryTable]:
    """Lay out a manifest as small tables, by a key that Prefect accepts."""
    return {
        "rows": _rows(manifest),
        "inputs": _inputs(manifest),
        "variant-coverage": _variant_coverage(manifest),
        "variant-coverage-by-scope": _variant_coverage_by_scope(manifest),
        "variant-agreement": _variant_agreement(manifest),
    }


def print_summary(manifest: Manifest, console: Console) -> None:
    """Print the tables of a manifest."""
    for summary in summary_tables(manifest).values():
        table = Table(title=summary.title, title_justify="left")
        for position, name in enumerate(summary.columns):
            table.add_column(name, justify="right" if position else "left", no_wrap=not position)
        for row in summary.rows:
            table.add_row(*(_shown(value) for value in row))
        console.print(table)


def _shown(value: str | float) -> str:
    if isinstance(value, float):
        return f"{value:.1%}"
    return f"{value:,}" if isinstance(value, int) else value


def _rows(manifest: Manifest) -> SummaryTable:
    rows = tuple((entry.name.removesuffix(".parquet"), entry.rows) for entry in manifest.files)
    return SummaryTable("Rows by table.", ("table", "rows"), rows)


def _inputs(manifest: Manifest) -> SummaryTable:
    rows = []
    for kind in dict.fromkeys(balance.kind for balance in manifest.balances):
        of_kind = [balance for balance in manifest.balances if balance.kind == kind]
        seen, parsed, quarantined = (
            sum(getattr(each, field) for each in of_kind) for field in ("seen", "parsed", "quarantined")
        )
        rows.append((f"{kind} ({of_kind[0].unit})", seen, parsed, quarantined))
    return SummaryTable("Inputs by kind.", ("input", "seen", "parsed", "quarantined"), tuple(rows))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _variant_coverage(manifest: Manifest) -> SummaryTable:
    steps = manifest.variant_coverage.waterfall
    total = sum(step.runs for step in steps if step.tier == next(iter(TIERS)))
    rows: list[tuple[str | int | float, ...]] = []
    reached = 0
    for tier in TIERS:
        of_tier = [step for step in steps if step.tier == tier]
        added = sum(step.added for step in of_tier)
        reached += added
        answered = sum(step.answered for step in of_tier)
        in_conflict = sum(step.in_conflict for step in of_tier)
        rows.append((tier, answered, added, reached, _share(reached, total), in_conflict))
    return SummaryTable(
        f"Variant files found by tier, of {total:,} runs.",
        ("tier", "answers", "added", "reached", "share", "in conflict"),
        tuple(rows),
    )


def _variant_coverage_by_scope(manifest: Manifest) -> SummaryTable:
    steps = manifest.variant_coverage.waterfall
    scopes = dict.fromkeys((step.wave, step.agent) for step in steps)
    rows: list[tuple[str | int | float, ...]] = []
    for wave, agent in scopes:
        of_scope = {step.tier: step for step in steps if (step.wave, step.agent) == (wave, agent)}
        last = list(of_scope.values())[-1]
        added = [of_scope[tier].added for tier in TIERS]
        conflicts = sum(step.in_conflict for step in of_scope.values())
        rows.append((f"{wave}/{agent}", last.runs, *added, _share(last.reached, last.runs), conflicts))
    columns = ("scope", "runs", *TIERS, "share", "in conflict")
    return SummaryTable("Variant files added by tier and scope.", columns, tuple(rows))


def _variant_agreement(manifest: Manifest) -> SummaryTable:
    rows: Sequence[tuple[str | int | float, ...]] = [
        (f"{pair.tier} and {pair.other_tier}", pair.both, pair.agreeing, _share(pair.agreeing, pair.both))
        for pair in manifest.variant_coverage.agreement
        if pair.both
    ]
    return SummaryTable("Agreement between tiers.", ("tiers", "both answer", "agree", "share"), tuple(rows))
