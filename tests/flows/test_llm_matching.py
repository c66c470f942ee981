"""The model tier over real HTTP, against a server that errs, refuses, hangs and breaks."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from pytest_httpserver import HTTPServer
from rich.console import Console

from flows.llm_client import Asker, LlmError, SavedAnswer, read_answers, write_answers
from flows.reporting import QuietReporter
from flows.settings import BuildSettings, ServiceOptions
from flows.stages import build_dataset
from linkers.ideas.llm import Question
from outputs.manifest import read_manifest
from outputs.quality.gold import GoldIdea, read_gold
from outputs.spending.budget import Budget
from outputs.spending.cache import AnswerCache
from outputs.spending.errors import SpendingError
from outputs.spending.prices import Price
from outputs.spending.questions import Purse
from outputs.spending.service import ServiceSettings
from tests.flows.fake_model import FakeModel

KEY = "sk-secret-0123456789"
PATH = "/v1/chat/completions"


@pytest.fixture(scope="module")
def server() -> Iterator[HTTPServer]:
    """A server that answers many requests at a time, as one that hangs must not block the others."""
    server = HTTPServer(threaded=True)
    server.start()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def _environment(server: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.clear()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url_for("/v1"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1777777777")


@pytest.fixture(scope="module")
def silent_archive(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo archive without its journals, so that many runs have an idea that nothing tells."""
    root = tmp_path_factory.mktemp("silent") / "archive"
    shutil.copytree(demo_archive, root, ignore=shutil.ignore_patterns("THREAD.md"))
    return root


@pytest.fixture(scope="module")
def gold(demo_archive: Path) -> dict[str, GoldIdea]:
    return read_gold(demo_archive / "gold")


def truth(gold: dict[str, GoldIdea]) -> dict[str, str | None]:
    return {each: idea.idea_id for each, idea in gold.items()}


def build(archive: Path, out: Path, **changes: object) -> tuple[Path, str]:
    """Build, and return the dataset with all that was printed."""
    console = Console(record=True, quiet=False, file=(out.parent / f"{out.name}.txt").open("w"), width=500)
    settings = BuildSettings(archive=str(archive), out=str(out), cache=str(out.parent / "cache")).model_copy(
        update=changes
    )
    build_dataset(settings, QuietReporter(console))
    return out, console.export_text()


def score(dataset: Path, gold: dict[str, GoldIdea]) -> tuple[float, float]:
    """Precision, and recall of all runs that have an idea."""
    found = dict(pl.read_parquet(dataset / "runs.parquet").select("experiment_id", "idea_id").iter_rows())
    right = sum(found[each] == idea.idea_id for each, idea in gold.items() if idea.idea_id)
    linked = sum(idea is not None for idea in found.values())
    return right / linked, right / sum(idea.idea_id is not None for idea in gold.values())


QUICK = ServiceOptions(timeout_s=0.5, first_wait_s=0.01, max_attempts=12)
"""Shorter waits than anyone would want; of three attempts one fails, and none of 157 questions may be given up."""


def test_recall_rises_and_precision_stays_with_a_model_that_errs_and_a_server_that_fails(
    server: HTTPServer, silent_archive: Path, gold: dict[str, GoldIdea], tmp_path: Path
) -> None:
    failures = {"429": 0.1, "500": 0.1, "hang": 0.03, "broken": 0.05, "empty": 0.03}
    model = FakeModel(truth(gold), wrong=0.1, unoffered=0.05, failures=failures)
    server.expect_request(PATH).respond_with_handler(model)
    before = score(build(silent_archive, tmp_path / "off")[0], gold)
    dataset, said = build(silent_archive, tmp_path / "on", llm_match="openai", service=QUICK)
    after = score(dataset, gold)
    assert set(failures) <= set(model.seen), "the server must have failed in every way"
    assert after[1] > before[1] + 0.02
    assert after[0] >= 0.97
    tally = read_manifest(dataset).idea_coverage.llm
    assert tally is not None
    assert (tally.unanswered, tally.asked) == (0, len(model.asked))
    assert tally.refused > 0
    assert f"{tally.refused} answers refused" in said
    rows = pl.read_parquet(dataset / "run_idea_links.parquet").filter(pl.col("tier") == "llm")
    assert rows.height > 0
    assert not rows["idea_id"].str.contains("never-offered").any()


