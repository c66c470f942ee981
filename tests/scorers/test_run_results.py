"""Results are refused where a line is broken, contradicts itself, or does not compare with the others."""

import json
from pathlib import Path

import pytest

from scorers.errors import ScoringError
from scorers.run_results import check_comparable, check_snapshots, read_results
from tests.scorers.result_cases import DATASET, SPLITS, failed, result, scored, total, write_lines


def refusal(path: Path) -> str:
    with pytest.raises(ScoringError) as caught:
        read_results([path])
    return str(caught.value).replace(str(path.parent) + "/", "")


def changed(folder: Path, **changes: object) -> Path:
    """A file whose second line is changed."""
    fields = json.loads(total("a", "s1", 1.0).line.model_dump_json())
    path = write_lines(folder / "a.jsonl", [failed("a", "s2")])
    with path.open("a") as file:
        file.write(json.dumps(fields | changes) + "\n")
    return path


def test_lines_come_back_as_they_were_written(tmp_path: Path) -> None:
    lines = [total("a", "s1", 1.0), failed("a", "s2"), scored("a", "s3", result([0.3, -1], [0, None]))]
    path = write_lines(tmp_path / "a.jsonl", lines)
    path.write_text(path.read_text() + "\n\n")
    found = read_results([path, write_lines(tmp_path / "b.jsonl", [failed("b", "s1")])])
    assert [each.line for each in found] == [each.line for each in lines] + [failed("b", "s1").line]
    assert found[1].place == f"{path}:2"


def test_what_is_no_line_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"proposer": "a"')
    assert refusal(path).startswith("a.jsonl:1 is no result of a proposer: Invalid JSON")
    assert refusal(changed(tmp_path, split="train")).startswith(
        "a.jsonl:2 is no result of a proposer: split: "
    )
    assert "a.jsonl:2 is no result of a proposer: proposer" in refusal(changed(tmp_path, proposer=None))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "gone.jsonl") == "gone.jsonl cannot be read: FileNotFoundError."
    (tmp_path / "x.jsonl").write_bytes(b"\xff")
    assert refusal(tmp_path / "x.jsonl") == "x.jsonl cannot be read: UnicodeDecodeError."


def test_status_and_result_must_fit(tmp_path: Path) -> None:
    assert refusal(changed(tmp_path, status="failed")) == "a.jsonl:2 is failed and has a result."
    assert refusal(changed(tmp_path, result=None)) == "a.jsonl:2 is scored and has no result."


def test_a_result_of_another_snapshot_is_refused(tmp_path: Path) -> None:
    assert refusal(changed(tmp_path, snapshot_id="s9")) == "a.jsonl:2 is about s9 and scores s1."


def test_a_stated_sum_is_not_trusted(tmp_path: Path) -> None:
    """0.9 + 0.5 * 0 + 0.1 * 1 = 1, and the line says 5."""
    fields = json.loads(total("a", "s1", 1.0).line.model_dump_json())["result"] | {"set_score": 5.0}
    assert "states a set score of 5, and its candidates make 1: score" in refusal(
        changed(tmp_path, result=fields)
    )


def test_classes_must_be_told(tmp_path: Path) -> None:
    fields = json.loads(total("a", "s1", 1.0).line.model_dump_json())["result"]
    del fields["candidates"][0]["distinct_class"]
    assert "a.jsonl:2 does not tell which candidates state the same" in refusal(
        changed(tmp_path, result=fields)
    )
    fields["candidates"][0]["classification"] = "invalid"
    assert len(read_results([changed(tmp_path, result=fields)])) == 2


def test_snapshots_must_be_those_of_the_dataset() -> None:
    check_snapshots([total("a", "s1", 1.0), total("a", "d1", 1.0)], SPLITS)
    with pytest.raises(ScoringError, match=r"a.jsonl:s9: s9 is no snapshot of the dataset"):
        check_snapshots([failed("a", "s9")], SPLITS)
    with pytest.raises(ScoringError, match=r"has d1 in the split test, and the dataset in dev"):
        check_snapshots([failed("a", "d1")], SPLITS)


def test_a_second_result_is_refused() -> None:
    check_snapshots([total("a", "s1", 1.0), total("b", "s1", 1.0)], SPLITS)
    same = total("a", "s1", 1.0)
    with pytest.raises(ScoringError, match=r"a.jsonl:s1 is a second result of 'a' for s1, after a.jsonl:s1"):
        check_snapshots([same, same], SPLITS)
    with pytest.raises(ScoringError, match="is a second result"):
        check_snapshots([failed("a", "s1"), same], SPLITS)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"judge": "llm-hybrid"}, "b.jsonl:s2 was scored with judge llm-hybrid, and a.jsonl:s1 with cosine"),
        ({"threshold": 0.8}, "with threshold 0.8, and a.jsonl:s1 with 0.75"),
        ({"max_candidates": 9}, "with max_candidates 9, and a.jsonl:s1 with 5"),
        ({"judge_model": "x"}, "with judge_model x, and a.jsonl:s1 with None"),
        ({"dataset_sha256": "x"}, "b.jsonl:s2 was scored against another dataset"),
    ],
)
def test_runs_with_other_settings_are_refused(changes: dict[str, str | int], sentence: str) -> None:
    """Of a scored line as well as of a failed one."""
    first = total("a", "s1", 1.0)
    for other in (scored("b", "s2", result([0.5]), **changes), failed("b", "s2", "It hung.", **changes)):
        with pytest.raises(ScoringError, match=sentence):
            check_comparable([first, other], DATASET)
    check_comparable([first, failed("a", "s2"), scored("b", "s2", result([0.5]))], DATASET)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"is_compat": True}, "with rule the reference client's, and a.jsonl:s2 with as published"),
        ({"diversity_weight": 1.0}, "with weights 1 diversity, 0.1 validity, and"),
        ({"validity_weight": 0.0}, "with weights 0.5 diversity, 0 validity, and"),
    ],
)
def test_sets_under_another_rule_are_refused(changes: dict[str, object], sentence: str) -> None:
    made = result([0.5]).model_copy(update=changes)
    lines = [failed("a", "s1"), total("a", "s2", 1.0), scored("b", "s2", made)]
    with pytest.raises(ScoringError, match=sentence):
        check_comparable(lines, DATASET)
    check_comparable([lines[0], lines[2]], DATASET)


def test_two_proposers_of_one_name_are_refused() -> None:
    """Their lines are for different snapshots, so that none is a second one."""
    lines = [total("a", "s1", 1.0), failed("a", "s2", "It hung.", command_sha256="another")]
    with pytest.raises(
        ScoringError, match=r"a.jsonl:s2 was scored with command_sha256 another, and a.jsonl:s1"
    ):
        check_comparable(lines, DATASET)


def test_runs_against_another_dataset_are_refused_even_if_they_agree() -> None:
    with pytest.raises(ScoringError, match=r"a.jsonl:s1 was scored against another dataset"):
        check_comparable([total("a", "s1", 1.0)], "another")
