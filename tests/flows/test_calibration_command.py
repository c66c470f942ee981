"""The command that calibrates, and that scoring takes its threshold from the result."""

import json
import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from flows.scoring import dataset_sha256
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
    assert len((cases / "cases.jsonl").read_text().splitlines()) == found.num_cases
    assert found.origin.dataset_sha256 == dataset_sha256(dataset)
    assert (found.origin.per_kind, found.origin.paraphrases, found.origin.priors) == (2, "rules", "scope")
    assert found.origin.judge_settings == {"judge": "cosine"}
    assert [each.name for each in dataset.parent.iterdir() if "calibration" in each.name] == [beside.name]

    snapshot = load_snapshots(dataset, split="test")["snapshot_id"][0]
    file = next((cases / "rediscovery").glob("*.md"))
    named = ["score", dataset, file, "--snapshot", snapshot, "--embed", "lexical", "--json"]
    by_calibration = run(*named)
    assert told(by_calibration) == (found.threshold, found.threshold, "calibration")
    assert str(beside) in by_calibration.stderr
    by_hand = run(*named, "--threshold", 0.9)
    assert (told(by_hand), by_hand.stderr) == ((0.9, 0.9, "named"), "")
    # The reference client knows of no calibration that lies beside a dataset.
    assert told(run(*named, "--compat")) == (0.75, 0.75, "published")
    assert told(run(*named, "--compat", "--calibration", beside))[2] == "calibration"
    assert f"at {found.threshold:g}, as calibrated" in run(*named[:-1]).stdout
    rebuilt = found.model_copy(update={"origin": found.origin.model_copy(update={"dataset_sha256": "0"})})
    beside.write_text(rebuilt.model_dump_json())
    doubted = run(*named)
    assert told(doubted) == (found.threshold, found.threshold, "calibration")
    assert "made on other contents of the dataset: calibrate again" in doubted.stderr

    other = tmp_path / "other.json"
    other.write_text(found.model_copy(update={"embedding_model": "another"}).model_dump_json())
    refused = run(*named, "--calibration", other)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "is a calibration by another" in refused.stderr
    beside.write_text(other.read_text())
    passed_over = run(*named)
    assert told(passed_over) == (0.75, 0.75, "published")
    assert "the published 0.75 is used" in passed_over.stderr
    beside.unlink()
    assert told(run(*named)) == (0.75, 0.75, "published")


def test_a_run_takes_its_threshold_from_the_calibration_too(dataset: Path, tmp_path: Path) -> None:
    beside = tmp_path / "calibration.json"
    assert run("calibrate", dataset, "--embed", "lexical", "--per-kind", 1, "--out", beside).returncode == 0
    threshold = read_calibration(beside).threshold
    out = tmp_path / "results.jsonl"
    done = run(
        "run", dataset, "--embed", "lexical", "--agent-cmd", "true {workspace}", "--split", "dev",
        "--out", out, "--calibration", beside,
    )  # fmt: skip
    assert "is that of" in done.stderr
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert {line["settings"]["threshold"] for line in lines} == {threshold}


def told(done: subprocess.CompletedProcess[str]) -> tuple[float, float, str]:
    """What a result says of its threshold."""
    result = json.loads(done.stdout)
    return result["threshold"], result["distinct_threshold"], result["threshold_source"]


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
    assert found.origin.paraphrases == "gpt-5-mini"
    assert found.origin.paraphrase_usage.usd > 0
    assert f"${found.origin.paraphrase_usage.usd:.4f}" in done.stdout
    assert {"paraphrased_prior", "paraphrased_future"} <= {each.kind.value for each in found.judge.kinds}
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
    out = tmp_path / "c.json"
    done = run("calibrate", dataset, "--embed", "lexical", "--out", out, "--plot", tmp_path / "a.gif")
    assert done.returncode == 2
    assert "cannot be drawn" in done.stderr
    assert not out.exists(), "a threshold that nobody has seen is not in use"


def test_the_hybrid_judge_is_measured_on_the_same_cases(
    dataset: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    service.describe = lambda _: json.dumps(
        {"classification": "novel_unvalidated", "matched_id": None, "confidence": 1.0, "reason": "New."}
    )
    out = tmp_path / "calibration.json"
    named = [
        "calibrate", dataset, "--embed", "lexical", "--per-kind", 1, "--judge", "llm-hybrid", "--effort", "low",
        "--both-orders", "--out", out, "--base-url", service.base_url, "--cache", tmp_path / "cache",
    ]  # fmt: skip
    done = run(*named, key=KEY)
    assert done.returncode == 0, done.stderr
    found = read_calibration(out)
    assert (found.judge.judge, found.judge.judge_model) == ("llm-hybrid", "gpt-5-mini")
    assert found.origin.judge_settings == {
        "judge": "llm-hybrid",
        "judge_model": "gpt-5-mini",
        "effort": "low",
        "both_orders": True,
        "fallback": "none",
    }
    of_kind = {each.kind.value: each.accuracy.value for each in found.judge.kinds}
    assert (of_kind["other_scope"], of_kind["malformed"], of_kind["verbatim_prior"]) == (1.0, 1.0, 0.0)
    # Without a judge the same cases are told better, and choose the same threshold.
    by_cosine = tmp_path / "cosine.json"
    assert run(*named[:6], "--out", by_cosine).returncode == 0
    assert read_calibration(by_cosine).threshold == found.threshold
    assert read_calibration(by_cosine).sweep == found.sweep
    asked = len(service.requests)
    again = run(*named, key=KEY)
    assert (again.stdout, len(service.requests)) == (done.stdout, asked), "answers are kept"
    assert read_calibration(out) == found
