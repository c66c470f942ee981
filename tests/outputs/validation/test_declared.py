"""Declared rules on tables that no demo holds: embeddings, whose vectors are lists of numbers."""

import polars as pl
import pytest

from outputs.schemas import EMBEDDING_TABLES
from outputs.validation.declared import run_rules
from outputs.validation.model import Rule

TABLE = EMBEDDING_TABLES["bge"]
GOOD = {
    "experiment_id": "a", "embedding": [0.6, 0.8], "embedding_model": "m", "text_sha256": "x", "is_text_cut": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("embedding", "broken"),
    [
        ([0.6, 0.8], None),
        (None, None),
        ([0.6, None], Rule.NULLS),
        ([0.6, float("nan")], Rule.FINITE),
        ([float("inf"), 0.8], Rule.FINITE),
    ],
)
def test_vectors_are_finite_and_without_holes(embedding: list[float] | None, broken: str | None) -> None:
    frame = pl.DataFrame([GOOD | {"embedding": embedding}], schema=TABLE.polars_schema, orient="row")
    wanted = set() if broken is None else {(broken, "embedding")}
    assert set(run_rules(TABLE, frame)) == wanted
