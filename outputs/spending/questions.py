"""Questions to a chat model that are answered with JSON of a declared shape, once and for all."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from outputs.spending.budget import Budget, Estimate, Usage
from outputs.spending.cache import AnswerCache, answer_key
from outputs.spending.errors import BadAnswerError, OverBudgetError
from outputs.spending.metered import send_metered
from outputs.spending.service import ServiceSettings, call_patiently, open_client
from outputs.spending.tokens import bound_tokens

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import CompletionUsage

A = TypeVar("A", bound=BaseModel)

MAX_REJECTIONS = 3
"""How often an answer may be rejected for what it says before its question is given up."""

MAX_FAILURES_IN_A_ROW = 5
"""After so many questions that failed for good, one after the other, no further one is asked."""

_OVERHEAD_TOKENS = 64
"""What the service adds around messages, at most."""

_WORKERS = 8


@dataclass(frozen=True, slots=True)
class Question(Generic[A]):
    """One question.

    Attributes:
        id: Name of the question; answers come back under it.
        system: What the model is to do.
        user: What it is to do it with.
        answer_type: The declared shape of the answer.
    """

    id: str
    system: str
    user: str
    answer_type: type[A]


@dataclass(frozen=True, slots=True)
class Panel:
    """Who is asked, and what for.

    Attributes:
        purpose: What it is for, as the manifest names it.
        model: The model.
        prompt_version: Changed whenever the prompts change.
        max_output_tokens: Longest answer, with what a model thinks before it.
        reasoning_effort: How much a reasoning model is to think; None for a model that does not reason.
    """

    purpose: str
    model: str
    prompt_version: str
    max_output_tokens: int = 256
    reasoning_effort: str | None = None

    def key(self, question: Question[Any]) -> str:
        """Make the key under which the answer to a question is kept."""
        parameters = {
            "prompt_version": self.prompt_version,
            "max_output_tokens": self.max_output_tokens,
            "schema": question.answer_type.model_json_schema(),
        }
        if self.reasoning_effort is not None:
            parameters["reasoning_effort"] = self.reasoning_effort
        return answer_key(self.purpose, self.model, parameters, f"{question.system}\n\0\n{question.user}")

    def body(self, question: Question[Any], more: Sequence[Mapping[str, str]] = ()) -> dict[str, Any]:
        """Lay out the request. A reasoning model takes no temperature."""
        reasoning = self.reasoning_effort
        return {
            "model": self.model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.user},
                *more,
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": question.answer_type.__name__,
                    "strict": True,
                    "schema": question.answer_type.model_json_schema(),
                },
            },
            "max_completion_tokens": self.max_output_tokens,
            **({"temperature": 0} if reasoning is None else {"reasoning_effort": reasoning}),
        }

    def bounds(self, question: Question[Any], more: Sequence[Mapping[str, str]] = ()) -> tuple[int, int]:
        """Bound the tokens read and written."""
        texts = [question.system, question.user, str(question.answer_type.model_json_schema())]
        texts += [message["content"] for message in more]
        return sum(bound_tokens(text) for text in texts) + _OVERHEAD_TOKENS, self.max_output_tokens


Check = Callable[[Question[A], A], str | None]
"""Looks at an answer and gives the reason why it must not stand, as a sentence to the model, or None."""


def accept_all(question: Question[Any], answer: BaseModel) -> str | None:
    """Accept every answer of the right shape."""
    return None


class KeptAnswer(BaseModel):
    """An answer as the cache keeps it, with what it cost.

    Attributes:
        text: The answer as the model wrote it.
        input_tokens: Tokens that were read for it.
        output_tokens: Tokens that it has.
        share: Share of the list price that was charged.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    share: float = 1.0


@dataclass(slots=True)
class Answers(Generic[A]):
    """What came of questions.

    Attributes:
        given: Answers by the question's id.
        failed: For each question without an answer the reason, in a sentence.
        cached: How many of the answers were in the cache.
        unaffordable: How many questions the budget left unasked.
        cost: What the answers cost when they were paid for, in this build or an earlier one.
        wasted: What was paid just now for requests that brought no answer that counts.
    """

    given: dict[str, A] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    cached: int = 0
    unaffordable: int = 0
    cost: Usage = field(default_factory=Usage)
    wasted: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Purse:
    """What is needed to ask at all.

    Attributes:
        settings: How the service is reached.
        cache: Where answers are kept.
        budget: The money.
        sleep: Waits.
    """

    settings: ServiceSettings
    cache: AnswerCache
    budget: Budget
    sleep: Callable[[float], None] = time.sleep


def estimate_questions(
    panel: Panel, questions: Iterable[Question[A]], purse: Purse, share: float = 1.0
) -> Estimate:
    """Bound what questions may cost.

    Args:
        panel: Who is asked.
        questions: The questions.
        purse: The money and the cache.
        share: Share of the list price that is charged.
    """
    questions = list(questions)
    price = purse.budget.price(panel.model).discounted(share)
    bounds = [panel.bounds(each) for each in questions if read_kept(panel, each, purse.cache) is None]
    tokens = sum(pair[0] for pair in bounds), sum(pair[1] for pair in bounds)
    usage = Usage(len(bounds), *tokens, price.of(*tokens))
    return Estimate(panel.purpose, panel.model, len(bounds), len(questions) - len(bounds), usage)


