"""The files: shapes as published, lines that cannot be read, and aggregates that are not believed."""

import json
from pathlib import Path

import pytest

from scorers.noveltybench.errors import NoveltyBenchError
from scorers.noveltybench.files import line_of, read_lines, write_lines
from scorers.noveltybench.rows import Generations, Partition, Prompt, Score, score_line

ROW = {"id": "curated-1", "prompt": "Pick.", "model": "m", "generations": ["a", "b"]}


def written(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def test_a_prompt_needs_id_and_text_alone(tmp_path: Path) -> None:
    curated = '{"id":"curated-0","category":"Creativity","prompt":"Tell me a story."}'
    wild = {"id": "WildChat-d6", "prompt": "Write.", "chosen": True, "meta": {"response": {"is_clear": True}}}
    found = read_lines(
        written(tmp_path / "prompts.jsonl", curated, "", wild, {"id": 7, "prompt": ""}), Prompt
    )
    assert [(row.id, row.prompt) for row in found.rows] == [
        ("curated-0", "Tell me a story."),
        ("WildChat-d6", "Write."),
        ("7", ""),
    ]
    assert (found.rejected, found.repeated, found.is_torn) == ((), (), False)


def test_lines_have_the_published_keys_in_the_published_order() -> None:
    generations = Generations.model_validate({**ROW, "generation_config": {"mode": "x"}})
    assert list(generations.to_line()) == ["id", "prompt", "model", "generations"]
    partition = Partition.model_validate({**ROW, "partition": [0, 0]})
    assert list(partition.to_line()) == ["id", "prompt", "model", "generations", "partition", "distinct"]
    assert line_of(score_line(partition, [9, 4], 0.8)) == (
        '{"id": "curated-1", "prompt": "Pick.", "model": "m", "generations": ["a", "b"], "partition": [0, 0], '
        '"distinct": 1, "generation_scores": [9, 0], "partition_scores": [9], "utility": 5.0}\n'
    )


def test_scores_of_three_classes() -> None:
    row = Partition.model_validate({**ROW, "generations": list("abcd"), "partition": [0, 1, 0, 2]})
    line = score_line(row, [3, 10, 8, 5], 0.5)
    assert line["generation_scores"] == [3, 10, 0, 5]
    assert line["partition_scores"] == [3, 10, 5]
    # (1 * 3 + 0.5 * 10 + 0.125 * 5) / 1.875
    assert line["utility"] == pytest.approx(8.625 / 1.875)


def test_stored_aggregates_are_counted_anew() -> None:
    """Some published files carry `distinct` as the highest label, which is one too few."""
    stored = {**ROW, "partition": [0, 1], "distinct": 1}
    assert Partition.model_validate(stored).to_line()["distinct"] == 2


def test_an_empty_list_and_null_behave() -> None:
    row = Generations.model_validate({**ROW, "generations": []})
    empty = Partition(**row.model_dump(), partition=())
    assert empty.to_line()["distinct"] == 0
    line = score_line(empty, [], 0.8)
    assert (line["generation_scores"], line["partition_scores"], line["utility"]) == ([], [], 0)
    assert Generations.model_validate({**ROW, "generations": [None, "a"]}).generations == ("", "a")


def test_a_bad_line_costs_no_other_one(tmp_path: Path) -> None:
    lines = [
        ROW,
        "not json",
        {**ROW, "id": "b", "generations": "ab"},
        {**ROW, "id": "c", "generations": [["a"]]},
        '"a string"',
        {**ROW, "id": "d", "model": None},
        {**ROW, "id": "e"},
    ]
    found = read_lines(written(tmp_path / "generations.jsonl", *lines), Generations)
    assert [row.id for row in found.rows] == ["curated-1", "e"]
    assert [each.number for each in found.rejected] == [2, 3, 4, 5, 6]
    assert str(found.rejected[0]).startswith(f"{tmp_path / 'generations.jsonl'}, line 2: Invalid JSON")
    assert str(found.rejected[1]).endswith("line 3: generations: Input should be a valid array")
    assert not found.is_torn


@pytest.mark.parametrize(
    ("partition", "reason"),
    [
        ([0], "2 outputs have 1 classes"),
        ([0, -1], "partition.1: Input should be greater than or equal to 0"),
        ([0, 0.5], "partition.1: Input should be a valid integer, got a number with a fractional part"),
    ],
)
def test_classes_must_fit_the_outputs(tmp_path: Path, partition: list[float], reason: str) -> None:
    found = read_lines(written(tmp_path / "partitions.jsonl", {**ROW, "partition": partition}), Partition)
    assert [each.reason for each in found.rejected] == [reason]


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ("[9]", "2 outputs have 1 qualities."),
        ("[9, null]", "Output 2 is the first of its class and has no quality."),
        ("[9, 11]", "generation_scores.1: Input should be less than or equal to 10"),
        ("[9, NaN]", "generation_scores.1: Input should be greater than or equal to 0"),
    ],
)
def test_every_class_needs_a_quality(tmp_path: Path, scores: str, reason: str) -> None:
    line = f'{{"id": "a", "model": "m", "partition": [0, 1], "generation_scores": {scores}}}'
    found = read_lines(written(tmp_path / "scores.jsonl", line), Score)
    assert [each.reason for each in found.rejected] == [reason]


def test_of_lines_with_one_id_the_last_counts(tmp_path: Path) -> None:
    path = written(tmp_path / "g.jsonl", ROW, {**ROW, "id": "b"}, {**ROW, "generations": ["c"]})
    found = read_lines(path, Generations)
    assert [(row.id, row.generations) for row in found.rows] == [("curated-1", ("c",)), ("b", ("a", "b"))]
    assert [str(each) for each in found.repeated] == [f"{path}, line 1: line 3 has the same id"]


def test_bytes_that_are_no_text_line_ends_of_windows_and_a_mark_of_byte_order(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"id": "a", "prompt": "x\xe2\x80\xa8y"}\r\n{"id": "\xff"}\r\n{"id": "b", "prompt": ""}'
    )
    found = read_lines(path, Prompt)
    assert [(row.id, row.prompt) for row in found.rows] == [("a", "x\u2028y"), ("b", "")]
    assert [each.number for each in found.rejected] == [2]
    assert not found.is_torn, "the last line lacks its end, but is whole"


def test_a_torn_line_is_the_last_and_has_no_end(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n{json.dumps(ROW)[:30]}")
    assert read_lines(path, Generations).is_torn
    path.write_text(f"{json.dumps(ROW)}\n{json.dumps(ROW)[:30]}\n")
    assert not read_lines(path, Generations).is_torn


def test_a_file_that_is_not_there_says_which_stage_writes_it(tmp_path: Path) -> None:
    with pytest.raises(NoveltyBenchError, match=r"run `speedrun-etl noveltybench partition` first"):
        read_lines(tmp_path / "partitions.jsonl", Partition)
    with pytest.raises(NoveltyBenchError, match=r"There is no file .*prompts\.txt\."):
        read_lines(tmp_path / "prompts.txt", Prompt)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "g.jsonl", ROW)
    before = path.read_text()

    def broken() -> object:
        yield ROW
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write_lines(path, broken())  # type: ignore[arg-type]
    assert path.read_text() == before
    write_lines(path, [{"id": "é"}])
    assert path.read_bytes() == b'{"id": "\\u00e9"}\n'
