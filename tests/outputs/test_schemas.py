"""The declarations: every column said once, every derived schema in step with them."""

import polars as pl
import pytest

from outputs.schemas import TABLES, Table


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_is_declared_in_full(table: Table) -> None:
    names = [column.name for column in table.columns]
    assert len(names) == len(set(names))
    assert set(table.primary_key) <= set(names)
    for column in table.columns:
        assert column.description.endswith("."), column.name
        is_time = column.kind.polars == pl.Datetime("us", "UTC")
        assert is_time == (column.name.endswith("_at") or column.name == "wall_clock"), column.name
        if column.name.endswith("_s"):
            assert column.unit == "s"
        if column.name.endswith("_bytes"):
            assert column.unit == "bytes"


def test_a_name_means_the_same_in_every_table() -> None:
    meaning: dict[str, tuple[object, object]] = {}
    for table in TABLES:
        for column in table.columns:
            known = meaning.setdefault(column.name, (column.kind, column.unit))
            assert known == (column.kind, column.unit), f"{table.name}.{column.name}"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_derived_schemas_agree(table: Table) -> None:
    assert table.empty().schema == table.polars_schema
    assert table.arrow_schema.names == table.polars_schema.names()
    assert table.arrow_schema.field(0).metadata[b"description"]


def test_foreign_keys_name_columns_that_are_keys() -> None:
    by_name = {table.name: table for table in TABLES}
    for table in TABLES:
        for column, other, key in table.foreign_keys:
            assert column in table.polars_schema.names()
            assert key in by_name[other].primary_key
