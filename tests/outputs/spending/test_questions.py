"""Questions to a chat model through the real client: checks, retries, the cache, the budget and batches."""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict
from werkzeug import Response

from outputs.spending.batches import MARK, POLL_S, ask_in_batches
from outputs.spending.cache import AnswerCache
from outputs.spending.errors import OverBudgetError, SpendingError
from outputs.spending.questions import (
    MAX_FAILURES_IN_A_ROW,
    MAX_REJECTIONS,
    Panel,
    Question,
    accept_all,
    ask,
    estimate_questions,
)
from tests.openai_server import KEY, Body, FakeOpenAI, Naps, as_json, chat_body, error, purse_for

PANEL = Panel("tests", "gpt-4.1-mini", "1")


class Word(BaseModel):
    """An answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    word: str


def questions(count: int) -> list[Question[Word]]:
    return [Question(f"q{number}", "Say the word.", f"word {number}", Word) for number in range(count)]


@pytest.fixture(autouse=True)
def echoing(service: FakeOpenAI) -> None:
    """Answer with the last line that was asked."""
    service.describe = lambda body: json.dumps({"word": body["messages"][1]["content"]})


def no_one(question: Question[Word], answer: Word) -> str | None:
    return "Never say word 1." if answer.word == "word 1" else None


def test_every_question_gets_its_own_answer(service: FakeOpenAI, tmp_path: Path) -> None:
    answers = ask(PANEL, questions(20), purse_for(service, tmp_path))
    assert {name: answer.word for name, answer in answers.given.items()} == {
        f"q{number}": f"word {number}" for number in range(20)
    }
    assert (answers.failed, answers.cached, len(service.requests)) == ({}, 0, 20)


def test_the_shape_is_demanded(service: FakeOpenAI, tmp_path: Path) -> None:
    ask(PANEL, questions(1), purse_for(service, tmp_path))
    (_, body), *_ = service.requests
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["response_format"]["json_schema"]["schema"]["additionalProperties"] is False


@pytest.mark.parametrize("content", ['{"word": "ha', '{"word": 1, "more": 2}', "", None, "[]"])
def test_half_an_answer_is_asked_for_again(service: FakeOpenAI, tmp_path: Path, content: str | None) -> None:
    service.faults = [lambda _: as_json(chat_body(content))]
    answers = ask(PANEL, questions(1), purse_for(service, tmp_path))
    assert answers.given["q0"].word == "word 0"
    assert len(service.requests) == 2


def test_an_answer_without_choices_is_asked_for_again(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [lambda _: as_json({**chat_body("x"), "choices": []})]
    assert ask(PANEL, questions(1), purse_for(service, tmp_path)).given["q0"].word == "word 0"


def test_a_rejected_answer_is_asked_for_again_with_the_reason(service: FakeOpenAI, tmp_path: Path) -> None:
    def obey(body: Body) -> str:
        is_first = len(body["messages"]) == 2
        return json.dumps({"word": "word 1" if is_first else "other"})

    service.describe = obey
    answers = ask(PANEL, questions(1), purse_for(service, tmp_path), no_one)
    assert answers.given["q0"].word == "other"
    last = service.requests[-1][1]["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
    assert last[-1]["content"] == "Never say word 1."


def test_a_question_whose_answers_stay_rejected_fails_with_the_reason(
    service: FakeOpenAI, tmp_path: Path
) -> None:
    answers = ask(PANEL, questions(3), purse_for(service, tmp_path), no_one)
    assert answers.given.keys() == {"q0", "q2"}
    assert answers.failed == {"q1": "3 answers in a row were rejected: Never say word 1."}
    assert len(service.requests) == 2 + MAX_REJECTIONS


def test_answers_are_kept_and_checked_again(service: FakeOpenAI, tmp_path: Path) -> None:
    ask(PANEL, questions(3), purse_for(service, tmp_path))
    again = ask(PANEL, questions(3), purse_for(service, tmp_path))
    assert (again.cached, len(again.given), len(service.requests)) == (3, 3, 3)
    stricter = ask(PANEL, questions(3), purse_for(service, tmp_path), no_one)
    assert (stricter.cached, list(stricter.failed)) == (2, ["q1"])


def test_another_prompt_is_another_question(service: FakeOpenAI, tmp_path: Path) -> None:
    ask(PANEL, questions(1), purse_for(service, tmp_path))
    ask(Panel("tests", "gpt-4.1-mini", "2"), questions(1), purse_for(service, tmp_path))
    ask(Panel("tests", "gpt-4.1-nano", "1"), questions(1), purse_for(service, tmp_path))
    assert len(service.requests) == 3


def test_a_reasoning_model_is_told_how_much_to_think_and_no_temperature(
    service: FakeOpenAI, tmp_path: Path
) -> None:
    thinking = Panel("tests", "gpt-5-mini", "1", reasoning_effort="medium")
    ask(thinking, questions(1), purse_for(service, tmp_path))
    ask(PANEL, questions(1), purse_for(service, tmp_path))
    (_, thought), (_, plain) = service.requests
    assert (thought["reasoning_effort"], "temperature" in thought) == ("medium", False)
    assert ("reasoning_effort" in plain, plain["temperature"]) == (False, 0)
    efforts = [Panel("tests", "gpt-5-mini", "1", reasoning_effort=each) for each in (None, "low", "medium")]
    assert len({panel.key(questions(1)[0]) for panel in efforts}) == 3


def test_what_was_paid_for_answers_that_do_not_count_is_told(service: FakeOpenAI, tmp_path: Path) -> None:
    """100 tokens read and 20 written cost 100 x 0.40 + 20 x 1.60 = 72 millionths of a dollar a request.

    The first question gets half an answer once, the second three rejected ones: four requests without an answer.
    """
    purse = purse_for(service, tmp_path)
    service.faults = [lambda _: as_json(chat_body('{"word": "ha'))]
    first = ask(PANEL, questions(1), purse)
    assert (first.cost.requests, first.wasted.requests) == (1, 1)
    assert first.wasted.usd == pytest.approx(72e-6)
    both = ask(PANEL, questions(2), purse, no_one)
    assert (both.cached, both.cost.requests, both.wasted.requests) == (1, 1, MAX_REJECTIONS)
    assert (both.wasted.input_tokens, both.wasted.output_tokens) == (300, 60)
    assert purse.budget.spent_usd == pytest.approx(5 * 72e-6)


def test_the_estimate_bounds_what_is_paid(service: FakeOpenAI, tmp_path: Path) -> None:
    purse = purse_for(service, tmp_path)
    estimate = estimate_questions(PANEL, questions(5), purse)
    assert (estimate.items, estimate.usage.requests) == (5, 5)
    ask(PANEL, questions(5), purse)
    assert 0 < purse.budget.spent_usd <= estimate.usage.usd
    assert estimate_questions(PANEL, questions(5), purse).usage.usd == 0


def test_the_limit_stops_the_rest(service: FakeOpenAI, tmp_path: Path) -> None:
    purse = purse_for(service, tmp_path, max_usd=0.002)
    answers = ask(PANEL, questions(60), purse)
    assert purse.budget.spent_usd <= 0.002
    assert answers.given
    assert all("--max-usd" in reason for reason in answers.failed.values())
    assert len(answers.given) + len(answers.failed) == 60
    assert len(service.requests) == len(answers.given)


def test_a_service_that_is_down_is_given_up(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [error(503)] * 10_000
    answers = ask(PANEL, questions(300), purse_for(service, tmp_path, max_attempts=2))
    assert len(answers.failed) == 300
    at_work = 8
    assert len(service.requests) <= 2 * (MAX_FAILURES_IN_A_ROW + at_work)
    assert any(reason.startswith("Not asked") for reason in answers.failed.values())


def test_a_refused_key_ends_it_without_a_word_of_the_service(service: FakeOpenAI, tmp_path: Path) -> None:
    service.faults = [error(401, message=f"Incorrect key {KEY}")] * 100
    with pytest.raises(SpendingError) as caught:
        ask(PANEL, questions(50), purse_for(service, tmp_path))
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert len(service.requests) < 50


def test_a_batch_costs_half_and_answers_all(service: FakeOpenAI, tmp_path: Path) -> None:
    """The lines of a batch come back in any order."""
    naps = Naps()
    service.polls_until_done = 2
    purse = purse_for(service, tmp_path, sleep=naps)
    answers = ask_in_batches(PANEL, questions(4), purse, accept_all)
    assert {name: answer.word for name, answer in answers.given.items()} == {
        f"q{number}": f"word {number}" for number in range(4)
    }
    assert naps.taken == [POLL_S, POLL_S]
    assert "/v1/chat/completions" not in service.paths()
    assert purse.budget.spent_usd == pytest.approx(4 * (100 * 0.4 + 20 * 1.6) / 2 / 1e6)


def test_what_a_batch_lacks_is_asked_directly(service: FakeOpenAI, tmp_path: Path) -> None:
    answered = service.describe
    service.describe = lambda body: None if body["messages"][1]["content"] == "word 2" else answered(body)
    service.faults = [lambda _: None] * 5 + [lambda _: as_json(chat_body('{"word": "word 2"}'))]
    answers = ask_in_batches(PANEL, questions(4), purse_for(service, tmp_path), accept_all)
    assert len(answers.given) == 4
    assert service.paths().count("/v1/chat/completions") == 1


def test_a_batch_that_was_sent_is_waited_for_and_not_sent_again(service: FakeOpenAI, tmp_path: Path) -> None:
    """The build is killed while it waits."""

    def killed(seconds: float) -> None:
        raise KeyboardInterrupt

    service.polls_until_done = 1
    with pytest.raises(KeyboardInterrupt):
        ask_in_batches(PANEL, questions(4), purse_for(service, tmp_path, sleep=killed), accept_all)
    answers = ask_in_batches(PANEL, questions(4), purse_for(service, tmp_path), accept_all)
    assert len(answers.given) == 4
    assert len(service.batches) == 1
    assert service.paths().count("/v1/files") == 1


def test_a_batch_whose_receipt_got_lost_is_found_by_its_mark(service: FakeOpenAI, tmp_path: Path) -> None:
    """The service took it, and then failed to say so; others have batches there as well."""
    ask_in_batches(PANEL, questions(3), purse_for(service, tmp_path / "others"), accept_all)
    service.faults = [lambda _: None] * 3 + [error(503)]
    answers = ask_in_batches(PANEL, questions(4), purse_for(service, tmp_path), accept_all)
    assert len(answers.given) == 4
    assert [len(lines) for lines in service.batches.values()] == [3, 4]
    marks = [service.marks[name][MARK] for name in service.batches]
    assert len(set(marks)) == 2


@pytest.mark.parametrize("put", range(1, 7))
def test_a_kill_at_any_note_sends_no_second_batch(
    service: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: int
) -> None:
    """The notes are the mark, the id, the three answers, and that the batch is over."""
    puts = 0
    keep_well = AnswerCache.put

    def killed_at(cache: AnswerCache, key: str, value: bytes) -> None:
        nonlocal puts
        puts += 1
        if puts == put:
            raise KeyboardInterrupt
        keep_well(cache, key, value)

    with monkeypatch.context() as patch:
        patch.setattr(AnswerCache, "put", killed_at)
        with pytest.raises(KeyboardInterrupt):
            ask_in_batches(PANEL, questions(3), purse_for(service, tmp_path), accept_all)
    answers = ask_in_batches(PANEL, questions(3), purse_for(service, tmp_path), accept_all)
    assert len(answers.given) == 3
    assert len(service.batches) == 1
    assert "/v1/chat/completions" not in service.paths()


def test_garbled_lines_of_a_batch_are_no_answers(service: FakeOpenAI, tmp_path: Path) -> None:
    garbled = (
        b'\xff\n{"custom_id": 1}\n[]\n{"custom_id": "x", "response": {"body": {"choices": []}}}\nnot json'
    )
    service.faults = [lambda _: None] * 4 + [lambda _: Response(garbled)]
    answers = ask_in_batches(PANEL, questions(2), purse_for(service, tmp_path), accept_all)
    assert len(answers.given) == 2, "they are asked directly"


def test_a_batch_beyond_the_budget_is_not_sent(service: FakeOpenAI, tmp_path: Path) -> None:
    with pytest.raises(OverBudgetError):
        ask_in_batches(PANEL, questions(4), purse_for(service, tmp_path, max_usd=0.0001), accept_all)
    assert service.requests == []
