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
    """What was asked for one purpose. A build that finds everything in its cache states the same.

    Attributes:
        purpose: What for.
        backend: Who was asked: `openai`, or `bge`, which costs nothing.
        model: The model.
        answers: Items that were had.
        input_tokens: Tokens that were read for them.
        output_tokens: Tokens that were written.
        usd: What the items cost when they were paid for, by the price table.
        failures: Items that could not be had.
    """

    model_config = ConfigDict(frozen=True)

    purpose: str
    backend: str
    model: str
    answers: int
    input_tokens: int
    output_tokens: int
    usd: float
    failures: tuple[Failure, ...] = ()


def make_spending(
    purpose: str, backend: str, model: str, answers: int, cost: Usage, failures: Mapping[str, str]
) -> Spending:
    """Put a report together.

    Args:
        purpose: What for.
        backend: Who was asked.
        model: The model.
        answers: Items that were had.
        cost: What they cost.
        failures: Reasons by item.
    """
    return Spending(
        purpose=purpose,
        backend=backend,
        model=model,
        answers=answers,
        input_tokens=cost.input_tokens,
        output_tokens=cost.output_tokens,
        usd=round(cost.usd, 6),
        failures=tuple(Failure(item=item, reason=failures[item]) for item in sorted(failures)),
    )
