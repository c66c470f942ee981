"""What a person wants to see of one thing of a dataset: rows, evidence, lineage, losses, what was known."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import polars as pl
from rapidfuzz import process
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from flows.sparkline import sparkline
from outputs.dataset import OutputError

MAX_ROWS = 20
MAX_CHARS = 600

_LINK_COLUMNS = ("tier", "variant_path", "idea_id", "score", "evidence")
_COHORT_COLUMNS = ("recipe", "scheduled_steps", "n", "mean_val_loss", "score", "claimable_step")

Row = Mapping[str, object]


class Dataset:
    """The tables of a dataset, read when they are asked for."""

    def __init__(self, folder: Path) -> None:
        """Look at a folder.

        Raises:
            OutputError: If it holds no dataset.
        """
        if not (folder / "snapshots.parquet").is_file():
            raise OutputError(f"{folder} is no dataset: it holds no snapshots.parquet.")
        self._folder = folder

    def scan(self, table: str) -> pl.LazyFrame:
        """Scan a table."""
        return pl.scan_parquet(self._folder / f"{table}.parquet")

    def has(self, table: str) -> bool:
        """Whether the dataset has a table."""
        return (self._folder / f"{table}.parquet").is_file()

    def rows(self, table: str, *conditions: pl.Expr, columns: Sequence[str] = ()) -> list[dict[str, object]]:
        """Read some rows of a table, or all."""
        lazy = self.scan(table).filter(*conditions) if conditions else self.scan(table)
        frame = (lazy.select(columns) if columns else lazy).collect()
        return frame.to_dicts()

    def row(self, table: str, key: str, name: str) -> dict[str, object]:
        """Read the one row that an id names.

        Raises:
            OutputError: If there is none; the sentence names the ids that come closest.
        """
        if found := self.rows(table, pl.col(key) == name):
            return found[0]
        ids = self.scan(table).select(key).collect()[key].to_list()
        close = [match[0] for match in process.extract(name, ids, limit=3)]
        hint = f"; close to it are {', '.join(close)}" if close else ""
        raise OutputError(f"{printable(name)} is no {key} of this dataset{hint}.")


def printable(text: str) -> str:
    r"""Make text of the archive safe for a terminal: control characters are shown, not sent.

    >>> printable("a\x1b[31mb")
    'a�[31mb'
    """
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)


def show_overview(dataset: Dataset, console: Console) -> None:
    """Print the snapshots that there are."""
    columns = (
        "snapshot_id",
        "split",
        "wall_clock",
        "k",
        "current_recipe_step_to_3_28",
        "field_best_step_to_3_28",
    )
    console.print(_table("Snapshots", columns, dataset.rows("snapshots", columns=columns)))


def show_snapshot(dataset: Dataset, name: str, console: Console) -> None:
    """Print a snapshot: what was known then, and what was still ahead."""
    row = dataset.row("snapshots", "snapshot_id", name)
    console.print(_facts(row))
    counts = [
        {"ids": key, "how many": len(ids), "the last of them": ids[-1] if ids else None}
        for key, ids in _lists(row)
    ]
    console.print(
        _table("What was known, and what was ahead", ("ids", "how many", "the last of them"), counts)
    )
    rejected = dataset.rows(
        "ideas",
        pl.col("idea_id").is_in(_ids(row, "rejected_idea_ids")),
        columns=("idea_id", "rejection_class", "rejected_at"),
    )
    console.print(_table("Rejected by then", ("idea_id", "rejection_class", "rejected_at"), rejected))
    if row["current_recipe_experiment_id"] is not None:
        console.print(_losses(dataset, str(row["current_recipe_experiment_id"])))


def show_experiment(dataset: Dataset, name: str, console: Console) -> None:
    """Print an experiment: its rows, the evidence of its links, its cohort, its losses, who knew of it."""
    row = dataset.row("experiments", "experiment_id", name)
    run = dataset.row("runs", "experiment_id", name)
    console.print(_facts(row | {key: value for key, value in run.items() if key not in row}))
    for table in ("variant_links", "run_idea_links"):
        if dataset.has(table):
            links = dataset.rows(table, pl.col("experiment_id") == name)
            columns = [name for name in _LINK_COLUMNS if name in dataset.scan(table).collect_schema()]
            console.print(_table(f"Evidence in {table}", columns, links))
    cohorts = dataset.rows("cohorts", pl.col("member_experiment_ids").list.contains(name))
    console.print(_table("Cohorts that count it", _COHORT_COLUMNS, cohorts))
    console.print(_losses(dataset, name))
    console.print(_known_then(dataset, row))
    console.print(_sightings(dataset, name, "experiment"))


def show_idea(dataset: Dataset, name: str, console: Console) -> None:
    """Print an idea: its row, its lineage, its runs with their losses, who knew of it."""
    row = dataset.row("ideas", "idea_id", name)
    console.print(_facts(row))
    children = dataset.rows(
        "ideas", pl.col("parent_idea_ids").list.contains(name), columns=("idea_id", "verdict")
    )
    console.print(_table("Ideas that name it as a parent", ("idea_id", "verdict"), children))
    columns = ["experiment_id", "first_seen_at", "verdict", "step_to_3_28", "final_val_loss", "idea_tier"]
    runs = dataset.rows("experiments", pl.col("linked_idea_id") == name)
    runs.sort(key=lambda run: (run["position"] is None, run["position"], run["experiment_id"]))
    console.print(_table("Runs that tested it", columns, runs))
    if row["best_experiment_id"] is not None:
        console.print(_losses(dataset, str(row["best_experiment_id"])))
    console.print(_known_then(dataset, row))
    console.print(_sightings(dataset, name, "idea"))


def _lists(row: Row) -> Iterator[tuple[str, list[object]]]:
    return ((key, value) for key, value in row.items() if isinstance(value, list))


def _facts(row: Row) -> RenderableType:
    """Lay out a row downwards, without what is missing and without lists of more ids than a person reads."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in row.items():
        is_long = isinstance(value, list) and len(value) > MAX_ROWS
        if value is not None and value != [] and not is_long:
            table.add_row(Text(key), _shown(value))
    return table


