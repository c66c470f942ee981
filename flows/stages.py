"""The stages of a build in their order: archive, records, runs, tables, dataset."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar

import polars as pl

from flows.idea_matching import check_idea_settings, match_ideas
from flows.parallel import parse_batches
from flows.reporting import Reporter
from flows.settings import BuildSettings
from linkers.ideas.quality import measure
from linkers.ideas.tiers import IdeaLinks
from linkers.runs import Run, join_runs
from linkers.variants.cascade import RecoveredVariants, recover_variants
from linkers.variants.coverage import agreement, waterfall
from linkers.write_ups import WriteUps, collect_write_ups
from outputs.dataset import check_target, write_dataset
from outputs.idea_tables import build_run_idea_links
from outputs.manifest import FileEntry, Manifest, VariantCoverage, make_manifest
from outputs.tables import build_ideas, build_quarantine, build_runs, build_val_trajectories
from outputs.variant_tables import build_proposals, build_variant_links, build_variant_sources
from parsers.archive import Archive, open_archive
from parsers.parsed_files import ParsedArchive, merge_batches, plan_batches

P = ParamSpec("P")
R = TypeVar("R")


class Engine(Protocol):
    """Runs one stage: as it is, or as a task of an orchestrator."""

    def __call__(self, stage: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the stage with its arguments and hand back its result."""


def run_directly(stage: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a stage in this process."""
    return stage(*args, **kwargs)


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did.

    Attributes:
        manifest: The dataset's manifest.
        out: Where the dataset is.
        seconds: How long it took.
    """

    manifest: Manifest
    out: Path
    seconds: float


def build_dataset(settings: BuildSettings, reporter: Reporter, run: Engine = run_directly) -> BuildResult:
    """Turn an archive into a dataset.

    Args:
        settings: What to build from what.
        reporter: Told what is going on.
        run: How each stage is run.

    Raises:
        ArchiveError: If the source is no archive, or one that must not be unpacked.
        OutputError: If the dataset cannot be put where it was asked for.
        LlmError: If a model is to be asked and cannot be.
        OverrideError: If a correction by hand cannot be applied.
    """
    started_s = time.monotonic()
    check_target(Path(settings.out))
    check_idea_settings(settings)
    with open_archive(settings.archive) as archive:
        _warn(archive, reporter)
        parsed = run(parse_archive, archive, settings, reporter)
        runs = run(link_runs, parsed, settings, reporter)
        variants = run(link_variants, parsed, runs, reporter)
        write_ups = collect_write_ups(parsed)
        ideas = run(match_ideas, parsed, runs, variants, write_ups, settings, reporter)
        tables = run(build_tables, parsed, runs, variants, write_ups, ideas, reporter)
        manifest = run(publish_locally, parsed, runs, variants, ideas, tables, settings, reporter)
    return BuildResult(manifest, Path(settings.out), time.monotonic() - started_s)


def parse_archive(archive: Archive, settings: BuildSettings, reporter: Reporter) -> ParsedArchive:
    """Stage 1: read every file once and turn it into records."""
    batches = plan_batches(archive.files)
    with reporter.stage("parse", sum(len(batch) for batch in batches)):
        done = parse_batches(archive.root, batches, settings.workers, reporter.advance)
    return merge_batches(archive, done)


def link_runs(parsed: ParsedArchive, settings: BuildSettings, reporter: Reporter) -> tuple[Run, ...]:
    """Stage 2: join what ledger, logs and export say of each launch."""
    with reporter.stage("link"):
        return join_runs(parsed, settings.year)


def link_variants(parsed: ParsedArchive, runs: tuple[Run, ...], reporter: Reporter) -> RecoveredVariants:
    """Stage 3: find the source that each run executed."""
    with reporter.stage("variants"):
        return recover_variants(parsed, runs)


def build_tables(
    parsed: ParsedArchive,
    runs: tuple[Run, ...],
    variants: RecoveredVariants,
    write_ups: WriteUps,
    ideas: IdeaLinks,
    reporter: Reporter,
) -> Mapping[str, pl.DataFrame]:
    """Stage 5: lay the records out as tables."""
    with reporter.stage("tables"):
        return {
            "runs": build_runs(runs, variants.runs, ideas.links),
            "ideas": build_ideas(write_ups.kept, ideas.links.values()),
            "run_idea_links": build_run_idea_links(ideas.links.values()),
            "val_trajectories": build_val_trajectories(runs),
            "proposals": build_proposals(parsed, runs, variants.runs),
            "variant_links": build_variant_links(variants),
            "variant_sources": build_variant_sources(parsed, runs, variants),
            "quarantine": build_quarantine(parsed, write_ups.duplicates),
        }


def publish_locally(
    parsed: ParsedArchive,
    runs: tuple[Run, ...],
    variants: RecoveredVariants,
    ideas: IdeaLinks,
    tables: Mapping[str, pl.DataFrame],
    settings: BuildSettings,
    reporter: Reporter,
) -> Manifest:
    """Stage 6: write the dataset and put it in place."""
    coverage = VariantCoverage(waterfall=waterfall(runs, variants.runs), agreement=agreement(variants.runs))

    idea_coverage = measure(ideas)

    def describe(files: tuple[FileEntry, ...]) -> Manifest:
        return make_manifest(parsed, settings.for_manifest(), files, coverage, idea_coverage, build_time())

    with reporter.stage("write"):
        return write_dataset(tables, describe, Path(settings.out))


def build_time() -> datetime:
    """The time that the manifest states: `SOURCE_DATE_EPOCH` where set, so that builds compare equal."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(seconds) if seconds else int(time.time()), UTC)


def _warn(archive: Archive, reporter: Reporter) -> None:
    if archive.missing:
        missing = ", ".join(scope.folder for scope in archive.missing)
        reporter.say(f"Warning: the archive lacks {len(archive.missing)} of 8 scratchpads: {missing}.")
    for reject in archive.refused:
        reporter.say(f"Warning: {reject.detail}")
