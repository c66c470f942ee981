"""Sampling over real HTTP: refusals, failures, torn files, and runs that are taken up again."""

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from werkzeug import Response

from outputs.spending.budget import Budget
from outputs.spending.errors import SpendingError
from outputs.spending.prices import Price
from outputs.spending.service import ServiceSettings, open_client
from scorers.noveltybench.errors import NoveltyBenchError, RowError
from scorers.noveltybench.infer import Inferred, from_references, infer
from scorers.noveltybench.rows import Prompt, References
from scorers.noveltybench.sampling import MAX_FAILURES_IN_A_ROW, PURPOSE, Sampler, Sampling
from tests.openai_server import KEY, Body, FakeOpenAI, Naps, as_json, chat_body, error, slow

PROMPTS = [Prompt(id=f"p{number}", prompt=f"Prompt {number}") for number in range(6)]


def choices(*messages: dict[str, Any]) -> Response:
    body = chat_body("")
    body["choices"] = [
        {
            "index": index,
            "message": {"role": "assistant", "content": None, **message},
            "finish_reason": "stop",
        }
        for index, message in enumerate(messages)
    ]
    return as_json(body)


def all_at_once(body: Body) -> Response:
    """Answer as a service does that gives as many outputs as it is asked for."""
    prompt = body["messages"][0]["content"]
    return choices(*({"content": f"{prompt} / {number}"} for number in range(body["n"])))


def sample(
    service: FakeOpenAI,
    folder: Path,
    prompts: Sequence[Prompt] = PROMPTS,
    *,
    k: int = 3,
    workers: int = 1,
    attempts: int = 2,
    timeout_s: float = 10.0,
    budget: Budget | None = None,
    naps: Naps | None = None,
) -> Inferred:
    settings = ServiceSettings(KEY, service.base_url, timeout_s=timeout_s, max_attempts=attempts)
    sampling = Sampling("some-model", k)
    budget = budget or Budget(1e9, {"some-model": Price(1, 1)})
    with open_client(settings) as client:
        sampler = Sampler(client, sampling, settings, budget, naps or Naps())
        return infer(
            folder,
            prompts,
            "some-model",
            k,
            lambda prompt, given: sampler(prompt.prompt, given),
            workers=workers,
        )


