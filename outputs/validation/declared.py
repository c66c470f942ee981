"""The declaration of a table as rules that are run on its rows."""

from collections.abc import Iterator, Mapping

import polars as pl

from outputs.schemas import Column, Kind, Table

NULLS, ALLOWED, RANGE, FINITE, KEYS = "nulls", "allowed", "range", "finite", "keys"
"""The kinds of rules."""


def run_rules(table: Table, frame: pl.DataFrame) -> Mapping[tuple[str, str], pl.DataFrame]:
    """Run a table's declared rules on its rows.

    Args:
        table: The declaration.
        frame: Rows with the declared columns and types.

    Returns:
        The rows that break a rule, by kind of rule and column, which is empty for the key.
    """
    rules = {(kind, column.name): broken for column in table.columns for kind, broken in _rules(column)}
    rules[KEYS, ""] = pl.struct(table.primary_key).is_duplicated()
    is_broken = frame.select(rule.any().alias("|".join(name)) for name, rule in rules.items()).row(0)
    return {
        name: frame.filter(rule)
        for (name, rule), broken in zip(rules.items(), is_broken, strict=True)
        if broken
    }


def _rules(column: Column) -> Iterator[tuple[str, pl.Expr]]:
    """Yield the kinds of rules of a column, and what is true where one is broken."""
    value = pl.col(column.name)
    is_null = value.is_null()
    if isinstance(column.kind.polars, pl.List):
        has_hole = _any(value, pl.element().is_null())
        yield NULLS, has_hole if column.is_nullable else is_null | has_hole
    elif not column.is_nullable:
        yield NULLS, is_null
    if column.allowed is not None:
        yield ALLOWED, ~value.is_in(column.allowed)
    lowest, highest = column.limits
    beyond = [value < lowest] if lowest is not None else []
    beyond += [value > highest] if highest is not None else []
    if beyond:
        yield RANGE, pl.any_horizontal(beyond)
    if column.kind is Kind.VECTOR:
        yield FINITE, _any(value, ~pl.element().is_finite())
    elif column.kind is Kind.FLOAT and column.is_finite:
        yield FINITE, ~value.is_finite()


def _any(value: pl.Expr, holds: pl.Expr) -> pl.Expr:
    """Whether something holds of any value of a list."""
    return value.list.eval(holds).list.any()
