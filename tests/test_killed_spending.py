"""Builds that are killed in the middle of paid calls, as real processes: nothing that was had is paid again."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from diskcache import Cache

from tests.helpers import log_text, write_scratchpad
from tests.openai_server import KEY, Body, FakeOpenAI
from tests.prefect_server import wait_until
from tests.test_killed_builds import contents

ROOT = Path(__file__).parents[1]

ANSWERS = {
    "IdeaChoice": {"idea_id": None, "confidence": 0.9, "reason": "Nothing speaks for one of them."},
    "FamilyDescription": {"description": "Changes a thing."},
}

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Runs that nothing but their names describes, beside ideas that none of them names: all ask a model."""
    names = [f"contra-b0{tens}0-lr{ones}-stop3000-seed0" for tens in range(1, 4) for ones in range(1, 4)]
    files: dict[str, str | bytes] = {f"runs/{name}.log": log_text((0, 10.8), (3000, 3.3)) for name in names}
    for number in range(3):
        files[f"ideas/zzz{number}.md"] = (
            f"# Idea {number}\n\nDate: 2026-04-30\n\n## Proposal\n\nDo {number}.\n"
        )
    return write_scratchpad(tmp_path / "archive", files, [{"run_id": name} for name in names])


def command(archive: Path, out: Path, cache: Path, service: FakeOpenAI, *options: str) -> list[str]:
    arguments = ["build", "--archive", str(archive), "--out", str(out), "--cache", str(cache), "--quiet"]
    arguments += ["--engine", "direct", "--workers", "1", "--base-url", service.base_url, *options]
    return [sys.executable, "-m", "flows.cli", *arguments]


def environment() -> dict[str, str]:
    clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "OPENAI_API_KEY": KEY}
    return clean | {"SOURCE_DATE_EPOCH": "1777777777"}


def finish(*arguments: str) -> None:
    done = subprocess.run(arguments, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@contextmanager
def started(*arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a build, and kill it at the end of the `with` block."""
    process = subprocess.Popen(
        arguments, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )  # fmt: skip
    try:
        yield process
    finally:
        assert process.poll() is None, "the build was over before it could be killed"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def bodies(requests: list[tuple[str, Body]]) -> list[str]:
    return [f"{path} {json.dumps(body, sort_keys=True)}" for path, body in requests]


def num_kept(cache: Path) -> int:
    """How many answers of the service the cache holds."""
    if not (cache / "answers").is_dir():
        return 0
    with Cache(str(cache / "answers")) as kept:
        return len(kept)


def answering(service: FakeOpenAI, max_inputs: int = 2) -> None:
    """Answer each question in its shape; small requests to embed make for many of them."""
    service.describe = lambda body: json.dumps(ANSWERS[body["response_format"]["json_schema"]["name"]])
    service.max_inputs = max_inputs


ALL = ("--describe", "openai", "--llm-match", "openai", "--embed", "openai")


def calm(archive: Path, tmp_path: Path, service: FakeOpenAI, *options: str) -> Mapping[str, bytes]:
    """What an undisturbed build writes; the log of the service is empty afterwards."""
    finish(*command(archive, tmp_path / "calm", tmp_path / "calm-cache", service, *options))
    return contents(tmp_path / "calm")


def test_no_finished_call_is_repeated_after_a_kill(
    archive: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    """Killed four times at set moments: when so many answers are kept, and others are under way."""
    answering(service)
    whole = calm(archive, tmp_path, service, *ALL)
    num_calls = len(service.answered)
    paths = {path for path, _ in service.answered}
    assert paths == {"/v1/chat/completions", "/v1/embeddings"}
    assert num_calls > 15
    service.answered.clear()

    build = command(archive, tmp_path / "out", tmp_path / "cache", service, *ALL)
    kept: list[str] = []
    for moment in (1, num_calls // 3, num_calls // 2, num_calls - 1):
        service.hold_after = moment
        with started(*build):
            wait_until(lambda: service.num_held, lambda: f"{len(service.answered)} of {num_calls} answers")
            wait_until(lambda: num_kept(tmp_path / "cache") >= num_answers(service.answered))
        service.let_go()
        assert len(service.answered) == moment
        assert not (tmp_path / "out").exists()
        kept = bodies(service.answered)
        assert len(kept) == len(set(kept)), "an answer that was kept was asked for again"
    finish(*build)
    asked = bodies(service.answered)
    assert len(asked) == len(set(asked)) == num_calls
    assert contents(tmp_path / "out") == whole


def num_answers(requests: list[tuple[str, Body]]) -> int:
    """How many entries of the cache some requests make: one a question, one a text that is embedded."""
    return sum(len(body["input"]) if path == "/v1/embeddings" else 1 for path, body in requests)


def test_kills_at_random_moments_repeat_only_what_was_not_kept(
    archive: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    """A kill between an answer and its note cannot be undone; that is the most that is asked twice."""
    answering(service)
    whole = calm(archive, tmp_path, service, *ALL)
    service.answered.clear()
    dice = random.Random(5)  # noqa: S311 - the same moments every time
    build = command(archive, tmp_path / "out", tmp_path / "cache", service, *ALL)
    lost = 0
    for _ in range(4):
        before = len(service.answered)
        with started(*build) as process:
            wait_until(lambda before=before: len(service.answered) > before)  # type: ignore[misc]  # a default binds the loop's value
            with suppress(subprocess.TimeoutExpired):
                process.wait(dice.uniform(0, 0.05))
        lost = num_answers(service.answered) - num_kept(tmp_path / "cache")
    finish(*build)
    asked = bodies(service.answered)
    assert len(asked) - len(set(asked)) <= lost
    assert contents(tmp_path / "out") == whole
