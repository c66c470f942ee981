"""What a build tells at its end: small tables for the terminal and for Prefect's artifacts alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from rich import box
from rich.console import Console
from rich.table import Table

from linkers.variants.coverage import AgreementRow, CoverageRow, sum_by_tier
from outputs.conservation import sum_by_kind
from outputs.manifest import Manifest
from parsers.scopes import SCOPES


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
        """Give the rows as one mapping each, shares as exact as they are printed."""
        shown = (
            [round(value, 3) if isinstance(value, float) else value for value in row] for row in self.rows
        )
        return [dict(zip(self.columns, row, strict=True)) for row in shown]


def summary_tables(manifest: Manifest) -> dict[str, SummaryTable]:
    """Lay out a manifest as small tables, by a key that Prefect accepts."""
    variants, ideas = manifest.variant_coverage.waterfall, manifest.idea_coverage.waterfall
    return {
        "rows": _rows(manifest),
        "inputs": _inputs(manifest),
        "variant-coverage": _coverage("Variant files", variants),
        "variant-coverage-by-scope": _coverage_by_scope("Variant files", variants),
        "variant-agreement": _agreement(manifest.variant_coverage.agreement),
        "idea-coverage": _coverage("Links to ideas", ideas),
        "idea-coverage-by-scope": _coverage_by_scope("Links to ideas", ideas),
    }


def print_summary(manifest: Manifest, console: Console) -> None:
    """Print the tables of a manifest that have a row."""
    for summary in filter(attrgetter("rows"), summary_tables(manifest).values()):
        table = Table(
            title=summary.title, title_justify="left", box=box.SIMPLE_HEAD, padding=0, pad_edge=False
        )
        shown = [[_shown(value) for value in row] for row in summary.rows]
        for position, name in enumerate(summary.columns):
            # On a narrow terminal a long name goes over two lines, and no number is cut.
            width = max((len(row[position]) for row in shown), default=1)
            table.add_column(
                name,
                justify="right" if position else "left",
                overflow="fold",
                no_wrap=not position,
                min_width=width,
            )
        for row in shown:
            table.add_row(*row)
        console.print(table)


def _shown(value: str | float) -> str:
    if isinstance(value, float):
        return f"{value:.1%}"
    return f"{value:,}" if isinstance(value, int) else value


def _rows(manifest: Manifest) -> SummaryTable:
    rows = tuple((entry.name.removesuffix(".parquet"), entry.rows) for entry in manifest.files)
    return SummaryTable("Rows by table.", ("table", "rows"), rows)


def _inputs(manifest: Manifest) -> SummaryTable:
    rows = tuple(
        (f"{each.kind} ({each.unit})", each.seen, each.parsed, each.quarantined)
        for each in sum_by_kind(manifest.balances)
    )
    return SummaryTable("Inputs by kind.", ("input", "seen", "parsed", "quarantined"), rows)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _coverage(what: str, rows: Sequence[CoverageRow]) -> SummaryTable:
    """Add a waterfall up over all scopes."""
    steps = sum_by_tier(rows)
    total = steps[0].runs if steps else 0
    return SummaryTable(
        f"{what} found by tier, of {total:,} runs.",
        ("tier", "answers", "added", "reached", "share", "in conflict"),
        tuple(
            (
                step.tier,
                step.answered,
                step.added,
                step.reached,
                _share(step.reached, total),
                step.in_conflict,
            )
            for step in steps
        ),
    )


def _coverage_by_scope(what: str, steps: Sequence[CoverageRow]) -> SummaryTable:
    """Lay a waterfall out with a row for each scope."""
    tiers = tuple(dict.fromkeys(step.tier for step in steps))
    rows: list[tuple[str | int | float, ...]] = []
    for scope in SCOPES:
        of_scope = {step.tier: step for step in steps if (step.agent, step.wave) == (scope.agent, scope.wave)}
        if not of_scope:
            continue
        last = of_scope[tiers[-1]]
        added = [of_scope[tier].added for tier in tiers]
        conflicts = sum(step.in_conflict for step in of_scope.values())
        rows.append((str(scope), last.runs, *added, _share(last.reached, last.runs), conflicts))
    columns = ("scope", "runs", *tiers, "share", "in conflict")
    return SummaryTable(f"{what} added by tier and scope.", columns, tuple(rows))


def _agreement(pairs: Iterable[AgreementRow]) -> SummaryTable:
    rows: list[tuple[str | int | float, ...]] = [
        (f"{pair.tier} and {pair.other_tier}", pair.both, pair.agreeing, _share(pair.agreeing, pair.both))
        for pair in pairs
        if pair.both
    ]
    return SummaryTable("Agreement between tiers.", ("tiers", "both answer", "agree", "share"), tuple(rows))
