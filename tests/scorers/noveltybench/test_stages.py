"""From generations to a summary through the files, with trouble on the way."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest

from scorers.noveltybench import Exchange, Pair, each_pair
from scorers.noveltybench.errors import NoveltyBenchError, RowError
from scorers.noveltybench.stages import partition_file, score_file
from scorers.noveltybench.summary import mean_and_error, summarize_file

LONG = "and five more words there"
GENERATIONS = [
    {"id": "a", "prompt": "A?", "model": "m", "generations": ["yes", "no", "Yes"]},
    {"id": "b", "prompt": "B?", "model": "m", "generations": [f"x {LONG}", f"x, {LONG}", f"y {LONG}"]},
    {"id": "c", "prompt": "C?", "model": "m", "generations": ["ha ha ha", "ha ha ha", ""]},
]
SAME_LETTER = each_pair(lambda left, right: left[:1] == right[:1])


def write(folder: Path, name: str, *lines: object) -> None:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / name).write_text("".join(f"{text}\n" for text in texts))


def read(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def by_length(exchanges: Sequence[Exchange]) -> list[float]:
    """Reward 0 for an output of a letter and more, -5.2 for one without."""
    return [0.0 if output else -5.2 for _, output in exchanges]


def test_the_stages_one_after_the_other(tmp_path: Path) -> None:
    write(tmp_path, "generations.jsonl", *GENERATIONS)
    staged = partition_file(tmp_path, SAME_LETTER)
    assert (staged.written, staged.failed, staged.rejected) == (3, (), ())
    partitions = read(tmp_path, "partitions.jsonl")
    assert [(row["partition"], row["distinct"]) for row in partitions] == [
        ([0, 1, 0], 2),
        ([0, 0, 1], 2),
        ([0, 0, 1], 2),
    ]
    score_file(tmp_path, by_length)
    scores = read(tmp_path, "scores.jsonl")
    assert [row["generation_scores"] for row in scores] == [[10, 10, 0], [10, 0, 10], [10, 0, 6]]
    assert [row["partition_scores"] for row in scores] == [[10, 10], [10, 10], [10, 6]]
    # 18, 16.4 and 13.84 of 2.44.
    utilities = [18 / 2.44, 16.4 / 2.44, 13.84 / 2.44]
    assert [row["utility"] for row in scores] == pytest.approx(utilities)
    summary, _ = summarize_file(tmp_path)
    assert json.loads((tmp_path / "summary.json").read_text()) == {
        "mean_distinct": 2.0,
        "mean_utility": pytest.approx(sum(utilities) / 3),
        "stderr_distinct": 0.0,
        "stderr_utility": pytest.approx(stdev(utilities) / math.sqrt(3)),
        "model": "m",
        "num_prompts": 3,
        "num_missing": 0,
        "num_generations": 3,
    }
    assert list(json.loads((tmp_path / "summary.json").read_text()))[:2] == ["mean_distinct", "mean_utility"]
    assert summary.num_prompts == 3


def test_the_letter_of_the_published_rule_is_there_on_demand(tmp_path: Path) -> None:
    write(tmp_path, "generations.jsonl", *GENERATIONS)
    partition_file(tmp_path, SAME_LETTER, is_compat=True)
    assert read(tmp_path, "partitions.jsonl")[2]["partition"] == [0, 1, 2]


def test_only_first_members_are_rewarded_with_their_prompt(tmp_path: Path) -> None:
    write(tmp_path, "generations.jsonl", *GENERATIONS)
    partition_file(tmp_path, SAME_LETTER)
    seen: list[Exchange] = []

    def note(exchanges: Sequence[Exchange]) -> list[float]:
        seen.extend(exchanges)
        return by_length(exchanges)

    score_file(tmp_path, note)
    assert seen[:2] == [("A?", "yes"), ("A?", "no")]
    assert len(seen) == 6


def test_trouble_with_one_prompt_is_its_own(tmp_path: Path) -> None:
    write(tmp_path, "generations.jsonl", GENERATIONS[0], "garbage", *GENERATIONS[1:], GENERATIONS[2])

    def refuse(pairs: Sequence[Pair]) -> list[bool]:
        raise RowError("An output is too hard.")

    staged = partition_file(tmp_path, refuse)
    assert staged.failed == ("The prompt b is left out. An output is too hard.",)
    assert [each.number for each in staged.rejected] == [2]
    assert [each.number for each in staged.repeated] == [4]
    assert [row["id"] for row in read(tmp_path, "partitions.jsonl")] == ["a", "c"]
    staged = score_file(
        tmp_path, lambda exchanges: [math.nan if output == "no" else 0 for _, output in exchanges]
    )
    assert staged.failed == ("The prompt a is left out. The reward model failed: A reward is not a number.",)
    summary, _ = summarize_file(tmp_path)
    # b could not be compared, a not rewarded, and the garbage may have been a prompt.
    assert (summary.num_prompts, summary.num_missing, summary.stderr_utility) == (1, 3, None)


def test_a_reward_too_few_is_noticed(tmp_path: Path) -> None:
    write(tmp_path, "partitions.jsonl", {**GENERATIONS[0], "partition": [0, 1, 0]})
    (sentence,) = score_file(tmp_path, lambda exchanges: [0.0]).failed
    assert sentence.startswith("The prompt a is left out. The reward model failed:")


def test_nothing_stored_is_believed(tmp_path: Path) -> None:
    """Three rows as public files have them: wrong aggregates, each output its own quality, no outputs at all."""
    row = {"id": "a", "prompt": "A?", "model": "m", "generations": list("xyz"), "partition": [0, 0, 1]}
    lies = {"distinct": 7, "utility": 9.9, "partition_scores": [10] * 9}
    write(
        tmp_path,
        "scores.jsonl",
        {**row, **lies, "generation_scores": [5, 0, 10]},
        {**row, **lies, "id": "b", "generation_scores": [5, 9, 10]},
        {"id": "c", "model": "m", "partition": [0, 0, 1], **lies, "generation_scores": [5, None, 10]},
    )
    summary, _ = summarize_file(tmp_path)
    # (5 + 0.64 * 10) / 2.44, three times.
    assert summary.mean_distinct == 2
    assert summary.mean_utility == pytest.approx(11.4 / 2.44)
    assert summary.stderr_utility == pytest.approx(0)
    other, _ = summarize_file(tmp_path, patience=1)
    assert other.mean_utility == 5


def test_prompts_without_outputs_are_missing_and_not_zero(tmp_path: Path) -> None:
    """The public code writes an empty list for a prompt that failed."""
    empty = {"id": "e", "prompt": "E?", "model": "m", "generations": []}
    write(tmp_path, "generations.jsonl", GENERATIONS[0], empty)
    write(tmp_path, "failures.jsonl", {"id": "f", "prompt": "F?", "model": "m", "reason": "No."})
    partition_file(tmp_path, SAME_LETTER)
    assert read(tmp_path, "partitions.jsonl")[1] == {**empty, "partition": [], "distinct": 0}
    score_file(tmp_path, by_length)
    assert read(tmp_path, "scores.jsonl")[1]["utility"] == 0
    summary, _ = summarize_file(tmp_path)
    assert (summary.mean_distinct, summary.num_prompts, summary.num_missing) == (2, 1, 2)
    write(tmp_path, "generations.jsonl", empty)
    partition_file(tmp_path, SAME_LETTER)
    score_file(tmp_path, by_length)
    with pytest.raises(NoveltyBenchError, match=r"scores\.jsonl cannot be summarized: No prompt has outputs"):
        summarize_file(tmp_path)


def test_mixed_numbers_of_outputs_are_told(tmp_path: Path) -> None:
    write(tmp_path, "generations.jsonl", GENERATIONS[0], {**GENERATIONS[1], "generations": ["x"]})
    partition_file(tmp_path, SAME_LETTER)
    score_file(tmp_path, by_length)
    assert summarize_file(tmp_path)[0].num_generations is None


def test_writers_are_not_mixed_and_nothing_is_no_file(tmp_path: Path) -> None:
    write(tmp_path, "generations.jsonl", GENERATIONS[0], {**GENERATIONS[1], "model": "other"})
    with pytest.raises(NoveltyBenchError, match="mixes the writers m, other"):
        partition_file(tmp_path, SAME_LETTER)
    write(tmp_path, "generations.jsonl", "garbage")
    with pytest.raises(NoveltyBenchError, match="holds no line that can be read"):
        partition_file(tmp_path, SAME_LETTER)
    with pytest.raises(NoveltyBenchError, match=r"run `speedrun-etl noveltybench score` first"):
        summarize_file(tmp_path)


def test_standard_errors_by_hand() -> None:
    # Mean 3; deviations -2, 0, 2; variance 8 / 2 = 4; error 2 / sqrt(3).
    mean, error = mean_and_error([1, 3, 5])
    assert (mean, error) == pytest.approx((3, 2 / math.sqrt(3)))
    assert mean_and_error([4, 4]) == (4, 0)
    assert mean_and_error([4]) == (4, None)
