"""Commands for proposers: the folder that one works in, and a run of one over the snapshots of a split."""

import hashlib
import json
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from pydantic import ValidationError

from flows.gates import GATES_FAILED
from flows.judges import (
    DEFAULT_TIMEOUT_S,
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
from flows.locks import output_lock
from flows.reporting import make_reporter
from flows.scoring import Opened, ScoringSettings, open_benchmark
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
    ThresholdOption,
    as_priors,
)
from flows.settings import ServiceOptions, WordsSettings
from outputs.current_recipes import FOLDER as RECIPES
from outputs.embeddings.bge_backend import DEFAULT_MODEL as DEFAULT_BGE_MODEL
from outputs.embeddings.one_at_a_time import OneAtATime
from outputs.manifest import read_manifest
from outputs.spending.budget import Usage
from scorers.candidates import Candidate
from scorers.errors import ScoringError
from scorers.llm_questions import DEFAULT_MODEL as DEFAULT_JUDGE_MODEL
from scorers.llm_questions import PURPOSE
from scorers.proposer_command import ProposerCommand, environment_without, split_command
from scorers.proposer_results import ResultLine, ResultsFile, Settings, Split
from scorers.proposer_runs import Proposer, run_proposer
from scorers.results import ScoringResult
from scorers.scoring import score
from scorers.thresholds import DEFAULT_THRESHOLD
from scorers.workspace import MAX_CANDIDATES, write_workspace

MaxCandidatesOption = Annotated[
    int, typer.Option(min=1, max=100, help="How many candidates of a snapshot count, the first by name.")
]


class SplitName(StrEnum):
    """Which snapshots are worked on."""

    DEV = "dev"
    TEST = "test"
    ALL = "all"


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
        str,
        typer.Option(metavar="CMD", help="Command of the proposer; {workspace} stands for its folder."),
    ],
    out: Annotated[Path, typer.Option(help="File of results; an earlier one of the same run is gone on with.")],
    split: Annotated[SplitName, typer.Option(help="Which snapshots are worked on.")] = SplitName.TEST,
    name: Annotated[str | None, typer.Option(help="Name of the proposer; that of the file by default.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that it may take for a snapshot.")] = 3600.0,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Snapshots that are worked on at once.")] = 1,
    max_candidates: MaxCandidatesOption = MAX_CANDIDATES,
    retry_failed: Annotated[
        bool,
        typer.Option("--retry-failed", help="Do those anew that failed or were not judged whole."),
    ] = False,
    judge: JudgeOption = JudgeName.COSINE,
    judge_model: JudgeModelOption = DEFAULT_JUDGE_MODEL,
    effort: EffortOption = Effort.MEDIUM,
    both_orders: BothOrdersOption = False,
    fallback: FallbackOption = FallbackName.NONE,
    judge_timeout: JudgeTimeoutOption = DEFAULT_TIMEOUT_S,
    embed: CompareByOption = None,
    threshold: ThresholdOption = DEFAULT_THRESHOLD,
    priors: PriorsOption = PriorsName.SCOPE,
    cache: CacheOption = None,
    max_usd: MaxUsdOption = 5.0,
    base_url: BaseUrlOption = None,
    price: PriceOption = None,
    bge_model: BgeModelOption = DEFAULT_BGE_MODEL,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print warnings and errors alone.")] = False,
) -> None:
    """Let a proposer work on the snapshots of a split, and score what it leaves. Exit code 3: some failed."""
    judge_settings = JudgeSettings(
        name=judge,
        threshold=threshold,
        model=judge_model,
        effort=effort,
        is_both_orders=both_orders,
        fallback=fallback,
    )
    scoring_settings = ScoringSettings(
        dataset=dataset,
        embed=embed.value if embed else None,
        words=WordsSettings(bge_model=bge_model),
        cache=cache,
        max_usd=max_usd,
        service=ServiceOptions(base_url=base_url, prices=tuple(price or ()), timeout_s=judge_timeout),
        is_asking=judge_settings.is_asking,
    )
    command = ProposerCommand(split_command(agent_cmd), timeout, environment_without(os.environ, dataset))
    proposer = Proposer(name or out.stem, dataset, command, max_candidates)
    reporter = make_reporter(is_quiet=quiet)
    with output_lock(out), open_benchmark(scoring_settings) as opened, _ended_by_sigterm():
        splits = _splits(opened)
        wanted = [each for each, its_split in splits.items() if split.value in (its_split, SplitName.ALL)]
        settings = _settings(proposer, opened, judge_settings, priors)
        file = ResultsFile(out, settings)
        if file.has_lost_a_line:
            reporter.say(f"The last line of {out} was torn and is dropped: its snapshot is done anew.")
        _charge(opened, judge_model, file.lines.values())
        chosen = make_judge(judge_settings, opened.purse)
        benchmark = opened.benchmark
        if benchmark.backend is not None:
            benchmark = benchmark.with_backend(OneAtATime(benchmark.backend))

        def scored(snapshot_id: str, candidates: Sequence[Candidate]) -> ScoringResult:
            return score(benchmark, snapshot_id, candidates, judge=chosen, priors=as_priors(priors))

        def tell(line: ResultLine) -> None:
            if line.reason is not None:
                reporter.say(f"{line.snapshot_id} failed: {line.reason}")
            reporter.advance(1)
