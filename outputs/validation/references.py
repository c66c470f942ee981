"""Checks between tables: references that lead somewhere, one row a run, values that follow from others."""

import polars as pl

from linkers.outcomes.verdicts import IMPROVED_STEPS, NEUTRAL_STEPS, Verdict
from outputs.schemas import EXPERIMENTS, RUNS, VARIANT_LINKS
from outputs.validation.model import Offenders
from outputs.validation.opened import SOURCE_COLUMNS, OpenedDataset
from parsers.checkpoints import TARGET_VAL_LOSS


def find_open_references(dataset: OpenedDataset) -> Offenders:
    """Find ids that name no row of the table which they refer to; of a list, each id counts."""
    found = {}
    for table, frame in dataset.sound():
        for column, other, key in table.foreign_keys:
            if other not in dataset.frames:
                continue
            known = dataset.frames[other].select(pl.col(key).alias(column)).unique()
            named = frame.select({*table.primary_key, column, *SOURCE_COLUMNS} & {*frame.columns})
            if isinstance(frame.schema[column], pl.List):
                named = named.explode(column, empty_as_null=True)
            lost = named.drop_nulls(column).join(known, on=column, how="anti", maintain_order="left")
            found[f"{table.name}.{column}"] = dataset.show(table, lost, (column,))
    return found


def find_runs_in_one_table(dataset: OpenedDataset) -> Offenders:
    """Find runs that only one of `runs` and `experiments` holds."""
    frames = dataset.frames
    if not {"runs", "experiments"} <= frames.keys():
        return {}
    key = "experiment_id"
    return {
        "runs": dataset.show(RUNS, frames["runs"].join(frames["experiments"], on=key, how="anti")),
        "experiments": dataset.show(
            EXPERIMENTS, frames["experiments"].join(frames["runs"], on=key, how="anti")
        ),
    }


def find_wrong_outcomes(dataset: OpenedDataset) -> Offenders:
    """Find runs whose hit or verdict does not follow from the step at which they reached 3.28."""
    found = {}
    step = pl.col("step_to_3_28")
    is_hit_wrong = pl.col("hit_target") != step.is_not_null()
    if "runs" in dataset.frames:
        rows = dataset.frames["runs"].filter(is_hit_wrong)
        found["runs"] = dataset.show(RUNS, rows, ("hit_target", "step_to_3_28"))
    if "experiments" in dataset.frames:
        wanted = (
            pl.when(step <= IMPROVED_STEPS)
            .then(pl.lit(Verdict.IMPROVED.value))
            .when(step <= NEUTRAL_STEPS)
            .then(pl.lit(Verdict.NEUTRAL.value))
            .otherwise(pl.lit(Verdict.REGRESSED.value))
        )
        has_hit = pl.col("verdict").is_in([Verdict.IMPROVED, Verdict.NEUTRAL, Verdict.REGRESSED])
        is_wrong = (step.is_not_null() & (pl.col("verdict") != wanted)) | (step.is_null() & has_hit)
        rows = dataset.frames["experiments"].filter(is_hit_wrong | is_wrong)
        found["experiments"] = dataset.show(EXPERIMENTS, rows, ("hit_target", "step_to_3_28", "verdict"))
    return found


def find_wrong_crossings(dataset: OpenedDataset) -> Offenders:
    """Find runs whose published step is not the first checkpoint at or below 3.28 of their first trial."""
    frames = dataset.frames
    if not {"runs", "val_trajectories"} <= frames.keys():
        return {}
    first_trial = frames["val_trajectories"].filter(pl.col("trial") == 0)
    crossings = (
        first_trial.group_by("experiment_id")
        .agg(pl.col("step").filter(pl.col("val_loss") <= TARGET_VAL_LOSS).min().alias("first_crossing"))
        .with_columns(has_checkpoints=True)
    )
    rows = frames["runs"].join(crossings, on="experiment_id", how="left", maintain_order="left")
    is_wrong = pl.col("has_checkpoints") & pl.col("step_to_3_28").ne_missing(pl.col("first_crossing"))
    return {"runs": dataset.show(RUNS, rows.filter(is_wrong), ("step_to_3_28", "first_crossing"))}


def find_wrong_times(dataset: OpenedDataset) -> Offenders:
    """Find runs that were finished before they were launched."""
    if "experiments" not in dataset.frames:
        return {}
    is_wrong = pl.col("finished_at") < pl.col("first_seen_at")
    rows = dataset.frames["experiments"].filter(is_wrong)
    return {"experiments": dataset.show(EXPERIMENTS, rows, ("first_seen_at", "finished_at"))}


def find_unclear_choices(dataset: OpenedDataset) -> Offenders:
    """Find runs with a published variant or source that not exactly one tier's answer is chosen for."""
    if not {"runs", "variant_links"} <= dataset.frames.keys():
        return {}
    links = dataset.frames["variant_links"]
    chosen = links.filter("is_chosen")
    twice = chosen.filter(pl.col("experiment_id").is_duplicated())
    runs = dataset.frames["runs"].filter(pl.col("variant_tier").is_not_null())
    tiers = chosen.select("experiment_id", pl.col("tier").alias("variant_tier"))
    unfounded = runs.join(tiers, on=["experiment_id", "variant_tier"], how="anti", maintain_order="left")
    return {
        "variant_links": dataset.show(VARIANT_LINKS, twice, ("is_chosen",)),
        "runs": dataset.show(RUNS, unfounded, ("variant_tier",)),
    }


def find_unfounded_ideas(dataset: OpenedDataset) -> Offenders:
    """Find runs with a published idea that no chosen candidate names."""
    if not {"runs", "run_idea_links"} <= dataset.frames.keys():
        return {}
    runs = dataset.frames["runs"].filter(pl.col("idea_id").is_not_null())
    chosen = dataset.frames["run_idea_links"].filter("is_chosen").select("experiment_id", "idea_id")
    lost = runs.join(chosen, on=["experiment_id", "idea_id"], how="anti", maintain_order="left")
    return {"runs": dataset.show(RUNS, lost, ("idea_id",))}
