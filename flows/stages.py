"""The stages of a build in order: archive, records, links, outcomes, words, tables, dataset, gates."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar

import polars as pl

from flows import collection
from flows.idea_matching import check_idea_settings, match_ideas
from flows.locks import output_lock
from flows.parse_cache import ParseCache
from flows.parsing import parse_batches
from flows.purse import check_purse, open_purse
from flows.reporting import Reporter
from flows.runners import make_linker, make_runner, start_early
from flows.secrecy import no_secret_escapes
from flows.settings import BuildSettings
from flows.unchanged import BuildMemory, build_key
from flows.words import Words, put_in_words
from linkers.ideas.quality import IdeaCoverage, measure
from linkers.ideas.tiers import IdeaLinks
from linkers.outcomes.judgement import Judgement, judge
from linkers.outcomes.links import Links
from linkers.runs import Run, join_runs
from linkers.variants.cascade import RecoveredVariants, recover_variants
from linkers.variants.coverage import agreement, waterfall
from linkers.write_ups import WriteUps, collect_write_ups
from outputs.card.card import CARD_NAME, write_card
from outputs.current_recipes import recipe_texts
from outputs.dataset import LaidOut, Page, check_target, write_dataset
from outputs.descriptions.inputs import gather_inputs
from outputs.idea_tables import build_run_idea_links
from outputs.manifest import FileEntry, Manifest, Undated, VariantCoverage, make_manifest
from outputs.outcome_tables import (
    VariantFiles,
    build_cohorts_table,
    build_experiments,
    build_ideas,
    build_snapshots_table,
)
from outputs.replacing import clean_up
from outputs.report.render import REPORT_NAME, write_report
from outputs.snapshots.selection import Snapshots, take_snapshots
from outputs.spending.questions import Purse
from outputs.spending.report import Spending
from outputs.tables import build_quarantine, build_runs, build_val_trajectories
from outputs.validation.checks import validate
from outputs.validation.expectations import check_name
from outputs.validation.model import Validation
from outputs.variant_tables import build_proposals, build_variant_links, build_variant_sources
from parsers.archive import Archive, open_archive
from parsers.kinds import PARSED_KINDS
from parsers.parsed_files import Batch, ParsedArchive, merge_batches, plan_batches
from parsers.quarantine import Reason

PAGES: Mapping[str, Page] = {CARD_NAME: write_card, REPORT_NAME: write_report}
"""What is written about a dataset beside its tables."""

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
        validation: What the checks of the finished dataset found.
        is_unchanged: Whether the dataset was there already, so that nothing was built.
    """

    manifest: Manifest
    out: Path
    seconds: float
    validation: Validation
    is_unchanged: bool = False


def build_dataset(settings: BuildSettings, reporter: Reporter, run: Engine = run_directly) -> BuildResult:
    """Turn an archive into a dataset.

    Args:
        settings: What to build from what.
        reporter: Told what is going on.
        run: How each stage is run.

    Raises:
        ArchiveError: If the source is no archive, or one that must not be unpacked.
        OutputError: If the dataset cannot be put where it was asked for.
        SpendingError: If a model cannot be asked, or may cost too much.
        OverrideError: If a correction by hand cannot be applied.
        ExpectationError: If the dataset cannot be held against what was named.
        LockedError: If another build is writing there.
        WriteError: If the disk does not take it.
    """
    out = Path(settings.out)
    check_target(out)
    place = out.resolve()
    with no_secret_escapes(), output_lock(place), collection.put_off():
        clean_up(place)
        return _build(settings, out, reporter, run)


def _build(settings: BuildSettings, out: Path, reporter: Reporter, run: Engine) -> BuildResult:
    started_s = time.monotonic()
    check_purse(settings)
    check_idea_settings(settings)
    check_name(settings.expect)
    if settings.cache is None:  # with one, mostly, nothing is left to parse
        start_early(settings)
    with open_purse(settings) as purse, open_archive(settings.archive) as archive:
        _warn(archive, reporter)
        is_remembered = settings.cache is not None and settings.is_decided_by_archive
        memory = BuildMemory(Path(settings.cache or "")) if is_remembered else None
        key = build_key(archive, settings) if memory else ""
        if memory and (found := memory.find(key, out)):
            return BuildResult(found, out, time.monotonic() - started_s, validate(out), is_unchanged=True)
        manifest = _make(archive, settings, purse, reporter, run)
        validation = run(check_dataset, out, reporter)
        if memory and not manifest.num_failures:
            memory.remember(key, out)
    return BuildResult(manifest, out, time.monotonic() - started_s, validation)