def rows(folder: Path, name: str = "generations.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def outputs(folder: Path) -> dict[str, list[str]]:
    return {row["id"]: row["generations"] for row in rows(folder)}


def test_k_outputs_to_every_prompt_in_the_order_of_the_prompts(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [all_at_once] * 6
    done = sample(service, tmp_path / "run", workers=4)
    assert (done.written, done.kept, done.failed, done.num_empty, done.is_torn) == (6, 0, (), 0, False)
    assert rows(tmp_path / "run")[4] == {
        "id": "p4",
        "prompt": "Prompt 4",
        "model": "some-model",
        "generations": ["Prompt 4 / 0", "Prompt 4 / 1", "Prompt 4 / 2"],
    }
    assert list(outputs(tmp_path / "run")) == [prompt.id for prompt in PROMPTS]
    assert rows(tmp_path / "run", "failures.jsonl") == []
    (path, body), *_ = service.requests
    assert path == "/v1/chat/completions"
    assert body["messages"] == [{"role": "user", "content": body["messages"][0]["content"]}]
    assert {name: body[name] for name in ("model", "n", "temperature", "max_tokens")} == {
        "model": "some-model",
        "n": 3,
        "temperature": 1.0,
        "max_tokens": 512,
    }


def test_the_order_in_which_prompts_are_done_does_not_show(tmp_path: Path) -> None:
    is_last_done = threading.Event()

    def write(prompt: Prompt, given: Sequence[str]) -> Sequence[str]:
        if prompt.id == "p5":
            is_last_done.set()
        else:
            assert is_last_done.wait(30)
        return [prompt.prompt]

    infer(tmp_path, PROMPTS, "m", 1, write, workers=6)
    assert list(outputs(tmp_path)) == [prompt.id for prompt in PROMPTS]


def test_a_service_that_gives_one_output_at_a_time_is_asked_for_the_rest(
    service: FakeOpenAI, tmp_path: Path
) -> None:
    count = iter(range(99))
    service.describe = lambda body: f"{body['messages'][0]['content']} / {next(count)}"
    sample(service, tmp_path, PROMPTS[:2])
    assert outputs(tmp_path) == {
        "p0": ["Prompt 0 / 0", "Prompt 0 / 1", "Prompt 0 / 2"],
        "p1": ["Prompt 1 / 3", "Prompt 1 / 4", "Prompt 1 / 5"],
    }
    assert [body["n"] for _, body in service.requests] == [3, 2, 1] * 2


def test_a_service_that_gives_too_many_outputs_is_cut_short(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [lambda _: choices(*({"content": str(number)} for number in range(9)))]
    sample(service, tmp_path, PROMPTS[:1])
    assert outputs(tmp_path) == {"p0": ["0", "1", "2"]}


def test_a_service_that_refuses_the_parameters_is_asked_for_one_output_at_a_time(
    service: FakeOpenAI, tmp_path: Path
) -> None:
    service.describe = lambda _: "fine"
    service.faults = [error(400, "unsupported_parameter")]
    sample(service, tmp_path, PROMPTS[:2], k=2)
    assert outputs(tmp_path) == {"p0": ["fine", "fine"], "p1": ["fine", "fine"]}
    first, *others = [body for _, body in service.requests]
    assert (first["n"], first["max_tokens"]) == (2, 512)
    assert len(others) == 4
    assert all("n" not in body and "max_tokens" not in body for body in others)
    assert all(body["max_completion_tokens"] == 512 for body in others)


def test_refusals_are_outputs_and_nothing_is_an_empty_one(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [
        lambda _: choices(
            {"content": None, "refusal": "I cannot help with that."},
            {"content": None},
            {"content": ""},
            {"content": "half \ud83d pair"},
        )
    ]
    done = sample(service, tmp_path, PROMPTS[:1], k=4)
    assert outputs(tmp_path) == {"p0": ["I cannot help with that.", "", "", "half ? pair"]}
    assert (done.num_empty, done.failed) == (2, ())


@pytest.mark.parametrize(
    "fault",
    [
        error(429),
        error(500),
        lambda _: Response('{"choices": [{"mess', content_type="application/json"),
        lambda _: as_json({**chat_body("x"), "choices": []}),
        lambda _: as_json({**chat_body("x"), "choices": None}),
        lambda _: choices({"content": ["no", "text"]}),
    ],
)
def test_what_may_pass_is_tried_again(
    service: FakeOpenAI, tmp_path: Path, fault: Callable[[Body], Response]
) -> None:
    service.faults = [fault, all_at_once]
    naps = Naps()
    assert sample(service, tmp_path, PROMPTS[:1], naps=naps).failed == ()
    assert outputs(tmp_path)["p0"] == ["Prompt 0 / 0", "Prompt 0 / 1", "Prompt 0 / 2"]
    assert naps.taken == [1.0]


def test_a_service_that_hangs_is_left_waiting(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [slow(2.0), slow(2.0), all_at_once]
    done = sample(service, tmp_path, PROMPTS[:2], timeout_s=0.3)
    assert [(each.id, each.reason) for each in done.failed] == [("p0", "The service did not answer in time.")]
    assert list(outputs(tmp_path)) == ["p1"]


def test_a_failed_prompt_is_recorded_and_no_empty_output(service: FakeOpenAI, tmp_path: Path) -> None:
    """What the service says, which may repeat the key, is in no file."""

    def fail_one(body: Body) -> Response | None:
        is_bad = body["messages"][0]["content"] == "Prompt 2"
        return error(500)(body) if is_bad else all_at_once(body)

    service.faults = [fail_one] * 99
    done = sample(service, tmp_path)
    assert [each.id for each in done.failed] == ["p2"]
    assert list(outputs(tmp_path)) == ["p0", "p1", "p3", "p4", "p5"]
    assert rows(tmp_path, "failures.jsonl") == [
        {"id": "p2", "prompt": "Prompt 2", "model": "some-model", "reason": "The service answered HTTP 500."}
    ]
    assert KEY not in "".join(path.read_text() for path in tmp_path.iterdir())
    service.requests.clear()
    service.faults = [all_at_once]
    again = sample(service, tmp_path)
    assert (again.written, again.kept, again.failed, len(service.requests)) == (1, 5, (), 1)
    assert list(outputs(tmp_path)) == [prompt.id for prompt in PROMPTS]
    assert rows(tmp_path, "failures.jsonl") == []


def test_a_prompt_that_is_refused_for_what_it_says_fails_alone(service: FakeOpenAI, tmp_path: Path) -> None:
    def refuse_one(body: Body) -> Response | None:
        is_bad = body["messages"][0]["content"] == "Prompt 0"
        return error(400, "content_policy_violation")(body) if is_bad else all_at_once(body)

    service.faults = [refuse_one] * 99
    done = sample(service, tmp_path)
    assert [each.reason for each in done.failed] == [
        "The service answered HTTP 400 (content_policy_violation)."
    ]
    assert {body["n"] for _, body in service.requests[2:]} == {3}, "the others are asked as before"


def test_a_service_that_is_down_is_not_asked_for_ever(service: FakeOpenAI, tmp_path: Path) -> None:
    prompts = [Prompt(id=str(number), prompt="x") for number in range(40)]
    service.faults = [error(503)] * 999
    done = sample(service, tmp_path, prompts, attempts=1)
    assert len(done.failed) == 40
    assert len(service.requests) == MAX_FAILURES_IN_A_ROW
    assert done.failed[-1].reason == "Not asked: 5 prompts before it failed in a row."


def test_a_refused_key_ends_the_run_and_keeps_what_was_done(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [all_at_once, all_at_once, *[error(401)] * 99]
    with pytest.raises(SpendingError, match="refused the key") as caught:
        sample(service, tmp_path)
    assert KEY not in repr(caught.value)
    assert list(outputs(tmp_path)) == ["p0", "p1"]
    assert {row["reason"] for row in rows(tmp_path, "failures.jsonl")} == {
        "It was not asked yet when the run ended."
    }
    assert [row["id"] for row in rows(tmp_path, "failures.jsonl")] == ["p2", "p3", "p4", "p5"]


def test_the_limit_is_kept(service: FakeOpenAI, tmp_path: Path) -> None:
    # A request for 3 outputs may write 1,536 tokens, at a dollar each million: $0.0015 and a bit to read.
    budget = Budget(0.002, {"some-model": Price(1, 1)})
    service.faults = [all_at_once] * 99
    with pytest.raises(SpendingError, match="--max-usd"):
        sample(service, tmp_path, budget=budget)
    # Each answer says that it read 100 tokens and wrote 20.
    assert budget.spent_usd == pytest.approx(len(rows(tmp_path)) * 120e-6)
    assert budget.usage_of(PURPOSE, "some-model").requests == len(service.requests) < 6


def test_a_torn_line_is_done_again_and_no_other(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [all_at_once] * 6
    sample(service, tmp_path)
    path = tmp_path / "generations.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:25])
    service.requests.clear()
    service.faults = [all_at_once] * 6
    done = sample(service, tmp_path)
    assert (done.is_torn, done.kept, done.written) == (True, 3, 3)
    assert {body["messages"][0]["content"] for _, body in service.requests} == {
        "Prompt 3",
        "Prompt 4",
        "Prompt 5",
    }
    assert path.read_bytes() == whole


def test_a_last_line_without_its_end_that_is_whole_is_kept(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [all_at_once] * 6
    sample(service, tmp_path)
    path = tmp_path / "generations.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole.rstrip(b"\n"))
    service.requests.clear()
    assert sample(service, tmp_path).kept == 6
    assert service.requests == []
    assert path.read_bytes() == whole


def test_more_outputs_are_added_to_those_that_are_there(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [all_at_once] * 2
    sample(service, tmp_path, PROMPTS[:2], k=2)
    service.faults = [all_at_once, *[error(500)] * 2]
    done = sample(service, tmp_path, PROMPTS[:2], k=3)
    assert service.requests[2][1]["n"] == 1
    assert outputs(tmp_path)["p0"] == ["Prompt 0 / 0", "Prompt 0 / 1", "Prompt 0 / 0"]
    assert [each.id for each in done.failed] == ["p1"]
    assert outputs(tmp_path)["p1"] == ["Prompt 1 / 0", "Prompt 1 / 1"], "what was paid for is kept"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ({"model": "other"}, "outputs of other, not of some-model"),
        ({"prompt": "Prompt zero"}, "outputs to another prompt p0"),
        ({"id": "p99"}, "outputs to another prompt p99"),
        ({"generations": list("abcd")}, "4 outputs to the prompt p0, more than 3"),
    ],
)
def test_a_folder_of_something_else_is_left_alone(
    service: FakeOpenAI, tmp_path: Path, line: dict[str, Any], sentence: str
) -> None:
    row = {"id": "p0", "prompt": "Prompt 0", "model": "some-model", "generations": list("abc"), **line}
    path = tmp_path / "generations.jsonl"
    path.write_text(json.dumps(row) + "\n")
    before = path.read_bytes()
    with pytest.raises(NoveltyBenchError, match=f"{sentence}: name another folder"):
        sample(service, tmp_path)
    assert path.read_bytes() == before
    assert service.requests == []


def test_a_line_that_was_never_ours_is_not_overwritten(service: FakeOpenAI, tmp_path: Path) -> None:
    path = tmp_path / "generations.jsonl"
    path.write_text('{"something": "else"}\n')
    with pytest.raises(NoveltyBenchError, match=r"line 1: id: Field required: correct or delete the line"):
        sample(service, tmp_path)
    assert path.read_text() == '{"something": "else"}\n'


def test_people_stand_in_as_one_more_writer(tmp_path: Path) -> None:
    texts = {
        "p0": References(id="p0", references=("a", "b", "c")),
        "p1": References(id="p1", references=("d", "e")),
        "p2": References(id="p2", references=("f",)),
    }
    done = infer(tmp_path, PROMPTS[:4], "human", 2, from_references(texts, 2))
    assert outputs(tmp_path) == {"p0": ["a", "b"], "p1": ["d", "e"]}
    assert [(each.id, each.reason) for each in done.failed] == [
        ("p2", "There are 1 references, of 2 asked for."),
        ("p3", "There are 0 references, of 2 asked for."),
    ]


def test_a_writer_that_breaks_keeps_what_was_done(tmp_path: Path) -> None:
    def write(prompt: Prompt, given: Sequence[str]) -> Sequence[str]:
        if prompt.id == "p3":
            raise KeyboardInterrupt
        if prompt.id == "p1":
            raise RowError("It is hard.")
        return ["x"]

    with pytest.raises(KeyboardInterrupt):
        infer(tmp_path, PROMPTS, "m", 1, write)
    assert {"p0", "p2"} <= set(outputs(tmp_path)) <= {"p0", "p2", "p4", "p5"}
    assert {row["id"]: row["reason"] for row in rows(tmp_path, "failures.jsonl")}["p1"] == "It is hard."
