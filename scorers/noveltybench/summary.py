"""Stage four: the means over all prompts with their standard errors, from classes and qualities alone."""

from collections.abc import Sequence
from math import fsum, sqrt
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from scorers.noveltybench.errors import NoveltyBenchError
from scorers.noveltybench.files import FAILURES, GENERATIONS, SCORES, SUMMARY, Lines, read_lines, write_text
from scorers.noveltybench.metrics import PATIENCE, distinct_k, utility_k
from scorers.noveltybench.rows import Line, Score
from scorers.noveltybench.stages import check_one_writer


class Summary(BaseModel):
    """The measures of one writer. The published `summary.json` has the first two keys alone.

    Attributes:
        mean_distinct: Mean of distinct_k.
        mean_utility: Mean of utility_k.
        stderr_distinct: Standard error of the former; None of a single prompt.
        stderr_utility: Standard error of the latter.
        model: The writer.
        num_prompts: Prompts that the means are over.
        num_missing: Prompts in no mean: they failed, have no output, or stand in no line that can be read.
        num_generations: k; None where prompts differ in it, which makes the means hard to compare.
    """

    model_config = ConfigDict(frozen=True)

    mean_distinct: float
    mean_utility: float
    stderr_distinct: float | None
    stderr_utility: float | None
    model: str
    num_prompts: int
    num_missing: int
    num_generations: int | None


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """Give the mean, and its standard error: the sample's standard deviation (n - 1) over the root of n.

    >>> mean_and_error([1, 3]), mean_and_error([4])
    ((2.0, 1.0), (4.0, None))
    """
    mean = fsum(values) / len(values)
    if len(values) == 1:
        return mean, None
    variance = fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, sqrt(variance / len(values))


def summarize(rows: Sequence[Score], num_missing: int = 0, patience: float = PATIENCE) -> Summary:
    """Summarize the scores of one writer; a prompt without outputs counts as missing, not as nothing.

    Args:
        rows: The scores, of one writer.
        num_missing: Prompts that have none.
        patience: The probability of `metrics.utility_k`.

    Raises:
        ValueError: If no prompt has outputs.
    """
    answered = [row for row in rows if row.partition]
    if not answered:
        raise ValueError("No prompt has outputs.")
    distinct = mean_and_error([distinct_k(row.partition) for row in answered])
    utility = mean_and_error([utility_k(row.partition, row.generation_scores, patience) for row in answered])
    sizes = {len(row.partition) for row in answered}
    return Summary(
        mean_distinct=distinct[0],
        mean_utility=utility[0],
        stderr_distinct=distinct[1],
        stderr_utility=utility[1],
        model=answered[0].model,
        num_prompts=len(answered),
        num_missing=num_missing + len(rows) - len(answered),
        num_generations=sizes.pop() if len(sizes) == 1 else None,
    )


def summarize_file(folder: Path, patience: float = PATIENCE) -> tuple[Summary, Lines[Score]]:
    """Write `summary.json` from `scores.jsonl`.

    Args:
        folder: Where the files are.
        patience: The probability of `metrics.utility_k`, whatever it was when the scores were written.

    Returns:
        The summary, and what was read.

    Raises:
        NoveltyBenchError: If there is no score.
    """
    path = folder / SCORES
    lines = read_lines(path, Score)
    check_one_writer(path, (row.model for row in lines.rows))
    try:
        summary = summarize(lines.rows, _num_missing(folder, lines), patience)
    except ValueError as error:
        raise NoveltyBenchError(f"{path} cannot be summarized: {error}") from None
    write_text(folder / SUMMARY, summary.model_dump_json(indent=2) + "\n")
    return summary, lines


def _num_missing(folder: Path, lines: Lines[Score]) -> int:
    """Count prompts without a score, by what the folder knows of earlier stages."""
    known: set[str] = set()
    unreadable = len(lines.rejected)
    for name in (GENERATIONS, FAILURES):
        if (folder / name).exists():
            earlier = read_lines(folder / name, Line)
            known |= {row.id for row in earlier.rows}
            unreadable = len(earlier.rejected) if name == GENERATIONS else unreadable
    return len(known - {row.id for row in lines.rows}) + unreadable
