"""Embeddings by a BGE model that runs here, through FlagEmbedding."""

import hashlib
import importlib.util
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from outputs.embeddings.model import Embedding, Role, packed_unit, sendable, unpacked
from outputs.spending.budget import Estimate, Usage
from outputs.spending.cache import AnswerCache, answer_key
from outputs.spending.errors import SpendingError

DEFAULT_MODEL = "BAAI/bge-large-en-v1.5"
KNOWN_REVISIONS = {DEFAULT_MODEL: "d4aa6901d3a41ba39fb536a557fa166f842b0e09"}
"""The commit that is taken where none is named, so that a model does not change behind one's back."""

QUERY_INSTRUCTION = "Represent this sentence for searching relevant passages: "
"""What the model card of the English BGE models puts before a query; documents get nothing."""

MAX_TOKENS = 512
"""What the model reads of a text."""

PURPOSE = "embeddings"

_HASHED = ("*.safetensors", "*.bin", "*.json", "*.txt", "*.model")
"""What a model consists of."""


class MissingBackendError(SpendingError):
    """The extra that brings FlagEmbedding is not installed, or the model is not there."""


def check_installed() -> None:
    """Say what to do where FlagEmbedding is absent.

    Raises:
        MissingBackendError: If it is.
    """
    if importlib.util.find_spec("FlagEmbedding") is None:
        raise MissingBackendError(
            "FlagEmbedding is not installed: run `make bge`, or `pip install 'speedrun-etl[bge]'` after a "
            "torch that suits this machine, or leave out --embed bge."
        )


@dataclass(frozen=True, slots=True)
class BgeSettings:
    """Which model runs where.

    Attributes:
        model: Name of the model, or a folder that holds it.
        revision: Revision of a named model: a commit, a tag or a branch; None takes the known one.
        device: `cpu`, `cuda:0` and the like; None takes what is there.
        pooling: How token vectors become one: `cls`, or `mean` for other families of models.
        query_instruction: What is put before a query.
        batch_size: Texts at a time. It changes no vector.
    """

    model: str = DEFAULT_MODEL
    revision: str | None = None
    device: str | None = None
    pooling: str = "cls"
    query_instruction: str = QUERY_INSTRUCTION
    batch_size: int = 64


@dataclass
class BgeBackend:
    """Embeds by a model that runs here.

    Attributes:
        settings: Which model runs where.
        cache: Where vectors are kept, if anywhere.
    """

    settings: BgeSettings = field(default_factory=BgeSettings)
    cache: AnswerCache | None = None
    name: str = "bge"

    @cached_property
    def folder(self) -> Path:
        """The folder of the model; a named one is fetched unless it is here already."""
        local = Path(self.settings.model)
        if local.is_dir():
            return local
        from huggingface_hub import snapshot_download

        revision = self.settings.revision or KNOWN_REVISIONS.get(self.settings.model)
        try:
            return Path(
                snapshot_download(self.settings.model, revision=revision, allow_patterns=list(_HASHED))
            )
        except Exception as error:
            raise MissingBackendError(
                f"The model {self.settings.model} is neither a folder nor could it be fetched "
                f"({type(error).__name__}): name a folder that holds it with --bge-model."
            ) from None

    @cached_property
    def model(self) -> str:
        """The model's name with a hash over its files."""
        digest = hashlib.sha256()
        for path in sorted({path for pattern in _HASHED for path in self.folder.glob(pattern)}):
            with path.open("rb") as file:
                digest.update(f"{path.name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\0".encode())
        local = Path(self.settings.model)
        return f"{local.name if local.is_dir() else self.settings.model}@{digest.hexdigest()[:16]}"

    @cached_property
    def _flag_model(self) -> Any:
        check_installed()
        from FlagEmbedding import FlagModel

        return FlagModel(
            str(self.folder),
            query_instruction_for_retrieval=self.settings.query_instruction or None,
            normalize_embeddings=True,
            # Half precision would make a vector depend on its neighbours in the batch.
            use_fp16=False,
            devices=self.settings.device or _best_device(),
            batch_size=self.settings.batch_size,
            passage_max_length=MAX_TOKENS,
            query_max_length=MAX_TOKENS,
            pooling_method=self.settings.pooling,
        )

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """Say that it costs nothing."""
        sent = {clean for text in texts if (clean := sendable(text))}
        cached = sum(self._kept(text, Role.DOCUMENT) is not None for text in sent)
        return Estimate(PURPOSE, self.model, len(sent) - cached, cached, Usage())

    def embed(self, texts: Sequence[str], role: Role) -> Mapping[str, Embedding]:
        """Embed texts that are not in the cache."""
        cleaned = {text: sendable(text) for text in texts}
        done = {text: self._kept(sent, role) for text, sent in cleaned.items()}
        new = sorted({cleaned[text] for text, kept in done.items() if kept is None})
        made = dict(zip(new, self._encode(new, role), strict=True)) if new else {}
        for sent, embedding in made.items():
            if self.cache is not None and embedding.vector is not None:
                self.cache.put(self._key(sent, role), bytes([embedding.is_cut]) + embedding.vector)
        return {text: kept or made[cleaned[text]] for text, kept in done.items()}

    def _encode(self, texts: Sequence[str], role: Role) -> Iterator[Embedding]:
        with _quiet():
            model = self._flag_model
            prefix = self.settings.query_instruction if role is Role.QUERY else ""
            encoded = model.tokenizer([prefix + text for text in texts], truncation=False, verbose=False)
            encode = model.encode_queries if role is Role.QUERY else model.encode_corpus
            vectors = encode(list(texts))
        for vector, ids in zip(vectors, encoded["input_ids"], strict=True):
            yield Embedding(packed_unit(vector.tolist(), None), len(ids) > MAX_TOKENS)

    def _key(self, text: str, role: Role) -> str:
        parameters = {
            "pooling": self.settings.pooling,
            "role": role.value,
            "instruction": self.settings.query_instruction if role is Role.QUERY else "",
        }
        return answer_key(PURPOSE, self.model, parameters, text)

    def _kept(self, text: str, role: Role) -> Embedding | None:
        kept = self.cache.get(self._key(text, role)) if self.cache is not None else None
        if not kept or (len(kept) - 1) % unpacked(b"").itemsize:
            return None
        return Embedding(kept[1:], bool(kept[0]))


def _best_device() -> str:
    """One device: several CPU devices would start processes of their own."""
    import torch

    return "cuda:0" if torch.cuda.is_available() else "cpu"


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep progress bars and length warnings off the terminal; errors are exceptions."""
    with redirect_stderr(io.StringIO()):
        yield
