"""What each known archive is expected to give: committed numbers against which a dataset is held."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict

from outputs.validation.model import Offenders
from outputs.validation.opened import OpenedDataset

EXPECTATIONS_PATH = Path(__file__).parent / "expectations.toml"
"""The committed expectations."""

ANY = "any"
"""Name of the section that every archive is held against."""

TIER_COLUMNS = ("variant_tier", "idea_tier")
"""Columns of `experiments` whose values `values` counts."""

Bound = int | tuple[int, int]


class ExpectationError(ValueError):
    """A dataset cannot be held against what was asked for. The message is one sentence."""


class Expected(BaseModel):
    """What is expected of one archive.

    Attributes:
        fingerprint: Fingerprint of the archive; None where it is chosen by name.
        files: Files in the archive.
        rows: Rows by table.
        scopes: Experiments by scope, as `wave/agent`.
        quarantine: Rows of the quarantine by reason; every other reason has none.
        values: Experiments by tier column and tier.
        least_share: Least share of rows that have a value, by table and column.
        empty_columns: Columns that hold nothing, as `table.column`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fingerprint: str | None = None
    files: Bound | None = None
    rows: Mapping[str, Bound] = {}
    scopes: Mapping[str, Bound] = {}
    quarantine: Mapping[str, Bound] = {}
    values: Mapping[str, Mapping[str, Bound]] = {}
    least_share: Mapping[str, Mapping[str, float]] = {}
    empty_columns: tuple[str, ...] = ()


def read_expectations(path: Path = EXPECTATIONS_PATH) -> dict[str, Expected]:
    """Read the expectations by name of the archive."""
    sections = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: Expected.model_validate(section) for name, section in sections.items()}


def check_name(name: str | None, expectations: Mapping[str, Expected] | None = None) -> None:
    """Refuse the name of a section that is not there.

    Args:
        name: The name; None names none.
        expectations: The sections; the committed ones by default.

    Raises:
        ExpectationError: If no section has the name.
    """
    known = read_expectations() if expectations is None else expectations
    if name is not None and name not in known:
        raise ExpectationError(
            f"No section of {EXPECTATIONS_PATH.name} is called {name}: name {_one_of(known)}."
        )


def _one_of(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def choose(
    expectations: Mapping[str, Expected], fingerprint: str, name: str | None = None
) -> tuple[str, Expected] | None:
    """Find what is expected of an archive: the section that was named, else the one with its fingerprint.

    Raises:
        ExpectationError: If no section has the name.
    """
    check_name(name, expectations)
    if name is not None:
        return name, expectations[name]
    return next((each for each in expectations.items() if each[1].fingerprint == fingerprint), None)


def find_unexpected(dataset: OpenedDataset, expected: Expected | None) -> Offenders:
    """Find numbers that are not as expected."""
    if expected is None:
        return {}
    rows = [*_counts(dataset, expected), *_shares(dataset, expected)]
    return {"expectations": pl.DataFrame(rows, ("what", "expected", "found"), orient="row")}


def _counts(dataset: OpenedDataset, expected: Expected) -> Iterator[tuple[str, str, str]]:
    frames = dataset.frames
    if expected.files is not None:
        files = {"archive": dataset.manifest.num_files}
        yield from _differences("files of the", {"archive": expected.files}, files)
    found = {name: frame.height for name, frame in frames.items()}
    yield from _differences("rows of", expected.rows, {name: found.get(name, 0) for name in expected.rows})
    if expected.scopes and "experiments" in frames:
        yield from _differences("experiments of", expected.scopes, _by_scope(frames["experiments"]))
    if expected.quarantine and "quarantine" in frames:
        yield from _differences(
            "quarantined as", expected.quarantine, _values(frames["quarantine"], "reason")
        )
    for column, wanted in expected.values.items():
        if column in frames.get("experiments", pl.DataFrame()).columns:
            yield from _differences(f"{column} is", wanted, _values(frames["experiments"], column))


def _differences(
    what: str, wanted: Mapping[str, Bound], found: Mapping[str, int]
) -> Iterator[tuple[str, str, str]]:
    for name in sorted({*wanted, *found}):
        bound, count = wanted.get(name, 0), found.get(name, 0)
        low, high = (bound, bound) if isinstance(bound, int) else bound
        if not low <= count <= high:
            yield f"{what} {name}", f"{low}" if low == high else f"{low} to {high}", f"{count}"


def _shares(dataset: OpenedDataset, expected: Expected) -> Iterator[tuple[str, str, str]]:
    for table, columns in expected.least_share.items():
        frame = dataset.frames.get(table, pl.DataFrame())
        for column, least in columns.items():
            if frame.height and column in frame.columns:
                share = frame[column].count() / frame.height
                if share < least:
                    yield f"{table} with {column}", f"at least {least:.1%}", f"{share:.1%}"


def _values(frame: pl.DataFrame, column: str) -> dict[str, int]:
    return dict(frame[column].drop_nulls().value_counts().sort(column).rows())


def _by_scope(experiments: pl.DataFrame) -> dict[str, int]:
    scopes = experiments.select(scope=pl.format("{}/{}", "wave", "agent"))
    return _values(scopes, "scope")


def propose(dataset: OpenedDataset, name: str) -> str:
    """Write the section of a dataset as it is, to be reviewed and committed."""
    frames = dataset.frames
    empty = [
        f'"{table.name}.{column.name}"'
        for table, frame in dataset.sound()
        for column in table.columns
        if frame.height == frame[column.name].null_count() > 0
    ]
    lines = [f"[{name}]", f'fingerprint = "{dataset.manifest.input_fingerprint}"']
    lines += [f"files = {dataset.manifest.num_files}", f"empty_columns = [{', '.join(empty)}]"]
    lines += ["", f"[{name}.rows]", *(f"{table} = {frames[table].height}" for table in sorted(frames))]
    if "experiments" in frames:
        counts = _by_scope(frames["experiments"])
        lines += ["", f"[{name}.scopes]", *(f'"{scope}" = {counts[scope]}' for scope in counts)]
    for title, table, column in (
        ("quarantine", "quarantine", "reason"),
        *((f"values.{tier}", "experiments", tier) for tier in TIER_COLUMNS),
    ):
        if table in frames:
            counts = _values(frames[table], column)
            lines += ["", f"[{name}.{title}]", *(f"{value} = {counts[value]}" for value in counts)]
    return "\n".join(lines) + "\n"
