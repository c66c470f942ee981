"""`README.md` of a dataset: what each table and column holds, how it came about, and what it cannot tell.

It holds neither a time nor a path, so that the same archive gives the same card.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import polars as pl
from jinja2 import Environment, StrictUndefined

from outputs.manifest import FileEntry, Manifest
from outputs.schemas import EMBEDDING_TABLES, TABLES, Column, Table

CARD_NAME = "README.md"

SIZE_CATEGORIES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
"""The names that the Hub has for sizes, each with the number of rows that it stays below."""

LARGEST_CATEGORY = "10M<n<100M"

DEFAULT_TABLE = "experiments"
"""The table that opens where nobody asks for another."""

ANSWERED_BY_NONE = "none"
"""What is put where no tier answered."""


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table together with the file it was written to.

    Attributes:
        table: Its declaration.
        entry: Its file.
    """

    table: Table
    entry: FileEntry


def write_card(manifest: Manifest, folder: Path) -> str:
    """Write the card of the dataset whose tables lie in a folder.

    Args:
        manifest: What is known of the dataset. Its timestamp is not used.
        folder: Where the tables are.
    """
    declared = {f"{table.name}.parquet": table for table in (*TABLES, *EMBEDDING_TABLES.values())}
    entries = {entry.name: entry for entry in manifest.files}
    written = [WrittenTable(table, entries[name]) for name, table in declared.items() if name in entries]
    template = _environment().from_string(
        files("outputs.card").joinpath("card.md.jinja").read_text(encoding="utf-8")
    )
    return template.render(
        written=written,
        default_table=DEFAULT_TABLE,
        size_category=size_category(each.entry.rows for each in written),
        manifest=manifest,
        variant_tiers=count_tiers(folder, "variant_tier"),
        idea_tiers=count_tiers(folder, "idea_tier"),
        inputs=_inputs(manifest),
    )


def _environment() -> Environment:
    # The card is Markdown of texts that this project wrote itself: there is nothing to escape as HTML.
    environment = Environment(  # noqa: S701
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"cell": _cell, "kind": _kind, "count": _count, "size": _size}
    return environment


def size_category(rows: Iterable[int]) -> str:
    """Name the size of the largest table the way the Hub does.

    >>> size_category([40, 610])
    'n<1K'
    >>> size_category([610, 20_850])
    '10K<n<100K'
    """
    largest = max(rows, default=0)
    return next((name for limit, name in SIZE_CATEGORIES if largest < limit), LARGEST_CATEGORY)


def count_tiers(folder: Path, column: str) -> Mapping[str, int]:
    """Count the experiments that each tier decided, most first; `none` for those left open, last."""
    tiers = pl.read_parquet(folder / "experiments.parquet", columns=[column])[column]
    counts = tiers.fill_null(ANSWERED_BY_NONE).value_counts().rows()
    ordered = sorted(counts, key=lambda row: (row[0] == ANSWERED_BY_NONE, -row[1], row[0]))
    return dict(ordered)


def _inputs(manifest: Manifest) -> Sequence[tuple[str, str, int, int, int]]:
    rows = []
    for kind, unit in dict.fromkeys((each.kind, each.unit) for each in manifest.balances):
        of_kind = [each for each in manifest.balances if each.kind == kind]
        seen, parsed = sum(each.seen for each in of_kind), sum(each.parsed for each in of_kind)
        rows.append((kind, unit, seen, parsed, sum(each.quarantined for each in of_kind)))
    return rows


def _kind(column: Column) -> str:
    """Name a column's type with its unit and whether it may be missing."""
    name = str(column.kind.arrow).replace("timestamp[us, tz=UTC]", "timestamp[us, UTC]")
    name = name.replace("list<item: ", "list<").replace("list<element: ", "list<")
    return f"{name}, may be null" if column.is_nullable else name


def _cell(text: str) -> str:
    """Keep a text inside its cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").split())


def _count(value: int) -> str:
    return f"{value:,}"


def _size(size_bytes: int) -> str:
    """Say a file's size the way people do.

    >>> _size(98_199)
    '98 KB'
    """
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 1e6 else f"{max(1, round(size_bytes / 1e3))} KB"
