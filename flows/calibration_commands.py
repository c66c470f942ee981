"""The command that measures judges on cases whose answer is known, and chooses the threshold in use."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from flows.judges import (
    DEFAULT_JUDGE_TIMEOUT_S,
    BothOrdersOption,
    Effort,
    EffortOption,
    FallbackName,
    FallbackOption,
    JudgeModelOption,
    JudgeName,
    JudgeOption,
    JudgeSettings,
    JudgeTimeoutOption,
    make_judge,
)
from flows.reporting import wide_console
from flows.scoring import Opened, ScoringSettings, dataset_sha256, open_benchmark
from flows.scoring_commands import (
    BaseUrlOption,
    BgeModelOption,
    CacheOption,
    CompareByOption,
    DatasetArgument,
    MaxUsdOption,
    PriceOption,
    PriorsName,
    PriorsOption,
    as_priors,
)
from flows.settings import ServiceOptions, WordsSettings
from flows.thresholds import calibration_beside
from outputs.embeddings.bge_backend import DEFAULT_MODEL as DEFAULT_BGE_MODEL
from scorers.calibration.calibrate import calibrate as calibrate_judge
from scorers.calibration.case_files import write_cases
from scorers.calibration.cases import CASES_A_KIND, Rewriter, make_cases
from scorers.calibration.metrics import Figure
from scorers.calibration.paraphrase_questions import DEFAULT_MODEL as DEFAULT_PARAPHRASE_MODEL
from scorers.calibration.paraphrase_questions import ModelRewriter
from scorers.calibration.plot import check_plot, draw_calibration
from scorers.calibration.results import CalibrationResult, Origin
from scorers.calibration.rewriting import rewrite_by_rules
from scorers.llm_questions import DEFAULT_MODEL as DEFAULT_JUDGE_MODEL
from scorers.results import UsageResult
from scorers.thresholds import Threshold, ThresholdSource


class ParaphraseBy(StrEnum):
    """Who paraphrases."""

    RULES = "rules"
    OPENAI = "openai"


def calibrate(
    dataset: DatasetArgument,
    out: Annotated[
        Path | None,
        typer.Option(help="File of the result; else beside the dataset, where score looks for it."),
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(help="Folder for the cases, to be looked at: each as Markdown, and a table of answers."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Picture of the sweep: .png, .svg or .html.")] = None,
    per_kind: Annotated[int, typer.Option(min=1, max=100, help="Cases of a kind in a snapshot, at most.")] = (
        CASES_A_KIND
    ),
    paraphrase: Annotated[ParaphraseBy, typer.Option(help="Who paraphrases: rules need no key.")] = (
        ParaphraseBy.RULES
    ),
    paraphrase_model: Annotated[str, typer.Option(help="Model that paraphrases.")] = DEFAULT_PARAPHRASE_MODEL,
    judge: JudgeOption = JudgeName.COSINE,
    judge_model: JudgeModelOption = DEFAULT_JUDGE_MODEL,
    effort: EffortOption = Effort.MEDIUM,
    both_orders: BothOrdersOption = False,
    fallback: FallbackOption = FallbackName.NONE,
    judge_timeout: JudgeTimeoutOption = DEFAULT_JUDGE_TIMEOUT_S,
    priors: PriorsOption = PriorsName.SCOPE,
    embed: CompareByOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    cache: CacheOption = None,
    max_usd: MaxUsdOption = 5.0,
    base_url: BaseUrlOption = None,
    price: PriceOption = None,
    bge_model: BgeModelOption = DEFAULT_BGE_MODEL,
) -> None:
    """Measure a judge on cases whose answer is known, and choose the threshold that score and run use."""
    if cases is not None and cases.exists() and (not cases.is_dir() or any(cases.iterdir())):
        raise typer.BadParameter(f"{cases} is not empty.", param_hint="--cases")
    if plot is not None:
        check_plot(plot)
    settings = ScoringSettings(
        dataset=dataset,
        embed=embed.value if embed else None,
        words=WordsSettings(bge_model=bge_model),
        cache=cache,
        max_usd=max_usd,
        service=ServiceOptions(base_url=base_url, prices=tuple(price or ()), timeout_s=judge_timeout),
        is_asking=judge is JudgeName.LLM_HYBRID or paraphrase is ParaphraseBy.OPENAI,
    )
    judge_settings = JudgeSettings(
        name=judge, model=judge_model, effort=effort, is_both_orders=both_orders, fallback=fallback
    )
    with open_benchmark(settings) as opened:
        rewriter = _rewriter(opened, paraphrase, paraphrase_model)
        made = make_cases(opened.benchmark, rewriter, per_kind, as_priors(priors))
        calibration = calibrate_judge(
            opened.benchmark,
            made,
            lambda threshold: make_judge(_at(judge_settings, threshold), opened.purse),
            priors=as_priors(priors),
            origin=Origin(
                dataset_sha256=dataset_sha256(dataset),
                per_kind=per_kind,
                priors=priors.value,
                paraphrases=paraphrase_model if isinstance(rewriter, ModelRewriter) else paraphrase.value,
                paraphrase_usage=_paid(rewriter),
                judge_settings={k: v for k, v in judge_settings.for_results().items() if k != "threshold"},
            ),
        )
    result = calibration.result
    target = out or calibration_beside(dataset)
    _write(result.model_dump_json(indent=2) + "\n", target)
    if cases is not None:
        write_cases(made, calibration.answers, cases)
    if plot is not None:
        draw_calibration(result, plot)
    if as_json:
        typer.echo(result.model_dump_json(indent=2))
    else:
        _show(result, target)


def _rewriter(opened: Opened, paraphrase: ParaphraseBy, model: str) -> Rewriter:
    if paraphrase is ParaphraseBy.RULES:
        return rewrite_by_rules
    assert opened.purse is not None, "whoever asks a model opens a purse"
    opened.purse.budget.price(model)
    return ModelRewriter(opened.purse, model)


def _paid(rewriter: Rewriter) -> UsageResult:
    if not isinstance(rewriter, ModelRewriter):
        return UsageResult()
    usage = rewriter.usage
    return UsageResult(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, usd=usage.usd)


def _at(settings: JudgeSettings, threshold: float) -> JudgeSettings:
    return settings.model_copy(update={"threshold": Threshold(threshold, ThresholdSource.CALIBRATION)})


def _write(text: str, path: Path) -> None:
    """Put a file in place whole, as scoring may read it at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def _show(result: CalibrationResult, path: Path) -> None:
    console = wide_console()
    judge = result.judge
    table = Table(title=f"How {judge.judge} tells {result.num_cases} cases", title_justify="left")
    for name in ("class", "expected", "found", "precision", "recall", "F1"):
        table.add_column(name, justify="left" if name == "class" else "right")
    for each in judge.classes:
        figures = (_told(each.precision), _told(each.recall), _told(each.f1))
        table.add_row(each.classification.value, str(each.num_expected), str(each.num_found), *figures)
    console.print(table)
    kinds = Table(title="Right answers by kind of case", title_justify="left")
    for name in ("kind", "cases", "right"):
        kinds.add_column(name, justify="left" if name == "kind" else "right")
    for kind in judge.kinds:
        kinds.add_row(kind.kind.value, str(kind.num_cases), _told(kind.accuracy))
    console.print(kinds)
    for sentence in _sentences(result, path):
        console.print(sentence, highlight=False, soft_wrap=True)


