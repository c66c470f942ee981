"""Whether a dataset holds something like a key, and where keys of the archive were removed from it."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from outputs.schemas import QUARANTINE
from parsers.quarantine import Reason
from parsers.secrets import MARK, Secrets, find_keys

ACCEPTANCE_CHARS = 12
"""Length of the word by which somebody accepts that keys were removed."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A place that holds something like a key. The key itself is never kept.

    Attributes:
        file: Name of the file.
        place: Column and row, or line.
        kind: What it looks like.
    """

    file: str
    place: str
    kind: str


@dataclass(frozen=True, slots=True)
class RemovedKeys:
    """The keys of the archive that are not in the dataset any more.

    Attributes:
        places: Where in the archive each stood and what it looked like, a sentence each.
        traces: Columns and rows of the dataset that show that something was removed.
        acceptance: A word that stands for exactly these places.
    """

    places: tuple[str, ...]
    traces: tuple[str, ...]
    acceptance: str


def find_leaks(folder: Path, names: Sequence[str], secrets: Secrets) -> list[Leak]:
    """Look for keys in the text columns of tables and in all other files.

    Args:
        folder: The dataset.
        names: Files that are to be published.
        secrets: Values that must not appear, whatever they look like.
    """
    leaks: list[Leak] = []
    for name in names:
        search = _in_table if name.endswith(".parquet") else _in_text
        leaks.extend(search(folder / name, name, secrets))
    return leaks


def _in_table(path: Path, name: str, secrets: Secrets) -> Iterator[Leak]:
    for column, texts in _text_columns(path):
        # One pass over everything is fast, and nearly always the last one.
        if not find_keys(_bytes("\n\0\n".join(texts["text"].drop_nulls().unique().sort())), secrets):
            continue
        found = {
            (row, key.kind)
            for row, text in texts.drop_nulls().iter_rows()
            for key in find_keys(_bytes(text), secrets)
        }
        yield from (Leak(name, f"column {column}, row {row}", kind) for row, kind in sorted(found))


def _in_text(path: Path, name: str, secrets: Secrets) -> Iterator[Leak]:
    data = path.read_bytes()
    for key in find_keys(data, secrets):
        yield Leak(name, f"line {data.count(10, 0, key.start) + 1}", key.kind)


def _text_columns(path: Path) -> Iterator[tuple[str, pl.DataFrame]]:
    """Give the texts of each column with the number of their row; a list has several."""
    frame = pl.read_parquet(path, glob=False)
    for column in frame.columns:
        if frame.schema[column] == pl.String():
            yield column, frame.select(pl.col(column).alias("text")).with_row_index("row")
        elif frame.schema[column] == pl.List(pl.String()):
            texts = frame.select(pl.col(column).alias("text")).with_row_index("row")
            yield column, texts.explode("text", empty_as_null=True)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def find_removed(folder: Path) -> RemovedKeys | None:
    """Find out which keys a build removed, from the dataset's `quarantine`; None where it removed none."""
    rows = pl.read_parquet(folder / f"{QUARANTINE.name}.parquet", glob=False)
    rows = rows.filter(pl.col("reason") == Reason.KEY_REMOVED).sort("path", "byte_offset")
    if not rows.height:
        return None
    places = tuple(
        f"{path}, line {line} ({detail.partition(',')[0]})"
        for path, line, detail in rows.select("path", "line", "detail").iter_rows()
    )
    tables = sorted(path for path in folder.glob("*.parquet") if path.stem != QUARANTINE.name)
    traces = tuple(trace for path in tables for trace in _traces(path))
    word = hashlib.sha256("\n".join(places).encode()).hexdigest()[:ACCEPTANCE_CHARS]
    return RemovedKeys(places, traces, word)


def _traces(path: Path) -> Iterator[str]:
    for column, texts in _text_columns(path):
        rows = texts.filter(pl.col("text").str.contains(MARK, literal=True))["row"]
        yield from (f"{path.name}, column {column}, row {row}" for row in rows.unique().sort())
