"""The data that the report's script reads: columns of plain values, and ids as ranges of row numbers."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from outputs.report.frontier import FrontierStep
from parsers.scopes import SCOPES

DESCRIPTION_CHARS = 600
PROPOSAL_CHARS = 900
CURVE_POINTS = 24
"""How much of a text or a loss curve the report holds; the tables hold all of it."""

SCOPE_NAMES = tuple(str(scope) for scope in SCOPES)

ID_LISTS = (
    "prior_idea_ids",
    "prior_experiment_ids",
    "rejected_idea_ids",
    "other_agent_visible_idea_ids",
    "other_agent_visible_experiment_ids",
    "future_frontier_experiment_ids",
    "future_frontier_idea_ids",
    "future_improved_experiment_ids",
    "future_improved_idea_ids",
)
"""The lists of a snapshot that can be opened; of the lists over all scopes the report has the lengths."""


def write_payload(folder: Path, frontier: Iterable[FrontierStep]) -> str:
    """Write the data as JSON that is safe inside a script element.

    Args:
        folder: Folder of the dataset.
        frontier: The steps of every agent's frontier.
    """
    experiments = _in_order(pl.read_parquet(folder / "experiments.parquet"), "experiment_id")
    ideas = _in_order(pl.read_parquet(folder / "ideas.parquet"), "idea_id")
    experiment_at = _places(experiments["experiment_id"])
    idea_at = _places(ideas["idea_id"])
    data = {
        "scopes": SCOPE_NAMES,
        "experiments": _experiments(experiments, idea_at) | _curves(folder, experiment_at),
        "ideas": _ideas(ideas, experiment_at),
        "snapshots": _snapshots(folder, experiment_at, idea_at),
        "frontier": [experiment_at[step.experiment_id] for step in frontier],
    }
    return escape_json(data)


def escape_json(data: object) -> str:
    r"""Write JSON in which no text can end the script element that holds it.

    >>> print(escape_json(["</script>"]))
    ["\u003c/script\u003e"]
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def ranges(places: Iterable[int]) -> list[int]:
    """Write row numbers as pairs of a start and a length.

    >>> ranges([7, 3, 4, 5])
    [3, 3, 7, 1]
    """
    pairs: list[int] = []
    for place in sorted(set(places)):
        if pairs and pairs[-2] + pairs[-1] == place:
            pairs[-1] += 1
        else:
            pairs += [place, 1]
    return pairs


def _in_order(frame: pl.DataFrame, key: str) -> pl.DataFrame:
    """Order by scope and time, so that what was known at a moment is one range of rows."""
    scope = pl.col("wave") + "/" + pl.col("agent")
    place = scope.replace_strict(SCOPE_NAMES, range(len(SCOPE_NAMES)), return_dtype=pl.Int64)
    return frame.with_columns(place.alias("scope")).sort("scope", "position", key, nulls_last=True)


def _places(ids: pl.Series) -> dict[str, int]:
    return {name: place for place, name in enumerate(ids)}


def _experiments(frame: pl.DataFrame, idea_at: Mapping[str, int]) -> dict[str, object]:
    descriptions = frame["description_text"].fill_null("").str.slice(0, DESCRIPTION_CHARS)
    return {
        "name": frame["run_id"].to_list(),
        "scope": frame["scope"].to_list(),
        "at": _seconds(frame["first_seen_at"]),
        "isDay": _flags(frame["is_first_seen_date_only"]),
        "finished": _seconds(frame["finished_at"]),
        "verdict": _words(frame["verdict"]),
        "step": frame["step_to_3_28"].to_list(),
        "loss": _numbers(frame["final_val_loss"]),
        "seed": frame["seed"].to_list(),
        "idea": [None if name is None else idea_at.get(name) for name in frame["linked_idea_id"]],
        "ideaTier": _words(frame["idea_tier"]),
        "variant": _words(frame["linked_variant_path"]),
        "variantTier": _words(frame["variant_tier"]),
        "versusScope": frame["delta_vs_scope_best"].to_list(),
        "versusField": frame["delta_vs_field_best"].to_list(),
        "isOnWalk": _flags(frame["on_frontier_walk"]),
        "text": _words(descriptions),
    }