def _make(
    archive: Archive, settings: BuildSettings, purse: Purse | None, reporter: Reporter, run: Engine
) -> Manifest:
    """Run every stage up to the dataset in its place; what they hold in memory ends with them."""
    parsed = run(parse_archive, archive, settings, reporter)
    _warn_of_keys(parsed, reporter)
    runs = run(link_runs, parsed, settings, reporter)
    variants = run(link_variants, parsed, runs, settings, reporter)
    write_ups = collect_write_ups(parsed)
    ideas, asked = run(match_ideas, parsed, runs, variants, write_ups, settings, purse, reporter)
    coverage = run(measure_ideas, ideas, reporter)
    outcomes = run(judge_outcomes, parsed, runs, variants, write_ups, ideas, reporter)
    words = run(write_descriptions, runs, variants, write_ups, outcomes, settings, purse, reporter)
    tables = lay_out(parsed, runs, variants, write_ups, ideas, outcomes, words)
    spending = (*asked, *words.spending)
    return run(
        publish_locally, parsed, runs, variants, coverage, outcomes, spending, tables, settings, reporter
    )


def parse_archive(archive: Archive, settings: BuildSettings, reporter: Reporter) -> ParsedArchive:
    """Stage 1: read every file once and turn it into records."""
    cache = ParseCache(Path(settings.cache) / "parsed") if settings.cache else None
    wanted = [file for file in archive.files if file.kind in PARSED_KINDS]
    with reporter.stage("parse", len(wanted)):
        known, texts = cache.load(archive.root, wanted) if cache else ({}, {})
        reporter.advance(len(known))
        batches = plan_batches(file for file in wanted if file.path not in known)
        done = parse_batches(make_runner(settings, reporter.say), archive.root, batches, reporter.advance)
        parsed = merge_batches(archive, [Batch(tuple(known.values()), texts), *done])
        if cache:
            fresh = {file.path for batch in batches for file in batch}
            cache.store(parsed.files, parsed.sources, fresh)
    return parsed


def link_runs(parsed: ParsedArchive, settings: BuildSettings, reporter: Reporter) -> tuple[Run, ...]:
    """Stage 2: join what ledger, logs and export say of each launch."""
    with reporter.stage("link"):
        return join_runs(parsed, settings.year, make_linker(settings).map)


def link_variants(
    parsed: ParsedArchive, runs: tuple[Run, ...], settings: BuildSettings, reporter: Reporter
) -> RecoveredVariants:
    """Stage 3: find the source that each run executed."""
    with reporter.stage("variants"):
        return recover_variants(parsed, runs, make_linker(settings).map)


