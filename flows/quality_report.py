"""The quality of a dataset's links between runs and ideas, printed as tables."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from outputs.manifest import read_manifest
from outputs.quality.gold import read_gold
from outputs.quality.measures import Share, quality_by_scope, quality_by_tier
from outputs.quality.review import least_certain, read_links


def report_quality(dataset: Path, gold: Path | None, review: Path | None, console: Console) -> None:
    """Print what is known of a dataset's links, and write the least certain of them for review.

    Args:
        dataset: Folder of the dataset.
        gold: The gold standard; without one only what needs none is printed.
        review: Where to write the list for review.
        console: Where to print.

    Raises:
        GoldError: If the gold standard cannot be read.
    """
    if gold is not None:
        _print_gold(dataset, gold, console)
    _print_coverage(dataset, console)
    if review is not None:
        rows = least_certain(dataset)
        rows.write_csv(review)
        console.print(
            f"{review} lists the {rows.height} least certain links.", highlight=False, soft_wrap=True
        )


def _print_gold(dataset: Path, gold: Path, console: Console) -> None:
    links, truth = read_links(dataset), read_gold(gold)
    tiers = _table("Links by tier", "tier", "links", "precision", "95% interval", "recall so far")
    for tier in quality_by_tier(links, truth):
        tiers.add_row(tier.tier, f"{tier.precision.n:,}", *_precision(tier.precision), _percent(tier.recall))
    console.print(tiers)
    scopes = _table(
        "Links by scope",
        "scope",
        "runs",
        "links",
        "precision",
        "95% interval",
        "knowable",
        "recall",
        "proposed",
    )
    for scope in quality_by_scope(links, truth):
        scopes.add_row(
            scope.scope,
            f"{scope.runs:,}",
            f"{scope.precision.n:,}",
            *_precision(scope.precision),
            f"{scope.recall.n:,}",
            _percent(scope.recall),
            _percent(scope.proposed),
        )
    console.print(scopes)


def _print_coverage(dataset: Path, console: Console) -> None:
    coverage = read_manifest(dataset).idea_coverage
    flow = _table("Runs by tier", "tier", "eligible", "proposed", "accepted", "ambiguous", "abstained")
    for each in coverage.flow:
        counts = (each.eligible, each.proposed, each.accepted, each.ambiguous, each.abstained)
        flow.add_row(each.tier, *(f"{count:,}" for count in counts))
    agreement = _table("Agreement of tiers", "tiers", "both propose", "same idea", "share")
    for pair in coverage.agreement:
        share = Share(pair.agreeing, pair.both)
        agreement.add_row(
            f"{pair.tier}, {pair.other_tier}", f"{pair.both:,}", f"{pair.agreeing:,}", _percent(share)
        )
    moved = _table("Links that hang on a threshold", "threshold", "value", "links changed")
    for row in coverage.sensitivity:
        moved.add_row(row.threshold, f"{row.value:.2f}", f"{row.changed:,}")
    control = _table("Ideas of another scope, as a control", "runs of", "ideas of", "runs", "linked", "share")
    for crossed in coverage.negative_control:
        share = Share(crossed.linked, crossed.runs)
        control.add_row(
            crossed.scope, crossed.other_scope, f"{crossed.runs:,}", f"{crossed.linked:,}", _percent(share)
        )
    for table in (flow, agreement, moved, control):
        console.print(table)
    console.print(f"{coverage.conflicts:,} runs have evidence that contradicts itself.", highlight=False)
    if coverage.llm is not None:
        console.print(
            f"A model was asked {coverage.llm.asked:,} questions about {coverage.llm.families:,} families: "
            f"{coverage.llm.refused:,} answers were refused, {coverage.llm.unanswered:,} questions stayed "
            f"unanswered, {coverage.llm.agreed:,} families were linked.",
            highlight=False,
            soft_wrap=True,
        )


def _table(title: str, *columns: str) -> Table:
    table = Table(*columns, title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _percent(share: Share) -> str:
    return "-" if share.value is None else f"{100 * share.value:.2f}%"


def _precision(share: Share) -> tuple[str, str]:
    if share.value is None:
        return "-", "-"
    low, high = share.interval
    return _percent(share), f"{100 * low:.1f} to {100 * high:.1f}%"
