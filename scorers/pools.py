"""What candidates are held against: a dataset loaded once, and the priors and futures of its snapshots."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outputs.embeddings.model import Backend, Embedding, embed_texts
from outputs.schemas import EMBEDDING_TABLES
from scorers.catalogue import (
    Catalogue,
    Experiment,
    embedded_catalogue,
    read_experiments,
    read_table,
    stored_catalogue,
)
from scorers.classes import NOT_REJECTED, Impact
from scorers.errors import ScoringError
from scorers.lexical import LEXICAL, LexicalBackend
from scorers.vectors import Vectors

Priors = Literal["scope", "field"]
"""Whose experiments count as priors: the snapshot's scope, as published, or all that any scope had tried."""

EMBEDDINGS = (*EMBEDDING_TABLES, LEXICAL)
"""Names of the embeddings that texts can be compared by."""


@dataclass(frozen=True, eq=False)
class Pool:
    """Some experiments, in the order of their ids. A place is an index into them.

    Attributes:
        catalogue: What they are taken from.
        rows: Their rows there, shape (n,).
    """

    catalogue: Catalogue
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def ids(self) -> list[str]:
        """Their ids."""
        return self.catalogue.experiments["experiment_id"].gather(self.rows).to_list()

    @property
    def vectors(self) -> Vectors:
        """Their vectors, shape (n, d)."""
        return self.catalogue.vectors[self.catalogue.vector_rows[self.rows]]

    def __getitem__(self, place: int) -> Experiment:
        return self.catalogue.experiment(int(self.rows[place]))

    def place(self, experiment_id: str) -> int | None:
        """Find an experiment by its id; None where it is not of this pool."""
        place = bisect_left(self.ids, experiment_id)
        return place if self.ids[place : place + 1] == [experiment_id] else None

    def pick(self, similarities: Vectors) -> Vectors:
        """Narrow the similarities to all distinct texts to those of these experiments.

        Args:
            similarities: Shape (c, m), as `Catalogue.similarities` gives them.

        Returns:
            Shape (c, n). Experiments of one text have equal ones.
        """
        return similarities[:, self.catalogue.vector_rows[self.rows]]

    def noisy_similarities(self, vectors: Vectors) -> Vectors:
        """Compare vectors as the reference client does: each candidate with each experiment on its own.

        A sum of products is rounded differently in different rows, so that experiments of one text may differ
        in the last bit, and the nearest of them need not be the first.

        Args:
            vectors: Shape (c, d).
        """
        rows = self.vectors
        return np.array([rows @ vector for vector in vectors], np.float32).reshape(len(vectors), len(self))

    def nearest(self, similarities: Vectors, count: int = 1) -> list[int]:
        """Order the places of the nearest experiments, the nearest first, and equal ones by their ids.

        Args:
            similarities: Those of one candidate, shape (n,).
            count: How many are wanted at most.
        """
        return [int(place) for place in np.argsort(-similarities, kind="stable")[:count]]


@dataclass(frozen=True, eq=False)
class Similarities:
    """How near candidates are to the experiments of both pools.

    Attributes:
        priors: Cosines to the priors, one row a candidate, shape (c, n).
        futures: Cosines to the futures, shape (c, m).
    """

    priors: Vectors
    futures: Vectors

    def of(self, row: int) -> "Similarities":
        """Narrow them to one candidate."""
        return Similarities(self.priors[row : row + 1], self.futures[row : row + 1])


