"""What deserves a second look: the least certain links, and the inputs that could not be read."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from outputs.quality.review import least_certain

SHOWN_LINKS = 20
LOOKED_THROUGH = 500
SHOWN_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Doubt:
    """A published link that hangs by a thin thread.

    Attributes:
        experiment_id: The run.
        target: What it is linked to.
        tier: The tier that decided.
        score: How sure the link is, 0 to 1.
        margin: How far the second best is behind, or None.
        evidence: What speaks for it.
        against: What speaks for something else, or None.
    """

    experiment_id: str
    target: str
    tier: str
    score: float
    margin: float | None
    evidence: str
    against: str | None


@dataclass(frozen=True, slots=True)
class Rejected:
    """One rejected input.

    Attributes:
        path: Its file.
        line: Its line, or None for the whole file.
        detail: What was wrong.
        excerpt: How it begins.
    """

    path: str
    line: int | None
    detail: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Rejection:
    """All inputs of one kind that were rejected for one reason.

    Attributes:
        kind: Kind of file.
        reason: The reason.
        count: How many.
        share: Their part of all that were, in percent.
        examples: The first of them.
    """

    kind: str
    reason: str
    count: int
    share: float
    examples: tuple[Rejected, ...]


def doubtful_ideas(folder: Path) -> tuple[Doubt, ...]:
    """List the least certain links to ideas, the least certain first.

    Runs of one family share their evidence, so each pair of idea and evidence stands in the list once.
    """
    found = least_certain(folder, LOOKED_THROUGH)
    rows = found.unique(("idea_id", "evidence"), keep="first", maintain_order=True).head(SHOWN_LINKS)
    return tuple(
        Doubt(
            row["experiment_id"],
            row["idea_id"],
            row["idea_tier"] or "",
            row["idea_score"],
            row["margin"],
            row["evidence"],
            " | ".join(filter(None, (row["idea_conflicts"], row["evidence_for_others"]))) or None,
        )
        for row in rows.iter_rows(named=True)
    )


def doubtful_variants(folder: Path) -> tuple[Doubt, ...]:
    """List the least certain links to variant files: contradicted ones first, then by score and margin.

    Runs of one recipe share their evidence, so each file stands in the list once.
    """
    links = pl.read_parquet(folder / "variant_links.parquet")
    against = (
        links.filter("is_conflict")
        .group_by("experiment_id", maintain_order=True)
        .agg(pl.concat_str("tier", pl.lit(": "), "evidence").str.join(" | ").alias("against"))
    )
    chosen = links.filter(pl.col("is_chosen"), pl.col("variant_path").is_not_null())
    rows = (
        chosen.join(against, on="experiment_id", how="left")
        .with_columns(
            pl.col("against").is_null().alias("is_agreed"), pl.col("margin").fill_null(1.0).alias("lead")
        )
        .sort("is_agreed", "score", "lead", "experiment_id")
        .unique("variant_path", keep="first", maintain_order=True)
        .head(SHOWN_LINKS)
    )
    columns = ("experiment_id", "variant_path", "tier", "score", "margin", "evidence", "against")
    return tuple(Doubt(*row) for row in rows.select(columns).iter_rows())


def rejections(folder: Path) -> tuple[Rejection, ...]:
    """Count what was rejected by kind and reason, most first, with examples."""
    found: dict[tuple[str, str], list[Rejected]] = {}
    columns = ["kind", "reason", "path", "line", "detail", "excerpt"]
    for kind, reason, *row in pl.read_parquet(folder / "quarantine.parquet", columns=columns).iter_rows():
        found.setdefault((kind, reason), []).append(Rejected(*row))
    total = sum(map(len, found.values()))
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        Rejection(kind, reason, len(rows), 100 * len(rows) / total, tuple(rows[:SHOWN_EXAMPLES]))
        for (kind, reason), rows in ordered
    )