def _ideas(frame: pl.DataFrame, experiment_at: Mapping[str, int]) -> dict[str, object]:
    best = frame["best_experiment_id"]
    return {
        "name": frame["slug"].to_list(),
        "scope": frame["scope"].to_list(),
        "title": frame["title"].to_list(),
        "at": _seconds(frame["first_seen_at"]),
        "isDay": _flags(frame["is_first_seen_date_only"]),
        "runs": frame["num_runs"].to_list(),
        "best": [None if name is None else experiment_at.get(name) for name in best],
        "step": frame["best_step_to_3_28"].to_list(),
        "verdict": _words(frame["verdict"]),
        "rejection": _words(frame["rejection_class"]),
        "rejected": _seconds(frame["rejected_at"]),
        "reason": frame["rejection_evidence_text"].str.slice(0, PROPOSAL_CHARS).to_list(),
        "text": frame["proposal_text"].str.slice(0, PROPOSAL_CHARS).to_list(),
        "path": frame["source_path"].to_list(),
    }


def _snapshots(
    folder: Path, experiment_at: Mapping[str, int], idea_at: Mapping[str, int]
) -> list[dict[str, object]]:
    snapshots = []
    for row in _in_order(pl.read_parquet(folder / "snapshots.parquet"), "snapshot_id").iter_rows(named=True):
        lists = {
            name: ranges(_found(row[name], idea_at if name.endswith("idea_ids") else experiment_at))
            for name in ID_LISTS
        }
        snapshots.append(
            {
                "name": row["snapshot_id"],
                "scope": row["scope"],
                "at": int(row["wall_clock"].timestamp()),
                "k": row["k"],
                "split": row["split"],
                "asked": row["wave_constraint"],
                "current": experiment_at.get(row["current_recipe_experiment_id"]),
                "field": experiment_at.get(row["field_best_experiment_id"]),
                "fieldIdeas": len(row["field_prior_idea_ids"]),
                "fieldExperiments": len(row["field_prior_experiment_ids"]),
                "lists": lists,
            }
        )
    return snapshots


def _found(names: Sequence[str], places: Mapping[str, int]) -> list[int]:
    return [places[name] for name in names if name in places]


def _curves(folder: Path, experiment_at: Mapping[str, int]) -> dict[str, object]:
    """Thin out the loss curve of every experiment's first trial: steps, and losses in thousandths."""
    rows = (
        pl.scan_parquet(folder / "val_trajectories.parquet")
        .select("experiment_id", "trial", "step", "val_loss")
        .filter(pl.col("trial") == 0, pl.col("val_loss").is_finite())
        .sort("experiment_id", "step")
        .group_by("experiment_id", maintain_order=True)
        .agg(pl.col("step"), (pl.col("val_loss") * 1000).round().cast(pl.Int64, strict=False).alias("loss"))
        .collect()
    )
    curves: list[list[int]] = [[] for _ in experiment_at]
    for name, steps, losses in rows.iter_rows():
        if name in experiment_at:
            curves[experiment_at[name]] = [*_thinned(steps), *_thinned(losses)]
    return {"curve": curves}


def _thinned(points: list[int]) -> list[int]:
    """Keep the last of some points, and of those before it one in so many.

    >>> _thinned([*range(50)])[:3], _thinned([*range(50)])[-2:]
    ([1, 4, 7], [46, 49])
    """
    every = math.ceil(len(points) / CURVE_POINTS)
    return points[(len(points) - 1) % every :: every]


def _words(column: pl.Series) -> dict[str, object]:
    """Write each distinct text once: the texts, and for every row the number of its text."""
    texts = sorted(set(column.drop_nulls()))
    places = {text: place for place, text in enumerate(texts)}
    return {"words": texts, "rows": [None if text is None else places[text] for text in column]}


def _seconds(column: pl.Series) -> list[int | None]:
    seconds: list[int | None] = column.dt.epoch("s").to_list()
    return seconds


def _flags(column: pl.Series) -> list[int]:
    return [int(value) for value in column]


def _numbers(column: pl.Series) -> list[float | None]:
    """Round to what people read; what is not finite becomes nothing, as JSON has no word for it."""
    rounded = pl.select(pl.when(column.is_finite()).then(column.round(4))).to_series()
    values: list[float | None] = rounded.to_list()
    return values
