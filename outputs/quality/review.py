"""The least certain links of a dataset, as a list for a person to judge."""

import hashlib
from pathlib import Path

import polars as pl

from linkers.ideas.resolver import DEFAULT_THRESHOLDS
from outputs.quality.measures import Link

REVIEW_ROWS = 50


def read_links(dataset: Path) -> list[Link]:
    """Read what a dataset says of each run, in the order of the runs."""
    runs = pl.read_parquet(dataset / "runs.parquet").select(
        "experiment_id", "agent", "wave", "idea_id", "idea_tier"
    )
    candidates = (
        pl.read_parquet(dataset / "run_idea_links.parquet")
        .filter(~pl.col("is_against") & pl.col("idea_id").is_not_null())
        .group_by("experiment_id")
        .agg(pl.col("idea_id").unique().sort())
    )
    proposed = dict(candidates.iter_rows())
    return [
        Link(experiment_id, f"{wave}/{agent}", idea_id, tier, frozenset(proposed.get(experiment_id, ())))
        for experiment_id, agent, wave, idea_id, tier in runs.iter_rows()
    ]


def least_certain(dataset: Path, count: int = REVIEW_ROWS) -> pl.DataFrame:
    """List the links that hang by the thinnest thread.

    How certain a link is, is how far score and margin are above what a link needs, the smaller of both. Equal
    ones are ordered by a hash, so that the list is no alphabet of one scope.

    Args:
        dataset: Folder of the dataset.
        count: How many.
    """
    links = pl.read_parquet(dataset / "run_idea_links.parquet")
    chosen = links.filter("is_chosen").group_by("experiment_id", maintain_order=True)
    table = chosen.agg(
        pl.first("idea_id"),
        pl.first("idea_score"),
        pl.first("runner_up_idea_id"),
        pl.first("margin"),
        pl.concat_str("tier", pl.lit(": "), "evidence").str.join(" | ").alias("evidence"),
    )
    others = (
        links.filter(~pl.col("is_chosen"))
        .group_by("experiment_id", maintain_order=True)
        .agg(pl.concat_str("tier", pl.lit(": "), "evidence").str.join(" | ").alias("evidence_for_others"))
    )
    runs = pl.read_parquet(dataset / "runs.parquet").select("experiment_id", "idea_tier", "idea_conflicts")
    joined = table.join(others, on="experiment_id", how="left").join(runs, on="experiment_id", how="left")
    return (
        joined.with_columns(
            pl.min_horizontal(
                pl.col("idea_score") - DEFAULT_THRESHOLDS.accept,
                pl.col("margin").fill_null(1.0) - DEFAULT_THRESHOLDS.margin,
            ).alias("certainty"),
            pl.col("experiment_id").map_elements(_shuffle, return_dtype=pl.String).alias("order"),
            pl.col("idea_conflicts").list.join(" | "),
            pl.lit(None, pl.String).alias("clerical_match_score"),
        )
        .sort("certainty", "order")
        .head(count)
        .select(
            "experiment_id",
            "idea_id",
            "idea_tier",
            "idea_score",
            "margin",
            "runner_up_idea_id",
            "evidence",
            "evidence_for_others",
            "idea_conflicts",
            "clerical_match_score",
        )
    )


def _shuffle(experiment_id: str) -> str:
    return hashlib.sha256(experiment_id.encode()).hexdigest()
