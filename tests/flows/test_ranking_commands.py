"""The commands `preference` and `leaderboard`: what they print, write and refuse."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.scoring import dataset_sha256
from flows.settings import BuildSettings
from flows.stages import build_dataset
from outputs.report.render import REPORT_NAME
from outputs.validation.checks import validate
from scorers.errors import ScoringError
from scorers.preference import PreferenceError
from scorers.run_results import Placed
from tests.helpers import quiet_reporter
from tests.scorers.result_cases import failed, result, scored, write_lines

ROOT = Path(__file__).parents[2]

REWARDS = """prompt,writer,reward,subset
p1,[bold]a,1,pro
p1,b,0,pro
p2,[bold]a,0,amateur
p2,b,1,amateur
p2,human,1,amateur
p3,mute,,amateur
"""


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


@pytest.fixture
def rewards(tmp_path: Path) -> Path:
    path = tmp_path / "rewards.csv"
    path.write_text(REWARDS, encoding="utf-8")
    return path


def test_preference_prints_a_table_for_each_view(rewards: Path) -> None:
    """Of all prompts: human (0.731 + 0.5) / 2, b (0.269 + 0.731 + 0.5) / 3, a (0.731 + 2 * 0.269) / 3."""
    output = run("preference", rewards)
    assert [line.strip() for line in output.splitlines() if "rompts" in line] == [
        "All prompts (3)",
        "Prompts of amateur (2)",
        "Prompts of pro (1)",
    ]
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in output.splitlines() if "│" in line]
    assert cells[:4] == [
        ["1", "human", "61.6%", "2", "1 of 3"],
        ["2", "b", "50.0%", "3", "2 of 3"],
        ["3", "[bold]a", "42.3%", "3", "2 of 3"],
        ["-", "mute", "-", "0", "0 of 3"],
    ]
    assert cells[4:8] == [
        ["1", "b", "61.6%", "2", "1 of 2"],
        ["1", "human", "61.6%", "2", "1 of 2"],
        ["3", "[bold]a", "26.9%", "2", "1 of 2"],
        ["-", "mute", "-", "0", "0 of 2"],
    ]


def test_preference_writes_csv_and_json_that_agree(rewards: Path, tmp_path: Path) -> None:
    views = json.loads(run("preference", rewards, "--json", "--csv", tmp_path / "out.csv"))
    assert [view["subset"] for view in views] == [None, "amateur", "pro"]
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    flat = [{"subset": view["subset"]} | each for view in views for each in view["standings"]]
    assert [{name: "" if value is None else str(value) for name, value in each.items()} for each in flat] == [
        {name: row[name] for name in each} for row, each in zip(rows, flat, strict=True)
    ]
    assert rows[0] == {
        "subset": "",
        "rank": "1",
        "writer": "human",
        "win_rate": str((1 / (1 + 2.718281828459045**-1) + 0.5) / 2),
        "num_comparisons": "2",
        "num_answered": "1",
        "num_prompts": "3",
    }


def test_preference_takes_other_names(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text('{"task": "t", "model": "a", "reward": 1}\n{"task": "t", "model": "b", "reward": 0}\n')
    output = run("preference", path, "--column", "prompt=task", "--column", "writer=model")
    assert "73.1%" in output
    refused = CliRunner().invoke(app, ["preference", str(path), "--column", "prompt"])
    assert refused.exit_code == 2
    assert "is no OURS=THEIRS" in refused.output


def test_preference_refuses_in_a_sentence(rewards: Path) -> None:
    rewards.write_text(REWARDS + "p1,b,3,pro\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["preference", str(rewards)])
    assert isinstance(done.exception, PreferenceError)
    assert str(done.exception).startswith(f"{rewards}:8 is a second answer of 'b' to the prompt 'p1'")


def test_a_refusal_ends_with_2(rewards: Path) -> None:
    rewards.write_text("prompt,writer,rewrad\np,a,1\n", encoding="utf-8")
    code = "from flows.cli import main; main()"
    command = [sys.executable, "-c", code, "preference", str(rewards)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"Error: {rewards} has no column 'reward': it has prompt, writer, rewrad.\n"


@pytest.fixture(scope="module")
def dataset(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo archive's dataset. Read only."""
    out = tmp_path_factory.mktemp("leaderboard") / "dataset"
    build_dataset(BuildSettings(archive=str(demo_archive), out=str(out)), quiet_reporter())
    return out


def snapshots(dataset: Path, split: str) -> list[str]:
    frame = pl.read_parquet(dataset / "snapshots.parquet").filter(split=split)
    return frame["snapshot_id"].sort().to_list()


