"""One request that is reserved, sent, and settled, so that no failure escapes the budget."""

from collections.abc import Callable
from typing import TypeVar

from outputs.spending.budget import Budget, Usage
from outputs.spending.service import may_be_charged, read_answer_of

T = TypeVar("T")


def send_metered(
    send: Callable[[], T],
    tokens_of: Callable[[T], tuple[int, int]],
    budget: Budget,
    purpose: str,
    model: str,
    bounds: tuple[int, int],
    note: Callable[[Usage], None] = lambda used: None,
) -> T:
    """Send one request within the budget.

    Args:
        send: Sends it.
        tokens_of: Reads from the answer how many tokens were read and written.
        budget: The money.
        purpose: What it is for.
        model: Who is asked.
        bounds: Upper bounds of the tokens read and written.
        note: Told what the request cost, also where it failed but may have been charged.

    Raises:
        OverBudgetError: If it may cost more than is left; nothing was sent then.
    """
    reserved = budget.reserve(model, *bounds)
    try:
        answer = read_answer_of(send)
    except Exception as error:
        used = reserved if may_be_charged(error) else None
        budget.settle(purpose, model, reserved, used)
        if used is not None:
            note(used)
        raise
    used = budget.priced(model, *tokens_of(answer))
    budget.settle(purpose, model, reserved, used)
    note(used)
    return answer
