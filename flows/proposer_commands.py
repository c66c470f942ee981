"""Commands for proposers: the folder that one works in, and a run of one over the snapshots of a split."""

from collections.abc import Sequence
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
)
from flows.proposers import DEFAULT_TIMEOUT_S, RunSettings, SplitName, let_propose
from flows.reporting import make_reporter
from flows.scoring import ScoringSettings
from flows.scoring_commands import (
    BaseUrlOption,
    BgeModelOption,
    CacheOption,
    CalibrationOption,
    CompareByOption,
    DatasetArgument,
    MaxUsdOption,
    PriceOption,
    PriorsName,
    PriorsOption,
    ThresholdOption,
    as_priors,
)
from flows.settings import ServiceOptions, WordsSettings
from flows.thresholds import threshold_in_use
from outputs.embeddings.bge_backend import DEFAULT_MODEL as DEFAULT_BGE_MODEL
from scorers.llm_questions import DEFAULT_MODEL as DEFAULT_JUDGE_MODEL
from scorers.proposer_results import ResultLine
from scorers.workspace import MAX_CANDIDATES, write_workspace

MaxCandidatesOption = Annotated[
    int, typer.Option(min=1, max=100, help="How many candidates of a snapshot count, the first by name.")
]


def workspace(
    dataset: DatasetArgument,
    snapshot: Annotated[str, typer.Option(help="Id of the snapshot.")],
    to: Annotated[Path, typer.Option(help="Folder to write to; must be new or empty.")],
    max_candidates: MaxCandidatesOption = MAX_CANDIDATES,
) -> None:
    """Write the near-blank folder that a proposer works in: what was known at a snapshot, and no more."""
    write_workspace(dataset, snapshot, to, max_candidates)
    typer.echo(f"{to} holds {', '.join(sorted(each.name for each in to.iterdir()))}.")


def run(
    dataset: DatasetArgument,
    agent_cmd: Annotated[
        str, typer.Option(metavar="CMD", help="The proposer; {workspace} stands for the folder it works in.")
    ],
    out: Annotated[Path, typer.Option(help="File of results; one that is there is gone on with.")] = Path(
        "results.jsonl"
    ),
    split: Annotated[SplitName, typer.Option(help="Which snapshots it works on.")] = SplitName.TEST,
    name: Annotated[str | None, typer.Option(help="Its name in the results; else that of the file.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that it may take for a snapshot.")] = (
        DEFAULT_TIMEOUT_S
    ),
    workers: Annotated[int, typer.Option(min=1, max=64, help="Snapshots that are worked on at once.")] = 1,
    max_candidates: MaxCandidatesOption = MAX_CANDIDATES,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Do those anew that failed or were not judged whole.")
    ] = False,
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
    cache: CacheOption = None,
    max_usd: MaxUsdOption = 5.0,
    base_url: BaseUrlOption = None,
    price: PriceOption = None,
    bge_model: BgeModelOption = DEFAULT_BGE_MODEL,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print warnings and errors alone.")] = False,
) -> None:
    """Let a proposer work on the snapshots of a split, and score it. Exit code 3: some have no full score."""
    scoring = ScoringSettings(
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
        threshold=threshold_in_use(threshold, calibration, scoring),
        model=judge_model,
        effort=effort,
        is_both_orders=both_orders,
        fallback=fallback,
    )
    settings = RunSettings(
        command=agent_cmd,
        out=out,
        name=name or out.stem,
        split=split,
        timeout_s=timeout,
        workers=workers,
        max_candidates=max_candidates,
        is_retrying=retry_failed,
        priors=as_priors(priors),
        judge=judge_settings,
        scoring=scoring,
    )
    lines = let_propose(settings, make_reporter(is_quiet=quiet))
    if not quiet:
        typer.echo(summary(settings.name, lines))
    if not all(line.is_complete for line in lines):
        raise typer.Exit(GATES_FAILED)


def summary(name: str, lines: Sequence[ResultLine]) -> str:
    """Say in a few sentences what came of a run; a snapshot that was not scored whole is in no mean."""
    scores = [line.result.set_score for line in lines if line.result is not None and line.is_complete]
    failed = sum(line.result is None for line in lines)
    partly = len(lines) - failed - len(scores)
    mean = f"mean set score {sum(scores) / len(scores):+.3f}" if scores else "no set score"
    tokens = sum(line.usage.input_tokens + line.usage.output_tokens for line in lines)
    usd = sum(line.usage.usd for line in lines)
    asked = f" The judge took {tokens:,} tokens, ${usd:.4f}." if tokens else ""
    return (
        f"{name}: {len(scores)} of {len(lines)} snapshots scored, {mean}; {failed} failed, {partly} were not "
        f"judged whole.{asked}"
    )
