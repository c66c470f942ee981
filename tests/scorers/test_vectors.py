"""Vectors as arrays."""

import numpy as np
import polars as pl
import pytest

from scorers.errors import ScoringError
from scorers.vectors import ONE_THREAD_PRODUCTS, cosines, rows_of_bytes, rows_of_column, unit_rows


def test_rows_are_scaled_and_zeros_stay() -> None:
    rows = unit_rows(np.array([[0.0, 5.0], [0.0, 0.0], [1e-30, 0.0]]))
    assert rows.tolist() == [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    assert rows.dtype == np.float32


def test_a_column_becomes_an_array() -> None:
    column = pl.Series("embedding", [[1.0, 2.0], [3.0, 4.0]], dtype=pl.List(pl.Float32))
    assert rows_of_column(column).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert rows_of_column(column.clear()).shape == (0, 0)


def test_a_column_of_differing_sizes_is_refused() -> None:
    with pytest.raises(ScoringError, match="differ in size"):
        rows_of_column(pl.Series("embedding", [[1.0], [3.0, 4.0]], dtype=pl.List(pl.Float32)))


def test_packed_vectors_become_an_array() -> None:
    packed = [np.array([1, 2], "<f4").tobytes(), np.array([3, 4], "<f4").tobytes()]
    assert rows_of_bytes(packed).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert rows_of_bytes([]).shape == (0, 0)


@pytest.mark.parametrize(
    "shape", [(0, 3, 8), (2, 0, 8), (3, 5, 2), (5, 40, 3_072), (2, 3, ONE_THREAD_PRODUCTS)]
)
def test_cosines_are_products_of_all_rows(shape: tuple[int, int, int]) -> None:
    source = np.random.default_rng(0)
    left, right = (unit_rows(source.normal(size=(rows, shape[2]))) for rows in shape[:2])
    found = cosines(left, right)
    assert found.shape == shape[:2]
    assert np.allclose(found, left.astype(float) @ right.T.astype(float), atol=1e-6)
