"""What differs between two datasets: rows by table and column, links that moved, snapshots that changed."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict

from outputs.dataset import OutputError
from outputs.manifest import MANIFEST_NAME
from outputs.schemas import EMBEDDING_TABLES, TABLES, Table

LINK_COLUMNS = ("linked_idea_id", "linked_variant_path")
"""Columns of `experiments` that link a run to something."""

_NEW = "__new"
_IN_OLD, _IN_NEW = "__in_old", "__in_new"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True)


class TableDiff(_Record):
    """What differs in one table.

    Attributes:
        table: Its name.
        old_rows: Rows of the old one; None where there is no such table.
        new_rows: Rows of the new one; None where there is no such table.
        added: Rows with a key that is new.
        removed: Rows with a key that is gone.
        changed: Rows with the same key and other values.
        changed_by_column: How many of these differ in a column, for columns that both have.
        added_columns: Columns that are new.
        removed_columns: Columns that are gone.
    """

    table: str
    old_rows: int | None
    new_rows: int | None
    added: int = 0
    removed: int = 0
    changed: int = 0
    changed_by_column: dict[str, int] = {}
    added_columns: tuple[str, ...] = ()
    removed_columns: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        counts = (self.added, self.removed, self.changed, self.added_columns, self.removed_columns)
        return not any(counts) and (self.old_rows is None) == (self.new_rows is None)


class MovedLink(_Record):
    """A run of both datasets that is linked otherwise.

    Attributes:
        experiment_id: The run.
        column: Which link.
        old: Where it led.
        new: Where it leads.
    """

    experiment_id: str
    column: str
    old: str | None
    new: str | None


class ChangedSnapshot(_Record):
    """A snapshot that is new, gone or other.

    Attributes:
        snapshot_id: The snapshot.
        change: added, removed or changed.
        columns: Columns that differ.
    """

    snapshot_id: str
    change: str
    columns: tuple[str, ...] = ()


class ReleaseDiff(_Record):
    """What differs between two datasets.

    Attributes:
        tables: By table, in the order of the declarations; tables that neither has are left out.
        moved_links: Links that moved, sorted.
        snapshots: Snapshots that changed, sorted.
    """

    tables: tuple[TableDiff, ...]
    moved_links: tuple[MovedLink, ...]
    snapshots: tuple[ChangedSnapshot, ...]

    @property
    def is_same(self) -> bool:
        """Whether no table differs."""
        return all(table.is_same for table in self.tables)


def compare_datasets(old: Path, new: Path) -> ReleaseDiff:
    """Compare two datasets by the primary keys of their tables.

    Args:
        old: Folder of the earlier dataset.
        new: Folder of the later one.

    Raises:
        OutputError: If one of them is no dataset, or lacks a key column.
    """
    for folder in (old, new):
        if not (folder / MANIFEST_NAME).is_file():
            raise OutputError(f"{folder} is no dataset: it holds no {MANIFEST_NAME}.")
    tables = []
    moved: list[MovedLink] = []
    snapshots: list[ChangedSnapshot] = []
    for table in (*TABLES, *EMBEDDING_TABLES.values()):
        before, after = _read(old, table), _read(new, table)
        if before is None or after is None:
            tables.append(_one_sided(table, before, after))
            continue
        joined = _join(table, before, after)
        common = [name for name in before.columns if name in after.columns and name not in table.primary_key]
        tables.append(_compare(table, before, after, joined, common))
        if table.name == "experiments":
            moved = sorted(_moved(joined, common), key=lambda each: (each.experiment_id, each.column))
        if table.name == "snapshots":
            snapshots = sorted(_snapshots(joined, common), key=lambda each: each.snapshot_id)
    present = (each for each in tables if (each.old_rows, each.new_rows) != (None, None))
    return ReleaseDiff(tables=tuple(present), moved_links=tuple(moved), snapshots=tuple(snapshots))


def _read(folder: Path, table: Table) -> pl.DataFrame | None:
    path = folder / f"{table.name}.parquet"
    if not path.is_file():
        return None
    frame = pl.read_parquet(path, glob=False)
    if missing := [key for key in table.primary_key if key not in frame.columns]:
        raise OutputError(f"{path} lacks the column {missing[0]}: build that dataset again.")
    return frame


def _one_sided(table: Table, before: pl.DataFrame | None, after: pl.DataFrame | None) -> TableDiff:
    return TableDiff(
        table=table.name,
        old_rows=None if before is None else before.height,
        new_rows=None if after is None else after.height,
        added=0 if after is None else after.height,
        removed=0 if before is None else before.height,
    )


def _join(table: Table, before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    keys = [*table.primary_key]
    old = before.unique(keys, keep="first").with_columns(pl.lit(True).alias(_IN_OLD))
    new = after.unique(keys, keep="first").with_columns(pl.lit(True).alias(_IN_NEW))
    return old.join(new, on=keys, how="full", coalesce=True, suffix=_NEW)


def _differs(joined: pl.DataFrame, column: str) -> pl.Expr:
    """Whether a column differs in a row that both have; another type alone is no other value."""
    old, new = pl.col(column), pl.col(f"{column}{_NEW}")
    if joined.schema[column] != joined.schema[f"{column}{_NEW}"]:
        old, new = (each.cast(pl.String, strict=False) for each in (old, new))
    return old.ne_missing(new)


def _in_both(joined: pl.DataFrame) -> pl.DataFrame:
    return joined.filter(pl.col(_IN_OLD).is_not_null(), pl.col(_IN_NEW).is_not_null())


def _compare(
    table: Table, before: pl.DataFrame, after: pl.DataFrame, joined: pl.DataFrame, common: list[str]
) -> TableDiff:
    both = _in_both(joined)
    flags = both.select(_differs(joined, column).alias(column) for column in common)
    sums = {column: int(flags[column].sum()) for column in common}
    return TableDiff(
        table=table.name,
        old_rows=before.height,
        new_rows=after.height,
        added=joined[_IN_OLD].null_count(),
        removed=joined[_IN_NEW].null_count(),
        changed=flags.filter(pl.any_horizontal(common)).height if common else 0,
        changed_by_column={column: count for column, count in sums.items() if count},
        added_columns=tuple(name for name in after.columns if name not in before.columns),
        removed_columns=tuple(name for name in before.columns if name not in after.columns),
    )


def _moved(joined: pl.DataFrame, common: list[str]) -> Iterator[MovedLink]:
    for column in LINK_COLUMNS:
        if column in common:
            rows = _in_both(joined).filter(_differs(joined, column))
            for name, old, new in rows.select("experiment_id", column, f"{column}{_NEW}").iter_rows():
                yield MovedLink(experiment_id=name, column=column, old=old, new=new)


def _snapshots(joined: pl.DataFrame, common: list[str]) -> Iterator[ChangedSnapshot]:
    """Tell snapshots apart by scope and k, of which the id is made."""
    ids = pl.coalesce("snapshot_id", f"snapshot_id{_NEW}").alias("id")
    flags = joined.select(ids, _IN_OLD, _IN_NEW, *(_differs(joined, name).alias(name) for name in common))
    for row in flags.iter_rows(named=True):
        if row[_IN_OLD] is None or row[_IN_NEW] is None:
            change = "added" if row[_IN_OLD] is None else "removed"
            yield ChangedSnapshot(snapshot_id=row["id"], change=change)
        elif columns := tuple(name for name in common if row[name]):
            yield ChangedSnapshot(snapshot_id=row["id"], change="changed", columns=columns)
