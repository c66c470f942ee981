"""Drives a proposer over snapshots: workspace, command, candidates, score, a line of results each.

What a proposer leaves is copied beside the results as soon as it is done, and a snapshot whose candidates are
there is only scored. So neither a kill nor a judge that fails nor a small budget costs a proposer's work.
"""

import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from outputs.spending.errors import SpendingError
from parsers.lines import MAX_TEXT_BYTES
from scorers.candidates import Candidate, read_candidate
from scorers.classes import Classification
from scorers.proposer_command import ProposerCommand, ProposerFailedError, StoppedError, run_command
from scorers.proposer_results import NOTHING_USED, ResultLine, ResultsFile, Split
from scorers.results import ScoringResult, UsageResult
from scorers.workspace import CANDIDATES, MAX_CANDIDATES, write_workspace

MAX_KEPT = 100
"""Of more candidates than this the others are not even copied."""

_TICK_S = 0.2
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_NAME_CHARS = 80

Score = Callable[[str, Sequence[Candidate]], ScoringResult]
"""Scores the candidates for a snapshot."""


@dataclass(frozen=True, slots=True)
class Proposer:
    """Who proposes, and for what.

    Attributes:
        name: What it is called in the results.
        dataset: Folder of the dataset.
        command: How it is started.
        max_candidates: How many candidates of a snapshot count.
    """

    name: str
    dataset: Path
    command: ProposerCommand
    max_candidates: int = MAX_CANDIDATES


def run_proposer(
    proposer: Proposer,
    splits: Mapping[str, Split],
    wanted: Sequence[str],
    score: Score,
    file: ResultsFile,
    *,
    num_workers: int = 1,
    is_retrying: bool = False,
    say: Callable[[ResultLine], None] = lambda line: None,
) -> tuple[ResultLine, ...]:
    """Let a proposer work on snapshots, and score what it leaves.

    Args:
        proposer: Who proposes.
        splits: The split of every snapshot of the dataset, in their order.
        wanted: The snapshots to work on; those that stand in the file are done already.
        score: Scores candidates. Called from several threads.
        file: Where results go.
        num_workers: How many are worked on at once.
        is_retrying: Whether those that failed, or were not judged whole, are done anew.
        say: Told of every line that is written.

    Returns:
        The lines of the snapshots that were wanted, those of earlier runs too.

    Raises:
        ScoringError: If nothing can be scored at all. What is finished is in the file, here and below.
        SpendingError: If a model can be asked no more.
    """
    if is_retrying:
        file.drop([name for name in wanted if name in file.lines and not file.lines[name].is_complete])
    worker = _Worker(proposer, splits, score, file)
    try:
        with ThreadPoolExecutor(num_workers) as pool:
            pending = [pool.submit(worker.work, name) for name in wanted if name not in file.lines]
            try:
                for future in _as_completed(pending):
                    say(future.result())
            except BaseException as error:
                # Without money no more can be scored, but what proposers are at is kept for later.
                if not isinstance(error, SpendingError):
                    worker.stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
    finally:
        file.arrange(list(splits))
    return tuple(file.lines[name] for name in wanted)


def _as_completed(futures: Sequence[Future[ResultLine]]) -> Iterator[Future[ResultLine]]:
    """Give futures as they end, and look up now and then.

    A wait without end would not be ended by Ctrl-C: polars catches it too, and lets such waits go on.
    """
    remaining = set(futures)
    while remaining:
        done, remaining = wait(remaining, _TICK_S, FIRST_COMPLETED)
        yield from done