def read_answer(question: Question[A], text: str | bytes | None) -> A:
    """Read an answer of the declared shape.

    Raises:
        BadAnswerError: If it has another one.
    """
    try:
        return question.answer_type.model_validate_json(text or "")
    except ValidationError:
        pass
    raise BadAnswerError("The answer has not the shape that was asked for.")


def read_kept(panel: Panel, question: Question[Any], cache: AnswerCache) -> KeptAnswer | None:
    """Look up what the cache keeps for a question."""
    data = cache.get(panel.key(question))
    try:
        return KeptAnswer.model_validate_json(data) if data is not None else None
    except ValidationError:
        return None


def keep(panel: Panel, question: Question[Any], kept: KeptAnswer, cache: AnswerCache) -> None:
    """Keep an answer."""
    cache.put(panel.key(question), kept.model_dump_json().encode())


def take_cached(
    panel: Panel, questions: Iterable[Question[A]], purse: Purse, check: Check[A]
) -> tuple[Answers[A], list[Question[A]]]:
    """Take from the cache what is there and still passes the check.

    Returns:
        The answers, and the questions without one.
    """
    answers, rest = Answers[A](), list[Question[A]]()
    for question in questions:
        kept = read_kept(panel, question, purse.cache)
        try:
            answer = read_answer(question, kept.text if kept else None)
        except BadAnswerError:
            rest.append(question)
            continue
        if kept is None or check(question, answer):
            rest.append(question)
        else:
            answers.given[question.id] = answer
            answers.cost += purse.budget.priced(
                panel.model, kept.input_tokens, kept.output_tokens, kept.share
            )
    answers.cached = len(answers.given)
    return answers, rest


def ask(
    panel: Panel, questions: Iterable[Question[A]], purse: Purse, check: Check[A] = accept_all
) -> Answers[A]:
    """Ask every question that the cache does not answer, several at a time.

    Args:
        panel: Who is asked.
        questions: The questions, each with an id of its own.
        purse: What is needed to ask.
        check: Looks at each answer before it counts.

    Raises:
        SpendingError: If nothing more can be asked: no key, a refused key. What was answered is in the cache.
    """
    questions = list(questions)
    known, rest = take_cached(panel, questions, purse, check)
    if not rest:
        return known
    failed: dict[str, str] = {}
    unaffordable = 0
    client = open_client(purse.settings)
    streak = _Streak()
    wasted: list[list[Usage]] = [[] for _ in rest]
    with client, ThreadPoolExecutor(min(_WORKERS, len(rest))) as pool:
        pending = [
            (each, pool.submit(_ask_one, client, panel, each, purse, check, streak, bills))
            for each, bills in zip(rest, wasted, strict=True)
        ]
        try:
            for question, future in pending:
                try:
                    future.result()
                except (BadAnswerError, OverBudgetError) as error:
                    failed[question.id] = str(error)
                    unaffordable += isinstance(error, OverBudgetError)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    answers, _ = take_cached(panel, questions, purse, check)
    answers.failed, answers.unaffordable, answers.cached = failed, unaffordable, known.cached
    answers.wasted = sum(chain.from_iterable(wasted), Usage())
    return answers


class _Streak:
    """Counts questions that failed one after the other."""

    def __init__(self) -> None:
        self._length = 0
        self._lock = threading.Lock()

    def note(self, *, has_failed: bool) -> None:
        with self._lock:
            self._length = self._length + 1 if has_failed else 0

    @property
    def is_hopeless(self) -> bool:
        return self._length >= MAX_FAILURES_IN_A_ROW


def _ask_one(
    client: "OpenAI",
    panel: Panel,
    question: Question[A],
    purse: Purse,
    check: Check[A],
    streak: _Streak,
    wasted: list[Usage],
) -> None:
    """Ask one question until its answer is in the cache; list what was paid for answers that do not count."""
    if streak.is_hopeless:
        raise BadAnswerError(f"Not asked: {MAX_FAILURES_IN_A_ROW} questions before it failed in a row.")
    more: list[dict[str, str]] = []
    complaint: str | None = None
    try:
        for _ in range(MAX_REJECTIONS):
            send = partial(_send, client, panel, question, tuple(more), purse, wasted.append)
            kept = call_patiently(send, purse.settings, purse.sleep)
            complaint = check(question, read_answer(question, kept.text))
            if complaint is None:
                keep(panel, question, kept, purse.cache)
                wasted.pop()
                streak.note(has_failed=False)
                return
            more = [{"role": "assistant", "content": kept.text}, {"role": "user", "content": complaint}]
        raise BadAnswerError(f"{MAX_REJECTIONS} answers in a row were rejected: {complaint}")
    except BadAnswerError:
        streak.note(has_failed=True)
        raise


def _send(
    client: "OpenAI",
    panel: Panel,
    question: Question[A],
    more: Sequence[Mapping[str, str]],
    purse: Purse,
    note: Callable[[Usage], None],
) -> KeptAnswer:
    body = panel.body(question, more)
    completion = send_metered(
        lambda: client.chat.completions.create(**body),
        lambda done: _tokens_of(done.usage),
        purse.budget,
        panel.purpose,
        panel.model,
        panel.bounds(question, more),
        note,
    )
    text = completion.choices[0].message.content if completion.choices else None
    read_answer(question, text)
    input_tokens, output_tokens = _tokens_of(completion.usage)
    return KeptAnswer(text=text or "", input_tokens=input_tokens, output_tokens=output_tokens)


def _tokens_of(usage: "CompletionUsage | None") -> tuple[int, int]:
    return (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)
