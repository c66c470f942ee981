"""Questions through the Batch API: half the price, within a day, and taken up again after a kill."""

import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

from outputs.spending.cache import answer_key
from outputs.spending.errors import SpendingError
from outputs.spending.prices import BATCH_DISCOUNT
from outputs.spending.questions import (
    Answers,
    Check,
    KeptAnswer,
    Panel,
    Purse,
    Question,
    ask,
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

MARK = "speedrun_etl_mark"
"""Name of the mark among a batch's metadata."""

MAX_LISTED = 1_000
"""So many of the latest batches are looked through for a mark."""

_PAGE = 100

_ENDED_BADLY = frozenset({"failed", "expired", "cancelled"})


class OpenBatch(BaseModel):
    """A batch of which not all answers are kept yet.

    Attributes:
        mark: What it is known by at the service.
        keys: Keys of its questions.
        batch_id: Its id; empty while nobody knows whether it was sent.
    """

    model_config = ConfigDict(frozen=True)

    mark: str
    keys: tuple[str, ...]
    batch_id: str = ""


_OPEN_BATCHES = TypeAdapter(tuple[OpenBatch, ...])


def ask_in_batches(
    panel: Panel, questions: Iterable[Question[A]], purse: Purse, check: Check[A]
) -> Answers[A]:
    """Ask through the Batch API; what it leaves without a good answer is asked directly.

    A mark of its own goes with every batch, and is kept before the batch is sent. A build that was killed, or
    that heard no answer, looks for the mark among the batches that the service has, and sends no second one.

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
            by_key = {panel.key(question): question for question in rest}
            for batch in _open_batches(panel, purse):
                if by_key.keys() & set(batch.keys):
                    _finish(client, panel, by_key, batch, purse)
            _, rest = take_cached(panel, rest, purse, check)
            for start in range(0, len(rest), MAX_REQUESTS):
                keys = tuple(sorted(panel.key(question) for question in rest[start : start + MAX_REQUESTS]))
                _finish(client, panel, by_key, OpenBatch(mark=uuid.uuid4().hex, keys=keys), purse)
    return ask(panel, questions, purse, check)


def _open_batches(panel: Panel, purse: Purse) -> tuple[OpenBatch, ...]:
    kept = purse.cache.get(_note_key(panel))
    return _OPEN_BATCHES.validate_json(kept) if kept else ()


def _note(panel: Panel, batch: OpenBatch, purse: Purse, *, is_open: bool = True) -> None:
    """Keep what is known of a batch, in place of what was known before."""
    others = tuple(each for each in _open_batches(panel, purse) if each.mark != batch.mark)
    noted = (*others, batch) if is_open else others
    purse.cache.put(_note_key(panel), _OPEN_BATCHES.dump_json(noted))


def _note_key(panel: Panel) -> str:
    return answer_key("open batches", panel.model, {"purpose": panel.purpose}, "")


def _finish(
    client: "OpenAI", panel: Panel, by_key: Mapping[str, Question[A]], batch: OpenBatch, purse: Purse
) -> None:
    """Send a batch unless it was sent, wait for it, and put every answer into the cache."""
    bounds = [panel.bounds(by_key[key]) for key in batch.keys if key in by_key]
    reserved = purse.budget.reserve(
        panel.model, sum(pair[0] for pair in bounds), sum(pair[1] for pair in bounds), BATCH_DISCOUNT
    )
    tokens = [0, 0]
    try:
        for line in _results(client, panel, by_key, batch, purse):
            text, usage = _read_line(line)
            tokens = [total + part for total, part in zip(tokens, usage, strict=True)]
            if text is not None and line.get("custom_id") in batch.keys:
                kept = KeptAnswer(
                    text=text, input_tokens=usage[0], output_tokens=usage[1], share=BATCH_DISCOUNT
                )
                purse.cache.put(str(line["custom_id"]), kept.model_dump_json().encode())
        # All that it has is kept by now: what it lacks is asked anew, and it is not waited for again.
        _note(panel, batch, purse, is_open=False)
    finally:
        used = purse.budget.priced(panel.model, tokens[0], tokens[1], BATCH_DISCOUNT) if any(tokens) else None
        purse.budget.settle(panel.purpose, panel.model, reserved, used)


def _results(
    client: "OpenAI", panel: Panel, by_key: Mapping[str, Question[A]], batch: OpenBatch, purse: Purse
) -> list[dict[str, Any]]:
    batch_id = batch.batch_id or _send(client, panel, by_key, batch, purse)
    while True:
        shown = _patiently(lambda: client.batches.retrieve(batch_id), purse)
        if shown.status in _ENDED_BADLY or shown.status == "completed":
            break
        purse.sleep(POLL_S)
    output = shown.output_file_id
    if output is None:
        if shown.status == "completed":
            return []
        _note(panel, batch, purse, is_open=False)
        raise SpendingError(
            f"The batch {batch_id} ended as {shown.status} without answers: build again later."
        )
    content = _patiently(lambda: client.files.content(output).text, purse)
    return [line for text in content.splitlines() if (line := _parse_line(text)) is not None]


def _send(
    client: "OpenAI", panel: Panel, by_key: Mapping[str, Question[A]], batch: OpenBatch, purse: Purse
) -> str:
    """Send a batch, unless an attempt of before did so unnoticed, and return its id."""
    _note(panel, batch, purse)
    wanted = {key: by_key[key] for key in batch.keys if key in by_key}
    batch_id = _patiently(
        lambda: _find(client, batch.mark) or _submit(client, panel, wanted, batch.mark), purse
    )
    _note(panel, batch.model_copy(update={"batch_id": batch_id}), purse)
    return batch_id


def _find(client: "OpenAI", mark: str) -> str | None:
    """Look for a batch among the latest that the service has."""
    latest = islice(client.batches.list(limit=_PAGE), MAX_LISTED)
    return next((batch.id for batch in latest if (batch.metadata or {}).get(MARK) == mark), None)


def _patiently(call: Callable[[], T], purse: Purse) -> T:
    return call_patiently(lambda: read_answer_of(call), purse.settings, purse.sleep)


def _submit(client: "OpenAI", panel: Panel, by_key: Mapping[str, Question[A]], mark: str) -> str:
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
        input_file_id=file.id,
        endpoint="/v1/chat/completions",
        completion_window="24h",
        metadata={MARK: mark},
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