@pytest.fixture(scope="module")
def results(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two proposers on all 24 snapshots, one of which failed at two of them, and one line of the other split."""
    folder = tmp_path_factory.mktemp("results")
    names = snapshots(dataset, "test")
    sha256 = dataset_sha256(dataset)
    good: list[Placed] = [
        scored("good", name, result([0.3, 0.5], diversity=n / 24), dataset_sha256=sha256)
        for n, name in enumerate(names)
    ]
    poor: list[Placed] = [
        scored("[red]poor", name, result([-0.5, -1], [0, None]), dataset_sha256=sha256) for name in names[2:]
    ]
    poor += [failed("[red]poor", name, "It \x1b[31mhung.", dataset_sha256=sha256) for name in names[:2]]
    dev = scored("good", snapshots(dataset, "dev")[0], result([1]), dataset_sha256=sha256)
    dev = Placed(dev.place, dev.line.model_copy(update={"split": "dev"}))
    return [write_lines(folder / "good.jsonl", [*good, dev]), write_lines(folder / "poor.jsonl", poor)]


def test_leaderboard_prints_numbers_and_what_they_leave_out(dataset: Path, results: list[Path]) -> None:
    """Set scores of good: 0.8 + 0.1 + 0.5 n / 24 for n from 0 to 23, on average 0.9 + 0.5 * 11.5 / 24."""
    output = run("leaderboard", dataset, *results)
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in output.splitlines() if "│" in line]
    assert [cells[0][place] for place in (0, 1, 2, 3, 6)] == ["1", "good", "1.14", "2.00", "24 of 24"]
    assert [cells[2][place] for place in (0, 1, 2, 3, 6)] == ["2", "[red]poor", "-1.40", "1.00", "22 of 24"]
    assert cells[3][2] == "-1.40 to -1.40", "sets that are all the same leave no doubt"
    said = " ".join(output.split())
    assert "the interval that holds 95% of 10,000 resamples of whole snapshots" in said
    assert "[red]poor was not scored on every snapshot (2 failed)" in said
    assert "Results of the other split, which are left out: 1." in said
    assert "judge cosine" in said


def test_leaderboard_writes_csv_and_json_that_agree(
    dataset: Path, results: list[Path], tmp_path: Path
) -> None:
    options = ["--json", "--resamples", "500", "--csv", tmp_path / "out.csv"]
    board = json.loads(run("leaderboard", dataset, *results, *options))
    frame = pl.read_csv(tmp_path / "out.csv")
    assert frame["proposer"].to_list() == [each["proposer"] for each in board["standings"]]
    for name in ("set_score", "distinct_k", "utility_k", "win_rate"):
        assert frame[name].to_list() == [each[name]["mean"] for each in board["standings"]]
        assert frame[f"{name}_low"].to_list() == [
            each[name]["interval"]["low"] for each in board["standings"]
        ]
    assert frame["num_scored"].to_list() == [24, 22]
    assert frame["num_failed"].to_list() == [0, 2]
    assert set(frame["num_resamples"]) == {board["num_resamples"]} == {500}
    assert set(frame["judge"]) == {"cosine"}
    assert [each["reason"] for each in board["standings"][1]["entries"][:2]] == ["It \x1b[31mhung."] * 2


def test_leaderboard_does_not_hang_on_the_order_of_its_input(
    dataset: Path, results: list[Path], tmp_path: Path
) -> None:
    shuffled = []
    for path in results:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        shuffled.append(tmp_path / path.name)
        shuffled[-1].write_text("".join(reversed(lines)), encoding="utf-8")
    assert run("leaderboard", dataset, *results, "--json") == run(
        "leaderboard", dataset, *reversed(shuffled), "--json"
    )


def test_leaderboard_ranks_the_other_split(dataset: Path, results: list[Path]) -> None:
    output = run("leaderboard", dataset, results[0], "--split", "dev")
    assert "of the split dev" in output
    assert "1 of 16" in output
    assert "15 not run" in output


def test_leaderboard_shows_itself_in_the_report(dataset: Path, results: list[Path], tmp_path: Path) -> None:
    copy = tmp_path / "dataset"
    shutil.copytree(dataset, copy)
    built = (copy / REPORT_NAME).read_text(encoding="utf-8")
    run("leaderboard", copy, *results, "--report")
    page = (copy / REPORT_NAME).read_text(encoding="utf-8")
    assert '<section id="leaderboard"' in page
    assert "It \ufffd[31mhung." in page
    assert validate(copy).is_passed(is_strict=True), "the manifest knows the page"
    run("leaderboard", copy, *results, "--report")
    assert (copy / REPORT_NAME).read_text(encoding="utf-8") == page, "the same results, the same bytes"
    run("report", copy)
    assert (copy / REPORT_NAME).read_text(encoding="utf-8") == built


def test_who_was_never_scored_is_listed_and_said(dataset: Path, results: list[Path], tmp_path: Path) -> None:
    name = snapshots(dataset, "test")[0]
    none = write_lines(tmp_path / "x.jsonl", [failed("absent", name, dataset_sha256=dataset_sha256(dataset))])
    said = " ".join(run("leaderboard", dataset, results[0], none).split())
    assert "absent was scored on no snapshot (1 failed, 23 not run)." in said
    assert "│ - │ absent │ - │ - │ - │ - │ 0 of 24 │" in said


def test_leaderboard_refuses_results_of_another_dataset(
    dataset: Path, results: list[Path], tmp_path: Path
) -> None:
    name = snapshots(dataset, "test")[0]
    other = write_lines(tmp_path / "other.jsonl", [scored("other", name, result([0.3]), dataset_sha256="x")])
    done = CliRunner().invoke(app, ["leaderboard", str(dataset), str(results[0]), str(other)])
    assert isinstance(done.exception, ScoringError)
    assert str(done.exception) == f"{other}:1 was scored against another dataset: run it against this one."


def test_leaderboard_refuses_what_is_no_dataset(results: list[Path], tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["leaderboard", str(tmp_path), str(results[0])])
    assert isinstance(done.exception, ScoringError)
    assert "snapshots.parquet" in str(done.exception)
