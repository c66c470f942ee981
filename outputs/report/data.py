"""Everything that the report shows, read from a finished dataset."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from linkers.variants.cascade import TIERS
from outputs.conservation import Balance, sum_by_kind
from outputs.manifest import Manifest
from outputs.report.bars import OPEN, Bar, Step, coverage_waterfall, stack_by_scope
from outputs.report.doubts import Doubt, Rejection, doubtful_ideas, doubtful_variants, rejections
from outputs.report.frontier import FrontierStep, frontier_steps
from outputs.report.payload import write_payload
from outputs.schemas import IDEA_TIERS, VERDICTS


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that sums the dataset up.

    Attributes:
        value: The number as it is shown.
        label: What it counts.
    """

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Report:
    """What the report shows.

    Attributes:
        manifest: What is known of the dataset.
        figures: The numbers at its head.
        frontier: The steps of every agent's frontier.
        verdicts: Runs by scope and verdict.
        variant_steps: The waterfall of the tiers that tell the variant file.
        idea_steps: The waterfall of the tiers that tell the idea.
        variant_bars: What told the variant file, by scope.
        idea_bars: What told the idea, by scope.
        doubtful_ideas: The least certain links to ideas.
        doubtful_variants: The least certain links to variant files.
        inputs: What was seen, parsed and set aside, by kind of input.
        rejections: What could not be read.
        payload: The data that the script reads, as JSON.
    """

    manifest: Manifest
    figures: Sequence[Figure]
    frontier: Sequence[FrontierStep]
    verdicts: Sequence[Bar]
    variant_steps: Sequence[Step]
    idea_steps: Sequence[Step]
    variant_bars: Sequence[Bar]
    idea_bars: Sequence[Bar]
    doubtful_ideas: Sequence[Doubt]
    doubtful_variants: Sequence[Doubt]
    inputs: Sequence[Balance]
    rejections: Sequence[Rejection]
    payload: str


def gather_report(manifest: Manifest, folder: Path) -> Report:
    """Read what the report shows.

    Args:
        manifest: What is known of the dataset.
        folder: Where its tables are.
    """
    experiments = pl.read_parquet(folder / "experiments.parquet")
    frontier = frontier_steps(experiments)
    return Report(
        manifest=manifest,
        figures=_figures(manifest, experiments),
        frontier=frontier,
        verdicts=stack_by_scope(experiments, "verdict", VERDICTS),
        variant_steps=coverage_waterfall(manifest.variant_coverage.waterfall),
        idea_steps=coverage_waterfall(manifest.idea_coverage.waterfall),
        variant_bars=stack_by_scope(experiments, "variant_tier", (*TIERS, OPEN)),
        idea_bars=stack_by_scope(experiments, "idea_tier", (*IDEA_TIERS, OPEN)),
        doubtful_ideas=doubtful_ideas(folder),
        doubtful_variants=doubtful_variants(folder),
        inputs=sum_by_kind(manifest.balances),
        rejections=rejections(folder),
        payload=write_payload(folder, frontier),
    )


def _figures(manifest: Manifest, experiments: pl.DataFrame) -> Sequence[Figure]:
    rows = {entry.name.removesuffix(".parquet"): entry.rows for entry in manifest.files}
    best = experiments["step_to_3_28"].min()
    return (
        Figure(f"{rows['runs']:,}", "runs"),
        Figure(f"{experiments['hit_target'].sum():,}", "reached 3.28"),
        Figure(f"{best:,}" if isinstance(best, int) else "none", "fewest steps to 3.28"),
        Figure(f"{rows['ideas']:,}", "ideas"),
        Figure(f"{rows['snapshots']:,}", "snapshots"),
        Figure(f"{rows['val_trajectories']:,}", "checkpoints"),
        Figure(f"{rows['quarantine']:,}", "places set aside"),
    )
