"""Checks of single columns, made from their declarations: types, nulls, allowed values, ranges, keys."""

import polars as pl

from outputs.validation.model import Offenders, Rule
from outputs.validation.opened import OpenedDataset


def find_wrong_types(dataset: OpenedDataset) -> Offenders:
    """Find columns that are missing, too many, of another type or in another order."""
    found = {}
    for table in dataset.tables:
        if (frame := dataset.read.get(table.name)) is None:
            found[table.name] = _mismatches(table.polars_schema, pl.Schema())
        elif frame.schema != table.polars_schema:
            found[table.name] = _mismatches(table.polars_schema, frame.schema)
    return found


def _mismatches(declared: pl.Schema, found: pl.Schema) -> pl.DataFrame:
    names = dict.fromkeys((*declared, *found))
    places = {name: (_place(declared, name), _place(found, name)) for name in names}
    rows = [(name, *place) for name, place in places.items() if place[0] != place[1]]
    return pl.DataFrame(rows, ("column", "declared", "found"), orient="row")


def _place(schema: pl.Schema, name: str) -> str:
    return f"{list(schema).index(name) + 1}. {schema[name]}" if name in schema else "missing"


def find_nulls(dataset: OpenedDataset) -> Offenders:
    """Find nulls in columns that have none, and in lists, which never have any."""
    return _find(dataset, Rule.NULLS)


def find_strange_values(dataset: OpenedDataset) -> Offenders:
    """Find values outside the closed list of their column."""
    return _find(dataset, Rule.ALLOWED)


def find_out_of_range(dataset: OpenedDataset) -> Offenders:
    """Find numbers below or above their column's limits."""
    return _find(dataset, Rule.RANGE)


def find_not_finite(dataset: OpenedDataset) -> Offenders:
    """Find NaN and infinities in columns of numbers that cannot diverge."""
    return _find(dataset, Rule.FINITE)


def find_repeated_keys(dataset: OpenedDataset) -> Offenders:
    """Find rows that share their primary key."""
    return _find(dataset, Rule.KEYS)


def find_out_of_order(dataset: OpenedDataset) -> Offenders:
    """Find rows that do not stand where their primary key belongs."""
    found = {}
    for table, frame in dataset.sound():
        keys = [*table.primary_key]
        in_order = frame.select(keys).sort(keys, maintain_order=True)
        is_elsewhere = pl.any_horizontal(frame[key].ne_missing(in_order[key]) for key in keys)
        found[table.name] = dataset.show(table, frame.filter(is_elsewhere))
    return found


def find_empty_columns(dataset: OpenedDataset, expected: frozenset[str] = frozenset()) -> Offenders:
    """Find columns of tables with rows that hold nothing at all, apart from those where that is expected."""
    rows = [
        (table.name, column.name, frame.height)
        for table, frame in dataset.sound()
        for column in table.columns
        if frame.height == frame[column.name].null_count() > 0
        if f"{table.name}.{column.name}" not in expected
    ]
    return {"columns": pl.DataFrame(rows, ("table", "column", "rows"), orient="row")}


def _find(dataset: OpenedDataset, kind: Rule) -> Offenders:
    found = {}
    for table, _ in dataset.sound():
        for (broken, column), rows in dataset.broken_rules[table.name].items():
            if broken == kind:
                place = f"{table.name}.{column}" if column else table.name
                found[place] = dataset.show(table, rows, (column,))
    return found
