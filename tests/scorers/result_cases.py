"""Results of `run` by hand: a set for a snapshot, a line for a proposer, a file of lines."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from scorers.classes import Classification
from scorers.proposer_results import ResultLine, Settings
from scorers.results import CandidateResult, ScoringResult, UsageResult
from scorers.run_results import Placed
from scorers.set_score import set_score

DATASET = "0123456789abcdef"
SPLITS = {"s1": "test", "s2": "test", "s3": "test", "d1": "dev"}
"""Three snapshots that count, and one that does not."""


def settings(proposer: str, **changes: str | int) -> Settings:
    """The settings of a run, of which name and command are the proposer's own."""
    return {
        "proposer": proposer,
        "command_sha256": f"hash of {proposer}",
        "max_candidates": 5,
        "dataset_sha256": DATASET,
        "judge": "cosine",
        "threshold": 0.75,
        **changes,
    }


def candidate(score: float, distinct_class: int | None = 0) -> CandidateResult:
    """A candidate that earns so much; one without a class is invalid, as is one that earns -1."""
    kind = Classification.INVALID if distinct_class is None else Classification.NOVEL_UNVALIDATED
    return CandidateResult(
        path="idea.md",
        title="Idea",
        classification=kind,
        score=score,
        confidence=1.0,
        reason="It is a case.",
        distinct_class=distinct_class,
    )


def result(
    scores: Sequence[float],
    classes: Sequence[int | None] | None = None,
    *,
    snapshot_id: str = "s1",
    diversity: float = 0.0,
    valid_fraction: float = 1.0,
    **changes: object,
) -> ScoringResult:
    """A scored set, every candidate an idea of its own unless it is told otherwise."""
    made = [
        candidate(score, number) for score, number in zip(scores, classes or range(len(scores)), strict=True)
    ]
    return ScoringResult(
        snapshot_id=snapshot_id,
        wall_clock=datetime(2026, 1, 1, tzinfo=UTC),
        judge="cosine",
        embedding="lexical",
        embedding_model="words",
        threshold=0.75,
        priors="scope",
        num_priors=1,
        num_futures=1,
        is_compat=False,
        diversity_weight=0.5,
        validity_weight=0.1,
        set_score=set_score(scores, diversity, valid_fraction),
        sum_of_scores=sum(scores),
        diversity=diversity,
        valid_fraction=valid_fraction,
        num_unjudged=0,
        usage=UsageResult(),
        candidates=tuple(made),
    ).model_copy(update=changes)


def scored(proposer: str, snapshot_id: str, made: ScoringResult, **changes: str | int) -> Placed:
    """A line of a proposer whose set was scored."""
    line = ResultLine(
        proposer=proposer,
        snapshot_id=snapshot_id,
        split="dev" if SPLITS.get(snapshot_id) == "dev" else "test",
        status="scored",
        result=made.model_copy(update={"snapshot_id": snapshot_id}),
        settings=settings(proposer, **changes),
    )
    return Placed(f"{proposer}.jsonl:{snapshot_id}", line)


def total(proposer: str, snapshot_id: str, value: float) -> Placed:
    """A line of a proposer whose set of one candidate has a set score of so much: all but 0.1 is its own."""
    return scored(proposer, snapshot_id, result([value - 0.1]))


def failed(proposer: str, snapshot_id: str, reason: str = "It hung.", **changes: str | int) -> Placed:
    """A line of a proposer from whom nothing came."""
    line = ResultLine(
        proposer=proposer,
        snapshot_id=snapshot_id,
        split="test",
        status="failed",
        reason=reason,
        settings=settings(proposer, **changes),
    )
    return Placed(f"{proposer}.jsonl:{snapshot_id}", line)


def write_lines(path: Path, lines: Sequence[Placed]) -> Path:
    """Write lines into a file, as `run` does."""
    path.write_text("".join(each.line.model_dump_json() + "\n" for each in lines), encoding="utf-8")
    return path
