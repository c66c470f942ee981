"""The four stages of NoveltyBench as commands. Exit code 3: done, but some prompt or line is left out."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows.gates import GATES_FAILED
from flows.locks import output_lock
from flows.noveltybench_models import (
    EquivalenceChoice,
    EquivalenceName,
    budget_of,
    make_equivalence,
    open_sampler,
    tell_spent,
)
from flows.reporting import make_reporter
from flows.settings import ServiceOptions

if TYPE_CHECKING:
    from scorers.noveltybench.infer import Inferred, Writer
    from scorers.noveltybench.rows import Prompt
    from scorers.noveltybench.summary import Summary

MAX_SHOWN = 20
"""So many prompts or lines that are left out are shown, and the rest is counted."""

FILE_WIDTH = 120
"""Columns of tables that go to a file or a pipe."""

noveltybench = typer.Typer(
    help="NoveltyBench: how many different answers a writer gives to a prompt, and how good they are.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


FolderArgument = Annotated[Path, typer.Argument(help="Folder of the files of one writer.", metavar="DIR")]
PatienceOption = Annotated[
    float, typer.Option(min=0, max=1, help="Probability that a reader goes on to the next output.")
]
DeviceOption = Annotated[
    str | None, typer.Option(help="Where a model runs: cpu, cuda:0; a GPU if there is one.")
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option(envvar="OPENAI_BASE_URL", help="Address of a service that speaks OpenAI's language."),
]
PriceOption = Annotated[
    list[str] | None,
    typer.Option(help="Price of a model, MODEL=INPUT,OUTPUT dollars per million tokens."),
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print warnings and errors alone.")]


@noveltybench.command()
def infer(
    folder: FolderArgument,
    prompts: Annotated[Path, typer.Option(help="File of prompts: a JSON object a line, with id and prompt.")],
    model: Annotated[str | None, typer.Option(help="Model to sample.")] = None,
    references: Annotated[
        Path | None,
        typer.Option(help="Take texts by people instead: a JSON object a line, with id and references."),
    ] = None,
    writer: Annotated[str, typer.Option(help="Name of the writer of the references.")] = "human",
    k: Annotated[int, typer.Option("--k", min=1, help="Outputs a prompt.")] = 10,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of sampling.")] = 1.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest output, in tokens.")] = 512,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Prompts at work at a time.")] = 8,
    timeout: Annotated[float, typer.Option(min=0.1, help="Longest wait for an answer, in seconds.")] = 120.0,
    attempts: Annotated[int, typer.Option(min=1, help="How often one request is sent at most.")] = 6,
    base_url: BaseUrlOption = None,
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="The most dollars to spend; no limit if it is left out.")
    ] = None,
    price: PriceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Get k outputs to every prompt: DIR/generations.jsonl. A run that was stopped is taken up again."""
    from scorers.noveltybench.files import read_lines
    from scorers.noveltybench.infer import from_references
    from scorers.noveltybench.rows import Prompt, References
    from scorers.noveltybench.sampling import Sampling

    if (model is None) == (references is None):
        raise typer.BadParameter("name either --model, or --references.")
    asked = read_lines(prompts, Prompt)
    left_out: list[object] = [*asked.rejected]
    repeated = [*asked.repeated]
    if references is not None:
        texts = read_lines(references, References)
        left_out += texts.rejected
        repeated += texts.repeated
        by_people = from_references({row.id: row for row in texts.rows}, k)
        inferred = _infer(folder, asked.rows, (writer, k), by_people, 1, quiet)
    elif model is not None:
        options = ServiceOptions(
            base_url=base_url, timeout_s=timeout, max_attempts=attempts, prices=tuple(price or ())
        )
        budget = budget_of(model, max_usd, options)
        with open_sampler(Sampling(model, k, temperature, max_tokens), options, budget) as by_model:
            inferred = _infer(folder, asked.rows, (model, k), by_model, workers, quiet)
        if not quiet:
            _say(tell_spent(budget, model))
    if not quiet:
        _tell_inferred(folder, inferred)
    left_out += [f"The prompt {each.id} failed: {each.reason}" for each in inferred.failed]
    _finish(left_out, repeated)


