"""A leaderboard in its shapes: a table for the terminal, a frame for CSV, a section of the report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl
from rich.table import Table
from rich.text import Text

from flows.inspection import printable
from outputs.report.leaderboard import LeaderboardSection, Metric, Missing, Number, ProposerRow
from scorers.leaderboard import Entry, Estimate, Leaderboard, Outcome, Standing

NONE = "-"
"""Stands for what there is none of."""

SHOWN_HASH_CHARS = 12
"""A hash is shown as far as it takes to tell two apart."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A number of every proposer.

    Attributes:
        name: Its name in CSV.
        title: Its name for people.
        of: Where it is found.
    """

    name: str
    title: str
    of: Callable[[Standing], Estimate]


COLUMNS = (
    _Column("set_score", "Set score", lambda each: each.set_score),
    _Column("distinct_k", "Distinct ideas", lambda each: each.distinct_k),
    _Column("utility_k", "Utility", lambda each: each.utility_k),
    _Column("win_rate", "Predicted win rate", lambda each: each.win_rate),
)


def leaderboard_table(board: Leaderboard) -> Table:
    """Lay a leaderboard out for a terminal."""
    metrics = _metrics(board)
    num_snapshots = len(board.standings[0].entries)
    title = f"Proposers on the {num_snapshots} snapshots of the split {board.split}, 95% intervals"
    table = Table(title=title, title_justify="left")
    table.add_column("rank", justify="right")
    table.add_column("proposer", overflow="fold")
    for column in COLUMNS:
        table.add_column(column.title.lower(), justify="right")
    table.add_column("scored", justify="right")
    for each in board.standings:
        numbers = (_shown(metric, column.of(each)) for metric, column in zip(metrics, COLUMNS, strict=True))
        table.add_row(
            NONE if each.rank is None else str(each.rank),
            Text(printable(each.proposer)),
            *numbers,
            f"{each.count(Outcome.SCORED)} of {num_snapshots}",
        )
    return table


def notes(board: Leaderboard) -> list[str]:
    """Say what one must know to read the numbers."""
    said = [
        "Each number is a mean over snapshots, with the interval that holds 95% of "
        f"{board.num_resamples:,} resamples of whole snapshots. Proposers are ranked by set score; equal "
        "ones share a rank."
    ]
    for each in board.standings:
        counts = [
            f"{count} {outcome.value}"
            for outcome in Outcome
            if outcome is not Outcome.SCORED and (count := each.count(outcome))
        ]
        if counts and each.rank is None:
            said.append(f"{printable(each.proposer)} was scored on no snapshot ({', '.join(counts)}).")
        elif counts:
            said.append(
                f"{printable(each.proposer)} was not scored on every snapshot ({', '.join(counts)}). These "
                "are left out, not taken for zeros: its means are over the others, and only the win rate "
                "compares sets of the same snapshots."
            )
    if board.num_left_out:
        said.append(f"Results of the other split, which are left out: {board.num_left_out:,}.")
    return said


def facts(board: Leaderboard) -> list[tuple[str, str]]:
    """Name how the sets were scored."""
    return [
        (name.replace("_", " "), value[:SHOWN_HASH_CHARS] if name.endswith("sha256") else value)
        for name, value in board.ways.items()
    ]


def leaderboard_frame(board: Leaderboard) -> pl.DataFrame:
    """Lay a leaderboard out for CSV: a row a proposer, with how its sets were scored."""
    rows = []
    for each in board.standings:
        row: dict[str, object] = {"rank": each.rank, "proposer": each.proposer}
        for column in COLUMNS:
            estimate = column.of(each)
            row[column.name] = estimate.mean
            row[f"{column.name}_low"] = estimate.interval.low if estimate.interval else None
            row[f"{column.name}_high"] = estimate.interval.high if estimate.interval else None
        row["num_comparisons"] = each.num_comparisons
        row |= {f"num_{outcome.value.replace(' ', '_')}": each.count(outcome) for outcome in Outcome}
        row |= {"split": board.split, "num_resamples": board.num_resamples}
        rows.append(row | dict(board.ways))
    return pl.DataFrame(rows, infer_schema_length=None)


def report_section(board: Leaderboard) -> LeaderboardSection:
    """Hand a leaderboard to the report."""
    return LeaderboardSection(
        split=board.split,
        notes=notes(board),
        facts=facts(board),
        metrics=_metrics(board),
        snapshot_ids=[entry.snapshot_id for entry in board.standings[0].entries],
        rows=[_row(each) for each in board.standings],
    )


def _metrics(board: Leaderboard) -> list[Metric]:
    """Give each number its scale: the whole one where it has ends, else as far as the set scores go."""
    reached = [0.0]
    for each in board.standings:
        estimate = each.set_score
        reached += [] if estimate.mean is None else [estimate.mean]
        reached += [estimate.interval.low, estimate.interval.high] if estimate.interval else []
    ends: Mapping[str, tuple[float, float]] = {
        "set_score": (min(reached), max(reached)),
        "distinct_k": (0.0, float(board.k)),
        "utility_k": (0.0, 10.0),
        "win_rate": (0.0, 1.0),
    }
    return [Metric(each.title, *ends[each.name], is_share=each.name == "win_rate") for each in COLUMNS]


def _row(standing: Standing) -> ProposerRow:
    numbers = [column.of(standing) for column in COLUMNS]
    return ProposerRow(
        rank=standing.rank,
        proposer=printable(standing.proposer),
        numbers=[
            Number(each.mean, (each.interval.low, each.interval.high) if each.interval else None)
            for each in numbers
        ],
        cells=[_cell(each) for each in standing.entries],
        num_scored=standing.count(Outcome.SCORED),
        missing=[
            Missing(each.snapshot_id, each.outcome.value, each.reason and printable(each.reason))
            for each in standing.entries
            if each.outcome is not Outcome.SCORED
        ],
    )


def _cell(entry: Entry) -> str:
    return entry.outcome.value if entry.set_score is None else f"{entry.set_score:.3f}"


def _shown(metric: Metric, estimate: Estimate) -> str:
    if estimate.mean is None:
        return NONE
    mean = metric.show(estimate.mean)
    if estimate.interval is None:
        return mean
    return f"{mean}\n{metric.show(estimate.interval.low)} to {metric.show(estimate.interval.high)}"
