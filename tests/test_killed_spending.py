"""Builds that are killed in the middle of paid calls, as real processes: nothing that was had is paid again."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from diskcache import Cache
from pytest_httpserver import HTTPServer

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
    names = [f"contra-b0{tens}0-lr{ones}-stop3000-seed0" for tens in range(1, 5) for ones in range(1, 5)]
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
        with suppress(ProcessLookupError):
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


@contextmanager
def model_service(hold_after: int | None = None) -> Iterator[FakeOpenAI]:
    """A service of its own for one build, so that no request of a build that is dead reaches a later one's.

    Args:
        hold_after: After so many answers it leaves every request waiting.
    """
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        service = FakeOpenAI(server)
        service.describe = lambda body: json.dumps(ANSWERS[body["response_format"]["json_schema"]["name"]])
        service.max_inputs = 2
        service.hold_after = hold_after
        try:
            yield service
        finally:
            service.let_go()


AT_ONCE = 8
"""So many questions are under way at once."""

ALL = ("--describe", "openai", "--llm-match", "openai", "--embed", "openai")


def undisturbed(archive: Path, tmp_path: Path, *options: str) -> tuple[Mapping[str, bytes], FakeOpenAI]:
    """What a build writes that nobody kills, and the service that it asked."""
    with model_service() as service:
        finish(*command(archive, tmp_path / "calm", tmp_path / "calm-cache", service, *options))
    return contents(tmp_path / "calm"), service


def num_entries(requests: list[tuple[str, Body]]) -> int:
    """How many entries of the cache some answers make: one a question, one a text that is embedded."""
    return sum(len(body["input"]) if path == "/v1/embeddings" else 1 for path, body in requests)


def kill_when_held(build: list[str], service: FakeOpenAI, cache: Path) -> list[tuple[str, Body]]:
    """Kill a build when all answers that it got are kept and it waits for others; give what was answered."""
    before = num_kept(cache)
    with started(*build) as process:
        wait_until(lambda: service.num_held)
        wait_until(lambda: num_kept(cache) - before >= num_entries(service.answered))
        assert process.poll() is None
    return service.answered


def test_no_finished_call_is_repeated_after_a_kill(archive: Path, tmp_path: Path) -> None:
    """Killed at four set moments: when so many answers are kept, and others are under way."""
    whole, asked = undisturbed(archive, tmp_path, *ALL)
    num_calls = len(asked.answered)
    assert {path for path, _ in asked.answered} == {"/v1/chat/completions", "/v1/embeddings"}
    assert num_calls > 15
    out, cache = tmp_path / "out", tmp_path / "cache"
    answered: list[tuple[str, Body]] = []
    for moment in (1, num_calls // 3, num_calls // 2, num_calls - 1):
        with model_service(moment - len(answered)) as service:
            answered += kill_when_held(command(archive, out, cache, service, *ALL), service, cache)
        assert len(answered) == moment
        assert not out.exists()
    with model_service() as service:
        finish(*command(archive, out, cache, service, *ALL))
        answered += service.answered
    assert len(answered) == num_calls
    assert len(set(bodies(answered))) == num_calls, "a call that was finished was made again"
    assert contents(out) == whole


def test_kills_at_random_moments_repeat_only_what_was_under_way(archive: Path, tmp_path: Path) -> None:
    """Between an answer and its note nothing can save it, so a kill may cost what is under way, and no more."""
    whole, asked = undisturbed(archive, tmp_path, *ALL)
    out, cache = tmp_path / "out", tmp_path / "cache"
    dice = random.Random(5)  # noqa: S311 - the same moments every time
    answered: list[tuple[str, Body]] = []
    for _ in range(3):
        with model_service() as service:
            at_once = service.describe

            def late(body: Body, at_once: Callable[[Body], str | None] = at_once) -> str | None:
                time.sleep(0.2)
                return at_once(body)

            service.describe = late
            with started(*command(archive, out, cache, service, *ALL)) as process:
                while not service.answered and process.poll() is None:
                    time.sleep(0.05)
                time.sleep(dice.uniform(0, 0.3))
            answered += service.answered
    assert num_kept(cache)
    with model_service() as service:
        finish(*command(archive, out, cache, service, *ALL))
        answered += service.answered
    assert set(bodies(answered)) == set(bodies(asked.answered))
    assert len(answered) - len(asked.answered) <= 3 * AT_ONCE
    assert contents(out) == whole


@pytest.mark.parametrize("moment", range(2))
def test_a_batch_is_sent_once_wherever_the_build_is_killed(
    archive: Path, tmp_path: Path, moment: int
) -> None:
    """Killed when the service has the batch and has not said so, and when it has not sent the answers yet."""
    options = ("--describe", "openai", "--batch")
    whole, _ = undisturbed(archive, tmp_path, *options)
    out, cache = tmp_path / "out", tmp_path / "cache"
    with model_service(hold_after=moment) as service:
        with started(*command(archive, out, cache, service, *options)):
            wait_until(lambda: service.num_held)
        service.let_go()
        finish(*command(archive, out, cache, service, *options))
        assert len(service.batches) == 1
        assert "/v1/chat/completions" not in service.paths()
    assert contents(out) == whole
