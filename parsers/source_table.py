"""The distinct source texts of many files, each kept once although thousands of logs embed it."""

import hashlib

import stringzilla

from parsers.embedded_source import normalise_source


class SourceTable:
    """Collects source texts.

    Attributes:
        texts: Each distinct text, normalised, by the hash of that form.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self._known: dict[int, tuple[bytes, str]] = {}

    def add(self, data: bytes) -> str:
        """Keep a text, undecodable bytes replaced, and return its hash; one seen before is only compared."""
        key = stringzilla.hash(data)
        seen, sha256 = self._known.get(key, (None, ""))
        if seen != data:
            normal = normalise_source(data)
            sha256 = hashlib.sha256(normal).hexdigest()
            self._known[key] = data, sha256
            if sha256 not in self.texts:
                self.texts[sha256] = normal.decode()
        return sha256
