"""A service that speaks OpenAI's language over real HTTP, and misbehaves on demand."""

import base64
import hashlib
import json
import re
import threading
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from outputs.spending.budget import Budget
from outputs.spending.cache import AnswerCache
from outputs.spending.prices import Price
from outputs.spending.questions import Purse
from outputs.spending.service import ServiceSettings

KEY = "sk-test-0123456789abcdef"
DIMENSIONS = 3_072
HELD_S = 120.0
"""A request that is held ends after so long at the latest."""

Body = Mapping[str, Any]
Fault = Callable[[Body], Response | None]
"""Answers in place of the service, or lets it answer by returning None."""


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A vector that depends on the text alone, of length 2, so that scaling is seen."""
    source = np.random.default_rng(list(hashlib.sha256(text.encode("utf-8", "replace")).digest()))
    values = source.standard_normal(dimensions)
    return [float(value) for value in 2 * values / np.linalg.norm(values)]


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
        marks: Metadata of each batch, by its id.
        answered: Path and body of every request that was answered well, in order.
        hold_after: After so many answers every further request waits, until `let_go` ends them all.
        max_inputs: Requests to embed more texts are refused.
    """

    def __init__(self, server: HTTPServer) -> None:
        self.requests: list[tuple[str, Body]] = []
        self.faults: list[Fault] = []
        self.embed: Embed = vector_of
        self.describe: Callable[[Body], str | None] = lambda _: json.dumps(
            {"description": "Changes a thing."}
        )
        self.batches: dict[str, list[Body]] = {}
        self.marks: dict[str, Mapping[str, str]] = {}
        self.answered: list[tuple[str, Body]] = []
        self.hold_after: int | None = None
        self.max_inputs = 2_048
        self.num_held = 0
        self._is_let_go = threading.Event()
        self.polls_until_done = 0
        self._files: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self.base_url = server.url_for("/v1")
        server.expect_request("/v1/embeddings", method="POST").respond_with_handler(self._embeddings)
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._chat)
        server.expect_request("/v1/files", method="POST").respond_with_handler(self._upload)
        server.expect_request("/v1/batches", method="POST").respond_with_handler(self._start_batch)
        server.expect_request("/v1/batches", method="GET").respond_with_handler(self._list_batches)
        server.expect_request(re.compile("/v1/batches/.+"), method="GET").respond_with_handler(
            self._show_batch
        )
        server.expect_request(re.compile("/v1/files/.+/content")).respond_with_handler(self._content)

    def let_go(self) -> None:
        """End the requests that wait, and let none wait any more."""
        with self._lock:
            self.hold_after, self.num_held = None, 0
            self._is_let_go.set()
            self._is_let_go = threading.Event()

    def _answer(self, path: str, body: Body, answer: Response) -> Response:
        """Answer well, unless it is time to wait."""
        with self._lock:
            is_held = self.hold_after is not None and len(self.answered) >= self.hold_after
            if is_held:
                self.num_held += 1
            else:
                self.answered.append((path, body))
            is_let_go = self._is_let_go
        if not is_held:
            return answer
        is_let_go.wait(HELD_S)
        return Response("", 503)

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
        if len(body["input"]) > self.max_inputs:
            fault = error(400)(body)
        return fault or self._answer(request.path, body, as_json(embedding_body(body["input"], self.embed)))

    def _chat(self, request: Request) -> Response:
        body, fault = self._note(request)
        return fault or self._answer(request.path, body, as_json(chat_body(self.describe(body))))

    def _upload(self, request: Request) -> Response:
        _, fault = self._note(request)
        name = f"in-{len(self._files) + 1}"
        self._files[name] = request.files["file"].read()
        shown = {"object": "file", "bytes": 1, "created_at": 0, "filename": "f", "purpose": "batch"}
        return fault or as_json({"id": name, "status": "processed", **shown})

    def _batch(self, name: str, status: str) -> dict[str, Any]:
        return {
            "id": name,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": "in-1",
            "completion_window": "24h",
            "created_at": 0,
            "status": status,
            "metadata": self.marks[name],
            "output_file_id": f"out-{name}" if status == "completed" else None,
        }

    def _start_batch(self, request: Request) -> Response:
        """Take a batch, also where the answer that says so gets lost."""
        body, fault = self._note(request)
        name = f"batch-{len(self.batches) + 1}"
        self.batches[name] = [json.loads(line) for line in self._files[body["input_file_id"]].splitlines()]
        self.marks[name] = body.get("metadata", {})
        return fault or self._answer(request.path, body, as_json(self._batch(name, "validating")))

    def _list_batches(self, request: Request) -> Response:
        """Show the latest first, one a page."""
        _, fault = self._note(request)
        names = sorted(self.batches, reverse=True)
        after = request.args.get("after")
        names = names[names.index(after) + 1 :] if after else names
        page = [self._batch(name, "in_progress") for name in names[:1]]
        return fault or as_json({"object": "list", "data": page, "has_more": len(names) > 1})

    def _show_batch(self, request: Request) -> Response:
        _, fault = self._note(request)
        self.polls_until_done -= 1
        status = "in_progress" if self.polls_until_done >= 0 else "completed"
        return fault or as_json(self._batch(request.path.rpartition("/")[2], status))

    def _content(self, request: Request) -> Response:
        body, fault = self._note(request)
        name = request.path.split("/")[-2].removeprefix("out-")
        lines = [
            json.dumps(
                {
                    "custom_id": line["custom_id"],
                    "response": {"status_code": 200, "body": chat_body(self.describe(line["body"]))},
                }
            )
            for line in reversed(self.batches[name])
        ]
        answer = Response("\n".join(lines), content_type="application/jsonl")
        return fault or self._answer(request.path, body, answer)

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
