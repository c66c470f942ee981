"""Questions to an OpenAI-compatible API: in parallel, with retries, a cache and a budget that holds."""

import os
import random
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from linkers.ideas.llm import SYSTEM, Answer, Question

if TYPE_CHECKING:
    from openai import OpenAI

TIMEOUT_S = 60.0
"""For one attempt; the client's own default is ten minutes."""

ATTEMPTS = 6
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 20.0
PARALLEL = 8
MAX_ANSWER_TOKENS = 400

USD_PER_MILLION_TOKENS: Mapping[str, tuple[float, float]] = {
    "gpt-4o-mini": (0.15, 0.60),
    "gpt-4o": (2.50, 10.00),
    "gpt-4.1-nano": (0.10, 0.40),
    "gpt-4.1-mini": (0.40, 1.60),
    "gpt-4.1": (2.00, 8.00),
    "gpt-5-mini": (0.25, 2.00),
    "gpt-5": (1.25, 10.00),
}
"""Price of what is sent and of what comes back. A model that is not listed counts as the dearest."""


class LlmError(Exception):
    """The model cannot be asked. The message is one sentence and holds no key."""


class IdeaChoice(BaseModel):
    """What the model must answer.

    Attributes:
        idea_id: One of the offered ids, or null for none of them.
        confidence: 0 to 1.
        reason: One line.
    """

    model_config = ConfigDict(extra="ignore")

    idea_id: str | None = Field(description="One of the offered idea ids, or null for none of them.")
    confidence: float = Field(description="Between 0 and 1.")
    reason: str = Field(description="One line.")


class SavedAnswer(BaseModel):
    """One answer in the cache or in a file of saved answers.

    Attributes:
        key: Names the question by model, prompt version and full prompt; empty for an answer by hand, which
            then answers every question about its run.
        experiment_id: The run.
        offered: What there was to choose from.
        idea_id: The chosen idea, or None.
        confidence: 0 to 1.
        reason: One line.
        model: Who answered.
    """

    model_config = ConfigDict(frozen=True)

    key: str = ""
    experiment_id: str
    offered: tuple[str, ...] = ()
    idea_id: str | None
    confidence: float = 1.0
    reason: str = ""
    model: str = "by hand"

    def to_answer(self) -> Answer:
        """Forget where it was saved."""
        return Answer(self.idea_id, self.confidence, self.reason, self.model)


class Cache(Protocol):
    """What is needed of a cache."""

    def get(self, key: str) -> object:
        """Read a value, or None."""

    def set(self, key: str, value: str) -> object:
        """Keep a value."""


@dataclass(slots=True)
class Spend:
    """What was asked and what it cost.

    Attributes:
        requests: Requests that were answered.
        from_cache: Questions that the cache or the saved answers answered.
        failed: Questions that no attempt could get an answer to.
        left: Questions that the budget left unasked.
        input_tokens: Tokens sent.
        output_tokens: Tokens that came back.
        usd: Their price.
    """

    requests: int = 0
    from_cache: int = 0
    failed: int = 0
    left: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0


