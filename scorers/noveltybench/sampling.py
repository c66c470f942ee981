"""Samples the outputs of a model from any service that speaks OpenAI's language."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outputs.spending.budget import Budget
from outputs.spending.errors import BadAnswerError, RejectedRequestError
from outputs.spending.metered import send_metered
from outputs.spending.service import ServiceSettings, call_patiently, read_answer_of
from outputs.spending.tokens import bound_tokens
from scorers.noveltybench.errors import RowError

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletion
    from openai.types.chat.chat_completion import Choice

PURPOSE = "samples"

MAX_FAILURES_IN_A_ROW = 5
"""After so many prompts that failed for good, one after the other, no further one is asked."""

_OVERHEAD_TOKENS = 64
"""What a service adds around a message, at most."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model is sampled; temperature and length are the published ones (Zhang et al. 2025).

    Attributes:
        model: The model.
        num_generations: k, outputs a prompt.
        temperature: Temperature of sampling.
        max_tokens: Longest output.
    """

    model: str
    num_generations: int = 10
    temperature: float = 1.0
    max_tokens: int = 512


class Sampler:
    """Asks a service for the outputs to one prompt after another. Safe to use from several threads."""

    def __init__(
        self,
        client: "OpenAI",
        sampling: Sampling,
        settings: ServiceSettings,
        budget: Budget,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare to ask.

        Args:
            client: Talks to the service.
            sampling: How to sample.
            settings: How patient to be.
            budget: The money.
            sleep: Waits.
        """
        self._client = client
        self._sampling = sampling
        self._settings = settings
        self._budget = budget
        self._sleep = sleep
        self._is_one_at_a_time = False
        self._failures_in_a_row = 0
        self._lock = threading.Lock()

    def __call__(self, prompt: str, given: Sequence[str]) -> tuple[str, ...]:
        """Sample until there are k outputs.

        A service may answer with fewer than it is asked for: it is asked for the rest then.

        Args:
            prompt: The prompt, sent as the only message.
            given: Outputs that were sampled before.

        Raises:
            RowError: If this prompt failed for good.
            SpendingError: If no further request can succeed.
        """
        if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise RowError(f"Not asked: {MAX_FAILURES_IN_A_ROW} prompts before it failed in a row.")
        outputs = list(given)
        reason = None
        try:
            while len(outputs) < self._sampling.num_generations:
                outputs += self._ask(prompt, self._sampling.num_generations - len(outputs))
        except BadAnswerError as error:
            reason = str(error)
        with self._lock:
            self._failures_in_a_row = self._failures_in_a_row + 1 if reason else 0
        if reason:
            raise RowError(reason)
        return tuple(outputs[: self._sampling.num_generations])

    def _ask(self, prompt: str, count: int) -> list[str]:
        """Ask for several outputs at once, or for one where a service refuses to be asked like that."""
        if not self._is_one_at_a_time:
            try:
                limits = {"n": count, "max_tokens": self._sampling.max_tokens}
                return self._send_patiently(prompt, count, limits)
            except RejectedRequestError:
                pass
        outputs = self._send_patiently(prompt, 1, {"max_completion_tokens": self._sampling.max_tokens})
        self._is_one_at_a_time = True
        return outputs

    def _send_patiently(self, prompt: str, count: int, limits: Mapping[str, int]) -> list[str]:
        body = {
            "model": self._sampling.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self._sampling.temperature,
            **limits,
        }
        bounds = bound_tokens(prompt) + _OVERHEAD_TOKENS, count * self._sampling.max_tokens
        return call_patiently(lambda: self._send(body, bounds), self._settings, self._sleep)

    def _send(self, body: Mapping[str, Any], bounds: tuple[int, int]) -> list[str]:
        completion = send_metered(
            lambda: self._client.chat.completions.create(**body),
            _tokens_of,
            self._budget,
            PURPOSE,
            self._sampling.model,
            bounds,
        )
        outputs = read_answer_of(lambda: [output_of(choice) for choice in completion.choices])
        if not outputs:
            raise BadAnswerError("The service answered without any output.")
        return outputs


def output_of(choice: "Choice") -> str:
    """Read what a model wrote: its text, or its words of refusal; nothing at all is an empty output.

    Raises:
        TypeError: If it is neither.
    """
    message = choice.message
    text = message.content or getattr(message, "refusal", None) or ""
    if not isinstance(text, str):
        raise TypeError("An output is a text.")
    # Half of a character could be written as JSON, but not read again.
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _tokens_of(completion: "ChatCompletion") -> tuple[int, int]:
    usage = completion.usage
    return (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)
