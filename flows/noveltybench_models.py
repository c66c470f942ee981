"""The models that NoveltyBench asks, made from options of the command line."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from flows.purse import check_key, make_budget, open_purse_with, service_settings
from flows.settings import ServiceOptions
from outputs.embeddings.bge_backend import DEFAULT_MODEL as DEFAULT_BGE_MODEL
from outputs.embeddings.bge_backend import BgeBackend, BgeSettings, check_installed
from outputs.embeddings.model import Backend, embed_texts
from outputs.embeddings.openai_backend import DEFAULT_MODEL as DEFAULT_EMBED_MODEL
from outputs.embeddings.openai_backend import OpenAIBackend
from outputs.spending.budget import Budget
from outputs.spending.errors import SpendingError
from outputs.spending.prices import Price
from outputs.spending.questions import Purse
from outputs.spending.service import open_client
from scorers.lexical import LexicalBackend
from scorers.noveltybench.deberta import MODEL as DEBERTA_MODEL
from scorers.noveltybench.deberta import THRESHOLD as DEBERTA_THRESHOLD
from scorers.noveltybench.deberta import DebertaEquivalence
from scorers.noveltybench.equivalence import COSINE_THRESHOLD, embedding_equivalence
from scorers.noveltybench.partitioning import needs_equivalence
from scorers.noveltybench.sampling import PURPOSE, Sampler, Sampling

if TYPE_CHECKING:
    from scorers.noveltybench.equivalence import Equivalence
    from scorers.noveltybench.infer import Writer
    from scorers.noveltybench.rows import Prompt


class EquivalenceName(StrEnum):
    """Who says whether two long outputs are equal."""

    DEBERTA = "deberta"
    BGE = "bge"
    OPENAI = "openai"
    LEXICAL = "lexical"


def budget_of(model: str, max_usd: float | None, options: ServiceOptions) -> Budget:
    """Set a limit to what sampling may cost. Without one the price of the model need not be known.

    Raises:
        SpendingError: If there is a limit, and the price is not known.
    """
    budget = make_budget(math.inf if max_usd is None else max_usd, options)
    try:
        budget.price(model)
    except SpendingError:
        if max_usd is not None:
            raise
        budget.stated_prices = {**budget.stated_prices, model: Price(0)}
    return budget


def tell_spent(budget: Budget, model: str) -> str:
    """Say what sampling has used."""
    usage = budget.usage_of(PURPOSE, model)
    tokens = (
        f"{usage.requests:,} requests read {usage.input_tokens:,} tokens and wrote {usage.output_tokens:,}"
    )
    return f"{tokens}: ${usage.usd:.4f}." if usage.usd else f"{tokens}."


@contextmanager
def open_sampler(sampling: Sampling, options: ServiceOptions, budget: Budget) -> "Iterator[Writer]":
    """Open what samples a model.

    Raises:
        MissingKeyError: If the environment holds no key.
    """
    settings = service_settings(options)
    with open_client(settings) as client:
        sampler = Sampler(client, sampling, settings, budget)

        def write(prompt: "Prompt", given: Sequence[str]) -> Sequence[str]:
            return sampler(prompt.prompt, given)

        yield write


@dataclass(frozen=True, slots=True)
class EquivalenceChoice:
    """Who compares outputs, and how.

    Attributes:
        name: Who compares.
        model: Which model; None takes the one that it takes by default.
        threshold: Similarity of equal outputs; None takes the default.
        device: Where a model runs; None takes a GPU if there is one.
        cache: Folder that keeps embeddings; None takes the user's.
        max_usd: The most to spend on embeddings.
        options: How a service is reached.
    """

    name: EquivalenceName
    model: str | None
    threshold: float | None
    device: str | None
    cache: Path | None
    max_usd: float
    options: ServiceOptions


def make_equivalence(choice: EquivalenceChoice, rows: Iterable[Sequence[str]]) -> "Equivalence":
    """Make what compares outputs.

    Args:
        choice: Who compares.
        rows: The outputs to each prompt; those that may be compared are embedded at once.

    Raises:
        NoveltyBenchError: If the classifier is not there.
        SpendingError: If a key, a price, money or a package is missing.
    """
    if choice.name is EquivalenceName.DEBERTA:
        return DebertaEquivalence(
            choice.model or DEBERTA_MODEL,
            threshold=DEBERTA_THRESHOLD if choice.threshold is None else choice.threshold,
            device=choice.device,
        )
    texts = {output for outputs in rows if needs_equivalence(outputs) for output in outputs}
    if choice.name is EquivalenceName.LEXICAL:
        embedded = embed_texts(LexicalBackend.fit(sorted(texts)), texts)
    else:
        with open_purse_with(choice.max_usd, choice.options, choice.cache) as purse:
            embedded = embed_texts(_backend(choice, purse), texts)
    return embedding_equivalence(embedded, COSINE_THRESHOLD if choice.threshold is None else choice.threshold)


def _backend(choice: EquivalenceChoice, purse: Purse) -> Backend:
    if choice.name is EquivalenceName.BGE:
        check_installed()
        return BgeBackend(BgeSettings(choice.model or DEFAULT_BGE_MODEL, device=choice.device), purse.cache)
    check_key()
    return OpenAIBackend(purse, choice.model or DEFAULT_EMBED_MODEL)
