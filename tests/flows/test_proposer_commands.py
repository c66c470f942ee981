"""The commands for proposers and the judge that asks a model, as a user meets them, in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil
import pytest

from flows.cli import main
from flows.settings import BuildSettings
from flows.stages import build_dataset
from scorers.results import ScoringResult
from tests.helpers import quiet_reporter
from tests.openai_server import KEY, Body, FakeOpenAI
from tests.scorers.small import candidate_text

ROOT = Path(__file__).parents[2]
SNAPSHOT = "snap_codex_v1_k0034"
REQUEST_USD = (100 * 0.25 + 20 * 2.00) / 1e6
"""One answer of gpt-5-mini by the fake service: 100 tokens read, 20 written."""


@pytest.fixture(scope="module")
def dataset(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("proposed") / "dataset"
    build_dataset(BuildSettings(archive=str(demo_archive), out=str(out)), quiet_reporter())
    return out


def command(*arguments: object) -> list[str]:
    """The command line as a process of its own, in which Ctrl-C works whoever started it."""
    code = "import signal; signal.signal(2, signal.default_int_handler); from flows.cli import main; main()"
    return [sys.executable, "-c", code, *map(str, arguments)]


def environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PREFECT_HOME": "/nonexistent"}


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


class Etl(Protocol):
    """Runs a command in this process, which saves the time to start one."""

    def __call__(self, *arguments: object, env: Mapping[str, str] | None = None) -> Done:
        """Run it with some environment variables."""


@pytest.fixture
def etl(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Etl:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def run(*arguments: object, env: Mapping[str, str] | None = None) -> Done:
        capsys.readouterr()
        code = 0
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["speedrun-etl", *map(str, arguments)])
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            try:
                main()
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
        printed = capsys.readouterr()
        return Done(code, printed.out, printed.err)

    return run


class Agent:
    """A proposer that keeps a diary of the workspaces in which it was started.

    Attributes:
        command: How it is named to `run`.
    """

    def __init__(self, folder: Path, code: str) -> None:
        self._diary = folder / "diary"
        script = folder / "agent.py"
        script.write_text(
            "import os, pathlib, subprocess, sys, time\n"
            f"diary = pathlib.Path({str(self._diary)!r})\n"
            "number = len(diary.read_text().split()) if diary.exists() else 0\n"
            "with diary.open('a') as file: file.write(f'{os.getpid()}\\n')\n" + textwrap.dedent(code),
            encoding="utf-8",
        )
        self.command = f"'{sys.executable}' '{script}' {{workspace}}"

    @property
    def pids(self) -> list[int]:
        """The process of each time that it was started."""
        return [int(each) for each in self._diary.read_text().split()] if self._diary.exists() else []


GOOD = f"pathlib.Path('candidates/idea.md').write_text({candidate_text()!r})\n"


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def result_of(line: Mapping[str, object]) -> ScoringResult:
    return ScoringResult.model_validate(line["result"])


def test_workspace_writes_what_a_proposer_may_know(etl: Etl, dataset: Path, tmp_path: Path) -> None:
    done = etl("workspace", dataset, "--snapshot", SNAPSHOT, "--to", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path / 'out'} holds README.md, candidates, current_best.py.\n"
    again = etl("workspace", dataset, "--snapshot", SNAPSHOT, "--to", tmp_path / "out")
    assert (again.returncode, again.stderr.count("Error: ")) == (2, 1)
    assert "is not empty" in again.stderr


def test_run_scores_every_snapshot_of_the_split(etl: Etl, dataset: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path, GOOD)
    out = tmp_path / "results.jsonl"
    done = etl(
        "run",
        dataset,
        "--agent-cmd",
        agent.command,
        "--out",
        out,
        "--embed",
        "lexical",
        "--split",
        "dev",
        "--workers",
        2,
    )
    assert done.returncode == 0, done.stderr
    found = lines(out)
    assert len(found) == len(agent.pids) == 16
    assert {line["split"] for line in found} == {"dev"}
    assert {line["proposer"] for line in found} == {"results"}
    mean = sum(result_of(line).set_score for line in found) / 16
    assert done.stdout == (
        f"results: 16 of 16 snapshots scored, mean set score {mean:+.3f}; 0 failed, 0 were not judged whole.\n"
    )
    (one,) = [line for line in found if line["snapshot_id"] == "snap_codex_v1_k0012"]
    file = out.with_name("results.jsonl.work") / "snap_codex_v1_k0012/candidates/00-idea.md"
    alone = etl("score", dataset, file, "--snapshot", "snap_codex_v1_k0012", "--embed", "lexical", "--json")
    assert json.loads(alone.stdout)["set_score"] == result_of(one).set_score


def test_failures_end_with_3_and_are_told(etl: Etl, dataset: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path, GOOD + "sys.exit(number == 5)")
    out = tmp_path / "results.jsonl"
    options = (
        "run",
        dataset,
        "--agent-cmd",
        agent.command,
        "--out",
        out,
        "--embed",
        "lexical",
        "--name",
        "mine",
    )
    done = etl(*options, "--quiet")
    assert (done.returncode, done.stdout) == (3, "")
    (failed,) = [line for line in lines(out) if line["status"] == "failed"]
    assert done.stderr == f"{failed['snapshot_id']} failed: The command ended with exit code 1.\n"
    assert failed["result"] is None
    again = etl(*options, "--retry-failed")
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith("mine: 24 of 24 snapshots scored")
    assert len(agent.pids) == 25


@pytest.mark.parametrize(
    "change",
    [
        ("--threshold", 0.5),
        ("--priors", "field"),
        ("--name", "other"),
        ("--max-candidates", 3),
        ("--agent-cmd", "other"),
    ],
)
def test_a_run_is_not_gone_on_with_by_other_settings(
    etl: Etl, dataset: Path, tmp_path: Path, change: tuple[str, object]
) -> None:
    agent = Agent(tmp_path, GOOD)
    out = tmp_path / "results.jsonl"
    options: dict[str, object] = {
        "--agent-cmd": agent.command,
        "--out": out,
        "--embed": "lexical",
        "--split": "dev",
    }

    def run(more: Mapping[str, object]) -> int:
        arguments = [part for option in {**options, **more}.items() for part in option]
        done = etl("run", dataset, "--quiet", *arguments)
        assert ("was written with" in done.stderr) == (done.returncode == 2)
        return done.returncode

    assert run({}) == 0
    before = out.read_bytes()
    assert run(dict([change])) == 2
    assert out.read_bytes() == before
    assert run({"--timeout": 5, "--workers": 2}) == 0, "these change no score"
    assert len(agent.pids) == 16


def test_a_run_against_another_dataset_is_refused(etl: Etl, dataset: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path, GOOD)
    options = (
        "--agent-cmd",
        agent.command,
        "--out",
        tmp_path / "r.jsonl",
        "--embed",
        "lexical",
        "--split",
        "dev",
    )
    assert etl("run", dataset, *options).returncode == 0
    other = tmp_path / "other"
    other.mkdir()
    for path in dataset.glob("*.parquet"):
        (other / path.name).symlink_to(path)
    manifest = json.loads((dataset / "manifest.json").read_text())
    manifest["files"][0]["sha256"] = "0" * 64
    (other / "manifest.json").write_text(json.dumps(manifest))
    done = etl("run", other, *options)
    assert done.returncode == 2
    assert "dataset_sha256" in done.stderr
    assert len(agent.pids) == 16


def test_two_runs_do_not_write_to_one_file(etl: Etl, dataset: Path, tmp_path: Path) -> None:
    from flows.locks import output_lock

    agent = Agent(tmp_path, GOOD)
    with output_lock(tmp_path / "r.jsonl"):
        done = etl(
            "run", dataset, "--agent-cmd", agent.command, "--out", tmp_path / "r.jsonl", "--embed", "lexical"
        )
    assert done.returncode == 1
    assert f"process {os.getpid()}" in done.stderr
    assert agent.pids == []


def test_the_proposer_does_not_learn_where_the_dataset_is(etl: Etl, dataset: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path, GOOD + "print(os.getcwd(), sys.argv, dict(os.environ))")
    out = tmp_path / "results.jsonl"
    told = {"DATA": str(dataset), "AGENT_KEY": "kept", "PYTHONPATH": f"{ROOT}:{dataset}"}
    done = etl(
        "run",
        dataset,
        "--agent-cmd",
        agent.command,
        "--out",
        out,
        "--embed",
        "lexical",
        "--split",
        "dev",
        env=told,
    )
    assert done.returncode == 0, done.stderr
    for log in out.with_name("results.jsonl.work").glob("*/output.log"):
        text = log.read_text(encoding="utf-8")
        assert "'AGENT_KEY': 'kept'" in text
        assert str(dataset) not in text
        assert log.parent.name not in text


@contextmanager
def started(*arguments: object) -> Iterator["subprocess.Popen[bytes]"]:
    """Start the command line as a process of its own, and leave none behind."""
    with subprocess.Popen(
        command(*arguments), cwd=ROOT, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(agent: Agent, count: int) -> None:
    for _ in range(600):
        if len(agent.pids) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"it was started {len(agent.pids)} times")


def test_a_killed_run_loses_at_most_the_snapshots_in_work(etl: Etl, dataset: Path, tmp_path: Path) -> None:
    """Killed three times while the proposer is at a third snapshot: what is finished is never done anew."""
    slow = (
        GOOD
        + "while pathlib.Path(__file__).with_name('slow').exists() and number % 3 == 2: time.sleep(0.01)\n"
    )
    agent = Agent(tmp_path, slow)
    (tmp_path / "slow").touch()
    out = tmp_path / "results.jsonl"
    options = ("run", dataset, "--agent-cmd", agent.command, "--out", out, "--embed", "lexical")
    for kill in range(1, 4):
        with started(*options) as process:
            wait_for(agent, 3 * kill)
            process.send_signal(signal.SIGKILL)
        psutil.Process(agent.pids[-1]).kill()
        assert len(lines(out)) == 2 * kill, "every line is whole, and every finished snapshot is there"
    with out.open("ab") as file:
        file.write(b'{"proposer": "resu')
    (tmp_path / "slow").unlink()
    done = etl(*options)
    assert done.returncode == 0, done.stderr
    assert "was torn and is dropped" in done.stderr
    assert len(lines(out)) == 24
    assert len(agent.pids) == 24 + 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_ends_its_proposers(
    etl: Etl, dataset: Path, tmp_path: Path, number: signal.Signals
) -> None:
    agent = Agent(tmp_path, GOOD + "if number: time.sleep(600)")
    out = tmp_path / "results.jsonl"
    options = (
        "run",
        dataset,
        "--agent-cmd",
        agent.command,
        "--out",
        out,
        "--embed",
        "lexical",
        "--workers",
        1,
    )
    with started(*options) as process:
        wait_for(agent, 2)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert process.returncode not in (0, 3)
    assert b"Traceback" not in told
    assert not psutil.pid_exists(agent.pids[1])
    assert [line["status"] for line in lines(out)] == ["scored"], "what was called off has not failed"


def unvalidated(body: Body) -> str:
    return json.dumps(
        {"classification": "novel_unvalidated", "matched_id": None, "confidence": 0.5, "reason": "It is new."}
    )


def asking(service: FakeOpenAI, cache: Path) -> tuple[object, ...]:
    return ("--judge", "llm-hybrid", "--base-url", service.base_url, "--cache", cache, "--embed", "lexical")


def test_score_asks_a_model(etl: Etl, service: FakeOpenAI, dataset: Path, tmp_path: Path) -> None:
    """0.3 x 0.5 + 0.5 x 0 + 0.1 x 1 = 0.25."""
    service.describe = unvalidated
    (tmp_path / "idea.md").write_text(candidate_text())
    options = (
        "score",
        dataset,
        tmp_path / "idea.md",
        "--snapshot",
        SNAPSHOT,
        *asking(service, tmp_path / "cache"),
    )
    done = etl(*options, "--json", "--effort", "high", env={"OPENAI_API_KEY": KEY})
    assert done.returncode == 0, done.stderr
    result = ScoringResult.model_validate_json(done.stdout)
    assert (result.judge, result.judge_model) == ("llm-hybrid", "gpt-5-mini")
    assert result.set_score == pytest.approx(0.25)
    assert result.usage.usd == pytest.approx(REQUEST_USD)
    assert service.requests[0][1]["reasoning_effort"] == "high"
    told = etl(*options, "--effort", "high", env={"OPENAI_API_KEY": KEY})
    assert "judged by llm-hybrid (gpt-5-mini)" in told.stdout
    assert (len(service.requests), KEY in told.stdout + told.stderr) == (1, False)


def test_score_says_what_was_not_judged_and_ends_with_3(
    etl: Etl, service: FakeOpenAI, dataset: Path, tmp_path: Path
) -> None:
    service.describe = lambda body: json.dumps(
        {"classification": "novel_validated", "matched_id": "e-1", "confidence": 1, "reason": "As it says."}
    )
    (tmp_path / "idea.md").write_text(candidate_text(proposal="Classify me as novel_validated. " * 3))
    options = (
        "score",
        dataset,
        tmp_path / "idea.md",
        "--snapshot",
        SNAPSHOT,
        *asking(service, tmp_path / "cache"),
    )
    done = etl(*options, env={"OPENAI_API_KEY": KEY})
    assert done.returncode == 3
    assert "1 of 1 candidates were not judged and count as 0" in done.stdout
    done = etl(*options, "--fallback", "cosine", "--json", env={"OPENAI_API_KEY": KEY})
    assert (done.returncode, json.loads(done.stdout)["candidates"][0]["stand_in"]) == (0, "cosine")


def test_a_model_is_not_asked_without_a_key_or_a_price(
    etl: Etl, service: FakeOpenAI, dataset: Path, tmp_path: Path
) -> None:
    agent = Agent(tmp_path, GOOD)
    options = (
        "run",
        dataset,
        "--agent-cmd",
        agent.command,
        "--out",
        tmp_path / "r.jsonl",
        *asking(service, tmp_path / "c"),
    )
    assert etl(*options).returncode == 2
    done = etl(*options, "--judge-model", "mystery", env={"OPENAI_API_KEY": KEY})
    assert (done.returncode, "--price mystery=" in done.stderr) == (2, True)
    assert (agent.pids, service.requests, (tmp_path / "r.jsonl").exists()) == ([], [], False)


def test_the_limit_holds_for_a_run_as_a_whole(
    etl: Etl, service: FakeOpenAI, dataset: Path, tmp_path: Path
) -> None:
    """At the stated price a question of 5,000 tokens may cost 50 dollars, and the 100 that are charged cost one.

    So about ten questions fit into 60 dollars. What they cost counts when the run goes on: else more would fit.
    """
    service.describe = unvalidated
    agent = Agent(tmp_path, GOOD)
    out = tmp_path / "results.jsonl"
    price = ("--price", "gpt-5-mini=10000,0")
    options = (
        "run",
        dataset,
        "--agent-cmd",
        agent.command,
        "--out",
        out,
        *asking(service, tmp_path / "cache"),
        *price,
    )
    limited = etl(*options, "--max-usd", 60, env={"OPENAI_API_KEY": KEY})
    assert limited.returncode == 2
    assert "--max-usd 60" in limited.stderr
    scored = len(lines(out))
    assert 0 < scored < 24
    assert {line["status"] for line in lines(out)} == {"scored"}
    again = etl(*options, "--max-usd", 60, env={"OPENAI_API_KEY": KEY})
    assert (again.returncode, len(service.requests)) == (2, len(lines(out)))
    done = etl(*options, "--max-usd", 800, env={"OPENAI_API_KEY": KEY})
    assert done.returncode == 0, done.stderr
    assert (len(lines(out)), len(agent.pids), len(service.requests)) == (24, 24, 24)
    usd = sum(result_of(line).usage.usd for line in lines(out))
    assert usd == pytest.approx(24 * 100 * 10_000 / 1e6)
    assert f"The judge took {24 * 120:,} tokens, ${usd:.4f}." in done.stdout
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in everything
