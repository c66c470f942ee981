"""The command that calibrates, and that scoring takes its threshold from the result."""

import json
import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from flows.settings import BuildSettings
from flows.stages import build_dataset
from outputs.reading import load_snapshots
from scorers.calibration.results import read_calibration
from tests.helpers import quiet_reporter
from tests.openai_server import KEY, FakeOpenAI

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def dataset(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("calibrated") / "dataset"
    build_dataset(BuildSettings(archive=str(demo_archive), out=str(out)), quiet_reporter())
    return out


def run(*arguments: object, key: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from flows.cli import main; main()", *map(str, arguments)]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    environment |= {"OPENAI_API_KEY": key} if key is not None else {}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_scoring_takes_its_threshold_from_the_calibration(dataset: Path, tmp_path: Path) -> None:
    plot, cases = tmp_path / "sweep.svg", tmp_path / "cases"
    done = run("calibrate", dataset, "--embed", "lexical", "--per-kind", 2, "--plot", plot, "--cases", cases)
    assert done.returncode == 0, done.stderr
    beside = dataset.with_name("dataset.calibration.json")
    found = read_calibration(beside)
    assert f"The threshold in use is now {found.threshold:g}" in done.stdout
    assert found.threshold != 0.75
    assert plot.read_text().startswith("<svg")
    assert len(list(cases.glob("*/*.md"))) == found.num_cases

    snapshot = load_snapshots(dataset, split="test")["snapshot_id"][0]
    file = next((cases / "rediscovery").glob("*.md"))
    named = ["score", dataset, file, "--snapshot", snapshot, "--embed", "lexical", "--json"]
    by_calibration = run(*named)
    assert json.loads(by_calibration.stdout)["threshold"] == found.threshold
    assert str(beside) in by_calibration.stderr
    by_hand = run(*named, "--threshold", 0.9)
    assert (json.loads(by_hand.stdout)["threshold"], by_hand.stderr) == (0.9, "")

    other = tmp_path / "other.json"
    other.write_text(found.model_copy(update={"embedding_model": "another"}).model_dump_json())
    refused = run(*named, "--calibration", other)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "is a calibration by another" in refused.stderr
    beside.write_text(other.read_text())
    passed_over = run(*named)
    assert json.loads(passed_over.stdout)["threshold"] == 0.75
    assert "the published 0.75 is used" in passed_over.stderr
    beside.unlink()
    assert json.loads(run(*named).stdout)["threshold"] == 0.75


def test_a_model_paraphrases_and_what_must_not_stand_makes_no_case(
    dataset: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    answers = count()

    def paraphrase(_: object) -> str:
        number = next(answers)
        text = f"Title {number}\n\nA mechanism told in other words, of more than fifty characters, number {number}."
        return json.dumps({"text": "No empty line" if number % 5 == 0 else text})

    service.describe = paraphrase
    out = tmp_path / "calibration.json"
    done = run(
        "calibrate", dataset, "--embed", "lexical", "--per-kind", 1, "--paraphrase", "openai", "--out", out,
        "--base-url", service.base_url, "--cache", tmp_path / "cache", key=KEY,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stdout + done.stderr + out.read_text()
    found = read_calibration(out)
    assert found.paraphrases == "gpt-5-mini"
    assert {"paraphrased_prior", "paraphrased_future"} <= found.judge.accuracy_by_kind.keys()
    asked = [body["messages"] for path, body in service.requests if path.endswith("completions")]
    assert any("No empty line" in json.dumps(messages) for messages in asked), (
        "a bad answer is asked for again"
    )


def test_a_folder_of_cases_that_is_not_empty_and_a_plot_of_no_kind_are_refused(
    dataset: Path, tmp_path: Path
) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "mine.md").write_text("mine")
    done = run("calibrate", dataset, "--embed", "lexical", "--cases", tmp_path / "cases")
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    done = run(
        "calibrate", dataset, "--embed", "lexical", "--out", tmp_path / "c.json", "--plot", tmp_path / "a.gif"
    )
    assert done.returncode == 2
    assert "cannot be drawn" in done.stderr
