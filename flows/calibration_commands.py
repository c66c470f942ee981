"""The command that measures judges on cases whose answer is known, and chooses the threshold in use."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from flows.judges import (
    DEFAULT_JUDGE_TIMEOUT_S,
    Effort,
    EffortOption,
    JudgeModelOption,
    JudgeName,
    JudgeOption,
    JudgeSettings,
    make_judge,
)
from flows.reporting import wide_console
from flows.scoring import Opened, ScoringSettings, open_benchmark
from flows.scoring_commands import (
    BaseUrlOption,
    BgeModelOption,
    CacheOption,
    CompareByOption,
    DatasetArgument,
    MaxUsdOption,
    PriceOption,
)
from flows.settings import ServiceOptions, WordsSettings
from flows.thresholds import calibration_beside
from outputs.embeddings.bge_backend import DEFAULT_MODEL as DEFAULT_BGE_MODEL
from scorers.calibration.calibrate import calibrate as calibrate_judge
from scorers.calibration.cases import CASES_A_KIND, Case, Rewriter, make_cases
from scorers.calibration.metrics import Figure
from scorers.calibration.paraphrase_questions import DEFAULT_MODEL as DEFAULT_PARAPHRASE_MODEL
from scorers.calibration.paraphrase_questions import ModelRewriter
from scorers.calibration.plot import draw_calibration
from scorers.calibration.results import CalibrationResult
from scorers.calibration.rewriting import rewrite_by_rules
from scorers.llm_questions import DEFAULT_MODEL as DEFAULT_JUDGE_MODEL


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
        typer.Option(help="Folder for the cases as Markdown, to be looked at; must be new or empty."),
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
    embed: CompareByOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    cache: CacheOption = None,
    max_usd: MaxUsdOption = 5.0,
    base_url: BaseUrlOption = None,
    price: PriceOption = None,
    bge_model: BgeModelOption = DEFAULT_BGE_MODEL,
) -> None:
    """Measure a judge on cases whose answer is known, and choose the threshold that score and run use."""
    if cases is not None and cases.exists() and any(cases.iterdir()):
        raise typer.BadParameter(f"{cases} is not empty.", param_hint="--cases")
    settings = ScoringSettings(
        dataset=dataset,
        embed=embed.value if embed else None,
        words=WordsSettings(bge_model=bge_model),
        cache=cache,
        max_usd=max_usd,
        service=ServiceOptions(
            base_url=base_url, prices=tuple(price or ()), timeout_s=DEFAULT_JUDGE_TIMEOUT_S
        ),
        is_asking=judge is JudgeName.LLM_HYBRID or paraphrase is ParaphraseBy.OPENAI,
    )
    with open_benchmark(settings) as opened:
        made = make_cases(opened.benchmark, _rewriter(opened, paraphrase, paraphrase_model), per_kind)
        result = calibrate_judge(
            opened.benchmark,
            made,
            paraphrase.value if paraphrase is ParaphraseBy.RULES else paraphrase_model,
            lambda threshold: make_judge(
                JudgeSettings(name=judge, threshold=threshold, model=judge_model, effort=effort), opened.purse
            ),
        )
    target = out or calibration_beside(dataset)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(result.model_dump_json(indent=2) + "\n", encoding="utf-8")
    if cases is not None:
        _write_cases(made, cases)
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


def _write_cases(cases: tuple[Case, ...], folder: Path) -> None:
    for each in cases:
        path = folder / each.expected.value / f"{each.case_id.replace('/', '--')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        title = f"# {each.candidate.title}\n\n" if each.candidate.title else ""
        path.write_text(f"{title}{each.candidate.body}\n", encoding="utf-8")


def _show(result: CalibrationResult, path: Path) -> None:
    console = wide_console()
    table = Table(title=f"How {result.judge.judge} tells {result.num_cases} cases", title_justify="left")
    for name in ("class", "expected", "found", "precision", "recall", "F1"):
        table.add_column(name, justify="left" if name == "class" else "right")
    for each in result.judge.classes:
        figures = (_told(each.precision), _told(each.recall), _told(each.f1))
        table.add_row(each.classification, str(each.num_expected), str(each.num_found), *figures)
    console.print(table)
    published = result.published
    kinds = ", ".join(f"{kind} {share:.0%}" for kind, share in result.judge.accuracy_by_kind.items())
    for sentence in (
        f"Right by kind of case: {kinds}.",
        f"Accuracy {_told(result.judge.accuracy)}, kappa {_told(result.judge.kappa)}; at the published "
        f"{published.threshold:g} {_told(published.accuracy)} and {_told(published.kappa)}.",
        f"95% intervals over {result.num_snapshots} resampled snapshots. Compared by "
        f"{result.embedding_model}, paraphrased by {result.paraphrases}.",
        f"The threshold in use is now {result.threshold:g}: it is kept in {path}.",
    ):
        console.print(sentence, highlight=False, soft_wrap=True)


def _told(figure: Figure) -> str:
    if figure.value is None:
        return "-"
    bounds = f" ({figure.interval.low:.2f} to {figure.interval.high:.2f})" if figure.interval else ""
    return f"{figure.value:.2f}{bounds}"
