"""Stages two and three: the classes of outputs, and their quality; one prompt's trouble is its own."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from scorers.noveltybench.equivalence import Equivalence
from scorers.noveltybench.errors import NoveltyBenchError, RowError
from scorers.noveltybench.files import (
    GENERATIONS,
    PARTITIONS,
    SCORES,
    Lines,
    Rejected,
    read_lines,
    write_lines,
)
from scorers.noveltybench.metrics import PATIENCE, first_members
from scorers.noveltybench.partitioning import partition
from scorers.noveltybench.quality import RewardModel, quality_of
from scorers.noveltybench.rows import Generations, Partition, score_line

G = TypeVar("G", bound=Generations)

Advance = Callable[[int], None]
"""Told how many more prompts are over."""


@dataclass(frozen=True, slots=True)
class Staged:
    """What came of a stage.

    Attributes:
        written: Prompts that stand in the stage's file.
        failed: A sentence for each prompt that does not, though its line could be read.
        rejected: Lines that could not be read.
        repeated: Lines that a later one of the same id stands in for.
    """

    written: int
    failed: tuple[str, ...]
    rejected: tuple[Rejected, ...]
    repeated: tuple[Rejected, ...]


def partition_file(
    folder: Path, equivalence: Equivalence, *, is_compat: bool = False, advance: Advance = lambda _: None
) -> Staged:
    """Write `partitions.jsonl` from `generations.jsonl`.

    Args:
        folder: Where the files are.
        equivalence: Judges pairs of outputs.
        is_compat: Follow the letter of the published rule (`partitioning.partition`).
        advance: Told how many more prompts are over.

    Raises:
        NoveltyBenchError: If there is no such file, or it holds no output of one writer.
    """
    lines = read_lines(folder / GENERATIONS, Generations)

    def classify(row: Generations) -> dict[str, object]:
        labels = partition(row.generations, equivalence, is_compat=is_compat)
        return Partition(**row.model_dump(), partition=tuple(labels)).to_line()

    return _stage(folder / GENERATIONS, lines, classify, folder / PARTITIONS, advance)


def score_file(
    folder: Path, reward: RewardModel, *, patience: float = PATIENCE, advance: Advance = lambda _: None
) -> Staged:
    """Write `scores.jsonl` from `partitions.jsonl`. Only first members are rewarded: nothing else counts.

    Args:
        folder: Where the files are.
        reward: Rewards outputs.
        patience: The probability of `metrics.utility_k`.
        advance: Told how many more prompts are over.

    Raises:
        NoveltyBenchError: If there is no such file, or it holds no output of one writer.
    """
    lines = read_lines(folder / PARTITIONS, Partition)

    def score(row: Partition) -> dict[str, object]:
        return score_line(row, _qualities(row, reward), patience)

    return _stage(folder / PARTITIONS, lines, score, folder / SCORES, advance)


def _qualities(row: Partition, reward: RewardModel) -> list[int]:
    heads = first_members(row.partition)
    rewards = reward([(row.prompt, row.generations[head]) for head in heads]) if heads else ()
    qualities = [0] * len(row.partition)
    try:
        for head, each in zip(heads, rewards, strict=True):
            qualities[head] = quality_of(each)
    except ValueError as error:
        raise RowError(f"The reward model failed: {error}") from None
    return qualities


def _stage(
    source: Path,
    lines: Lines[G],
    do: Callable[[G], dict[str, object]],
    target: Path,
    advance: Advance,
) -> Staged:
    check_one_writer(source, (row.model for row in lines.rows))
    failed: list[str] = []

    def done() -> Iterator[dict[str, object]]:
        for row in lines.rows:
            try:
                yield do(row)
            except RowError as error:
                failed.append(f"The prompt {row.id} is left out. {error}")
            advance(1)

    write_lines(target, done())
    return Staged(len(lines.rows) - len(failed), tuple(failed), lines.rejected, lines.repeated)


def check_one_writer(path: Path, writers: Iterable[str]) -> None:
    """Refuse to mix writers, whose numbers no mean should hide.

    Args:
        path: The file.
        writers: The writer of each row.

    Raises:
        NoveltyBenchError: If there are several, or no row at all.
    """
    distinct = sorted(set(writers))
    if not distinct:
        raise NoveltyBenchError(f"{path} holds no line that can be read.")
    if len(distinct) > 1:
        raise NoveltyBenchError(f"{path} mixes the writers {', '.join(distinct)}: keep one folder a writer.")
