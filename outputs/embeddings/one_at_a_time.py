"""A backend that several threads may share, around one that a single thread may use."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from outputs.embeddings.model import Backend, Embedding, Role
from outputs.spending.budget import Estimate


@dataclass(frozen=True, slots=True)
class OneAtATime:
    """Lets one thread at a time embed: models that run here are no good at more.

    Attributes:
        inner: The backend that embeds.
    """

    inner: Backend
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def name(self) -> str:
        """Short name, as options and tables have it."""
        return self.inner.name

    @property
    def model(self) -> str:
        """The model, named so exactly that another one cannot bear the name."""
        return self.inner.model

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """Bound what embedding texts may cost."""
        return self.inner.estimate(texts)

    def embed(self, texts: Sequence[str], role: Role) -> Mapping[str, Embedding]:
        """Embed texts, when nobody else does."""
        with self._lock:
            return self.inner.embed(texts, role)
