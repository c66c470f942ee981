"""Embeddings laid out as tables."""

import hashlib
from collections.abc import Mapping
from itertools import accumulate

import polars as pl
import pyarrow as pa

from outputs.embeddings.model import FLOAT_BYTES, Embedding
from outputs.schemas import EMBEDDING_TABLES


def build_embeddings(
    backend: str, model: str, texts: Mapping[str, str], embedded: Mapping[str, Embedding]
) -> pl.DataFrame:
    """Build the table of one backend: one row an experiment.

    Args:
        backend: Name of the backend.
        model: Name of the model.
        texts: Descriptions by experiment id.
        embedded: Embeddings by text.
    """
    table = EMBEDDING_TABLES[backend]
    ids = sorted(texts)
    rows = [embedded[texts[each]] for each in ids]
    return pl.DataFrame(
        {
            "experiment_id": ids,
            "embedding": _vectors([row.vector for row in rows]),
            "embedding_model": [model] * len(ids),
            "text_sha256": [text_sha256(texts[each]) for each in ids],
            "is_text_cut": [row.is_cut for row in rows],
        },
        schema=table.polars_schema,
    )


def text_sha256(text: str) -> str:
    """Hash a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()


def _vectors(vectors: list[bytes | None]) -> pl.Series:
    """Lay vectors out as one column without making a number of each value."""
    lengths = [len(vector) // FLOAT_BYTES if vector else 0 for vector in vectors]
    values = pa.Array.from_buffers(
        pa.float32(), sum(lengths), [None, pa.py_buffer(b"".join(vector or b"" for vector in vectors))]
    )
    offsets = pa.array(accumulate(lengths, initial=0), pa.int64())
    mask = pa.array([vector is None for vector in vectors], pa.bool_())
    column = pa.LargeListArray.from_arrays(offsets, values, mask=mask)
    series = pl.from_arrow(column)
    assert isinstance(series, pl.Series), "one column makes a series"
    return series.alias("embedding")
