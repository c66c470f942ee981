"""The declaration of a table as rules that are run on its rows."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import dataframely as dy
import polars as pl

from outputs.schemas import Column, Table
from outputs.validation.model import Rule

_KIND_OF_RULE: Mapping[str, Rule] = {
    "nullability": Rule.NULLS,
    "inner_nullability": Rule.NULLS,
    "check__allowed": Rule.ALLOWED,
    "min": Rule.RANGE,
    "max": Rule.RANGE,
    "nan": Rule.FINITE,
    "inf": Rule.FINITE,
    "inner_nan": Rule.FINITE,
    "inner_inf": Rule.FINITE,
}
"""The library's names of its rules on a column."""


def run_rules(table: Table, frame: pl.DataFrame) -> Mapping[tuple[Rule, str], pl.DataFrame]:
    """Run a table's declared rules on its rows.

    Args:
        table: The declaration.
        frame: Rows with the declared columns and types.

    Returns:
        The rows that break a rule, by kind of rule and column, which is empty for the key.
    """
    _, failure = _schema(table).filter(frame)
    details = failure.details()
    broken: dict[tuple[Rule, str], pl.DataFrame] = {}
    for name in failure.counts():
        column, _, rule = name.rpartition("|")
        key = (_KIND_OF_RULE[rule], column) if column else (Rule.KEYS, "")
        rows = details.filter(pl.col(name) == "invalid").select(frame.columns)
        broken[key] = pl.concat([broken[key], rows]) if key in broken else rows
    return broken


@cache
def _schema(table: Table) -> type[dy.Schema]:
    columns = {column.name: _column(column, column.name in table.primary_key) for column in table.columns}
    return type(table.name, (dy.Schema,), {"__module__": __name__, **columns})


def _column(column: Column, is_key: bool) -> dy.Column:
    kind = column.kind.polars
    options: dict[str, Any] = {"nullable": column.is_nullable, "primary_key": is_key}
    if column.allowed is not None:
        options["check"] = {"allowed": _is_allowed(column.allowed)}
    if isinstance(kind, pl.List):
        return dy.List(_value(kind.inner, {}), **options)
    lowest, highest = column.limits
    if isinstance(kind, pl.Int64 | pl.Float64):
        options |= {"min": lowest, "max": highest}
    if isinstance(kind, pl.Float64):
        options |= {"allow_nan": not column.is_finite, "allow_inf": not column.is_finite}
    return _value(kind, options)


def _is_allowed(values: tuple[str, ...]) -> Callable[[pl.Expr], pl.Expr]:
    return lambda column: column.is_in(values)


def _value(kind: object, options: dict[str, Any]) -> dy.Column:
    if isinstance(kind, pl.Datetime):
        return dy.Datetime(time_zone=kind.time_zone, time_unit=kind.time_unit, **options)
    return _COLUMN_OF_TYPE[str(kind)](**options)


_COLUMN_OF_TYPE: Mapping[str, Callable[..., dy.Column]] = {
    "String": dy.String,
    "Int64": dy.Int64,
    "Float64": dy.Float64,
    "Float32": dy.Float32,
    "Boolean": dy.Bool,
}