@dataclass(frozen=True, eq=False)
class SnapshotPools:
    """What a snapshot's candidates are held against.

    Attributes:
        snapshot_id: The snapshot.
        agent: Its agent.
        wave: Its wave.
        split: `dev` or `test`.
        wave_constraint: What the wave asked of an idea.
        wall_clock: Its moment.
        priors: What had been launched by then.
        futures: What was launched later and improved, or moved the frontier.
        impacts: Future ideas and experiments that have an impact, by the impact.
        is_compat: Whether to do as the reference client does where it differs.
    """

    snapshot_id: str
    agent: str
    wave: str
    split: str
    wave_constraint: str
    wall_clock: datetime
    priors: Pool
    futures: Pool
    impacts: Mapping[Impact, frozenset[str]]
    is_compat: bool = False

    def similarities(self, vectors: Vectors) -> Similarities:
        """Compare candidates with both pools.

        Args:
            vectors: Theirs, shape (c, d).
        """
        if self.is_compat:
            return Similarities(
                self.priors.noisy_similarities(vectors), self.futures.noisy_similarities(vectors)
            )
        similarities = self.priors.catalogue.similarities(vectors)
        return Similarities(self.priors.pick(similarities), self.futures.pick(similarities))

    def impact(self, experiment: Experiment) -> Impact:
        """Say what a match of a future experiment stands for: its idea's weight before its own."""
        for impact in Impact:
            is_of_idea = impact in (Impact.FRONTIER_IDEA, Impact.IMPROVED_IDEA)
            name = experiment.idea_id if is_of_idea else experiment.experiment_id
            if name in self.impacts[impact]:
                return impact
        raise ValueError(f"{experiment.experiment_id} is no future experiment of {self.snapshot_id}.")

    def rejection_class(self, experiment: Experiment) -> str:
        """Say why a prior experiment's idea was rejected by the wall clock, in compat whenever it was."""
        is_known = experiment.rejected_at is not None and experiment.rejected_at <= self.wall_clock
        return experiment.rejection_class if is_known or self.is_compat else NOT_REJECTED


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A dataset that candidates can be scored against, loaded once for all snapshots.

    Attributes:
        embedding: Name of the embedding that texts are compared by.
        model: The model behind it.
        catalogue: Its experiments and their vectors.
        snapshots: Its table of snapshots.
        backend: Who embeds candidates; None where only vectors by the caller can be compared.
    """

    embedding: str
    model: str
    catalogue: Catalogue
    snapshots: pl.DataFrame
    backend: Backend | None

    @classmethod
    def load(
        cls, dataset: str | Path, embedding: str = "openai", backend: Backend | None = None
    ) -> "Benchmark":
        """Load a dataset.

        Args:
            dataset: Folder of a dataset, or the id of one on the Hub.
            embedding: `openai` or `bge`, if it was built with that, or `lexical`, which needs no model.
            backend: Who embeds candidates by the same model; `lexical` brings its own.

        Raises:
            ScoringError: If it cannot be read, has no such embeddings, or has those of another model.
        """
        if embedding not in EMBEDDINGS:
            raise ScoringError(f"There is no embedding {embedding}: there are {', '.join(EMBEDDINGS)}.")
        experiments = read_experiments(dataset)
        if embedding == LEXICAL:
            texts = experiments["text"].unique(maintain_order=True).to_list()
            backend = LexicalBackend.fit(texts)
            catalogue, model = embedded_catalogue(experiments, backend), backend.model
        else:
            catalogue, model = stored_catalogue(experiments, dataset, embedding)
        benchmark = cls(embedding, model, catalogue, read_table("snapshots", dataset), None)
        return benchmark if backend is None else benchmark.with_backend(backend)

    def with_backend(self, backend: Backend) -> "Benchmark":
        """Let somebody embed the candidates.

        Raises:
            ScoringError: If the dataset was embedded by another model.
        """
        if backend.model != self.model:
            raise ScoringError(
                f"The dataset was embedded by {self.model} and candidates by {backend.model}, which do not "
                "compare: name that model, or build the dataset with this one."
            )
        return replace(self, backend=backend)

    def snapshot_ids(self, split: str | None = None) -> list[str]:
        """List the snapshots.

        Args:
            split: `dev` or `test`; None for both.
        """
        wanted = self.snapshots if split is None else self.snapshots.filter(pl.col("split") == split)
        return wanted["snapshot_id"].to_list()

    def pools(self, snapshot_id: str, priors: Priors = "scope", *, is_compat: bool = False) -> SnapshotPools:
        """Gather what a snapshot's candidates are held against.

        Args:
            snapshot_id: The snapshot.
            priors: Whose experiments count as priors.
            is_compat: Whether to do as the reference client does where it differs.

        Raises:
            ScoringError: If there is no such snapshot.
        """
        found = self.snapshots.filter(pl.col("snapshot_id") == snapshot_id)
        if found.is_empty():
            raise ScoringError(_no_such_snapshot(snapshot_id, self.snapshot_ids()))
        row = found.row(0, named=True)
        impacts = {
            Impact.FRONTIER_IDEA: frozenset(row["future_frontier_idea_ids"]),
            Impact.IMPROVED_IDEA: frozenset(row["future_improved_idea_ids"]),
            Impact.FRONTIER_EXPERIMENT: frozenset(row["future_frontier_experiment_ids"]),
            Impact.IMPROVED_EXPERIMENT: frozenset(row["future_improved_experiment_ids"]),
        }
        futures = impacts[Impact.FRONTIER_EXPERIMENT] | impacts[Impact.IMPROVED_EXPERIMENT]
        column = "prior_experiment_ids" if priors == "scope" else "field_prior_experiment_ids"
        return SnapshotPools(
            snapshot_id=snapshot_id,
            agent=row["agent"],
            wave=row["wave"],
            split=row["split"],
            wave_constraint=row["wave_constraint"],
            wall_clock=row["wall_clock"],
            priors=Pool(self.catalogue, self.catalogue.rows(row[column])),
            futures=Pool(self.catalogue, self.catalogue.rows(futures)),
            impacts=impacts,
            is_compat=is_compat,
        )

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Embed candidates' texts as the dataset's descriptions were.

        Raises:
            ScoringError: If nobody can.
        """
        if self.backend is None:
            raise ScoringError(
                f"Nobody embeds the candidates by {self.model}: load the benchmark with a backend, or give "
                "their vectors."
            )
        embedded = embed_texts(self.backend, texts)
        return [embedded[text] for text in texts]


def _no_such_snapshot(snapshot_id: str, known: Collection[str]) -> str:
    close = get_close_matches(snapshot_id, known, n=3)
    rather = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known) or 'none'}."
    return f"There is no snapshot {snapshot_id}: {rather}"
