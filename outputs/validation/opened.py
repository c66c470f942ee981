"""A dataset on disk as the checks see it: every table that can be read, and the manifest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl
from pydantic import ValidationError

from outputs.dataset import OutputError
from outputs.manifest import MANIFEST_NAME, Manifest, read_manifest
from outputs.schemas import EMBEDDING_TABLES, TABLES, Table
from outputs.validation.model import Rule

SOURCE_COLUMNS = ("source_path", "log_path", "ledger_lines", "path", "line", "variant_path", "origins")
"""Columns that say where in the archive a row comes from."""


@dataclass(frozen=True, eq=False)
class OpenedDataset:
    """A dataset to be checked.

    Attributes:
        folder: Where it lies.
        manifest: Its manifest.
    """

    folder: Path
    manifest: Manifest

    @classmethod
    def of(cls, folder: Path) -> "OpenedDataset":
        """Open a folder.

        Raises:
            OutputError: If it holds no manifest that can be read.
        """
        try:
            return cls(folder, read_manifest(folder))
        except OSError:
            raise OutputError(f"{folder} is no dataset: it holds no {MANIFEST_NAME}.") from None
        except ValidationError as error:
            wrong = f"{folder / MANIFEST_NAME} cannot be read: {error.error_count()} fields are wrong"
            raise OutputError(f"{wrong}; build the dataset again.") from None

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that it should hold: all, and those embeddings that were asked for."""
        named = {entry.name for entry in self.manifest.files}
        asked_for = (each for each in EMBEDDING_TABLES.values() if f"{each.name}.parquet" in named)
        return (*TABLES, *asked_for)

    @cached_property
    def read(self) -> Mapping[str, pl.DataFrame]:
        """Every declared table that can be read, whatever its columns."""
        return {table.name: frame for table in self.tables if (frame := self._try(table)) is not None}

    def _try(self, table: Table) -> pl.DataFrame | None:
        try:
            return pl.read_parquet(self.folder / f"{table.name}.parquet", glob=False)
        except (OSError, pl.exceptions.PolarsError):
            return None

    @cached_property
    def frames(self) -> Mapping[str, pl.DataFrame]:
        """Every table that has the declared columns and types, so that its rows can be checked."""
        schemas = {table.name: table.polars_schema for table in self.tables}
        return {name: frame for name, frame in self.read.items() if frame.schema == schemas[name]}

    @cached_property
    def broken_rules(self) -> Mapping[str, Mapping[tuple[Rule, str], pl.DataFrame]]:
        """What breaks the declared rules, by table, and then by kind of rule and column."""
        # Here, as the library behind it brings SQLAlchemy: a quarter of the start of any command.
        from outputs.validation.declared import run_rules

        return {table.name: run_rules(table, frame) for table, frame in self.sound()}

    def sound(self) -> Iterator[tuple[Table, pl.DataFrame]]:
        """Go through the tables whose rows can be checked."""
        yield from ((table, self.frames[table.name]) for table in self.tables if table.name in self.frames)

    def show(self, table: Table, rows: pl.DataFrame, columns: tuple[str, ...] = ()) -> pl.DataFrame:
        """Narrow rows to their key, the columns in question and where in the archive they come from."""
        has_source = bool({*SOURCE_COLUMNS} & {*rows.columns})
        if "experiment_id" in rows.columns and not has_source and "runs" in self.frames:
            places = self.frames["runs"].select("experiment_id", "log_path", "ledger_lines")
            places = places.unique("experiment_id", keep="first", maintain_order=True)
            rows = rows.join(places, on="experiment_id", how="left", maintain_order="left")
        wanted = dict.fromkeys((*table.primary_key, *columns, *SOURCE_COLUMNS))
        return rows.select(name for name in wanted if name in rows.columns)