def measure_ideas(ideas: IdeaLinks, reporter: Reporter) -> IdeaCoverage:
    """Stage 5: measure how the idea matcher behaves on this archive."""
    with reporter.stage("measure"):
        return measure(ideas)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What came of everything, and what was known when.

    Attributes:
        links: What each run executed and tested.
        judgement: What came of it.
        snapshots: What was known when.
    """

    links: Links
    judgement: Judgement
    snapshots: Snapshots


def judge_outcomes(
    parsed: ParsedArchive,
    runs: tuple[Run, ...],
    variants: RecoveredVariants,
    write_ups: WriteUps,
    ideas: IdeaLinks,
    reporter: Reporter,
) -> Outcomes:
    """Stage 6: judge runs and ideas, and freeze what was known when."""
    with reporter.stage("outcomes"):
        links = Links(
            variant_of={each.experiment_id: each.stem for each in variants.runs},
            variant_tier_of={each.experiment_id: each.tier for each in variants.runs},
            source_of={each.experiment_id: each.source_sha256 for each in variants.runs},
            texts=variants.texts,
            idea_of={each: link.idea_id for each, link in ideas.links.items()},
            idea_tier_of={each: link.tier.value if link.tier else None for each, link in ideas.links.items()},
        )
        judgement = judge(parsed, runs, write_ups.kept, links)
        snapshots = take_snapshots(judgement)
    for warning in snapshots.warnings:
        reporter.say(f"Warning: {warning}")
    return Outcomes(links, judgement, snapshots)


def write_descriptions(
    runs: tuple[Run, ...],
    variants: RecoveredVariants,
    write_ups: WriteUps,
    outcomes: Outcomes,
    settings: BuildSettings,
    purse: Purse | None,
    reporter: Reporter,
) -> Words:
    """Stage 7: describe every experiment, and embed the descriptions if asked to."""
    with reporter.stage("words"):
        inputs = tuple(gather_inputs(runs, variants, write_ups.kept, outcomes.links.idea_of))
        return put_in_words(inputs, settings.words, purse, reporter.say)


def lay_out(
    parsed: ParsedArchive,
    runs: tuple[Run, ...],
    variants: RecoveredVariants,
    write_ups: WriteUps,
    ideas: IdeaLinks,
    outcomes: Outcomes,
    words: Words,
) -> LaidOut:
    """Say how the records are laid out as tables, the largest first; each is laid out when it is written."""
    files = VariantFiles.of(parsed)
    judgement, links = outcomes.judgement, outcomes.links
    return LaidOut(
        {
            "variant_sources": lambda: build_variant_sources(parsed, runs, variants),
            "val_trajectories": lambda: build_val_trajectories(runs),
            "runs": lambda: build_runs(runs, variants.runs, ideas.links),
            "run_idea_links": lambda: build_run_idea_links(ideas.links.values()),
            "ideas": lambda: build_ideas(judgement.ideas, links, files),
            "experiments": lambda: build_experiments(judgement, links, files, words.descriptions),
            "cohorts": lambda: build_cohorts_table(judgement.cohorts),
            "snapshots": lambda: build_snapshots_table(outcomes.snapshots.taken),
            "proposals": lambda: build_proposals(parsed, judgement.runs, variants.runs),
            "variant_links": lambda: build_variant_links(variants),
            "quarantine": lambda: build_quarantine(parsed, write_ups.duplicates),
            **{name: partial(words.embeddings.__getitem__, name) for name in words.embeddings},
        }
    )


def publish_locally(
    parsed: ParsedArchive,
    runs: tuple[Run, ...],
    variants: RecoveredVariants,
    idea_coverage: IdeaCoverage,
    outcomes: Outcomes,
    spending: tuple[Spending, ...],
    tables: Mapping[str, pl.DataFrame],
    settings: BuildSettings,
    reporter: Reporter,
) -> Manifest:
    """Stage 8: lay the records out as tables, write the dataset and put it in place."""
    taken = outcomes.snapshots
    texts = recipe_texts(taken.taken, outcomes.links)
    undated = Undated(runs=taken.num_undated_runs, ideas=taken.num_undated_ideas)
    coverage = VariantCoverage(waterfall=waterfall(runs, variants.runs), agreement=agreement(variants.runs))

    def describe(files: tuple[FileEntry, ...]) -> Manifest:
        return make_manifest(
            parsed,
            settings.for_manifest(),
            files,
            coverage,
            idea_coverage,
            build_time(),
            texts,
            undated,
            spending,
        )

    with reporter.stage("write"):
        return write_dataset(tables, describe, Path(settings.out), texts, PAGES)


def check_dataset(out: Path, reporter: Reporter) -> Validation:
    """Stage 9: read the dataset back and check that it keeps its promises."""
    with reporter.stage("validate"):
        return validate(out)


def build_time() -> datetime:
    """The time that the manifest states: `SOURCE_DATE_EPOCH` where set, so that builds compare equal."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(seconds) if seconds else int(time.time()), UTC)


def _warn_of_keys(parsed: ParsedArchive, reporter: Reporter) -> None:
    removed = [reject for _, reject in parsed.quarantined() if reject.reason == Reason.KEY_REMOVED]
    if removed:
        first = removed[0]
        reporter.say(
            f"Warning: {len(removed)} texts that look like keys or passwords were removed, the first from "
            f"{first.path}, line {first.line}: revoke them; `quarantine` names all places."
        )


def _warn(archive: Archive, reporter: Reporter) -> None:
    if archive.missing:
        missing = ", ".join(scope.folder for scope in archive.missing)
        reporter.say(f"Warning: the archive lacks {len(archive.missing)} of 8 scratchpads: {missing}.")
    for reject in archive.refused:
        reporter.say(f"Warning: {reject.detail}")
