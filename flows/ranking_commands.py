"""Commands that rank: writers by their rewards, proposers by their results."""

import json
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table
from rich.text import Text

from flows.inspection import printable
from flows.leaderboard_views import (
    NONE,
    facts,
    leaderboard_frame,
    leaderboard_table,
    notes,
    report_section,
)
from flows.reporting import wide_console
from flows.scoring import dataset_sha256
from flows.scoring_commands import DatasetArgument
from outputs.dataset import renew_page
from outputs.report.render import REPORT_NAME, write_report
from scorers.bootstrap import NUM_RESAMPLES
from scorers.catalogue import read_table
from scorers.leaderboard import rank_proposers
from scorers.preference import Standing, rank_by_subset
from scorers.reward_tables import read_rewards
from scorers.run_results import read_results


class Split(StrEnum):
    """A part of the snapshots."""

    DEV = "dev"
    TEST = "test"


_PREFERENCE_SCHEMA = {
    "subset": pl.String,
    "rank": pl.Int64,
    "writer": pl.String,
    "win_rate": pl.Float64,
    "num_comparisons": pl.Int64,
    "num_answered": pl.Int64,
    "num_prompts": pl.Int64,
}


def preference(
    rewards: Annotated[
        Path, typer.Argument(help="A .csv, .jsonl or .parquet file of rewards.", metavar="REWARDS")
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="OURS=THEIRS", help="What the table calls a column, such as writer=model."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the ranking there, as CSV.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the ranking as JSON.")] = False,
) -> None:
    """Rank writers by predicted win rate: how probably their answers are preferred to those of the others."""
    views = rank_by_subset(read_rewards(rewards, dict(map(_pair, column or ()))))
    if csv is not None:
        rows = [{"subset": subset} | asdict(each) for subset, view in views.items() for each in view]
        pl.DataFrame(rows, schema=_PREFERENCE_SCHEMA).write_csv(csv)
    if as_json:
        shown = [
            {"subset": subset, "standings": [asdict(each) for each in view]} for subset, view in views.items()
        ]
        typer.echo(json.dumps(shown, indent=2))
        return
    console = wide_console()
    for subset, view in views.items():
        console.print(_preference_table(subset, view))


def leaderboard(
    dataset: DatasetArgument,
    results: Annotated[
        list[Path],
        typer.Argument(help="Files of JSON lines, as `run` writes them.", metavar="RESULTS..."),
    ],
    split: Annotated[Split, typer.Option(help="Which snapshots count.")] = Split.TEST,
    resamples: Annotated[int, typer.Option(min=100, max=100_000, help="Behind each interval.")] = (
        NUM_RESAMPLES
    ),
    csv: Annotated[Path | None, typer.Option(help="Write the leaderboard there, as CSV.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the leaderboard as JSON.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Show the leaderboard in the dataset's report.html as well.")
    ] = False,
) -> None:
    """Rank proposers over snapshots: set score, distinct ideas, utility, predicted win rate, intervals."""
    snapshots = read_table("snapshots", dataset)
    board = rank_proposers(
        read_results(results),
        dict(snapshots.select("snapshot_id", "split").iter_rows()),
        dataset_sha256(dataset),
        split=split.value,
        num_resamples=resamples,
    )
    if csv is not None:
        leaderboard_frame(board).write_csv(csv)
    if report:
        renew_page(REPORT_NAME, partial(write_report, leaderboard=report_section(board)), dataset)
    if as_json:
        typer.echo(json.dumps(asdict(board), indent=2))
        return
    console = wide_console()
    console.print(leaderboard_table(board))
    said = [*notes(board), f"Scored with {', '.join(f'{name} {value}' for name, value in facts(board))}."]
    for note in said:
        console.print(note, markup=False, highlight=False, soft_wrap=True)


def _pair(text: str) -> tuple[str, str]:
    ours, is_pair, theirs = text.partition("=")
    if not is_pair:
        raise typer.BadParameter(f"--column {text} is no OURS=THEIRS, such as writer=model.")
    return ours, theirs


def _preference_table(subset: str | None, view: tuple[Standing, ...]) -> Table:
    title = "All prompts" if subset is None else f"Prompts of {printable(subset)}"
    num_prompts = view[0].num_prompts
    table = Table(title=Text(f"{title} ({num_prompts:,})"), title_justify="left")
    table.add_column("rank", justify="right")
    table.add_column("writer", overflow="fold")
    for name in ("predicted win rate", "comparisons", "answered"):
        table.add_column(name, justify="right")
    for each in view:
        table.add_row(
            NONE if each.rank is None else str(each.rank),
            Text(printable(each.writer)),
            NONE if each.win_rate is None else f"{100 * each.win_rate:.1f}%",
            f"{each.num_comparisons:,}",
            f"{each.num_answered:,} of {num_prompts:,}",
        )
    return table
