"""The models that NoveltyBench asks, made from options of the command line."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from flows.purse import default_cache, make_budget, service_settings
from flows.settings import ServiceOptions
from outputs.embeddings.bge_backend import DEFAULT_MODEL as DEFAULT_BGE_MODEL
from outputs.embeddings.bge_backend import BgeBackend, BgeSettings, check_installed
from outputs.embeddings.model import Backend
from outputs.embeddings.openai_backend import DEFAULT_MODEL as DEFAULT_EMBED_MODEL
from outputs.embeddings.openai_backend import OpenAIBackend
from outputs.spending.budget import Budget
from outputs.spending.cache import AnswerCache
from outputs.spending.errors import SpendingError
from outputs.spending.prices import Price
from outputs.spending.questions import Purse
from outputs.spending.service import open_client
from scorers.noveltybench.deberta import MODEL as DEBERTA_MODEL
from scorers.noveltybench.deberta import THRESHOLD, DebertaEquivalence
from scorers.noveltybench.equivalence import COSINE_THRESHOLD, EmbeddingEquivalence
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


@contextmanager
def open_equivalence(
    name: EquivalenceName,
    model: str | None,
    threshold: float | None,
    *,
    device: str | None,
    cache: Path | None,
    max_usd: float,
    options: ServiceOptions,
) -> "Iterator[Equivalence]":
    """Open what compares outputs.

    Args:
        name: Who compares.
        model: Which model; None takes the one that it takes by default.
        threshold: Similarity of equal outputs; None takes the default.
        device: Where a model runs.
        cache: Folder that keeps embeddings; None takes the user's.
        max_usd: The most to spend on embeddings.
        options: How a service is reached.

    Raises:
        NoveltyBenchError: If the classifier is not there.
        SpendingError: If a key, a price or a package is missing.
    """
    if name is EquivalenceName.DEBERTA:
        yield DebertaEquivalence(
            model or DEBERTA_MODEL, threshold=THRESHOLD if threshold is None else threshold, device=device
        )
        return
    budget = make_budget(max_usd, options)
    with AnswerCache((cache or default_cache()) / "answers") as answers:
        backend: Backend
        if name is EquivalenceName.BGE:
            check_installed()
            backend = BgeBackend(BgeSettings(model or DEFAULT_BGE_MODEL, device=device), answers)
        else:
            purse = Purse(service_settings(options), answers, budget)
            backend = OpenAIBackend(purse, model or DEFAULT_EMBED_MODEL)
        yield EmbeddingEquivalence(backend, COSINE_THRESHOLD if threshold is None else threshold)
