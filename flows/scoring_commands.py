"""Commands that score proposals."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from flows.gates import GATES_FAILED
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
from flows.scoring import ScoringSettings, open_benchmark
from flows.settings import ServiceOptions, WordsSettings
from flows.thresholds import threshold_in_use
from outputs.embeddings.bge_backend import DEFAULT_MODEL as DEFAULT_BGE_MODEL
from scorers.llm_questions import DEFAULT_MODEL as DEFAULT_JUDGE_MODEL
from scorers.pools import Priors
from scorers.scoring import score as score_set


class CompareBy(StrEnum):
    """By what texts are compared."""

    OPENAI = "openai"
    BGE = "bge"
    LEXICAL = "lexical"


class PriorsName(StrEnum):
    """Whose experiments count as priors."""

    SCOPE = "scope"
    FIELD = "field"


DatasetArgument = Annotated[Path, typer.Argument(help="Folder of a dataset.", metavar="DIR")]
CompareByOption = Annotated[
    CompareBy | None,
    typer.Option("--embed", help="By what texts are compared; what the dataset holds, unless it is named."),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        min=-1,
        max=1,
        help="Least cosine by which two texts are one idea; else that of a calibration, else 0.75.",
    ),
]
CalibrationOption = Annotated[
    Path | None,
    typer.Option(help="File of a calibration; else the one beside the dataset, where there is one."),
]
PriorsOption = Annotated[
    PriorsName, typer.Option(help="What counts as tried: by the snapshot's scope, or by any by then.")
]
CompatOption = Annotated[
    bool, typer.Option("--compat", help="Score as the reference client does where it differs.")
]
CacheOption = Annotated[Path | None, typer.Option(help="Folder that keeps answers; the user's by default.")]
MaxUsdOption = Annotated[float, typer.Option(min=0, help="The most dollars that may be spent.")]
BaseUrlOption = Annotated[
    str | None,
    typer.Option(envvar="OPENAI_BASE_URL", help="Address of a service that speaks OpenAI's language."),
]
PriceOption = Annotated[
    list[str] | None,
    typer.Option(help="Price of a model, MODEL=INPUT,OUTPUT dollars per million tokens."),
]
BgeModelOption = Annotated[str, typer.Option(help="BGE model: a name, or a folder that holds it.")]


def score(
    dataset: DatasetArgument,
    files: Annotated[
        list[Path],
        typer.Argument(
            exists=True, help="Markdown files; of a folder all that end in .md.", metavar="FILE..."
        ),
    ],
    snapshot: Annotated[str, typer.Option(help="Id of the snapshot that they were proposed for.")],
    judge: JudgeOption = JudgeName.COSINE,
    judge_model: JudgeModelOption = DEFAULT_JUDGE_MODEL,
    effort: EffortOption = Effort.MEDIUM,
    both_orders: BothOrdersOption = False,
    fallback: FallbackOption = FallbackName.NONE,
    judge_timeout: JudgeTimeoutOption = DEFAULT_JUDGE_TIMEOUT_S,
    embed: CompareByOption = None,
    threshold: ThresholdOption = None,
    calibration: CalibrationOption = None,
    priors: PriorsOption = PriorsName.SCOPE,
    compat: CompatOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    cache: CacheOption = None,
    max_usd: MaxUsdOption = 5.0,
    base_url: BaseUrlOption = None,
    price: PriceOption = None,
    bge_model: BgeModelOption = DEFAULT_BGE_MODEL,
) -> None:
    """Score candidates against a snapshot, and explain the score. Exit code 3: some could not be judged."""
    settings = ScoringSettings(
        dataset=dataset,
        embed=embed.value if embed else None,
        words=WordsSettings(bge_model=bge_model),
        cache=cache,
        max_usd=max_usd,
        service=ServiceOptions(base_url=base_url, prices=tuple(price or ()), timeout_s=judge_timeout),
        is_asking=judge is JudgeName.LLM_HYBRID,
    )
    judge_settings = JudgeSettings(
        name=judge,
        threshold=threshold_in_use(threshold, calibration, settings, is_compat=compat),
        model=judge_model,
        effort=effort,
        is_both_orders=both_orders,
        fallback=fallback,
    )
    with open_benchmark(settings) as opened:
        result = score_set(
            opened.benchmark,
            snapshot,
            candidate_files(files),
            judge=make_judge(judge_settings, opened.purse),
            threshold=judge_settings.threshold,
            priors=as_priors(priors),
            is_compat=compat,
        )
    # Escaped, as a terminal may read the letters that JSON lets stand as commands.
    typer.echo(json.dumps(result.model_dump(mode="json"), indent=2) if as_json else result.explain())
    if result.num_unjudged:
        raise typer.Exit(GATES_FAILED)


def as_priors(name: PriorsName) -> Priors:
    """Turn an option into what `score` takes."""
    return "scope" if name is PriorsName.SCOPE else "field"


def candidate_files(named: list[Path]) -> list[Path]:
    """List candidates: the files that were named, and the Markdown files of the folders, sorted.

    Args:
        named: Files and folders.
    """
    return [file for each in named for file in (sorted(each.glob("*.md")) if each.is_dir() else [each])]
