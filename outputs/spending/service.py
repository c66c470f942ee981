"""One way to call the OpenAI client: with a key that stays hidden, patience, and a limit to it."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from outputs.spending.errors import BadAnswerError, MissingKeyError, RejectedRequestError, SpendingError

if TYPE_CHECKING:
    from openai import OpenAI

T = TypeVar("T")

DEFAULT_BASE_URL = "https://api.openai.com/v1"

_FATAL = {401: "refused the key", 403: "denied the request", 404: "does not know the model or the address"}
_TRANSIENT = frozenset({408, 409, 425, 429})
_NO_MONEY = "insufficient_quota"
_CODE = re.compile(r"[a-z][a-z_]{0,59}")


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """How the service is reached.

    Attributes:
        api_key: The key; never shown.
        base_url: Address of the service, or of one that speaks its language.
        timeout_s: Longest wait for an answer.
        max_attempts: How often one request is sent at most.
        first_wait_s: Wait before the second attempt; doubled before each further one.
        max_wait_s: Longest wait between attempts, also where the service asks for more.
    """

    api_key: str = field(repr=False)
    base_url: str = DEFAULT_BASE_URL
    timeout_s: float = 60.0
    max_attempts: int = 6
    first_wait_s: float = 1.0
    max_wait_s: float = 60.0


def open_client(settings: ServiceSettings) -> "OpenAI":
    """Make a client. It makes no attempts of its own, as those would go past the budget.

    Raises:
        MissingKeyError: If there is no key.
    """
    if not settings.api_key.strip():
        raise MissingKeyError(
            "No key for OpenAI: set OPENAI_API_KEY, or leave out the options that ask OpenAI."
        )
    from openai import OpenAI

    return OpenAI(
        api_key=settings.api_key, base_url=settings.base_url, timeout=settings.timeout_s, max_retries=0
    )


def call_patiently(
    call: Callable[[], T], settings: ServiceSettings, sleep: Callable[[float], None] = time.sleep
) -> T:
    """Call the service until it answers well, waiting longer each time.

    Args:
        call: Sends one request. May raise `BadAnswerError` where the answer is not what was asked for.
        settings: How patient to be.
        sleep: Waits.

    Raises:
        SpendingError: If no further request can succeed: a refused key, no money left.
        BadAnswerError: If this request failed for good; its message holds no text of the service.
    """
    waits = _waits(settings)
    while True:
        outcome = _attempt(call)
        if not isinstance(outcome, _Failure):
            return outcome
        # Raised here, where no error of the client is at hand: its words may repeat the key or the text.
        wait_s = next(waits, None)
        if outcome.is_final or wait_s is None:
            raise outcome.error
        sleep(min(settings.max_wait_s, wait_s if outcome.asked_s is None else outcome.asked_s))


@dataclass(frozen=True, slots=True)
class _Failure:
    """What one attempt failed of.

    Attributes:
        error: The failure, in words of our own.
        asked_s: How long the service asks to wait, if it does.
        is_final: Whether no further attempt can help.
    """

    error: SpendingError | BadAnswerError
    asked_s: float | None = None
    is_final: bool = False


def _attempt(call: Callable[[], T]) -> T | _Failure:
    from openai import OpenAIError

    try:
        return call()
    except SpendingError as error:
        return _Failure(error, is_final=True)
    except BadAnswerError as error:
        return _Failure(error)
    except OpenAIError as error:
        return _judge(error)


def read_answer_of(call: Callable[[], T]) -> T:
    """Call the client, which lets errors of its parsers through when an answer is garbled or cut off.

    Raises:
        BadAnswerError: If the answer cannot be read.
    """
    from httpx2 import HTTPError

    try:
        return call()
    except (ValueError, TypeError, KeyError, AttributeError, HTTPError) as error:
        kind = type(error).__name__
    raise BadAnswerError(f"The answer could not be read ({kind}).")


def may_be_charged(error: Exception) -> bool:
    """Say whether a request that failed so may have been charged: the answer was garbled, or never came."""
    from openai import APIConnectionError

    return isinstance(error, (APIConnectionError, BadAnswerError))


def _waits(settings: ServiceSettings) -> Iterator[float]:
    for attempt in range(settings.max_attempts - 1):
        yield settings.first_wait_s * 2**attempt


def _judge(error: Exception) -> _Failure:
    """Tell failures that may pass from those that will not, and read how long the service asks to wait."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError

    if isinstance(error, APITimeoutError):
        return _Failure(BadAnswerError("The service did not answer in time."))
    if isinstance(error, APIConnectionError):
        return _Failure(BadAnswerError("The service could not be reached, or hung up halfway."))
    if not isinstance(error, APIStatusError):
        return _Failure(BadAnswerError(f"The answer could not be read ({type(error).__name__})."))
    status, code = error.status_code, _code_of(error)
    if status in _FATAL:
        sentence = f"OpenAI {_FATAL[status]} (HTTP {status}): check key, model and address."
        return _Failure(SpendingError(sentence), is_final=True)
    if code == _NO_MONEY:
        sentence = "The OpenAI account has no money left (insufficient_quota): top it up."
        return _Failure(SpendingError(sentence), is_final=True)
    reason = f"The service answered HTTP {status}" + (f" ({code})." if code else ".")
    if status in _TRANSIENT or status >= 500:
        return _Failure(BadAnswerError(reason), _asked_wait(error))
    return _Failure(RejectedRequestError(reason), is_final=True)


def _code_of(error: Exception) -> str | None:
    code = getattr(error, "code", None)
    return code if isinstance(code, str) and _CODE.fullmatch(code) else None


def _asked_wait(error: Exception) -> float | None:
    """Read `retry-after-ms` or `Retry-After` in seconds; a date there counts as nothing."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name, "")) * unit)
        except ValueError:
            continue
    return None
