"""What models cost, as a table with a version that every manifest states."""

from collections.abc import Mapping
from dataclasses import dataclass

from outputs.spending.errors import SpendingError

PRICE_TABLE_VERSION = "2026-12-01.1"
"""Changed with every change of the table. Prices are list prices; a service may have changed them since."""

BATCH_DISCOUNT = 0.5
"""What a request through the Batch API costs, as a share of a direct one."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs.

    Attributes:
        input_usd: Dollars for a million tokens that it reads.
        output_usd: Dollars for a million tokens that it writes.
    """

    input_usd: float
    output_usd: float = 0.0

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Price a request.

        >>> Price(0.5, 2.0).of(1_000_000, 500_000)
        1.5
        """
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / 1_000_000

    def discounted(self, share: float) -> "Price":
        """Give the price of requests that cost a share of the list price."""
        return Price(self.input_usd * share, self.output_usd * share)


PRICES: Mapping[str, Price] = {
    "text-embedding-3-large": Price(0.13),
    "text-embedding-3-small": Price(0.02),
    "gpt-4.1": Price(2.00, 8.00),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-5": Price(1.25, 10.00),
    "gpt-5-mini": Price(0.25, 2.00),
    "gpt-5-nano": Price(0.05, 0.40),
    "gpt-4o": Price(2.50, 10.00),
    "gpt-4o-mini": Price(0.15, 0.60),
}


def price_of(model: str, stated: Mapping[str, Price] = {}) -> Price:
    """Look up what a model costs.

    Args:
        model: Its name.
        stated: Prices that the user states; they outweigh the table.

    Raises:
        SpendingError: If nobody knows the price, so that no limit could be kept.
    """
    price = stated.get(model) or PRICES.get(model)
    if price is None:
        raise SpendingError(
            f"The price of the model {model!r} is not known: state it with --price {model}=INPUT,OUTPUT, "
            "in dollars for a million tokens."
        )
    return price


def parse_price(text: str) -> tuple[str, Price]:
    """Read a stated price.

    >>> parse_price("local=0,0")
    ('local', Price(input_usd=0.0, output_usd=0.0))

    Raises:
        SpendingError: If the text is none.
    """
    model, _, numbers = text.rpartition("=")
    try:
        price = Price(*(float(number) for number in numbers.split(",", 1)))
    except (TypeError, ValueError):
        price = Price(-1)
    if not model or not 0 <= price.input_usd < 1e6 or not 0 <= price.output_usd < 1e6:
        raise SpendingError(
            f"{text!r} is no price: write MODEL=INPUT,OUTPUT, in dollars for a million tokens."
        )
    return model, price
