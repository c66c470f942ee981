"""A dataset on disk: written beside its place, then renamed into it, so that nobody sees half of one."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

import polars as pl
import pyarrow.parquet as pq

from outputs.manifest import MANIFEST_NAME, FileEntry, Manifest, read_manifest
from outputs.replacing import clean_up, put_in_place, workplace
from outputs.schemas import EMBEDDING_TABLES, TABLES, Table

Page = Callable[[Manifest, Path], str]
"""Writes a text about a dataset from what is known of it and the folder with its tables."""

ROW_GROUP_ROWS = 131_072
"""Fixed, as the size of row groups decides the bytes of a file."""


_WRITERS = 2


class OutputError(Exception):
    """The dataset cannot be written where it was asked for. The message is one sentence."""


class WriteError(Exception):
    """The disk did not take the dataset. The message is one sentence."""


def check_target(out: Path) -> None:
    """Refuse to replace anything but a dataset or an empty folder.

    Raises:
        OutputError: If something else lies at `out`.
    """
    if not out.exists():
        return
    if not out.is_dir():
        raise OutputError(f"{out} is a file: name a folder that is new, empty or an earlier dataset.")
    if any(out.iterdir()) and not (out / MANIFEST_NAME).is_file():
        raise OutputError(f"{out} holds something that is no dataset: name a new or empty folder.")


def write_dataset(
    frames: Mapping[str, pl.DataFrame],
    describe: Callable[[tuple[FileEntry, ...]], Manifest],
    out: Path,
    texts: Mapping[str, str] = MappingProxyType({}),
    pages: Mapping[str, Page] = MappingProxyType({}),
) -> Manifest:
    """Write all tables, the texts and pages beside them and the manifest, and put them in place at once.

    Args:
        frames: A frame for every table, by name, and for those embeddings that were asked for.
        describe: Makes the manifest from the written files.
        out: Folder of the dataset. An earlier dataset there is replaced.
        texts: Further files, by path inside the dataset.
        pages: Writers of further files, by path inside the dataset, called when all tables are written.

    Raises:
        OutputError: If `out` must not be replaced.
        WriteError: If the disk is full or does not let us write; an earlier dataset is still there then.
    """
    check_target(out)
    place = out.resolve()
    beside = workplace(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        clean_up(place)
        (beside / "new").mkdir(parents=True)
        manifest = _write_files(frames, describe, beside / "new", texts, pages)
        put_in_place(beside / "new", place)
    except OSError as error:
        raise WriteError(
            f"{out} could not be written ({error}): what was there before is untouched."
        ) from error
    finally:
        clean_up(place)
    return manifest


def _write_files(
    frames: Mapping[str, pl.DataFrame],
    describe: Callable[[tuple[FileEntry, ...]], Manifest],
    folder: Path,
    texts: Mapping[str, str],
    pages: Mapping[str, Page],
) -> Manifest:
    asked_for = [table for table in EMBEDDING_TABLES.values() if table.name in frames]
    entries = write_tables((*TABLES, *asked_for), frames, folder)
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8"))
    manifest = describe(entries)
    for name, page in pages.items():
        text = page(manifest, folder)
        (folder / name).write_bytes(text.encode("utf-8"))
        manifest = manifest.with_text(name, text)
    (folder / MANIFEST_NAME).write_text(_manifest_text(manifest), encoding="utf-8")
    return manifest


def renew_page(name: str, page: Page, out: Path) -> None:
    """Write one page of a finished dataset anew, and list it in the manifest.

    Raises:
        OutputError: If there is no dataset.
    """
    if not (out / MANIFEST_NAME).is_file():
        raise OutputError(f"{out} is no dataset: name the folder that a build wrote.")
    manifest = read_manifest(out)
    text = page(manifest, out)
    _replace(out / name, text)
    _replace(out / MANIFEST_NAME, _manifest_text(manifest.with_text(name, text)))


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(text.encode("utf-8"))
    beside.replace(path)


def _manifest_text(manifest: Manifest) -> str:
    return manifest.model_dump_json(indent=2) + "\n"


class LaidOut(Mapping[str, pl.DataFrame]):
    """Tables that are laid out when they are asked for: nothing keeps one that is written.

    Args:
        makers: What lays each table out, by its name.
    """

    def __init__(self, makers: Mapping[str, Callable[[], pl.DataFrame]]) -> None:
        self._makers = makers

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Lay out a table."""
        return self._makers[name]()

    def __contains__(self, name: object) -> bool:
        """Whether there is such a table; none is laid out for that."""
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._makers)

    def __len__(self) -> int:
        """Count the tables."""
        return len(self._makers)


def write_tables(
    tables: Sequence[Table], frames: Mapping[str, pl.DataFrame], folder: Path
) -> tuple[FileEntry, ...]:
    """Write some tables, each by a thread while the next one is laid out.

    Args:
        tables: The tables, in the order of the entries.
        frames: Their frames, in the order of writing; the largest are best written first.
        folder: Where they go.
    """
    by_name = {table.name: table for table in tables}
    written: dict[str, Future[FileEntry]] = {}
    with ThreadPoolExecutor(_WRITERS) as pool:
        for name in frames:
            written[name] = pool.submit(write_table, by_name[name], frames[name], folder)
        return tuple(written[table.name].result() for table in tables)


def write_table(table: Table, frame: pl.DataFrame, folder: Path) -> FileEntry:
    """Write one table as zstd Parquet with the declared types, nullability and descriptions.

    Raises:
        ValueError: If a column that must not be null holds one: a fault of this project.
    """
    path = folder / f"{table.name}.parquet"
    arrow = frame.select(table.polars_schema.names()).rechunk().to_arrow().cast(table.arrow_schema)
    pq.write_table(
        arrow,
        path,
        compression="zstd",
        row_group_size=ROW_GROUP_ROWS,
        version="2.6",
        write_statistics=True,
    )
    return FileEntry(
        name=path.name,
        rows=arrow.num_rows,
        size_bytes=path.stat().st_size,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )
