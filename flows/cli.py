"""Command line `speedrun-etl`: exit codes 0 done, 1 failed, 2 wrong usage, 3 built, but gates failed."""

import errno
import gc
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from flows.build_options import NUM_CPUS, ExpectOption, WorkersOption, takes_build_options
from flows.calibration_commands import calibrate
from flows.gates import GATES_FAILED, print_failing_rows, print_validation, validation_json, verdict
from flows.locks import LockedError
from flows.noveltybench_commands import noveltybench
from flows.prefect_api import SETUP_HINT, has_api
from flows.proposer_commands import run, workspace
from flows.quality_report import report_quality
from flows.ranking_commands import leaderboard, preference
from flows.reporting import Reporter, make_reporter, wide_console
from flows.runners import Processes, RunnerError
from flows.scoring_commands import score
from flows.secrecy import SecretError, UnsafeSettingError, check_address, hide, no_secret_escapes
from flows.settings import BuildSettings, RunnerName
from flows.stages import BuildResult, build_dataset
from flows.summary import print_summary
from linkers.ideas.overrides import OverrideError
from outputs.dataset import OutputError, WriteError, renew_page
from outputs.manifest import MANIFEST_NAME
from outputs.publishing.plan import PublishError, UnfitError
from outputs.quality.gold import GoldError
from outputs.report.render import REPORT_NAME, write_report
from outputs.source_files import write_sources
from outputs.spending.errors import SpendingError
from outputs.validation.expectations import ExpectationError
from parsers.unpacking import ArchiveError
from scorers.errors import ScoringError
from scorers.preference import PreferenceError

app = typer.Typer(
    name="speedrun-etl",
    help="Turn the raw archive of the optimizer speedrun into a dataset.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(noveltybench, name="noveltybench")


class Scale(StrEnum):
    """Size of the demo archive."""

    SMALL = "small"
    FULL = "full"


class EngineName(StrEnum):
    """What runs the stages of a build."""

    AUTO = "auto"
    PREFECT = "prefect"
    DIRECT = "direct"


DISK_ERRORS = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""What a disk may refuse: the user can help that, so a sentence says more than a traceback."""

WRONG_USAGE = (
    ArchiveError,
    ExpectationError,
    GoldError,
    OutputError,
    OverrideError,
    PreferenceError,
    RunnerError,
    ScoringError,
    SpendingError,
    UnsafeSettingError,
)
"""Errors that end with 2: something was asked for that cannot be."""


ScaleOption = Annotated[Scale, typer.Option(help="About 600 runs, or the 10,380 of the real archive.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same bytes.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print warnings and errors alone.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Let warnings fail the quality gates too.")]
EngineOption = Annotated[
    EngineName, typer.Option(help="auto: Prefect where an API is configured, else direct.")
]


@app.callback()
def _root() -> None:
    """Turn the raw archive of the optimizer speedrun into a dataset."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the archive and the dataset.")] = Path("build/demo"),
    scale: ScaleOption = Scale.SMALL,
    workers: WorkersOption = NUM_CPUS,
    quiet: QuietOption = False,
) -> None:
    """Generate the demo archive and build the dataset from it. An earlier demo there is replaced."""
    reporter = make_reporter(is_quiet=quiet)
    archive = out / "archive"
    if (archive / "gold").is_dir():
        shutil.rmtree(archive)
    _check_empty(archive, "archive")
    _generate(archive, scale, 0, workers, reporter)
    settings = BuildSettings(archive=str(archive), out=str(out / "dataset"), workers=workers)
    _finish(build_dataset(settings, reporter), quiet)


@app.command()
def generate(
    out: Annotated[Path, typer.Option(help="Folder of the archive; must be new or empty.")],
    scale: ScaleOption = Scale.SMALL,
    seed: SeedOption = 0,
    workers: WorkersOption = NUM_CPUS,
    quiet: QuietOption = False,
) -> None:
    """Write a synthetic archive in the real layout, with its gold truth in gold/."""
    _check_empty(out, "archive")
    _generate(out, scale, seed, workers, make_reporter(is_quiet=quiet))


@app.command()
def sources(
    dataset: Annotated[Path, typer.Argument(help="Folder of a dataset.")],
    to: Annotated[Path, typer.Option(help="Folder for the files; must be new or empty.")],
) -> None:
    """Write the recovered sources out as Python files, with an index of the runs that executed them."""
    _check_empty(to, "sources")
    count = write_sources(dataset, to)
    Console().print(f"{to} holds {count:,} sources and index.csv.", highlight=False, soft_wrap=True)


@app.command()
@takes_build_options
def build(
    settings: BuildSettings,
    engine: EngineOption = EngineName.AUTO,
    strict: StrictOption = False,
    quiet: QuietOption = False,
) -> None:
    """Build the dataset from an archive, and check it. Exit code 3: it was built but the gates failed."""
    reporter = make_reporter(is_quiet=quiet)
    if settings.runner == RunnerName.DASK and engine == EngineName.DIRECT:
        raise RunnerError(
            "The runner dask runs through Prefect: leave --engine out, or give --engine prefect."
        )
    is_recorded = engine == EngineName.PREFECT or (
        engine == EngineName.AUTO and (has_api() or settings.runner == RunnerName.DASK)
    )
    if is_recorded:
        from flows.build import build as build_flow

        result = build_flow(settings, quiet)
    else:
        if engine == EngineName.AUTO and not quiet:
            reporter.say(SETUP_HINT)
        result = build_dataset(settings, reporter)
    _finish(result, quiet, strict)


@app.command()
def quality(
    dataset: Annotated[Path, typer.Argument(help="Folder of a dataset.")],
    gold: Annotated[
        Path | None,
        typer.Option(help="Gold standard: a CSV, or a folder with runs.csv, as the demo archive has."),
    ] = None,
    review: Annotated[
        Path | None, typer.Option(help="Write the 50 least certain links there, as CSV.")
    ] = None,
) -> None:
    """Measure how good the links between runs and ideas are."""
    if not (dataset / MANIFEST_NAME).is_file():
        raise OutputError(f"{dataset} is no dataset: name the folder that a build wrote.")
    report_quality(dataset, gold, review, wide_console())


@app.command()
def report(
    dataset: Annotated[Path, typer.Argument(help="Folder of a dataset.", metavar="DIR")],
) -> None:
    """Write report.html anew: the dataset in pictures and searchable tables, in one file."""
    renew_page(REPORT_NAME, write_report, dataset)
    Console().print(f"Open {dataset / REPORT_NAME} in a browser.", highlight=False, soft_wrap=True)


def _check_empty(folder: Path, what: str) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{folder} is not empty: name a new folder for the {what}.")


@app.command(name="validate")
def validate_dataset(
    dataset: Annotated[Path, typer.Argument(help="Folder of a dataset.", metavar="DIR")],
    expect: ExpectOption = None,
    strict: StrictOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    proposed: Annotated[
        str | None,
        typer.Option("--propose", help="Print the dataset's numbers as a section of expectations.toml."),
    ] = None,
) -> None:
    """Check that a dataset keeps its promises, and show the rows that do not. Exit code 3: some do not."""
    from outputs.validation.checks import validate
    from outputs.validation.expectations import propose
    from outputs.validation.opened import OpenedDataset

    if proposed is not None:
        typer.echo(propose(OpenedDataset.of(dataset), proposed), nl=False)
        return
    validation = validate(dataset, expect=expect)
    if as_json:
        typer.echo(validation_json(validation))
    else:
        print_validation(validation, wide_console())
    if not validation.is_passed(is_strict=strict):
        raise typer.Exit(GATES_FAILED)


@app.command()
@takes_build_options
def serve(
    settings: BuildSettings,
    cron: Annotated[str, typer.Option(help="When to build, as in crontab and in UTC.")] = "0 3 * * *",
    strict: StrictOption = False,
) -> None:
    """Build on a schedule, as a Prefect deployment served by this process, until it is ended."""
    if not has_api():
        raise OutputError(f"A schedule needs a Prefect server. {SETUP_HINT}")
    from flows.serve import serve as serve_builds

    serve_builds(settings.for_schedule(), cron, is_strict=strict)


@app.command()
def publish(
    dataset: Annotated[Path, typer.Argument(help="Folder of a dataset.", metavar="DIR")],
    repo: Annotated[str | None, typer.Option(help="OWNER/NAME of a dataset repository on a Hub.")] = None,
    to: Annotated[
        str | None, typer.Option(help="A folder, or an address that fsspec knows, such as s3://.")
    ] = None,
    tag: Annotated[str | None, typer.Option(help="Tag of this version; a tag is never moved.")] = None,
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would go up and be deleted, and do nothing.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete files there that are not in the dataset.")
    ] = False,
    accept: Annotated[
        str | None,
        typer.Option(
            metavar="WORD", help="Accept the keys that the build removed, by the word that names them."
        ),
    ] = None,
) -> None:
    """Publish a dataset in one commit, if it passes validation and neither it nor its archive holds a key."""
    from flows.publish import PublishSettings, publish_as_flow, publish_dataset

    if (repo is None) == (to is None) or (tag and to):
        raise typer.BadParameter("name either --repo, with --tag if you like, or --to.")
    check_address(to, "the target")
    settings = PublishSettings(
        dataset=dataset,
        repo=repo,
        to=to,
        tag=tag,
        is_private=private,
        is_dry_run=dry_run,
        is_pruning=prune,
        accepted=accept,
    )
    if has_api() and not dry_run:
        publish_as_flow(settings, typer.echo)
    else:
        publish_dataset(settings, typer.echo)


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(help="Folder of the earlier dataset.")],
    new: Annotated[Path, typer.Argument(help="Folder of the later dataset.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, with every link and snapshot.")
    ] = False,
) -> None:
    """Show what differs between two datasets, as Markdown: rows, columns, links, snapshots."""
    from outputs.release_diff import compare_datasets
    from outputs.release_notes import to_markdown

    found = compare_datasets(old, new)
    typer.echo(found.model_dump_json(indent=2) if as_json else to_markdown(found), nl=as_json)


app.command()(score)
app.command()(calibrate)
app.command()(workspace)
app.command()(run)
app.command()(preference)
app.command()(leaderboard)


@app.command()
def inspect(
    dataset: Annotated[Path, typer.Argument(help="Folder of a dataset.", metavar="DIR")],
    snapshot: Annotated[str | None, typer.Option(help="Id of a snapshot.")] = None,
    experiment: Annotated[str | None, typer.Option(help="Id of an experiment.")] = None,
    idea: Annotated[str | None, typer.Option(help="Id of an idea.")] = None,
) -> None:
    """Show one thing of a dataset: its rows, evidence, lineage, losses, and what was known then."""
    from flows import inspection

    chosen = [(snapshot, inspection.show_snapshot), (experiment, inspection.show_experiment)]
    chosen.append((idea, inspection.show_idea))
    named = [(name, show) for name, show in chosen if name is not None]
    if len(named) > 1:
        raise typer.BadParameter("name one of --snapshot, --experiment and --idea.")
    opened = inspection.Dataset(dataset)
    console = Console(highlight=False)
    for name, show in named:
        show(opened, name, console)
    if not named:
        inspection.show_overview(opened, console)


def _generate(out: Path, scale: Scale, seed: int, workers: int, reporter: Reporter) -> None:
    from demo import generate_archive

    with reporter.stage("generate"):
        summary = generate_archive(out, scale=scale.value, seed=seed, mapper=Processes(workers).map)
    reporter.say(f"{out} holds {summary.runs} runs, with their gold truth in {out / 'gold'}.")


def _finish(result: BuildResult, is_quiet: bool, is_strict: bool = False) -> None:
    """Print what is in the dataset, where it is, and whether it keeps its promises.

    Raises:
        typer.Exit: If it does not.
    """
    if not is_quiet:
        console = wide_console()
        print_summary(result.manifest, console)
        sentence = (
            f"{result.out} was built from {result.manifest.num_files:,} files in {result.seconds:.1f} s."
        )
        if result.is_unchanged:
            built_at = result.manifest.created_at.isoformat()
            sentence = f"Nothing changed: {result.out} is the dataset that was built at {built_at}."
        console.print(sentence, highlight=False, soft_wrap=True)
        console.print(f"Open {result.out / REPORT_NAME} in a browser.", highlight=False, soft_wrap=True)
    _judge(result, is_quiet, is_strict)


def _judge(result: BuildResult, is_quiet: bool, is_strict: bool) -> None:
    """Print what fails; the dataset stays, so that one can look.

    Raises:
        typer.Exit: If the gates fail, or a model left something null.
    """
    is_passed = result.validation.is_passed(is_strict=is_strict)
    if not is_quiet or not is_passed:
        console = Console(stderr=True) if is_quiet else wide_console()
        print_failing_rows(result.validation, console)
        console.print(verdict(result.validation), highlight=False, soft_wrap=True)
    failures = result.manifest.num_failures
    if failures:
        sentence = (
            f"{failures:,} descriptions or embeddings could not be had and are null; the manifest says why."
        )
        Console(stderr=True).print(f"Incomplete: {sentence}", markup=False, highlight=False, soft_wrap=True)
    if failures or not is_passed:
        raise typer.Exit(GATES_FAILED)


def main() -> None:
    """Run the command line and turn the project's own errors into one sentence and an exit code."""
    try:
        with no_secret_escapes():
            app()
    except WRONG_USAGE as error:
        _fail(error, 2)
    except (LockedError, WriteError, PublishError, SecretError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in DISK_ERRORS:
            raise
        _fail(error, GATES_FAILED if isinstance(error, UnfitError) else 1)
    finally:
        # At its exit Python looks for cycles among all that was imported, which takes a fifth of a second.
        gc.freeze()


def _fail(error: Exception, code: int) -> None:
    Console(stderr=True).print(f"Error: {hide(str(error))}", markup=False, highlight=False, soft_wrap=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
