"""Predicted win rates from rewards: whose answer to a prompt would be preferred, over all pairs of writers.

The rule of Creative Writing Bench: the answer of writer i is preferred to that of writer j with probability
sigmoid(r_i - r_j), which is what a reward model trained on pairs (Bradley and Terry, 1952) predicts. The rate
of a writer is the plain mean over all its comparisons; a prompt that it did not answer has none of them.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

RANK_DIGITS = 12
"""Values that agree to so many decimals share a rank: sums of the same numbers may differ beyond that."""

Wins = dict[str, dict[str, list[float]]]
"""By writer and prompt: the probability of being preferred to each of the others who answered."""


class PreferenceError(ValueError):
    """Rewards cannot be compared. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a writer, a model or a human reference, had to say to a prompt.

    Attributes:
        prompt: The prompt.
        writer: Who wrote.
        reward: How good the answer is, on any scale whose differences are log odds; None or NaN for a refusal
            or an empty answer.
        subset: The part of the benchmark to which the prompt belongs, if it has parts.
    """

    prompt: str
    writer: str
    reward: float | None
    subset: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a writer stands among the others.

    Attributes:
        writer: Who wrote.
        rank: 1 plus the number of writers with a strictly higher rate; None without a rate.
        win_rate: Mean probability of being preferred, 0 to 1; None without comparisons.
        num_comparisons: Over how many pairs that is the mean.
        num_answered: Prompts that it answered.
        num_prompts: Prompts that there are.
    """

    writer: str
    rank: int | None
    win_rate: float | None
    num_comparisons: int
    num_answered: int
    num_prompts: int


def sigmoid(difference: float) -> float:
    """Turn log odds into a probability, without overflow, so that those of a pair make up exactly 1.

    >>> sigmoid(0.0), sigmoid(-1e6), sigmoid(0.3) + sigmoid(-0.3)
    (0.5, 0.0, 1.0)
    """
    win = 1 / (1 + math.exp(-abs(difference)))
    return win if difference >= 0 else 1 - win


def shared_ranks(values: Mapping[str, float | None]) -> dict[str, int | None]:
    """Rank by 1 plus the number of strictly higher values; who has none has no rank.

    >>> shared_ranks({"a": 0.5, "b": 0.7, "c": 0.5, "d": 0.1, "e": None})
    {'a': 2, 'b': 1, 'c': 2, 'd': 4, 'e': None}
    """
    rounded = {name: None if value is None else round(value, RANK_DIGITS) for name, value in values.items()}
    known = [value for value in rounded.values() if value is not None]
    return {
        name: None if value is None else 1 + sum(other > value for other in known)
        for name, value in rounded.items()
    }


def compare(answers: Iterable[Answer]) -> Wins:
    """Compare every pair of writers on every prompt that both answered.

    Raises:
        PreferenceError: If a writer answers a prompt twice, or a reward is infinite.
    """
    seen: set[tuple[str, str]] = set()
    rewards: dict[str, dict[str, float]] = {}
    wins: Wins = {}
    for each in answers:
        if (each.prompt, each.writer) in seen:
            raise PreferenceError(f"{each.writer!r} answers the prompt {each.prompt!r} twice: keep one.")
        seen.add((each.prompt, each.writer))
        wins.setdefault(each.writer, {})
        if each.reward is None or math.isnan(each.reward):
            continue
        if math.isinf(each.reward):
            raise PreferenceError(f"{each.writer!r} has an infinite reward for the prompt {each.prompt!r}.")
        rewards.setdefault(each.prompt, {})[each.writer] = each.reward
    for prompt, of_prompt in rewards.items():
        for writer, reward in of_prompt.items():
            others = (other for name, other in of_prompt.items() if name != writer)
            wins[writer][prompt] = [sigmoid(reward - other) for other in others]
    return wins


def win_rate(of_writer: Mapping[str, Iterable[float]]) -> float | None:
    """Average all comparisons of a writer, in a way that does not hang on their order.

    Args:
        of_writer: The probabilities by prompt.

    Returns:
        The plain mean over all of them; None if there is none.
    """
    shares = [share for of_prompt in of_writer.values() for share in of_prompt]
    return math.fsum(shares) / len(shares) if shares else None


def rank_writers(answers: Iterable[Answer], writers: Iterable[str] = ()) -> tuple[Standing, ...]:
    """Rank writers by their predicted win rate.

    Args:
        answers: Every answer, at most one for each prompt and writer.
        writers: Who is listed also without any answer.

    Returns:
        The writers by rank, then by name; last those without a rate.

    Raises:
        PreferenceError: If a writer answers a prompt twice, or a reward is infinite.
    """
    answers = list(answers)
    num_prompts = len({each.prompt for each in answers})
    wins: Wins = {writer: {} for writer in writers} | compare(answers)
    rates = {writer: win_rate(of_writer) for writer, of_writer in wins.items()}
    ranks = shared_ranks(rates)
    standings = [
        Standing(
            writer=writer,
            rank=ranks[writer],
            win_rate=rates[writer],
            num_comparisons=sum(map(len, of_writer.values())),
            num_answered=len(of_writer),
            num_prompts=num_prompts,
        )
        for writer, of_writer in wins.items()
    ]
    return tuple(sorted(standings, key=lambda each: (each.rank is None, each.rank or 0, each.writer)))


def rank_by_subset(answers: Iterable[Answer]) -> dict[str | None, tuple[Standing, ...]]:
    """Rank writers on all prompts, and on those of each subset as if there were no others.

    Args:
        answers: Every answer. Whoever occurs anywhere is listed in every view.

    Returns:
        The standings on all prompts under None, then those of each subset by name.

    Raises:
        PreferenceError: If a writer answers a prompt twice, or a reward is infinite.
    """
    answers = list(answers)
    writers = {each.writer for each in answers}
    views: dict[str | None, tuple[Standing, ...]] = {None: rank_writers(answers)}
    for subset in sorted({each.subset for each in answers if each.subset is not None}):
        views[subset] = rank_writers((each for each in answers if each.subset == subset), writers)
    return views
