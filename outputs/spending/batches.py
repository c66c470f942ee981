"""Questions through the Batch API: half the price, within a day, and taken up again after a kill."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from outputs.spending.cache import answer_key
from outputs.spending.errors import BadAnswerError, SpendingError
from outputs.spending.prices import BATCH_DISCOUNT
from outputs.spending.questions import (
    Answers,
    Check,
    KeptAnswer,
    Panel,
    Purse,
    Question,
    ask,
    keep,
    read_answer,
    take_cached,
)
from outputs.spending.service import call_patiently, open_client, read_answer_of

if TYPE_CHECKING:
    from openai import OpenAI

A = TypeVar("A", bound=BaseModel)
T = TypeVar("T")

MAX_REQUESTS = 50_000
"""Most requests of one batch."""

POLL_S = 30.0
"""Wait between two looks at a batch."""

_ENDED_BADLY = frozenset({"failed", "expired", "cancelled"})


def ask_in_batches(
    panel: Panel, questions: Iterable[Question[A]], purse: Purse, check: Check[A]
) -> Answers[A]:
    """Ask through the Batch API; what it leaves without a good answer is asked directly.

    The id of a batch is kept as soon as it is known, so that a build that was killed waits for the batch that
    it has sent and sends no second one.

    Args:
        panel: Who is asked.
        questions: The questions, each with an id of its own.
        purse: What is needed to ask.
        check: Looks at each answer before it counts.

    Raises:
        SpendingError: If nothing more can be asked.
    """
    questions = list(questions)
    _, rest = take_cached(panel, questions, purse, check)
    if rest:
        with open_client(purse.settings) as client:
            for start in range(0, len(rest), MAX_REQUESTS):
                _run_batch(client, panel, rest[start : start + MAX_REQUESTS], purse)
    return ask(panel, questions, purse, check)


def _run_batch(client: "OpenAI", panel: Panel, questions: Sequence[Question[A]], purse: Purse) -> None:
    """Put every readable answer of one batch into the cache."""
    by_key = {panel.key(question): question for question in questions}
    ticket = answer_key("batch", panel.model, {}, "\n".join(sorted(by_key)))
    bounds = [panel.bounds(question) for question in questions]
    reserved = purse.budget.reserve(
        panel.model, sum(pair[0] for pair in bounds), sum(pair[1] for pair in bounds), BATCH_DISCOUNT
    )
    tokens = [0, 0]
    try:
        for line in _results(client, panel, by_key, ticket, purse):
            question = by_key.get(str(line.get("custom_id")))
            text, usage = _read_line(line)
            tokens = [total + part for total, part in zip(tokens, usage, strict=True)]
            try:
                if question is not None and read_answer(question, text):
                    kept = KeptAnswer(
                        text=text or "",
                        input_tokens=usage[0],
                        output_tokens=usage[1],
                        share=BATCH_DISCOUNT,
                    )
                    keep(panel, question, kept, purse.cache)
            except BadAnswerError:
                continue
    finally:
        used = purse.budget.priced(panel.model, tokens[0], tokens[1], BATCH_DISCOUNT) if any(tokens) else None
        purse.budget.settle(panel.purpose, panel.model, reserved, used)


def _results(
    client: "OpenAI", panel: Panel, by_key: dict[str, Question[A]], ticket: str, purse: Purse
) -> list[dict[str, Any]]:
    kept = purse.cache.get(ticket)
    batch_id = kept.decode() if kept else None
    if not batch_id:
        batch_id = _patiently(lambda: _submit(client, panel, by_key), purse)
        purse.cache.put(ticket, batch_id.encode())
    while True:
        batch = _patiently(lambda: client.batches.retrieve(batch_id), purse)
        if batch.status in _ENDED_BADLY or batch.status == "completed":
            break
        purse.sleep(POLL_S)
    # A batch that is over must not be waited for again: what it lacks is asked anew.
    purse.cache.put(ticket, b"")
    output = batch.output_file_id
    if output is None:
        if batch.status == "completed":
            return []
        raise SpendingError(
            f"The batch {batch_id} ended as {batch.status} without answers: build again later."
        )
    content = _patiently(lambda: client.files.content(output).text, purse)
    return [line for text in content.splitlines() if (line := _parse_line(text)) is not None]


def _patiently(call: Callable[[], T], purse: Purse) -> T:
    return call_patiently(lambda: read_answer_of(call), purse.settings, purse.sleep)


def _submit(client: "OpenAI", panel: Panel, by_key: dict[str, Question[A]]) -> str:
    lines = [
        json.dumps(
            {
                "custom_id": key,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": panel.body(by_key[key]),
            }
        )
        for key in sorted(by_key)
    ]
    file = client.files.create(file=("questions.jsonl", "\n".join(lines).encode()), purpose="batch")
    batch = client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h"
    )
    return batch.id


def _parse_line(text: str) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _read_line(line: dict[str, Any]) -> tuple[str | None, tuple[int, int]]:
    """Take text and tokens out of one line of results; a line of another shape has neither."""
    try:
        body = line["response"]["body"]
        usage = body.get("usage") or {}
        tokens = int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
        text = body["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None, (0, 0)
    return (text if isinstance(text, str) else None), tokens
