"""What a build asked for, what it cost and what it did not get, as the manifest states it."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from outputs.spending.budget import Usage


class Failure(BaseModel):
    """One item that could not be had, and was left null.

    Attributes:
        item: What it is: a family of experiments, or an experiment.
        reason: Why, in a sentence.
    """

    model_config = ConfigDict(frozen=True)

    item: str
    reason: str


class Spending(BaseModel):
    """What was asked for one purpose.

    Attributes:
        purpose: What for.
        backend: Who was asked: `openai`, or `bge`, which costs nothing.
        model: The model.
        answers: Items that were had.
        from_cache: How many of them were in the cache.
        requests: Requests of this build that were charged, or may have been.
        input_tokens: Tokens that they read.
        output_tokens: Tokens that they wrote.
        usd: Dollars by the price table; what earlier builds paid is not in it.
        estimated_usd: Upper bound before the first request.
        failures: Items that could not be had.
    """

    model_config = ConfigDict(frozen=True)

    purpose: str
    backend: str
    model: str
    answers: int
    from_cache: int
    requests: int
    input_tokens: int
    output_tokens: int
    usd: float
    estimated_usd: float
    failures: tuple[Failure, ...] = ()


def make_spending(
    purpose: str,
    backend: str,
    model: str,
    counts: tuple[int, int],
    usage: Usage,
    estimated_usd: float,
    failures: Mapping[str, str],
) -> Spending:
    """Put a report together.

    Args:
        purpose: What for.
        backend: Who was asked.
        model: The model.
        counts: Items that were had, and how many of them were in the cache.
        usage: What was used.
        estimated_usd: Upper bound before the first request.
        failures: Reasons by item.
    """
    return Spending(
        purpose=purpose,
        backend=backend,
        model=model,
        answers=counts[0],
        from_cache=counts[1],
        requests=usage.requests,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        usd=round(usage.usd, 6),
        estimated_usd=round(estimated_usd, 6),
        failures=tuple(Failure(item=item, reason=failures[item]) for item in sorted(failures)),
    )