class Budget:
    """A number of dollars that parallel requests share. A request reserves what it may cost at most."""

    def __init__(self, max_usd: float, model: str) -> None:
        """Start with nothing spent.

        Args:
            max_usd: The most that may be spent.
            model: Whose prices count.
        """
        dearest = (
            max(price for price, _ in USD_PER_MILLION_TOKENS.values()),
            max(price for _, price in USD_PER_MILLION_TOKENS.values()),
        )
        self._prices = USD_PER_MILLION_TOKENS.get(model, dearest)
        self._max_usd = max_usd
        self._committed = 0.0
        self._lock = threading.Lock()

    def price(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost."""
        return (input_tokens * self._prices[0] + output_tokens * self._prices[1]) / 1_000_000

    def reserve(self, characters: int) -> float | None:
        """Set aside what a request may cost; None if that would go beyond the budget."""
        cost = self.price(characters // 2, MAX_ANSWER_TOKENS)
        with self._lock:
            if self._committed + cost > self._max_usd:
                return None
            self._committed += cost
            return cost

    def settle(self, reserved: float, actual: float) -> None:
        """Give back what a request did not cost."""
        with self._lock:
            self._committed += actual - reserved


class Asker:
    """Asks questions, remembers the answers and keeps to the budget."""

    def __init__(
        self,
        model: str,
        max_usd: float,
        cache: Cache | None = None,
        saved: Sequence[SavedAnswer] = (),
        *,
        is_offline: bool = False,
        timeout_s: float = TIMEOUT_S,
        first_pause_s: float = FIRST_PAUSE_S,
    ) -> None:
        """Prepare to ask.

        Args:
            model: Name of the model.
            max_usd: The most that may be spent.
            cache: Where answers are kept by content.
            saved: Answers from a file.
            is_offline: Whether only saved and cached answers count.
            timeout_s: For one attempt.
            first_pause_s: Before the second attempt; doubled each time, with jitter.

        Raises:
            LlmError: If there is no key.
        """
        self.spend = Spend()
        self.used: dict[str, SavedAnswer] = {each.key or f"hand:{each.experiment_id}": each for each in saved}
        self._model = model
        self._budget = Budget(max_usd, model)
        self._cache = cache
        self._pauses = (first_pause_s, LONGEST_PAUSE_S)
        self._lock = threading.Lock()
        self._stop: LlmError | None = None
        self._client = None if is_offline else _make_client(timeout_s)

    def __call__(self, questions: Sequence[Question]) -> dict[Question, Answer]:
        """Answer a batch. A question that failed or that the budget left out is missing in the result.

        Raises:
            LlmError: If the API refuses the key or does not know the model.
        """
        answers = {question: known for question in questions if (known := self._remembered(question))}
        self.spend.from_cache += len(answers)
        open_questions = [question for question in questions if question not in answers]
        if self._client is None:
            return answers
        with ThreadPoolExecutor(PARALLEL) as pool:
            for question, answer in zip(open_questions, pool.map(self._ask, open_questions), strict=True):
                if answer is not None:
                    answers[question] = answer
        if self._stop is not None:
            raise self._stop
        return answers

    def _remembered(self, question: Question) -> Answer | None:
        key = question.key(self._model)
        saved = self.used.get(key) or self.used.get(f"hand:{question.experiment_id}")
        if saved is None and self._cache is not None:
            text = self._cache.get(key)
            try:
                saved = SavedAnswer.model_validate_json(text) if isinstance(text, str) else None
            except ValidationError:
                saved = None
            if saved is not None:
                self.used[key] = saved
        return saved.to_answer() if saved else None

    def _ask(self, question: Question) -> Answer | None:
        reserved = self._budget.reserve(len(SYSTEM) + len(question.prompt)) if self._stop is None else None
        if reserved is None:
            with self._lock:
                self.spend.left += 1
            return None
        cost = 0.0
        try:
            choice, tokens = self._attempt(question)
            cost = self._budget.price(*tokens)
        finally:
            self._budget.settle(reserved, cost)
        with self._lock:
            self.spend.input_tokens += tokens[0]
            self.spend.output_tokens += tokens[1]
            self.spend.usd += cost
            self.spend.requests += choice is not None
            self.spend.failed += choice is None
        return self._keep(question, choice) if choice else None

    def _keep(self, question: Question, choice: IdeaChoice) -> Answer:
        idea_id = (choice.idea_id or "").strip()
        saved = SavedAnswer(
            key=question.key(self._model),
            experiment_id=question.experiment_id,
            offered=question.offered,
            idea_id=None if idea_id.lower() in {"", "none", "null"} else idea_id,
            confidence=choice.confidence,
            reason=choice.reason[:500],
            model=self._model,
        )
        with self._lock:
            self.used[saved.key] = saved
        if self._cache is not None:
            self._cache.set(saved.key, saved.model_dump_json())
        return saved.to_answer()

    def _attempt(self, question: Question) -> tuple[IdeaChoice | None, tuple[int, int]]:
        """Ask until there is an answer. Every attempt that was answered counts towards the price."""
        from openai import APIConnectionError, APIResponseValidationError, APIStatusError, OpenAIError

        sent = received = 0
        for attempt in range(ATTEMPTS):
            try:
                choice, tokens = self._request(question)
                sent, received = sent + tokens[0], received + tokens[1]
                if choice is not None:
                    return choice, (sent, received)
            except APIStatusError as error:
                if error.status_code in {401, 403, 404}:
                    self._stop = LlmError(
                        f"The API refused the model {self._model} with status {error.status_code}: check "
                        "OPENAI_API_KEY, OPENAI_BASE_URL and --llm-model."
                    )
                if error.status_code not in {408, 409, 429} and error.status_code < 500:
                    break
            except (APIConnectionError, APIResponseValidationError, OpenAIError, ValueError):
                pass
            if attempt + 1 < ATTEMPTS:
                self._pause(attempt)
        return None, (sent, received)

    def _pause(self, attempt: int) -> None:
        longest = min(self._pauses[1], self._pauses[0] * 2**attempt)
        time.sleep(longest * random.uniform(0.5, 1.0))  # noqa: S311 - spreads requests, keeps no secret

    def _request(self, question: Question) -> tuple[IdeaChoice | None, tuple[int, int]]:
        """One attempt. An answer that is not of the wanted form is None, and was paid for all the same."""
        if self._client is None:
            return None, (0, 0)
        completion = self._client.chat.completions.parse(
            model=self._model,
            messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": question.prompt}],
            response_format=IdeaChoice,
            max_completion_tokens=MAX_ANSWER_TOKENS,
        )
        usage = completion.usage
        tokens = (usage.prompt_tokens, usage.completion_tokens) if usage else (len(question.prompt) // 4, 0)
        return (completion.choices[0].message.parsed if completion.choices else None), tokens


def require_key() -> None:
    """Refuse to begin without a key.

    Raises:
        LlmError: If the environment holds none.
    """
    if not os.environ.get("OPENAI_API_KEY", "").strip():
        raise LlmError("Asking a model needs a key: set OPENAI_API_KEY, or leave --llm-match off.")


def _make_client(timeout_s: float) -> "OpenAI":
    from openai import OpenAI

    require_key()
    return OpenAI(timeout=timeout_s, max_retries=0)


def read_answers(path: Path) -> tuple[SavedAnswer, ...]:
    """Read a file of saved answers, one JSON object a line; none if the file is not there.

    Raises:
        LlmError: If a line is no answer.
    """
    if not path.exists():
        return ()
    answers = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            answers.append(SavedAnswer.model_validate_json(line))
        except ValidationError as error:
            fields = ", ".join(str(each["loc"][0]) if each["loc"] else "JSON" for each in error.errors())
            raise LlmError(
                f"Line {number} of {path} is no saved answer ({fields}): correct or delete it."
            ) from None
    return tuple(answers)


def write_answers(path: Path, answers: Sequence[SavedAnswer]) -> None:
    """Write all answers that a build knew, sorted, in place of the file as a whole."""
    lines = sorted(answer.model_dump_json() for answer in answers)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    beside.replace(path)
