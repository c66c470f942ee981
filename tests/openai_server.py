"""A service that speaks OpenAI's language over real HTTP, and misbehaves on demand."""

import base64
import hashlib
import json
import random
import threading
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from outputs.spending.budget import Budget
from outputs.spending.cache import AnswerCache
from outputs.spending.prices import Price
from outputs.spending.questions import Purse
from outputs.spending.service import ServiceSettings

KEY = "sk-test-0123456789abcdef"
DIMENSIONS = 3_072

Body = Mapping[str, Any]
Fault = Callable[[Body], Response | None]
"""Answers in place of the service, or lets it answer by returning None."""


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A vector that depends on the text alone, of length 2, so that scaling is seen."""
    source = random.Random(text)  # noqa: S311 - a vector is no secret
    values = [source.gauss(0, 1) for _ in range(dimensions)]
    length = sum(value * value for value in values) ** 0.5
    return [2 * value / length for value in values]


Embed = Callable[[str], Sequence[float]]
"""Gives a text its vector."""


def embedding_body(texts: list[str], embed: Embed = vector_of) -> dict[str, Any]:
    """What the service answers to a request for embeddings."""
    data = [
        {
            "object": "embedding",
            "index": index,
            "embedding": base64.b64encode(array("f", embed(text)).tobytes()).decode(),
        }
        for index, text in enumerate(texts)
    ]
    tokens = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": "text-embedding-3-large", "usage": usage}


def chat_body(content: str | None) -> dict[str, Any]:
    """What the service answers to a question."""
    message = {"role": "assistant", "content": content}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "gpt-4.1-mini",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def as_json(body: Mapping[str, Any]) -> Response:
    return Response(json.dumps(body), content_type="application/json")


def error(status: int, code: str = "", headers: Mapping[str, str] | None = None, message: str = "") -> Fault:
    """Answer with an error, whose message repeats the key as careless services do."""
    body = json.dumps({"error": {"message": message or f"no {KEY}", "code": code or None, "type": "x"}})
    return lambda _: Response(body, status, dict(headers or {}), content_type="application/json")


def slow(seconds: float) -> Fault:
    """Answer too late."""

    def answer(_: Body) -> None:
        time.sleep(seconds)

    return answer


class FakeOpenAI:
    """The service.

    Attributes:
        requests: Path and body of every request, in order.
        faults: What it does instead of answering, one entry a request.
        embed: Gives a text its vector.
        describe: Writes the content of a chat answer from a request.
        batches: Batches by id, each with the lines of its input.
    """

    def __init__(self, server: HTTPServer) -> None:
        self.requests: list[tuple[str, Body]] = []
        self.faults: list[Fault] = []
        self.embed: Embed = vector_of
        self.describe: Callable[[Body], str | None] = lambda _: json.dumps(
            {"description": "Changes a thing."}
        )
        self.batches: dict[str, list[Body]] = {}
        self.polls_until_done = 0
        self._files: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self.base_url = server.url_for("/v1")
        server.expect_request("/v1/embeddings", method="POST").respond_with_handler(self._embeddings)
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._chat)
        server.expect_request("/v1/files", method="POST").respond_with_handler(self._upload)
        server.expect_request("/v1/batches", method="POST").respond_with_handler(self._start_batch)
        server.expect_request("/v1/batches/batch-1", method="GET").respond_with_handler(self._show_batch)
        server.expect_request("/v1/files/out-1/content", method="GET").respond_with_handler(self._content)

    def _note(self, request: Request) -> tuple[Body, Response | None]:
        assert request.headers["Authorization"] == f"Bearer {KEY}"
        body = json.loads(request.data) if request.is_json else {}
        with self._lock:
            self.requests.append((request.path, body))
            fault = self.faults.pop(0) if self.faults else None
        return body, fault(body) if fault else None

    def _embeddings(self, request: Request) -> Response:
        body, fault = self._note(request)
        assert body["encoding_format"] == "base64", "the client asks for it"
        return fault or as_json(embedding_body(body["input"], self.embed))

    def _chat(self, request: Request) -> Response:
        body, fault = self._note(request)
        return fault or as_json(chat_body(self.describe(body)))

    def _upload(self, request: Request) -> Response:
        _, fault = self._note(request)
        self._files["in-1"] = request.files["file"].read()
        return fault or as_json(
            {
                "id": "in-1",
                "object": "file",
                "bytes": 1,
                "created_at": 0,
                "filename": "f",
                "purpose": "batch",
                "status": "processed",
            }
        )

    def _batch(self, status: str) -> Response:
        return as_json(
            {
                "id": "batch-1",
                "object": "batch",
                "endpoint": "/v1/chat/completions",
                "input_file_id": "in-1",
                "completion_window": "24h",
                "created_at": 0,
                "status": status,
                "output_file_id": "out-1" if status == "completed" else None,
            }
        )

    def _start_batch(self, request: Request) -> Response:
        _, fault = self._note(request)
        self.batches["batch-1"] = [json.loads(line) for line in self._files["in-1"].splitlines()]
        return fault or self._batch("validating")

    def _show_batch(self, request: Request) -> Response:
        _, fault = self._note(request)
        self.polls_until_done -= 1
        return fault or self._batch("in_progress" if self.polls_until_done >= 0 else "completed")

    def _content(self, request: Request) -> Response:
        _, fault = self._note(request)
        lines = [
            json.dumps(
                {
                    "custom_id": line["custom_id"],
                    "response": {"status_code": 200, "body": chat_body(self.describe(line["body"]))},
                }
            )
            for line in reversed(self.batches["batch-1"])
        ]
        return fault or Response("\n".join(lines), content_type="application/jsonl")

    def inputs(self) -> list[list[str]]:
        """The texts of every request for embeddings."""
        return [body["input"] for path, body in self.requests if path == "/v1/embeddings"]

    def paths(self) -> list[str]:
        """The path of every request."""
        return [path for path, _ in self.requests]


class Naps:
    """Stands in for waiting, and remembers how long it was asked to."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    def __call__(self, seconds: float) -> None:
        """Wait not at all."""
        self.taken.append(seconds)


def purse_for(
    service: FakeOpenAI,
    folder: Path,
    *,
    max_usd: float = 5.0,
    timeout_s: float = 10.0,
    max_attempts: int = 4,
    prices: Mapping[str, Price] | None = None,
    sleep: Callable[[float], None] | None = None,
) -> Purse:
    """What is needed to ask the fake service."""
    settings = ServiceSettings(KEY, service.base_url, timeout_s=timeout_s, max_attempts=max_attempts)
    return Purse(settings, AnswerCache(folder), Budget(max_usd, prices or {}), sleep or Naps())


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