def test_a_second_build_asks_nothing_and_writes_the_same(
    server: HTTPServer, silent_archive: Path, gold: dict[str, GoldIdea], tmp_path: Path
) -> None:
    model = FakeModel(truth(gold))
    server.expect_request(PATH).respond_with_handler(model)
    first, _ = build(silent_archive, tmp_path / "one", llm_match="openai")
    asked = len(model.asked)
    second, _ = build(silent_archive, tmp_path / "two", llm_match="openai")
    assert len(model.asked) == asked > 0
    for path in first.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (second / path.relative_to(first)).read_bytes(), path


def test_saved_answers_replay_without_key_or_network(
    server: HTTPServer,
    silent_archive: Path,
    gold: dict[str, GoldIdea],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.expect_request(PATH).respond_with_handler(FakeModel(truth(gold)))
    answers = tmp_path / "answers.jsonl"
    asked, _ = build(silent_archive, tmp_path / "one", llm_match="openai", llm_answers=str(answers))
    saved = answers.read_bytes()
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    replayed, _ = build(silent_archive, tmp_path / "two", llm_answers=str(answers))
    assert answers.read_bytes() == saved
    for name in ("runs.parquet", "run_idea_links.parquet"):
        assert (asked / name).read_bytes() == (replayed / name).read_bytes()


def test_the_budget_stops_the_questions_and_says_what_is_left(
    server: HTTPServer, silent_archive: Path, gold: dict[str, GoldIdea], tmp_path: Path
) -> None:
    model = FakeModel(truth(gold))
    server.expect_request(PATH).respond_with_handler(model)
    dataset, said = build(silent_archive, tmp_path / "on", llm_match="openai", max_usd=0.01)
    # 1,000 and 50 tokens of gpt-4.1-mini are $0.00048.
    assert 0 < len(model.asked) * 0.00048 <= 0.01
    tally = read_manifest(dataset).idea_coverage.llm
    assert tally is not None
    assert tally.unanswered == tally.asked - len(model.asked) > 0
    assert f"{tally.unanswered} questions are left" in said


def test_no_trace_of_the_key(
    server: HTTPServer, silent_archive: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that echoes the key in its error, as some do."""
    server.expect_request(PATH).respond_with_data(f'{{"error": {{"message": "bad key {KEY}"}}}}', status=401)
    with pytest.raises(SpendingError) as caught:
        build(silent_archive, tmp_path / "on", llm_match="openai")
    assert "HTTP 401" in str(caught.value)
    assert KEY not in repr(caught.value) + str(caught.value.__cause__) + str(caught.value.__context__)
    assert KEY not in caplog.text
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path


def test_without_a_key_nothing_begins(
    silent_archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(SpendingError, match="set OPENAI_API_KEY"):
        build(silent_archive, tmp_path / "on", llm_match="openai")
    assert not (tmp_path / "on").exists()
    assert not (tmp_path / "cache").exists()


QUESTION = Question("codex--v1--x", 0, ("codex--v1--a",), json.dumps({"experiment_id": "codex--v1--x"}))


def test_a_question_that_always_fails_is_counted_and_not_kept(server: HTTPServer, tmp_path: Path) -> None:
    server.expect_request(PATH).respond_with_data("busy", status=503)
    settings = ServiceSettings(KEY, server.url_for("/v1"), first_wait_s=0.001)
    with AnswerCache(tmp_path) as cache:
        asker = Asker("m", Purse(settings, cache, Budget(1.0, {"m": Price(1, 1)})))
        assert asker([QUESTION]) == {}
        assert asker([QUESTION]) == {}
    assert (asker.spend.failed, len(server.log)) == (2, 2 * settings.max_attempts)


def test_an_answer_by_hand_answers_every_question_about_its_run() -> None:
    saved = SavedAnswer(experiment_id="codex--v1--x", idea_id="codex--v1--a")
    asker = Asker("m", None, [saved])
    assert asker([QUESTION])[QUESTION].idea_id == "codex--v1--a"


def test_answers_survive_a_file(tmp_path: Path) -> None:
    answers = (SavedAnswer(key="k", experiment_id="x", idea_id=None, reason="no\nidea", model="m"),)
    write_answers(tmp_path / "deep" / "a.jsonl", answers)
    assert read_answers(tmp_path / "deep" / "a.jsonl") == answers
    assert read_answers(tmp_path / "absent.jsonl") == ()


def test_a_damaged_file_of_answers_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"experiment_id": "x", "idea_id": null}\n{"idea_id": 3}\n')
    with pytest.raises(LlmError, match=r"Line 2 of .* is no saved answer \(experiment_id, idea_id\)"):
        read_answers(path)
