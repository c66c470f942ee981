"""The experiments of a dataset with their vectors, read once."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outputs.embeddings.model import Backend, embed_texts
from outputs.reading import ReadingError, load_table
from outputs.schemas import EMBEDDING_TABLES
from scorers.classes import NOT_REJECTED
from scorers.errors import ScoringError
from scorers.lexical import LEXICAL
from scorers.vectors import Vectors, cosines, rows_of_bytes, rows_of_column


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment of the archive, as judges see it. Its texts are untrusted.

    Attributes:
        experiment_id: Its id.
        idea_id: The idea that it tested, where that is known.
        idea_title: That idea's title.
        text: Its description, which is what was embedded.
        launched_at: When it was tried.
        finished_at: From when on its outcome was known.
        verdict: What came of it against the baseline.
        step_to_3_28: When it reached 3.28, in steps.
        rejection_class: Why its idea was rejected, ever.
        rejected_at: From when on.
        rejection_evidence: How that is known.
    """

    experiment_id: str
    idea_id: str | None
    idea_title: str | None
    text: str
    launched_at: datetime | None
    finished_at: datetime | None
    verdict: str
    step_to_3_28: int | None
    rejection_class: str
    rejected_at: datetime | None
    rejection_evidence: str | None


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Every experiment that has a vector, by id.

    Attributes:
        experiments: One row an experiment, sorted by id, with the columns of `Experiment`.
        vectors: One row a distinct text, shape (m, d): seeds of a recipe share one, so that ties are exact.
        vector_rows: For each experiment the row of its text in `vectors`, shape (n,).
    """

    experiments: pl.DataFrame
    vectors: Vectors
    vector_rows: NDArray[np.int64]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.experiments["experiment_id"].to_list())}

    def rows(self, experiment_ids: Iterable[str]) -> NDArray[np.int64]:
        """Find experiments: their rows, in the order of their ids; those without a vector are left out."""
        found = {self._rows[each] for each in experiment_ids if each in self._rows}
        return np.array(sorted(found), dtype=np.int64)

    def similarities(self, vectors: Vectors) -> Vectors:
        """Compare vectors with every distinct text.

        Args:
            vectors: Shape (c, d).

        Returns:
            Cosines, shape (c, m).
        """
        if not len(self.vectors):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        return cosines(vectors, self.vectors)

    def experiment(self, row: int) -> Experiment:
        """Look an experiment up by its row."""
        return Experiment(**self.experiments.row(row, named=True))


def read_table(name: str, dataset: str | Path) -> pl.DataFrame:
    """Read a table of a dataset.

    Raises:
        ScoringError: If it cannot be read.
    """
    try:
        return load_table(name, dataset)
    except ReadingError as error:
        raise ScoringError(str(error)) from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ScoringError(
            f"{name}.parquet of {dataset} cannot be read ({type(error).__name__}): build it again."
        ) from None


def read_experiments(dataset: str | Path) -> pl.DataFrame:
    """Read every described experiment with what is known of its idea."""
    ideas = read_table("ideas", dataset).select(
        pl.col("idea_id"),
        pl.col("title").alias("idea_title"),
        pl.col("rejection_class"),
        pl.col("rejected_at"),
        pl.col("rejection_evidence_text").alias("rejection_evidence"),
    )
    experiments = read_table("experiments", dataset).select(
        pl.col("experiment_id"),
        pl.col("linked_idea_id").alias("idea_id"),
        pl.col("description_text").alias("text"),
        pl.col("first_seen_at").alias("launched_at"),
        pl.col("finished_at"),
        pl.col("verdict"),
        pl.col("step_to_3_28"),
    )
    return (
        experiments.filter(pl.col("text").is_not_null())
        .join(ideas, on="idea_id", how="left", maintain_order="left")
        .with_columns(pl.col("rejection_class").fill_null(NOT_REJECTED))
        .sort("experiment_id")
    )


def stored_catalogue(experiments: pl.DataFrame, dataset: str | Path, embedding: str) -> tuple[Catalogue, str]:
    """Take the vectors that the dataset holds."""
    table = EMBEDDING_TABLES[embedding]
    try:
        stored = load_table(table.name, dataset)
    except ReadingError:
        raise ScoringError(
            f"{dataset} has no embeddings by {embedding}: build it with `speedrun-etl build --embed "
            f"{embedding}`, or compare by words alone with the embedding {LEXICAL}."
        ) from None
    stored = stored.filter(pl.col("embedding").is_not_null())
    models = stored["embedding_model"].unique().sort().to_list()
    if len(models) != 1:
        raise ScoringError(
            f"{table.name} of {dataset} holds no vectors of one model: build the dataset again."
        )
    distinct = stored.unique("text_sha256", keep="first", maintain_order=True)
    places = distinct.select("text_sha256").with_row_index("vector_row")
    found = experiments.join(
        stored.select("experiment_id", "text_sha256"), on="experiment_id", maintain_order="left"
    ).join(places, on="text_sha256", maintain_order="left")
    return _catalogue(found.drop("text_sha256"), rows_of_column(distinct["embedding"])), models[0]


def embedded_catalogue(experiments: pl.DataFrame, backend: Backend) -> Catalogue:
    """Embed the descriptions here and now."""
    embedded = embed_texts(backend, experiments["text"].to_list())
    rows = {text: each.vector for text, each in sorted(embedded.items()) if each.vector is not None}
    places = pl.DataFrame({"text": list(rows)}, schema={"text": pl.String}).with_row_index("vector_row")
    found = experiments.join(places, on="text", maintain_order="left")
    return _catalogue(found, rows_of_bytes(list(rows.values())))


def _catalogue(found: pl.DataFrame, vectors: Vectors) -> Catalogue:
    return Catalogue(
        found.drop("vector_row"), vectors, found["vector_row"].to_numpy().astype(np.int64, copy=False)
    )
