"""Texts cut to what the service takes, and packed into as few requests as its limits allow."""

from collections.abc import Iterable
from dataclasses import dataclass

from outputs.spending.tokens import bound_tokens, cut_to_tokens

MAX_INPUTS = 2_048
MAX_REQUEST_TOKENS = 300_000
MAX_INPUT_TOKENS = 8_192


@dataclass(frozen=True, slots=True)
class Input:
    """A text as it is sent.

    Attributes:
        text: The text that was asked for.
        sent: What is sent of it.
        tokens: Upper bound of its tokens.
        is_cut: Whether only its beginning is sent.
    """

    text: str
    sent: str
    tokens: int
    is_cut: bool = False


def make_input(text: str, sendable: str) -> Input:
    """Cut a text if it is too long."""
    sent = cut_to_tokens(sendable, MAX_INPUT_TOKENS)
    return Input(text, sent, bound_tokens(sent), len(sent) < len(sendable))


def pack(inputs: Iterable[Input]) -> list[list[Input]]:
    """Pack inputs in their order.

    >>> [len(each) for each in pack(Input("a", "a", 100_000) for _ in range(7))]
    [3, 3, 1]
    """
    packs: list[list[Input]] = []
    tokens = 0
    for each in inputs:
        if not packs or len(packs[-1]) == MAX_INPUTS or tokens + each.tokens > MAX_REQUEST_TOKENS:
            packs.append([])
            tokens = 0
        packs[-1].append(each)
        tokens += each.tokens
    return packs
