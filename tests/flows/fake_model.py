"""A small model server that knows the truth, errs now and then, and fails in every way a real one does."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from werkzeug import Request, Response


@dataclass
class FakeModel:
    """Answers chat completions.

    Attributes:
        truth: The idea of each run, by experiment id; None for none.
        wrong: Share of answers that name another offered idea.
        unoffered: Share of answers that name an idea that was not offered.
        failures: Share of requests by kind of failure: `429`, `500`, `hang`, `broken`, `empty`.
        hang_s: How long it hangs.
        source: Decides what goes wrong.
        asked: The messages of every answered request.
        seen: Requests by what became of them.
    """

    truth: Mapping[str, str | None]
    wrong: float = 0.0
    unoffered: float = 0.0
    failures: Mapping[str, float] = field(default_factory=dict)
    hang_s: float = 1.0
    source: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311 - a test's dice
    asked: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Response:
        """Handle one request."""
        body = json.loads(request.get_data())
        prompt = body["messages"][-1]["content"]
        with self._lock:
            chance = self.source.random()
            failure = ""
            for name, share in self.failures.items():
                failure = failure or (name if chance < share else "")
                chance -= share
            self.seen[failure or "answered"] += 1
            content = json.dumps(self._answer(json.loads(prompt)))
            if not failure:
                self.asked.append(prompt)
        if failure in {"429", "500"}:
            return Response('{"error": {"message": "try again"}}', int(failure), mimetype="application/json")
        if failure == "hang":
            time.sleep(self.hang_s)
        if failure == "empty":
            content = ""
        if failure == "broken":
            content = content[: len(content) // 2]
        return Response(json.dumps(_completion(body["model"], content)), mimetype="application/json")

    def _answer(self, data: dict[str, object]) -> dict[str, object]:
        ideas = data["offered_ideas"]
        assert isinstance(ideas, list)
        offered = [idea["idea_id"] for idea in ideas]
        assert 1 <= len(offered) <= 8
        truth = self.truth[str(data["experiment_id"])]
        choice = truth if truth in offered else None
        chance = self.source.random()
        if chance < self.wrong:
            choice = self.source.choice([idea for idea in [*offered, None] if idea != choice])
        elif chance < self.wrong + self.unoffered:
            choice = "codex--v1--never-offered"
        return {"idea_id": choice, "confidence": 0.9, "reason": "looks\nlike it"}


def _completion(model: str, content: str) -> dict[str, object]:
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        ],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050},
    }
