"""A run of a proposer from its settings: dataset, judge, purse and results are opened, and it starts."""

import hashlib
import json
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from types import FrameType

from pydantic import BaseModel, ConfigDict, Field

from flows.judges import JudgeSettings, make_judge
from flows.locks import output_lock
from flows.reporting import Reporter
from flows.scoring import Opened, ScoringSettings, dataset_sha256, open_benchmark
from outputs.embeddings.one_at_a_time import OneAtATime
from outputs.spending.budget import Usage
from scorers.candidates import Candidate
from scorers.llm_questions import PURPOSE
from scorers.pools import Priors
from scorers.proposer_command import ProposerCommand, environment_without, split_command
from scorers.proposer_results import ResultLine, ResultsFile, Settings, Split
from scorers.proposer_runs import Proposer, run_proposer
from scorers.results import ScoringResult
from scorers.scoring import score
from scorers.workspace import MAX_CANDIDATES

DEFAULT_TIMEOUT_S = 3600.0


class SplitName(StrEnum):
    """Which snapshots are worked on."""

    DEV = "dev"
    TEST = "test"
    ALL = "all"


class RunSettings(BaseModel):
    """What a run of a proposer is told.

    Attributes:
        command: The command of the proposer.
        out: File of results.
        name: Name of the proposer.
        split: Which snapshots are worked on.
        timeout_s: How long the command may take for one.
        workers: How many are worked on at once.
        max_candidates: How many candidates of a snapshot count.
        is_retrying: Whether those are done anew that failed or were not judged whole.
        priors: Whose experiments count as priors.
        judge: Who judges.
        scoring: How the dataset is opened.
    """

    model_config = ConfigDict(frozen=True)

    command: str
    out: Path
    name: str
    split: SplitName = SplitName.TEST
    timeout_s: float = Field(default=DEFAULT_TIMEOUT_S, gt=0)
    workers: int = Field(default=1, ge=1)
    max_candidates: int = Field(default=MAX_CANDIDATES, ge=1)
    is_retrying: bool = False
    priors: Priors = "scope"
    judge: JudgeSettings = JudgeSettings()
    scoring: ScoringSettings


def let_propose(settings: RunSettings, reporter: Reporter) -> tuple[ResultLine, ...]:
    """Let a proposer work on the snapshots of a split, and score what it leaves.

    Raises:
        LockedError: If another run writes to the same file.
        ScoringError: If nothing can be scored, or the results belong to another run.
        SpendingError: If a model can be asked no more.
    """
    dataset = settings.scoring.dataset
    command = ProposerCommand(
        split_command(settings.command), settings.timeout_s, environment_without(os.environ, dataset)
    )
    proposer = Proposer(settings.name, dataset, command, settings.max_candidates)
    with output_lock(settings.out), open_benchmark(settings.scoring) as opened:
        splits = _splits(opened)
        wanted = [name for name, split in splits.items() if settings.split in (split, SplitName.ALL)]
        judge = make_judge(settings.judge, opened.purse)
        file = ResultsFile(settings.out, _for_results(settings, command, opened))
        _charge(opened, settings.judge.model, file)
        benchmark = opened.benchmark
        if benchmark.backend is not None:
            benchmark = benchmark.with_backend(OneAtATime(benchmark.backend))
        if file.has_lost_a_line:
            reporter.say(
                f"The last line of {settings.out} was torn and is dropped; its snapshot is done anew."
            )

        def score_them(snapshot_id: str, candidates: Sequence[Candidate]) -> ScoringResult:
            return score(
                benchmark,
                snapshot_id,
                candidates,
                judge=judge,
                threshold=settings.judge.threshold,
                priors=settings.priors,
            )

        def tell(line: ResultLine) -> None:
            reporter.advance(1)
            if line.reason is not None:
                reporter.say(f"{line.snapshot_id} failed: {line.reason}")

        with reporter.stage("propose", len(wanted)), _interrupted_by_sigterm():
            return run_proposer(
                proposer,
                splits,
                wanted,
                score_them,
                file,
                num_workers=settings.workers,
                is_retrying=settings.is_retrying,
                say=tell,
            )


def _splits(opened: Opened) -> dict[str, Split]:
    rows = opened.benchmark.snapshots.select("snapshot_id", "split").iter_rows()
    return {name: "dev" if split == "dev" else "test" for name, split in rows}


def _for_results(settings: RunSettings, command: ProposerCommand, opened: Opened) -> Settings:
    """List what decides what the results mean. Of the command only a hash is told, as it may hold a key."""
    words = json.dumps(command.arguments).encode()
    return {
        "proposer": settings.name,
        "command_sha256": hashlib.sha256(words).hexdigest(),
        "max_candidates": settings.max_candidates,
        "dataset_sha256": dataset_sha256(settings.scoring.dataset),
        "embedding": opened.benchmark.embedding,
        "embedding_model": opened.benchmark.model,
        "priors": settings.priors,
        **settings.judge.for_results(),
    }


def _charge(opened: Opened, model: str, file: ResultsFile) -> None:
    """Let what earlier parts of this run have spent count, so that the limit holds for the run as a whole."""
    spent = sum(line.usage.usd for line in file.lines.values())
    if opened.purse is not None and spent:
        opened.purse.budget.settle(PURPOSE, model, Usage(), Usage(usd=spent))


@contextmanager
def _interrupted_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end the work as Ctrl-C does, with all processes that were started for it."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