@dataclass(frozen=True, slots=True)
class _Worker:
    """Works on one snapshot at a time, in each of several threads.

    Attributes:
        stop: Set to call all work off.
    """

    proposer: Proposer
    splits: Mapping[str, Split]
    score: Score
    file: ResultsFile
    stop: threading.Event = field(default_factory=threading.Event)

    def work(self, snapshot_id: str) -> ResultLine:
        """Propose, unless that is done, score, and bring the line to the disk."""
        if self.stop.is_set():
            raise StoppedError
        started_s = time.monotonic()
        try:
            if not self.file.candidates(snapshot_id).is_dir():
                self._propose(snapshot_id)
            line = self._scored(snapshot_id)
        except ProposerFailedError as error:
            line = self._line(snapshot_id, str(error))
        line = line.model_copy(update={"seconds": round(time.monotonic() - started_s, 3)})
        self.file.append(line)
        return line

    def _propose(self, snapshot_id: str) -> None:
        """Let the proposer work in a folder of its own, and keep the candidates that it leaves."""
        log = self.file.log(snapshot_id)
        log.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="workspace-", ignore_cleanup_errors=True) as folder:
            workspace = Path(folder).resolve()
            write_workspace(self.proposer.dataset, snapshot_id, workspace, self.proposer.max_candidates)
            run_command(self.proposer.command, workspace, log, self.stop)
            keep_candidates(workspace / CANDIDATES, self.file.candidates(snapshot_id))

    def _scored(self, snapshot_id: str) -> ResultLine:
        """Score the candidates that were kept."""
        kept = sorted(self.file.candidates(snapshot_id).iterdir())
        candidates = [
            replace(read_candidate(path), path=path.relative_to(self.file.folder).as_posix())
            for path in kept[: self.proposer.max_candidates]
        ]
        result = self.score(snapshot_id, candidates)
        num_left_out = len(kept) - len(candidates)
        valid = [each for each in result.candidates if each.classification is not Classification.INVALID]
        if valid and len(valid) == result.num_unjudged:
            reason = f"None of {len(valid)} candidates could be judged: {valid[0].reason}"
            return self._line(snapshot_id, reason, None, num_left_out, result.usage)
        return self._line(snapshot_id, None, result, num_left_out, result.usage)

    def _line(
        self,
        snapshot_id: str,
        reason: str | None,
        result: ScoringResult | None = None,
        num_left_out: int = 0,
        usage: UsageResult = NOTHING_USED,
    ) -> ResultLine:
        return ResultLine(
            proposer=self.proposer.name,
            snapshot_id=snapshot_id,
            split=self.splits[snapshot_id],
            status="failed" if result is None else "scored",
            reason=reason,
            result=result,
            num_left_out=num_left_out,
            usage=usage,
            settings=self.file.settings,
        )


def keep_candidates(folder: Path, to: Path) -> None:
    """Copy what a proposer left, under names that are safe and keep its order; all of it or nothing.

    Only regular files whose names end in `.md` are candidates: a link could lead anywhere, a pipe nowhere.

    Args:
        folder: The folder that it was told to write to.
        to: The new folder.

    Raises:
        ProposerFailedError: If there is none, or one cannot be read.
    """
    beside = to.with_name(f".{to.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    try:
        found = _candidate_files(folder)
        for number, path in enumerate(found[:MAX_KEPT]):
            with path.open("rb") as file:
                # One byte too many, so that whoever reads it sees that it is too large.
                data = file.read(MAX_TEXT_BYTES + 1)
            (beside / f"{number:02d}-{_safe(path.stem)}.md").write_bytes(data)
    except PermissionError:
        raise ProposerFailedError("Its candidates cannot be read (PermissionError).") from None
    if not found:
        raise ProposerFailedError(f"It left no candidate: no file *.md in the folder {CANDIDATES}.")
    beside.replace(to)


def _candidate_files(folder: Path) -> list[Path]:
    if folder.is_symlink() or not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        names = sorted(
            each.name
            for each in entries
            if each.name.endswith(".md")
            and not each.name.startswith(".")
            and each.is_file(follow_symlinks=False)
        )
    return [folder / name for name in names]


def _safe(name: str) -> str:
    r"""Make a name that no terminal, shell or file system stumbles over.

    >>> _safe("my idea\n"), _safe("../x")
    ('my-idea-', '..-x')
    """
    return _ODD.sub("-", name)[:_MAX_NAME_CHARS]
