"""Results on the disk: whole lines or none, one kind of settings a file, taken up where they were left."""

import json
from pathlib import Path

import pytest

from scorers.proposer_results import ResultLine, ResultsError, ResultsFile, Settings

SETTINGS: Settings = {"judge": "cosine", "threshold": 0.75}


def line(snapshot_id: str, reason: str = "It left no candidate.") -> ResultLine:
    return ResultLine(
        proposer="agent",
        snapshot_id=snapshot_id,
        split="test",
        status="failed",
        reason=reason,
        settings=SETTINGS,
    )


def names(path: Path) -> list[str]:
    return [json.loads(text)["snapshot_id"] for text in path.read_text(encoding="utf-8").splitlines()]


def test_lines_come_back_as_they_were_written(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path / "new/results.jsonl", SETTINGS)
    for name in ("b", "a"):
        file.append(line(name, "Two\nlines \u2028 and more."))
    again = ResultsFile(tmp_path / "new/results.jsonl", SETTINGS)
    assert again.lines == file.lines
    assert (names(tmp_path / "new/results.jsonl"), again.has_lost_a_line) == (["b", "a"], False)
    again.arrange(["a", "b", "c"])
    assert names(tmp_path / "new/results.jsonl") == ["a", "b"]
    again.drop(["a"])
    assert names(tmp_path / "new/results.jsonl") == ["b"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "results.jsonl",
        "results.jsonl.work",
    ]


def test_a_line_has_what_readers_of_results_look_for() -> None:
    stated = json.loads(line("a").model_dump_json())
    assert stated.keys() >= {"proposer", "snapshot_id", "split", "status", "reason", "result", "seconds"}
    assert (stated["status"], stated["result"]) == ("failed", None)


def test_wherever_the_last_line_is_torn_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    file = ResultsFile(path, SETTINGS)
    for name in ("a", "b", "c"):
        file.append(line(name))
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        again = ResultsFile(path, SETTINGS)
        assert (list(again.lines), again.has_lost_a_line) == (["a", "b"], end > start)
        assert path.read_bytes() == whole[:start], (
            "the rest of the torn line must not stand before the next one"
        )
        again.append(line("c"))
        assert path.read_bytes() == whole


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    ResultsFile(path, SETTINGS).append(line("a"))
    before = path.read_bytes()
    for settings, told in (
        ({**SETTINGS, "threshold": 0.8}, "threshold 0.75 and not 0.8"),
        ({**SETTINGS, "effort": "high"}, "effort None and not 'high'"),
        ({"judge": "cosine"}, "threshold 0.75 and not None"),
    ):
        with pytest.raises(ResultsError, match=told):
            ResultsFile(path, settings)
    assert path.read_bytes() == before


def test_other_settings_are_refused_also_before_the_first_line(tmp_path: Path) -> None:
    """A run may have been killed when only candidates were there, which are another proposer's then."""
    ResultsFile(tmp_path / "results.jsonl", SETTINGS)
    with pytest.raises(ResultsError, match="judge 'cosine' and not 'llm-hybrid'"):
        ResultsFile(tmp_path / "results.jsonl", {**SETTINGS, "judge": "llm-hybrid"})


def test_a_line_of_other_settings_is_refused_wherever_it_comes_from(tmp_path: Path) -> None:
    ResultsFile(tmp_path / "results.jsonl", SETTINGS).append(line("a"))
    other = line("b").model_copy(update={"settings": {**SETTINGS, "threshold": 0.5}})
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write(other.model_dump_json() + "\n")
    with pytest.raises(ResultsError, match=r"threshold 0\.5 and not 0.75"):
        ResultsFile(tmp_path / "results.jsonl", SETTINGS)


@pytest.mark.parametrize("text", ["{}", "no json", '{"proposer": "x"}', "[]"])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.jsonl"
    content = f"{line('a').model_dump_json()}\n\n{text}\n"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ResultsError, match=r"Line 3 of .* is no result of a proposer"):
        ResultsFile(path, SETTINGS)
    assert path.read_text(encoding="utf-8") == content


def test_what_is_left_of_results_that_are_gone_is_not_taken_up(tmp_path: Path) -> None:
    ResultsFile(tmp_path / "results.jsonl", SETTINGS)
    (tmp_path / "results.jsonl").unlink()
    with pytest.raises(ResultsError, match=r"results\.jsonl\.work belongs to results that are gone"):
        ResultsFile(tmp_path / "results.jsonl", SETTINGS)
    assert not (tmp_path / "results.jsonl").exists()
