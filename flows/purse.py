"""The one purse of a build: key, prices, budget and the cache of answers that all of its stages share."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.secrecy import read_key
from flows.settings import BuildSettings, EmbedBackend, ServiceOptions
from outputs.embeddings.bge_backend import check_installed
from outputs.spending.budget import Budget
from outputs.spending.cache import AnswerCache
from outputs.spending.errors import MissingKeyError
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
    if settings.needs_key and not _key():
        raise MissingKeyError(
            f"OpenAI was asked for, but the environment holds no key: set {KEY_VARIABLE}, "
            "or leave out the options that name openai."
        )
    budget = _budget(settings)
    if settings.llm_match == "openai":
        budget.price(settings.llm_model)
    if settings.words.describe == "openai":
        budget.price(settings.words.describe_model)
    if EmbedBackend.OPENAI in settings.words.embed:
        budget.price(settings.words.embed_model)
    if EmbedBackend.BGE in settings.words.embed:
        check_installed()


@contextmanager
def open_purse(settings: BuildSettings) -> Iterator[Purse | None]:
    """Open what is needed to ask a model, where one is asked at all.

    Answers are kept in the folder `answers` of the cache that was named, else of the user's cache.
    """
    if not settings.needs_key and not settings.words.embed:
        yield None
        return
    folder = Path(settings.cache) if settings.cache else default_cache()
    with AnswerCache(folder / "answers") as cache:
        yield Purse(_service(settings.service), cache, _budget(settings))


def default_cache() -> Path:
    """Where answers are kept if nothing else is said."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "speedrun-etl"


def _key() -> str:
    return read_key(KEY_VARIABLE)


def _budget(settings: BuildSettings) -> Budget:
    return Budget(settings.max_usd, dict(parse_price(text) for text in settings.service.prices))


def _service(options: ServiceOptions) -> ServiceSettings:
    return ServiceSettings(
        api_key=_key(),
        base_url=options.base_url or os.environ.get(URL_VARIABLE) or DEFAULT_BASE_URL,
        timeout_s=options.timeout_s,
        max_attempts=options.max_attempts,
        first_wait_s=options.first_wait_s,
    )
