"""Vectors as arrays: float32 rows of unit length."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorers.errors import ScoringError

ONE_THREAD_PRODUCTS = 2**18
"""Up to so many products OpenBLAS takes one thread. Several would wait for each other on a busy machine, and
round differently where their number differs."""

Vectors = NDArray[np.float32]
"""Rows of unit length, shape (n, d)."""


def unit_rows(rows: NDArray[np.floating]) -> Vectors:
    """Scale rows to unit length; a row of zeros stays one.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    values = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return (values / np.where(lengths == 0, 1.0, lengths)).astype(np.float32)


def rows_of_column(column: pl.Series) -> Vectors:
    """Lay a column of vectors out as an array, without a copy of each row.

    Args:
        column: Lists of one size, none of them missing.

    Raises:
        ScoringError: If they differ in size.
    """
    sizes = column.list.len().unique()
    if len(sizes) > 1:
        raise ScoringError(f"The vectors in {column.name} differ in size: build the dataset again.")
    if not len(column):
        return np.zeros((0, 0), dtype=np.float32)
    return column.explode().to_numpy().astype(np.float32, copy=False).reshape(len(column), -1)


def rows_of_bytes(vectors: Sequence[bytes]) -> Vectors:
    """Lay packed vectors out as an array.

    Args:
        vectors: Little-endian float32 values, all of one size.
    """
    values = np.frombuffer(b"".join(vectors), dtype="<f4").astype(np.float32, copy=False)
    return values.reshape(len(vectors), -1) if len(vectors) else np.zeros((0, 0), dtype=np.float32)


def cosines(vectors: Vectors, others: Vectors) -> Vectors:
    """Compare rows of unit length with one another.

    Args:
        vectors: Shape (c, d).
        others: Shape (m, d).

    Returns:
        Cosines, shape (c, m).
    """
    found = np.empty((len(vectors), len(others)), dtype=np.float32)
    block = max(1, ONE_THREAD_PRODUCTS // max(1, vectors.size))
    for start in range(0, len(others), block):
        found[:, start : start + block] = vectors @ others[start : start + block].T
    return found
