"""A dataset of a few experiments, written by hand: enough for scoring, with vectors that are easy to reckon with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from outputs.embeddings.tables import text_sha256
from outputs.schemas import EMBEDDING_TABLES, EXPERIMENTS, IDEAS, SNAPSHOTS, Column, Kind, Table

START = datetime(2026, 5, 1, tzinfo=UTC)
SNAPSHOT = "snap_codex_v1_k0002"
MODEL = "text-embedding-3-large"

_BLANKS: Mapping[Kind, Any] = {
    Kind.TEXT: "",
    Kind.INT: 0,
    Kind.FLOAT: 0.0,
    Kind.BOOL: False,
    Kind.TIME: START,
    Kind.TEXTS: [],
    Kind.INTS: [],
    Kind.VECTOR: [],
}


def hour(number: float) -> datetime:
    """A moment, in hours since the start."""
    return START + timedelta(hours=number)


@dataclass(frozen=True)
class Tried:
    """An experiment: its name, its vector, when it was launched, and what came of it."""

    name: str
    vector: Sequence[float] | None
    at: float | None = 1.0
    idea: str | None = None
    text: str | None = None
    step: int | None = None
    verdict: str = "inconclusive"


@dataclass(frozen=True)
class Thought:
    """An idea: its name, why it was rejected and when."""

    name: str
    rejection_class: str = "none"
    rejected: float | None = None
    evidence: str | None = None


def write_dataset(
    folder: Path,
    tried: Iterable[Tried],
    ideas: Iterable[Thought] = (),
    *,
    snapshot_id: str = SNAPSHOT,
    clock: float = 10.0,
    model: str = MODEL,
    **snapshot: object,
) -> Path:
    """Write the four tables that scoring reads, with a snapshot whose lists of ids are named as arguments."""
    folder.mkdir(parents=True, exist_ok=True)
    tried = sorted(tried, key=lambda each: each.name)
    write(EXPERIMENTS, [_experiment_row(each) for each in tried], folder)
    write(IDEAS, [_idea_row(each) for each in ideas], folder)
    frozen = {"snapshot_id": snapshot_id, "agent": "codex", "wave": "v1", "split": "test", "position": 2}
    write(SNAPSHOTS, [frozen | {"k": 2, "wall_clock": hour(clock)} | snapshot], folder)
    table = EMBEDDING_TABLES["openai"]
    rows: list[dict[str, object]] = [
        {
            "experiment_id": each.name,
            "embedding": None if each.vector is None else list(each.vector),
            "embedding_model": model,
            "text_sha256": text_sha256(_text(each)),
        }
        for each in tried
    ]
    write(table, rows, folder)
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    return folder


def write(table: Table, rows: Iterable[dict[str, object]], folder: Path) -> None:
    """Write a table whose rows state only what matters."""
    blank = {column.name: _blank(column) for column in table.columns}
    frame = pl.DataFrame([blank | row for row in rows], schema=table.polars_schema, orient="row")
    frame.write_parquet(folder / f"{table.name}.parquet")


def _blank(column: Column) -> object:
    return None if column.is_nullable else _BLANKS[column.kind]


def _text(each: Tried) -> str:
    return each.text if each.text is not None else f"Title of {each.name}\n\nWhat {each.name} does."


def _experiment_row(each: Tried) -> dict[str, object]:
    return {
        "experiment_id": each.name,
        "run_id": each.name,
        "agent": "codex",
        "wave": "v1",
        "first_seen_at": None if each.at is None else hour(each.at),
        "linked_idea_id": each.idea,
        "description_text": _text(each),
        "description_source": "idea_writeup",
        "step_to_3_28": each.step,
        "verdict": each.verdict,
    }


def _idea_row(each: Thought) -> dict[str, object]:
    return {
        "idea_id": each.name,
        "slug": each.name,
        "agent": "codex",
        "wave": "v1",
        "title": f"Title of {each.name}",
        "rejection_class": each.rejection_class,
        "rejected_at": None if each.rejected is None else hour(each.rejected),
        "rejection_evidence_text": each.evidence,
    }


PROPOSAL = "Decay the learning rate of the hidden matrices as a square root."


def candidate_text(title: str = "Square-root decay", proposal: str = PROPOSAL) -> str:
    """A well-formed candidate, unless told otherwise."""
    return f"# {title}\n\n## Proposal\n\n{proposal}\n"