def _table(title: str, columns: Sequence[str], rows: Sequence[Row]) -> RenderableType:
    if not rows:
        return Text(f"\n{title}: none.")
    table = Table(title=f"{title} ({len(rows)})", title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows[:MAX_ROWS]:
        table.add_row(*(_shown(row[column]) for column in columns))
    more = [Text(f"… and {len(rows) - MAX_ROWS} more.")] if len(rows) > MAX_ROWS else []
    return Group(Text(), table, *more)


def _shown(value: object) -> Text:
    if value is None:
        return Text("-")
    if isinstance(value, datetime):
        return Text(value.strftime("%Y-%m-%d %H:%M:%S"))
    if isinstance(value, float):
        return Text(f"{value:.5f}")
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return Text(printable(text if len(text) <= MAX_CHARS else text[:MAX_CHARS] + " …"))


def _losses(dataset: Dataset, experiment_id: str) -> RenderableType:
    """One sparkline a trial, without step 0, at which no model has learnt anything."""
    points = dataset.rows(
        "val_trajectories",
        pl.col("experiment_id") == experiment_id,
        pl.col("step") > 0,
        columns=("trial", "step", "val_loss"),
    )
    lines = [Text(f"\nValidation losses of {printable(experiment_id)}" + ("" if points else ": none."))]
    for trial in dict.fromkeys(point["trial"] for point in points):
        mine = [point for point in points if point["trial"] == trial]
        losses = [loss for point in mine if isinstance(loss := point["val_loss"], float)]
        ends = [
            f"{loss:.5f} at step {point['step']}"
            for loss, point in ((losses[0], mine[0]), (losses[-1], mine[-1]))
        ]
        lines.append(Text(f"  trial {trial}  {sparkline(losses)}  {' to '.join(ends)}"))
    return Group(*lines)


def _known_then(dataset: Dataset, row: Row) -> RenderableType:
    """The best hits that were known when a thing was first seen, in its scope and in all."""
    at = row["first_seen_at"]
    if at is None:
        return Text("\nWhat was known when it came: nothing dates it.")
    hits = dataset.rows(
        "experiments",
        pl.col("finished_at") <= pl.lit(at),
        pl.col("step_to_3_28").is_not_null(),
        columns=("experiment_id", "agent", "wave", "step_to_3_28", "finished_at"),
    )
    hits.sort(key=lambda hit: (hit["step_to_3_28"], hit["finished_at"], hit["experiment_id"]))
    of_scope = [hit for hit in hits if (hit["agent"], hit["wave"]) == (row["agent"], row["wave"])]
    best = [{"best of": "its scope", **hit} for hit in of_scope[:1]]
    best += [{"best of": "all scopes", **hit} for hit in hits[:1]]
    columns = ("best of", "experiment_id", "step_to_3_28", "finished_at")
    return _table("What was known when it came", columns, best)


def _sightings(dataset: Dataset, name: str, kind: str) -> RenderableType:
    """In which snapshots a thing was known, rejected or still ahead."""
    standings = {
        "known": (f"prior_{kind}_ids",),
        "rejected": ("rejected_idea_ids",) if kind == "idea" else (),
        "seen by the other agent": (f"other_agent_visible_{kind}_ids",),
        "ahead": (f"future_improved_{kind}_ids", f"future_frontier_{kind}_ids"),
    }
    snapshots = dataset.rows("snapshots")
    rows = []
    for standing, columns in standings.items():
        ids = [
            row["snapshot_id"] for row in snapshots if any(name in _ids(row, column) for column in columns)
        ]
        if ids:
            rows.append({"it is": standing, "in": ids})
    return _table("Snapshots", ("it is", "in"), rows)


def _ids(row: Row, column: str) -> list[object]:
    found = row[column]
    return found if isinstance(found, list) else []
