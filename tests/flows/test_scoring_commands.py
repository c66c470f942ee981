"""The command that scores candidates, as a user meets it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scorers import ScoringResult
from tests.openai_server import KEY, FakeOpenAI, error
from tests.scorers.small import SNAPSHOT, Tried, candidate_text, write_dataset

ROOT = Path(__file__).parents[2]
TEXT = "Square-root decay\n\n## Proposal\n\nDecay the learning rate of the hidden matrices as a square root."
"""What is embedded of a candidate, which a prior has word for word."""


@pytest.fixture
def dataset(tmp_path: Path, service: FakeOpenAI) -> Path:
    """A dataset whose one prior is what the candidate proposes."""
    vector = [value / 2 for value in service.embed(TEXT)]
    return write_dataset(
        tmp_path / "dataset", [Tried("prior", vector, text=TEXT)], prior_experiment_ids=["prior"]
    )


@pytest.fixture
def candidates(tmp_path: Path) -> Path:
    folder = tmp_path / "candidates"
    folder.mkdir()
    (folder / "a.md").write_text(candidate_text(), encoding="utf-8")
    (folder / "b.md").write_text("# None\n", encoding="utf-8")
    (folder / "notes.txt").write_text("no candidate", encoding="utf-8")
    return folder


def run(*arguments: object, key: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from flows.cli import main; main()", "score", *map(str, arguments)]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    environment |= {"OPENAI_API_KEY": key} if key is not None else {}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_folder_is_scored_by_words_alone_and_explained(dataset: Path, candidates: Path) -> None:
    done = run(dataset, candidates, "--snapshot", SNAPSHOT, "--embed", "lexical")
    assert (done.returncode, done.stderr) == (0, "")
    # -0.5 - 1 + 0.1 x 1 / 2
    assert done.stdout.startswith(f"{SNAPSHOT}, as of 2026-05-01 10:00 UTC: set score -1.450\n")
    assert "1. Square-root decay (" in done.stdout
    assert "rediscovery -0.500" in done.stdout
    assert "It has no section `## Proposal`." in done.stdout


def test_json_holds_the_result_in_ascii(dataset: Path, candidates: Path) -> None:
    (candidates / "b.md").write_text("# Wei\u00df \x9b31m\n", encoding="utf-8")
    done = run(dataset, candidates, "--snapshot", SNAPSHOT, "--embed", "lexical", "--json")
    assert done.returncode == 0
    assert done.stdout.isascii()
    result = ScoringResult.model_validate_json(done.stdout)
    assert [each.classification.value for each in result.candidates] == ["rediscovery", "invalid"]
    assert result.candidates[1].title.startswith("Wei\u00df")


def test_files_keep_their_order_and_options_arrive(dataset: Path, candidates: Path) -> None:
    done = run(
        dataset,
        candidates / "b.md",
        candidates / "a.md",
        *("--snapshot", SNAPSHOT, "--embed", "lexical", "--json", "--priors", "field", "--compat"),
        *("--threshold", "0.5"),
    )
    result = ScoringResult.model_validate_json(done.stdout)
    assert [Path(each.path).name for each in result.candidates] == ["b.md", "a.md"]
    assert (result.priors, result.is_compat, result.threshold, result.num_priors) == ("field", True, 0.5, 0)


def test_vectors_come_from_the_service_that_the_dataset_names(
    dataset: Path, candidates: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    arguments = (dataset, candidates, "--snapshot", SNAPSHOT, "--cache", tmp_path / "cache", "--json")
    done = run(*arguments, "--base-url", service.base_url, key=KEY)
    assert done.returncode == 0, done.stderr
    result = ScoringResult.model_validate_json(done.stdout)
    assert (result.embedding, result.candidates[0].similarity) == ("openai", 1.0)
    assert service.inputs() == [[TEXT]], "an invalid candidate costs nothing"
    assert run(*arguments, "--base-url", service.base_url, key=KEY).stdout == done.stdout
    assert len(service.requests) == 1, "nothing is paid for twice"


def test_a_candidate_that_cannot_be_embedded_ends_with_3(
    dataset: Path, candidates: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    service.faults = [error(400, message="no")]
    arguments = (dataset, candidates, "--snapshot", SNAPSHOT, "--cache", tmp_path / "cache")
    done = run(*arguments, "--base-url", service.base_url, key=KEY)
    assert done.returncode == 3
    assert "1 of 2 candidates were not judged" in done.stdout
    assert "unjudged +0.000" in done.stdout
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--embed", "openai"), "OpenAI was asked for, but the environment holds no key"),
        (("--embed", "bge"), "has no embeddings by bge: build it with `speedrun-etl build --embed bge`"),
        (("--embed", "lexical", "--snapshot", "snap_codex_v1_k9999"), f"did you mean {SNAPSHOT}?"),
    ],
)
def test_what_cannot_be_scored_ends_with_2_and_one_sentence(
    dataset: Path, candidates: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = run(dataset, candidates, "--snapshot", SNAPSHOT, *arguments)
    if "bge" in arguments and "FlagEmbedding is not installed" in done.stderr:
        sentence = "FlagEmbedding is not installed"
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_dataset_without_embeddings_says_which_command_makes_them(dataset: Path, candidates: Path) -> None:
    (dataset / "experiment_embeddings_openai.parquet").unlink()
    done = run(dataset, candidates, "--snapshot", SNAPSHOT)
    assert done.returncode == 2
    assert "build it with `speedrun-etl build --embed openai` or `--embed bge`" in done.stderr
    assert "`--embed lexical`" in done.stderr


def test_a_folder_that_is_no_dataset_and_a_file_that_is_not_there(
    tmp_path: Path, dataset: Path, candidates: Path
) -> None:
    done = run(tmp_path, candidates, "--snapshot", SNAPSHOT)
    assert (done.returncode, "is no dataset" in done.stderr) == (2, True)
    done = run(dataset, tmp_path / "absent.md", "--snapshot", SNAPSHOT)
    assert (done.returncode, "absent.md" in done.stderr) == (2, True)


def test_an_empty_folder_scores_nothing(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run(dataset, tmp_path / "empty", "--snapshot", SNAPSHOT, "--embed", "lexical", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["set_score"] == 0
