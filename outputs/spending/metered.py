"""One request that is reserved, sent, and settled, so that no failure escapes the budget."""

from collections.abc import Callable
from typing import TypeVar

from outputs.spending.budget import Budget
from outputs.spending.service import may_be_charged, read_answer_of

T = TypeVar("T")


def send_metered(
    send: Callable[[], T],
    tokens_of: Callable[[T], tuple[int, int]],
    budget: Budget,
    purpose: str,
    model: str,
    bounds: tuple[int, int],
) -> T:
    """Send one request within the budget.

    Args:
        send: Sends it.
        tokens_of: Reads from the answer how many tokens were read and written.
        budget: The money.
        purpose: What it is for.
        model: Who is asked.
        bounds: Upper bounds of the tokens read and written.

    Raises:
        OverBudgetError: If it may cost more than is left; nothing was sent then.
    """
    reserved = budget.reserve(model, *bounds)
    try:
        answer = read_answer_of(send)
    except Exception as error:
        budget.settle(purpose, model, reserved, reserved if may_be_charged(error) else None)
        raise
    budget.settle(purpose, model, reserved, budget.priced(model, *tokens_of(answer)))
    return answer
