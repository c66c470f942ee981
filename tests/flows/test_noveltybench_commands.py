"""The stages of NoveltyBench as commands: exit codes, sentences, keys, and a run that is killed."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from flows.noveltybench_commands import noveltybench
from tests.openai_server import KEY, Body, FakeOpenAI, as_json, chat_body, error
from tests.scorers.noveltybench.test_pretrained import TEMPLATE, make_classifier, make_reward, save

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from flows.cli import main; main()", "noveltybench")
SAME = "one two three four five six seven"


def environment(service: FakeOpenAI | None) -> dict[str, str]:
    clean = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    return {**clean, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": service.base_url} if service else clean


def run(*arguments: object, service: FakeOpenAI | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=ROOT,
        env=environment(service),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert KEY not in done.stdout + done.stderr
    return done


def write(path: Path, *lines: dict[str, Any] | str) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def prompt(number: int) -> dict[str, Any]:
    return {"id": f"p{number}", "prompt": f"Prompt {number}"}


def scores(model: str, *rows: tuple[Sequence[int], Sequence[int]]) -> list[dict[str, Any]]:
    return [
        {
            "id": f"p{number}",
            "prompt": "",
            "model": model,
            "partition": labels,
            "generation_scores": qualities,
        }
        for number, (labels, qualities) in enumerate(rows)
    ]


def answers(*contents: str) -> Any:
    def answer(_: Body) -> Any:
        body = chat_body("")
        (choice,) = body["choices"]
        body["choices"] = [{**choice, "message": {"role": "assistant", "content": each}} for each in contents]
        return as_json(body)

    return answer


def test_every_stage_and_every_option_has_help() -> None:
    page = (ROOT / "docs/noveltybench.md").read_text(encoding="utf-8")
    stages = get_command(noveltybench).commands  # type: ignore[attr-defined]
    assert list(stages) == ["infer", "partition", "score", "summarize"]
    for name, stage in stages.items():
        assert stage.help
        assert f"speedrun-etl noveltybench {name}" in page
        assert all(getattr(each, "help", None) for each in stage.params), name


def test_outputs_are_sampled_and_told(service: FakeOpenAI, tmp_path: Path) -> None:
    prompts = write(tmp_path / "prompts.jsonl", prompt(0), prompt(1))
    service.faults = [answers("a", "")] * 2
    out = tmp_path / "run"
    done = run("infer", out, "--prompts", prompts, "--model", "m", "--k", 2, service=service)
    assert (done.returncode, done.stderr.count("infer")) == (0, 2)
    assert done.stdout.splitlines() == [
        "2 requests read 200 tokens and wrote 40.",
        f"{out} holds the outputs to 2 prompts, 0 of an earlier run. 2 outputs are empty.",
    ]
    again = run("infer", out, "--prompts", prompts, "--model", "m", "--k", 2, "--quiet", service=service)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert len(service.requests) == 2


def test_failed_prompts_and_bad_lines_are_told_and_end_with_3(service: FakeOpenAI, tmp_path: Path) -> None:
    prompts = write(tmp_path / "prompts.jsonl", prompt(0), "garbage", prompt(1))
    service.faults = [answers("a"), error(500)]
    arguments = ("infer", tmp_path / "run", "--prompts", prompts, "--model", "m", "--k", 1)
    done = run(*arguments, "--attempts", 1, "--workers", 1, "--quiet", service=service)
    assert done.returncode == 3
    first, second = done.stderr.splitlines()
    assert first.startswith(f"Left out: {prompts}, line 2: Invalid JSON")
    assert second == "Left out: The prompt p1 failed: The service answered HTTP 500."
    assert [row["id"] for row in read(tmp_path / "run" / "generations.jsonl")] == ["p0"]


def test_a_limit_needs_a_price_and_is_kept(service: FakeOpenAI, tmp_path: Path) -> None:
    prompts = write(tmp_path / "prompts.jsonl", prompt(0), prompt(1))
    arguments = (
        "infer",
        tmp_path / "run",
        "--prompts",
        prompts,
        "--model",
        "m",
        "--k",
        1,
        "--max-usd",
        0.0006,
    )
    done = run(*arguments, service=service)
    assert done.returncode == 2
    assert "The price of the model 'm' is not known" in done.stderr
    done = run(*arguments, "--price", "m=1,1", "--workers", 1, "--quiet", service=service)
    assert (done.returncode, len(service.requests)) == (2, 1)
    assert "--max-usd" in done.stderr
    assert len(read(tmp_path / "run" / "failures.jsonl")) == 1


def test_what_is_asked_wrongly_ends_with_2(service: FakeOpenAI, tmp_path: Path) -> None:
    prompts = write(tmp_path / "prompts.jsonl", prompt(0))
    out = tmp_path / "run"
    both = ("--model", "m", "--references", prompts)
    for arguments in (("infer", out, "--prompts", prompts), ("infer", out, "--prompts", prompts, *both)):
        assert run(*arguments, service=service).returncode == 2
    keyless = run("infer", out, "--prompts", prompts, "--model", "m")
    assert (keyless.returncode, keyless.stderr.strip().rpartition("\n")[2]) == (
        2,
        "Error: No key for OpenAI: set OPENAI_API_KEY, or leave out the options that ask OpenAI.",
    )
    for stage, missing in (("partition", "infer"), ("score", "partition"), ("summarize", "score")):
        done = run(stage, out)
        assert done.returncode == 2
        assert f"run `speedrun-etl noveltybench {missing}` first" in done.stderr


def test_a_run_that_is_killed_is_taken_up_again(service: FakeOpenAI, tmp_path: Path) -> None:
    """Killed for good between two prompts; in the end every prompt was paid for once, but for one at work."""
    prompts = write(tmp_path / "prompts.jsonl", *(prompt(number) for number in range(8)))
    out = tmp_path / "run"
    is_killed = threading.Event()
    release = threading.Event()

    def answer(body: Body) -> str:
        if body["messages"][0]["content"] == "Prompt 4" and not is_killed.is_set():
            release.wait(60)
        return f"Answer to {body['messages'][0]['content']}"

    service.describe = answer
    arguments = ["infer", str(out), "--prompts", str(prompts), "--model", "m", "--k", "1", "--workers", "1"]
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=ROOT, env=environment(service), stdout=-3, stderr=-3
    )
    path = out / "generations.jsonl"
    while not path.exists() or path.read_text().count("\n") < 4:
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    is_killed.set()
    release.set()
    with path.open("a") as file:
        file.write('{"id": "p4", "pro')
    done = run(*arguments, service=service)
    assert done.returncode == 0
    assert "killed in the middle of a line" in done.stdout
    assert "8 prompts, 4 of an earlier run" in done.stdout
    assert [(row["id"], row["generations"]) for row in read(path)] == [
        (f"p{number}", [f"Answer to Prompt {number}"]) for number in range(8)
    ]
    asked = [body["messages"][0]["content"] for _, body in service.requests]
    assert sorted(asked) == sorted([*(f"Prompt {number}" for number in range(8)), "Prompt 4"])


def test_outputs_are_compared_by_the_embeddings_of_a_service(service: FakeOpenAI, tmp_path: Path) -> None:
    out = tmp_path / "run"
    write(
        out / "generations.jsonl",
        {"id": "p0", "prompt": "", "model": "m", "generations": [SAME, "yes", f"{SAME} eight", SAME]},
        "garbage",
        {"id": "p1", "prompt": "", "model": "m", "generations": ["ha ha ha", "ha ha ha"]},
    )
    arguments = ("partition", out, "--equivalence", "openai", "--cache", tmp_path / "cache", "--quiet")
    done = run(*arguments, service=service)
    assert done.returncode == 3
    assert done.stderr.startswith(f"Left out: {out / 'generations.jsonl'}, line 2: Invalid JSON")
    assert [(row["id"], row["partition"], row["distinct"]) for row in read(out / "partitions.jsonl")] == [
        ("p0", [0, 1, 2, 0], 3),
        ("p1", [0, 0], 1),
    ]
    assert {path for path, _ in service.requests} == {"/v1/embeddings"}
    asked = len(service.requests)
    run(*arguments, "--threshold", -1, "--compat", service=service)
    assert len(service.requests) == asked, "what was embedded is in the cache"
    assert [row["partition"] for row in read(out / "partitions.jsonl")] == [[0, 0, 0, 0], [0, 1]]


def test_outputs_are_compared_by_words_alone(tmp_path: Path) -> None:
    out = tmp_path / "run"
    texts = [
        "The muon optimizer with a longer warmup of the learning rate",
        "The muon optimizer, with a longer warmup of the learning rate!",
        "Sentences about another thing altogether have no such words",
        "ha ha ha",
    ]
    write(out / "generations.jsonl", {"id": "p0", "prompt": "", "model": "m", "generations": texts})
    assert run("partition", out, "--equivalence", "lexical", "--quiet").returncode == 0
    assert [row["partition"] for row in read(out / "partitions.jsonl")] == [[0, 0, 1, 2]]


def test_writers_stand_side_by_side_with_standard_errors(tmp_path: Path) -> None:
    first, people = tmp_path / "first", tmp_path / "people"
    # Utilities 10 and 5.56: mean 7.78, error 2.22; distinct 2 and 1: 1.50, 0.50.
    write(first / "scores.jsonl", *scores("some-model", ([0, 1], [10, 10]), ([0, 0], [10, 0])))
    write(people / "scores.jsonl", *scores("human", ([0, 1], [10, 10]), ([0, 1], [10, 10])))
    done = run("summarize", first, people)
    assert done.returncode == 0
    table = [re.split(r"\s*[│┃]\s*", line.strip("│┃ ")) for line in done.stdout.splitlines()]
    assert ["some-model", "2", "0", "2", "1.50 ± 0.50", "7.78 ± 2.22"] in table
    assert ["human", "2", "0", "2", "2.00 ± 0.00", "10.00 ± 0.00"] in table
    summary = json.loads((first / "summary.json").read_text())
    assert summary["mean_utility"] == pytest.approx((10 + 10 / 1.8) / 2)
    assert run("summarize", first, "--patience", 1).returncode == 0
    assert json.loads((first / "summary.json").read_text())["mean_utility"] == 7.5


def test_a_summary_tells_what_is_not_in_it(tmp_path: Path) -> None:
    out = tmp_path / "run"
    write(out / "scores.jsonl", *scores("m", ([0, 1], [10, 10])), "garbage")
    write(out / "failures.jsonl", {**prompt(7), "model": "m", "reason": "It is down."})
    done = run("summarize", out)
    assert done.returncode == 3
    assert f"Left out: {out / 'scores.jsonl'}, line 2: Invalid JSON" in done.stderr
    assert "Left out: 2 prompts have no score." in done.stderr
    write(out / "scores.jsonl", *scores("m", ([0, 1], [10, 10]), ([0], [10])))
    (out / "failures.jsonl").unlink()
    done = run("summarize", out)
    assert (done.returncode, "the same number of outputs" in done.stderr) == (0, True)


def test_people_are_one_more_writer(tmp_path: Path) -> None:
    prompts = write(tmp_path / "prompts.jsonl", prompt(0), prompt(1))
    texts = write(tmp_path / "texts.jsonl", {"id": "p0", "references": ["a", "b", "c"]})
    out = tmp_path / "people"
    arguments = ("infer", out, "--prompts", prompts, "--references", texts, "--k", 2, "--quiet")
    done = run(*arguments)
    assert done.returncode == 3
    assert done.stderr == "Left out: The prompt p1 failed: There are 0 references, of 2 asked for.\n"
    assert read(out / "generations.jsonl") == [
        {"id": "p0", "prompt": "Prompt 0", "model": "human", "generations": ["a", "b"]}
    ]


@pytest.mark.skipif(find_spec("torch") is not None, reason="the extra is installed")
def test_without_the_extra_a_sentence_says_what_to_install(tmp_path: Path) -> None:
    out = tmp_path / "run"
    row = {"id": "p0", "prompt": "", "model": "m", "generations": ["a"], "partition": [0]}
    write(out / "generations.jsonl", row)
    write(out / "partitions.jsonl", row)
    for stage in ("partition", "score"):
        done = run(stage, out)
        assert done.returncode == 2
        assert "pip install 'speedrun-etl[noveltybench]'" in done.stderr


@pytest.mark.bge
@pytest.mark.filterwarnings("ignore")
def test_all_stages_with_models_of_folders(service: FakeOpenAI, tmp_path: Path) -> None:
    classifier = save(tmp_path / "classifier", make_classifier())
    reward = save(tmp_path / "reward", make_reward, TEMPLATE)
    prompts = write(tmp_path / "prompts.jsonl", prompt(0), prompt(1))
    out = tmp_path / "run"
    service.faults = [
        answers("a b c d e f g", "red", "a b c d e f g", "RED", "", "green blue fast slow a b")
    ] * 2
    stages: list[tuple[object, ...]] = [
        ("infer", out, "--prompts", prompts, "--model", "m", "--k", 6),
        ("partition", out, "--model", classifier, "--threshold", 1, "--device", "cpu"),
        ("score", out, "--reward-model", reward, "--device", "cpu"),
        ("summarize", out),
    ]
    for stage in stages:
        done = run(*stage, service=service)
        assert done.returncode == 0, done.stderr
    # No similarity exceeds 1, so that long outputs are equal where they are the same.
    assert [row["partition"] for row in read(out / "partitions.jsonl")] == [[0, 1, 0, 1, 2, 3]] * 2
    for row in read(out / "scores.jsonl"):
        assert [bool(each) for each in row["generation_scores"]] == [True, True, False, False, True, True]
        assert all(1 <= each <= 10 for each in row["partition_scores"])
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["mean_distinct"], summary["stderr_distinct"], summary["num_generations"]) == (4, 0, 6)
    done = run("partition", out, "--model", classifier, "--threshold", -1, "--device", "cpu")
    assert [row["partition"] for row in read(out / "partitions.jsonl")] == [[0, 0, 0, 0, 0, 0]] * 2