@noveltybench.command()
def partition(
    folder: FolderArgument,
    equivalence: Annotated[
        EquivalenceName, typer.Option(help="Who compares long outputs: the published classifier, or cosine.")
    ] = EquivalenceName.DEBERTA,
    model: Annotated[
        str | None, typer.Option(help="Model that compares: a name, or, unless by OpenAI, a folder.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Similarity above which outputs are equal: 0.102 for deberta, else 0.75."),
    ] = None,
    compat: Annotated[
        bool,
        typer.Option("--compat", help="Follow the published rule to the letter where outputs are identical."),
    ] = False,
    device: DeviceOption = None,
    cache: Annotated[Path | None, typer.Option(help="Folder that keeps embeddings.")] = None,
    base_url: BaseUrlOption = None,
    max_usd: Annotated[float, typer.Option(min=0, help="The most dollars to spend on embeddings.")] = 5.0,
    price: PriceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Sort the outputs to each prompt into classes of equal ones: DIR/partitions.jsonl."""
    from scorers.noveltybench.files import GENERATIONS, PARTITIONS, read_lines
    from scorers.noveltybench.rows import Generations
    from scorers.noveltybench.stages import partition_file

    options = ServiceOptions(base_url=base_url, prices=tuple(price or ()))
    reporter = make_reporter(is_quiet=quiet)
    rows = read_lines(folder / GENERATIONS, Generations).rows
    choice = EquivalenceChoice(equivalence, model, threshold, device, cache, max_usd, options)
    are_equal = make_equivalence(choice, [row.generations for row in rows])
    with output_lock(folder), reporter.stage("partition", len(rows)):
        staged = partition_file(folder, are_equal, is_compat=compat, advance=reporter.advance)
    if not quiet:
        _say(f"{folder / PARTITIONS} holds the classes of {staged.written:,} prompts.")
    _finish([*staged.rejected, *staged.failed], staged.repeated)


@noveltybench.command()
def score(
    folder: FolderArgument,
    reward_model: Annotated[
        str | None,
        typer.Option(help="Reward model: a name, or a folder that holds it; the published one by default."),
    ] = None,
    patience: PatienceOption = 0.8,
    device: DeviceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Give each class its quality, 1 to 10, and each prompt its utility: DIR/scores.jsonl."""
    from scorers.noveltybench.files import PARTITIONS, SCORES, read_lines
    from scorers.noveltybench.rows import Partition
    from scorers.noveltybench.skywork import MODEL, PretrainedReward
    from scorers.noveltybench.stages import score_file

    reporter = make_reporter(is_quiet=quiet)
    total = len(read_lines(folder / PARTITIONS, Partition).rows)
    reward = PretrainedReward(reward_model or MODEL, device=device)
    with output_lock(folder), reporter.stage("score", total):
        staged = score_file(folder, reward, patience=patience, advance=reporter.advance)
    if not quiet:
        _say(f"{folder / SCORES} holds the scores of {staged.written:,} prompts.")
    _finish([*staged.rejected, *staged.failed], staged.repeated)


@noveltybench.command()
def summarize(
    folders: Annotated[
        list[Path], typer.Argument(help="Folders with scores, one a writer.", metavar="DIR...")
    ],
    patience: PatienceOption = 0.8,
) -> None:
    """Write DIR/summary.json, means with standard errors, and show all writers side by side."""
    from scorers.noveltybench.summary import summarize_file

    summaries: list[Summary] = []
    rejected: list[object] = []
    repeated: list[object] = []
    for folder in folders:
        summary, lines = summarize_file(folder, patience)
        summaries.append(summary)
        rejected += lines.rejected
        repeated += lines.repeated
    console = Console()
    console = console if console.is_terminal else Console(width=FILE_WIDTH)
    console.print(_table(summaries))
    sizes = {each.num_generations for each in summaries}
    if len(sizes) > 1 or None in sizes:
        _say(
            "Not all prompts have the same number of outputs, on which both measures depend.", is_warning=True
        )
    missing = sum(each.num_missing for each in summaries)
    _finish([*rejected, *([f"{missing:,} prompts have no score."] if missing else [])], repeated)


def _infer(
    folder: Path,
    prompts: "Sequence[Prompt]",
    wanted: tuple[str, int],
    writer: "Writer",
    workers: int,
    is_quiet: bool,
) -> "Inferred":
    from scorers.noveltybench.infer import infer as infer_all

    reporter = make_reporter(is_quiet=is_quiet)
    with output_lock(folder), reporter.stage("infer", len(prompts)):
        return infer_all(folder, prompts, *wanted, writer, workers=workers, advance=reporter.advance)


def _tell_inferred(folder: Path, inferred: "Inferred") -> None:
    if inferred.is_torn:
        _say("The earlier run was killed in the middle of a line: its prompt was asked again.")
    total = inferred.written + inferred.kept
    empty = f" {inferred.num_empty:,} outputs are empty." if inferred.num_empty else ""
    _say(f"{folder} holds the outputs to {total:,} prompts, {inferred.kept:,} of an earlier run.{empty}")


def _table(summaries: "Sequence[Summary]") -> Table:
    table = Table(title="NoveltyBench: means with standard errors", title_justify="left")
    for name in ("writer", "prompts", "missing", "k", "distinct", "utility"):
        table.add_column(name, justify="left" if name == "writer" else "right")
    for each in summaries:
        table.add_row(
            escape(each.model),
            f"{each.num_prompts:,}",
            f"{each.num_missing:,}",
            "mixed" if each.num_generations is None else str(each.num_generations),
            _with_error(each.mean_distinct, each.stderr_distinct),
            _with_error(each.mean_utility, each.stderr_utility),
        )
    return table


def _with_error(mean: float, error: float | None) -> str:
    return f"{mean:.2f}" if error is None else f"{mean:.2f} ± {error:.2f}"


def _say(sentence: str, *, is_warning: bool = False) -> None:
    Console(stderr=is_warning).print(sentence, markup=False, highlight=False, soft_wrap=True)


def _finish(left_out: Sequence[object], repeated: Sequence[object] = ()) -> None:
    """Show what is left out, and what stands twice.

    Raises:
        typer.Exit: If something is left out.
    """
    for what, found in (("Repeated", repeated), ("Left out", left_out)):
        for each in found[:MAX_SHOWN]:
            _say(f"{what}: {each}", is_warning=True)
        if len(found) > MAX_SHOWN:
            _say(f"{what}: {len(found) - MAX_SHOWN:,} more like these.", is_warning=True)
    if left_out:
        raise typer.Exit(GATES_FAILED)
