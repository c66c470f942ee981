"""Answers that were paid for, kept by what was asked, so that nothing is paid twice."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from diskcache import Cache

KEY_VERSION = 1
"""Raised when keys are made in another way."""


def answer_key(purpose: str, model: str, parameters: Mapping[str, object], text: str) -> str:
    """Make the key of an answer from all that can change it.

    Args:
        purpose: What is asked for.
        model: Who is asked.
        parameters: Everything else that shapes the answer, the version of the prompt included.
        text: What is asked.
    """
    parts = [KEY_VERSION, purpose, model, dict(parameters), text]
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


class AnswerCache:
    """A folder of answers. Several processes may share it, and none loses a whole answer when killed."""

    def __init__(self, folder: Path) -> None:
        """Open or make the folder.

        Args:
            folder: Where the answers are.
        """
        folder.mkdir(parents=True, exist_ok=True)
        # An answer that was paid for must never make room for another one.
        self._cache = Cache(str(folder), eviction_policy="none", cull_limit=0)

    def get(self, key: str) -> bytes | None:
        """Look up an answer."""
        value = self._cache.get(key)
        return value if isinstance(value, bytes) else None

    def put(self, key: str, value: bytes) -> None:
        """Keep an answer."""
        self._cache.set(key, value)

    def __enter__(self) -> "AnswerCache":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cache.close()