def _sentences(result: CalibrationResult, path: Path) -> Iterator[str]:
    judge, published = result.judge, result.published
    yield f"Accuracy {_told(judge.everything.accuracy)}, kappa {_told(judge.everything.kappa)}."
    well_formed = judge.well_formed
    yield f"Without malformed cases {_told(well_formed.accuracy)} and {_told(well_formed.kappa)}."
    if result.held_out is not None:
        held_out = result.held_out
        yield (
            "By cosine on each scope, at the threshold that the others choose: "
            f"{_told(held_out.accuracy)} and {_told(held_out.kappa)}."
        )
    yield (
        f"By cosine at the published {published.threshold:g}: {_told(published.accuracy)} and "
        f"{_told(published.kappa)}."
    )
    yield (
        f"95% intervals over {result.num_snapshots} resampled snapshots. Compared by "
        f"{result.embedding_model}, paraphrased by {result.origin.paraphrases}."
    )
    usage = (judge.usage, result.origin.paraphrase_usage)
    if tokens := sum(each.input_tokens + each.output_tokens for each in usage):
        yield f"Asking models took {tokens:,} tokens, ${sum(each.usd for each in usage):.4f}."
    where = result.threshold_interval
    spread = f" (on resampled snapshots {where.low:g} to {where.high:g})" if where else ""
    yield f"The threshold in use is now {result.threshold:g}{spread}: it is kept in {path}."


def _told(figure: Figure) -> str:
    if figure.value is None:
        return "-"
    bounds = f" ({figure.interval.low:.2f} to {figure.interval.high:.2f})" if figure.interval else ""
    return f"{figure.value:.2f}{bounds}"
