"""Commands that rank: writers by their rewards, proposers by their results."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table
from rich.text import Text

from flows.inspection import printable
from flows.reporting import wide_console
from scorers.preference import Standing, rank_by_subset
from scorers.reward_tables import read_rewards

NONE = "-"
"""Stands for what there is none of."""

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
