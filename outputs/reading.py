"""Readers of a dataset: a table, filtered, as a Polars frame, from a folder or from the Hugging Face Hub.

>>> load_experiments("dataset", agnet="codex")
Traceback (most recent call last):
outputs.reading.ReadingError: experiments has no column agnet: did you mean agent?
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from outputs.schemas import EMBEDDING_TABLES, TABLES, Column, Kind, Table

Value = str | int | float | bool | datetime
Filter = Value | Collection[Value] | None
"""What a column must be: a value, one of several, or None for missing. A list column must hold it."""

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_TABLES = {table.name: table for table in (*TABLES, *EMBEDDING_TABLES.values())}
_VALUE_TYPES: dict[Kind, tuple[type, ...]] = {
    Kind.TEXT: (str,),
    Kind.TEXTS: (str,),
    Kind.INT: (int,),
    Kind.INTS: (int,),
    Kind.FLOAT: (float, int),
    Kind.BOOL: (bool,),
    Kind.TIME: (datetime,),
    Kind.VECTOR: (),
}


class ReadingError(ValueError):
    """A table cannot be read or filtered so. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Hub:
    """Where and how a dataset is fetched, if it is no folder.

    Attributes:
        revision: A tag, branch or commit; None for the newest.
        endpoint: Address of the Hub; None for the usual one.
        cache: Folder that keeps what was fetched; None for the usual one.
    """

    revision: str | None = None
    endpoint: str | None = None
    cache: Path | None = None


USUAL_HUB = Hub()
"""The newest version on the usual Hub."""


def load_table(name: str, source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read a table by its name.

    Args:
        name: Name of the table.
        source: Folder of a dataset, or the id of one on the Hub, `owner/name`.
        hub: Where and how it is fetched, if it is no folder.
        **filters: What the columns of these names must be.

    Raises:
        ReadingError: If there is no such table, column or value, or nothing to read.
    """
    table = _TABLES.get(name)
    if table is None:
        raise ReadingError(f"There is no table {name}{_or_rather(name, _TABLES)}")
    wanted = [_condition(table, column, value) for column, value in filters.items()]
    frame = pl.scan_parquet(_find(table, source, hub))
    return frame.filter(*wanted).collect() if wanted else frame.collect()


def load_runs(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read every launch; see `load_table`."""
    return load_table("runs", source, hub=hub, **filters)


def load_ideas(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read every idea write-up; see `load_table`."""
    return load_table("ideas", source, hub=hub, **filters)


def load_experiments(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read the catalogue of experiments; see `load_table`."""
    return load_table("experiments", source, hub=hub, **filters)


def load_cohorts(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read the trials of each recipe and schedule, taken together; see `load_table`."""
    return load_table("cohorts", source, hub=hub, **filters)


def load_snapshots(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read what was known at each moment; see `load_table`."""
    return load_table("snapshots", source, hub=hub, **filters)


def load_val_trajectories(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read every validation checkpoint; see `load_table`."""
    return load_table("val_trajectories", source, hub=hub, **filters)


def load_proposals(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read every variant file; see `load_table`."""
    return load_table("proposals", source, hub=hub, **filters)


def load_variant_links(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read what each tier says of the variant of each run; see `load_table`."""
    return load_table("variant_links", source, hub=hub, **filters)


def load_variant_sources(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read every source that a run is known to have executed; see `load_table`."""
    return load_table("variant_sources", source, hub=hub, **filters)


def load_run_idea_links(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read every idea that a tier proposes for a run; see `load_table`."""
    return load_table("run_idea_links", source, hub=hub, **filters)


def load_experiment_embeddings_openai(
    source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter
) -> pl.DataFrame:
    """Read the descriptions as vectors by OpenAI, where a build made them; see `load_table`."""
    return load_table("experiment_embeddings_openai", source, hub=hub, **filters)


def load_experiment_embeddings_bge(
    source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter
) -> pl.DataFrame:
    """Read the descriptions as vectors by a BGE model, where a build made them; see `load_table`."""
    return load_table("experiment_embeddings_bge", source, hub=hub, **filters)


def load_quarantine(source: str | Path, *, hub: Hub = USUAL_HUB, **filters: Filter) -> pl.DataFrame:
    """Read every input that could not be parsed; see `load_table`."""
    return load_table("quarantine", source, hub=hub, **filters)


def _condition(table: Table, name: str, value: Filter) -> pl.Expr:
    """Turn a filter into a condition, or say what is wrong with it."""
    columns = {column.name: column for column in table.columns}
    column = columns.get(name)
    if column is None:
        raise ReadingError(f"{table.name} has no column {name}{_or_rather(name, columns)}")
    if value is None:
        return pl.col(name).is_null()
    is_single = isinstance(value, Value)
    values = [value] if isinstance(value, Value) else list(value)
    for each in values:
        _check(column, each)
    if column.kind in (Kind.TEXTS, Kind.INTS):
        return pl.any_horizontal(pl.lit(False), *(pl.col(name).list.contains(each) for each in values))
    return pl.col(name) == pl.lit(value) if is_single else pl.col(name).is_in(values)


def _check(column: Column, value: Value) -> None:
    types = _VALUE_TYPES[column.kind]
    is_flag = isinstance(value, bool)
    if not isinstance(value, types) or (is_flag and bool not in types):
        raise ReadingError(f"{column.name} is a column of kind {column.kind.value}, and {value!r} is none.")
    if column.allowed is not None and value not in column.allowed:
        rather = _or_rather(str(value), column.allowed)
        raise ReadingError(f"{column.name} is never {value!r}{rather}")


def _or_rather(name: str, known: Collection[str]) -> str:
    """End a sentence with the names that somebody may have meant, else with all that there are."""
    close = get_close_matches(name, known, n=3)
    return f": did you mean {' or '.join(close)}?" if close else f": there are {', '.join(known)}."


def _find(table: Table, source: str | Path, hub: Hub) -> Path:
    """Find the file of a table: in a folder, else on the Hub."""
    name = f"{table.name}.parquet"
    folder = Path(source)
    if folder.is_dir():
        if not (folder / name).is_file():
            raise ReadingError(f"{folder} holds no {name}: name the folder of a dataset.")
        return folder / name
    if isinstance(source, Path) or not _HUB_ID.fullmatch(source):
        raise ReadingError(
            f"{source} is no folder: name the folder of a dataset, or one on the Hub as owner/name."
        )
    return _fetch(source, name, hub)


def _fetch(repo_id: str, name: str, hub: Hub) -> Path:
    # The library takes half a second to load, which readers of a folder need not wait for.
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, RepositoryNotFoundError

    try:
        path = hf_hub_download(
            repo_id,
            name,
            repo_type="dataset",
            revision=hub.revision,
            endpoint=hub.endpoint,
            cache_dir=hub.cache,
        )
    except RepositoryNotFoundError:
        raise ReadingError(f"{repo_id} is neither a folder here nor a dataset on the Hub.") from None
    except EntryNotFoundError as error:
        if isinstance(error, FileNotFoundError):
            raise ReadingError(f"{repo_id} cannot be reached, and {name} was never fetched before.") from None
        raise ReadingError(f"{repo_id} on the Hub holds no {name}.") from None
    except (HfHubHTTPError, OSError) as error:
        raise ReadingError(f"{name} of {repo_id} cannot be fetched: {type(error).__name__}.") from None
    return Path(path)
