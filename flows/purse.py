"""The one purse of a command: key, prices, budget and the cache of answers that all of its parts share."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.secrecy import read_key
from flows.settings import BuildSettings, EmbedBackend, ServiceOptions
from outputs.embeddings.bge_backend import check_installed
from outputs.spending.budget import Budget
from outputs.spending.cache import AnswerCache
from outputs.spending.errors import MissingKeyError, SpendingError
from outputs.spending.prices import parse_price
from outputs.spending.questions import Purse
from outputs.spending.service import DEFAULT_BASE_URL, ServiceSettings

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"


def check_purse(settings: BuildSettings) -> None:
    """Refuse what cannot be done, before any work.

    Raises:
        SpendingError: If a key, a price or a package is missing.
    """
    if settings.needs_key:
        check_key()
    budget = make_budget(settings.max_usd, settings.service)
    if settings.llm_match == "openai":
        budget.price(settings.llm_model)
    if settings.words.describe == "openai":
        budget.price(settings.words.describe_model)
    if EmbedBackend.OPENAI in settings.words.embed:
        budget.price(settings.words.embed_model)
    if EmbedBackend.BGE in settings.words.embed:
        check_installed()


def check_key() -> None:
    """Refuse to ask OpenAI without a key.

    Raises:
        MissingKeyError: If the environment holds none.
    """
    if not _key():
        raise MissingKeyError(
            f"OpenAI was asked for, but the environment holds no key: set {KEY_VARIABLE}, "
            "or leave out the options that name openai."
        )


@contextmanager
def open_purse(settings: BuildSettings) -> Iterator[Purse | None]:
    """Open what a build needs to ask a model, where it asks one at all."""
    if not settings.needs_key and not settings.words.embed:
        yield None
        return
    cache = Path(settings.cache) if settings.cache else None
    with open_purse_with(settings.max_usd, settings.service, cache) as purse:
        yield purse


@contextmanager
def open_purse_with(max_usd: float, service: ServiceOptions, cache: Path | None) -> Iterator[Purse]:
    """Open what is needed to ask a model.

    Args:
        max_usd: The most that may be spent.
        service: How OpenAI is reached.
        cache: Folder whose subfolder `answers` keeps the answers; None takes the user's cache.
    """
    with AnswerCache((cache or default_cache()) / "answers") as answers:
        yield Purse(service_settings(service), answers, make_budget(max_usd, service))


def default_cache() -> Path:
    """Where answers are kept if nothing else is said.

    Raises:
        SpendingError: If the user has no home.
    """
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "speedrun-etl"
    except RuntimeError:
        raise SpendingError("There is no home folder to keep answers in: name one with --cache.") from None


def _key() -> str:
    return read_key(KEY_VARIABLE)


def make_budget(max_usd: float, options: ServiceOptions) -> Budget:
    """Set a limit to what may be spent.

    Raises:
        SpendingError: If a stated price is none.
    """
    return Budget(max_usd, dict(parse_price(text) for text in options.prices))


def service_settings(options: ServiceOptions) -> ServiceSettings:
    """Take the key, and the address unless it is stated, from the environment."""
    return ServiceSettings(
        api_key=_key(),
        base_url=options.base_url or os.environ.get(URL_VARIABLE) or DEFAULT_BASE_URL,
        timeout_s=options.timeout_s,
        max_attempts=options.max_attempts,
        first_wait_s=options.first_wait_s,
    )
