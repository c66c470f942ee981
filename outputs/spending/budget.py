"""How much may still be spent: every request reserves what it may cost before it is sent."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from outputs.spending.errors import OverBudgetError
from outputs.spending.prices import Price, price_of


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of requests, and what they cost.

    Attributes:
        requests: Number of requests that were answered or may have been charged.
        input_tokens: Tokens that were read.
        output_tokens: Tokens that were written.
        usd: Dollars by the price table.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.usd + other.usd,
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What work may cost at most.

    Attributes:
        purpose: What it is for.
        model: Who is asked.
        items: Answers that are not in the cache.
        cached: Answers that are.
        usage: Upper bounds of requests, tokens and dollars.
    """

    purpose: str
    model: str
    items: int
    cached: int
    usage: Usage

    def sentence(self) -> str:
        """Say it in a sentence."""
        if not self.items:
            return f"{self.purpose} by {self.model}: all {self.cached:,} answers are in the cache."
        return (
            f"{self.purpose} by {self.model}: {self.items:,} to ask, {self.cached:,} in the cache; at most "
            f"{self.usage.input_tokens + self.usage.output_tokens:,} tokens and ${self.usage.usd:.4f}."
        )


@dataclass(slots=True)
class Budget:
    """The money of one build. Safe to use from several threads.

    Attributes:
        max_usd: Most that may be spent.
        stated_prices: Prices that outweigh the table.
    """

    max_usd: float
    stated_prices: Mapping[str, Price] = field(default_factory=dict)
    _spent: dict[tuple[str, str], Usage] = field(default_factory=dict)
    _reserved_usd: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def price(self, model: str) -> Price:
        """Look up what a model costs."""
        return price_of(model, self.stated_prices)

    @property
    def spent_usd(self) -> float:
        """What has been spent so far."""
        return sum(usage.usd for usage in self._spent.values())

    def usage_of(self, purpose: str, model: str) -> Usage:
        """Say what was used for one purpose."""
        return self._spent.get((purpose, model), Usage())

    def check(self, estimates: Sequence[Estimate]) -> None:
        """Refuse work that may cost more than is left, before any of it is begun.

        Args:
            estimates: What each part of the work may cost.

        Raises:
            OverBudgetError: If all parts together may cost too much.
        """
        left, usd = self.max_usd - self.spent_usd, sum(each.usage.usd for each in estimates)
        if usd > left:
            what = " and ".join(f"{each.purpose} by {each.model}" for each in estimates)
            raise OverBudgetError(
                f"Asking for {what} may cost ${usd:.4f}, and ${left:.4f} of --max-usd {self.max_usd:g} "
                "is left: none of it was asked for; raise --max-usd or take a cheaper model."
            )

    def reserve(self, model: str, input_tokens: int, output_tokens: int, share: float = 1.0) -> Usage:
        """Set aside what a request may cost.

        Args:
            model: Who is asked.
            input_tokens: Upper bound of the tokens that it reads.
            output_tokens: Upper bound of the tokens that it writes.
            share: Share of the list price that is charged.

        Returns:
            What is set aside. Hand it back to `settle`.

        Raises:
            OverBudgetError: If it would exceed the limit.
        """
        price = self.price(model).discounted(share)
        wanted = Usage(1, input_tokens, output_tokens, price.of(input_tokens, output_tokens))
        with self._lock:
            if self.spent_usd + self._reserved_usd + wanted.usd > self.max_usd:
                raise OverBudgetError(
                    f"The next request to {model} may cost ${wanted.usd:.4f}, and "
                    f"${self.spent_usd:.4f} of --max-usd {self.max_usd:g} is spent: raise it to go on; "
                    "what is paid for is kept."
                )
            self._reserved_usd += wanted.usd
        return wanted

    def settle(self, purpose: str, model: str, reserved: Usage, used: Usage | None) -> None:
        """Turn a reservation into what was used.

        Args:
            purpose: What it was for.
            model: Who was asked.
            reserved: What was set aside.
            used: What the service charges, with its dollars; None where it charges nothing.
        """
        with self._lock:
            self._reserved_usd -= reserved.usd
            if used is not None:
                self._spent[purpose, model] = self.usage_of(purpose, model) + used

    def priced(self, model: str, input_tokens: int, output_tokens: int, share: float = 1.0) -> Usage:
        """Price one request that was answered."""
        usage = Usage(1, input_tokens, output_tokens)
        return replace(usage, usd=self.price(model).discounted(share).of(input_tokens, output_tokens))
