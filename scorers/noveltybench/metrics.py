"""The two published numbers of a list of k outputs: distinct_k, and utility_k by a patient reader."""

from collections.abc import Sequence
from math import fsum

PATIENCE = 0.8
"""The published chance that a reader who has seen an output asks for one more."""


def first_members(labels: Sequence[int]) -> list[int]:
    """List the positions at which a class shows up for the first time.

    >>> first_members([0, 1, 0, 2])
    [0, 1, 3]
    """
    return sorted({label: position for position, label in reversed(list(enumerate(labels)))}.values())


def distinct_k(labels: Sequence[int]) -> int:
    """Count the classes of k outputs.

    distinct_k of Zhang et al. 2025, section 3: the number of classes that the k outputs fall into.

    >>> distinct_k([0, 1, 0, 2]), distinct_k([])
    (3, 0)

    Args:
        labels: The class of each output, in the order in which they were sampled.
    """
    return len(set(labels))


def credit(labels: Sequence[int], qualities: Sequence[float | None]) -> list[float]:
    """Give each class's first member its quality and every other output nothing.

    Args:
        labels: The class of each of k outputs.
        qualities: The quality of each, 1 to 10. Only those of first members are looked at.

    Raises:
        ValueError: If there are not k qualities, or a first member has none.
    """
    if len(qualities) != len(labels):
        raise ValueError(f"{len(labels)} outputs have {len(qualities)} qualities.")
    credited = [0.0] * len(labels)
    for position in first_members(labels):
        quality = qualities[position]
        if quality is None:
            raise ValueError(f"Output {position + 1} is the first of its class and has no quality.")
        credited[position] = quality
    return credited


def utility_k(labels: Sequence[int], qualities: Sequence[float | None], patience: float = PATIENCE) -> float:
    """Say what k outputs are worth to a reader who goes on to the next one with probability p.

    utility_k of Zhang et al. 2025, section 3: sum p^i s_i / sum p^i over all k positions, where s_i is the
    quality of a class's first member and 0 for every other output. That i starts at 0 here and at 1 in the
    paper does not change the ratio.

    >>> round(utility_k([0, 1, 0], [5, 10, 9]), 6)
    5.327869

    Args:
        labels: The class of each of k outputs, in the order in which they were sampled.
        qualities: The quality of each, 1 to 10. Only those of first members count.
        patience: The probability p, from 0 (only the first output counts) to 1 (all count alike).

    Returns:
        0 to 10 for qualities of 1 to 10; 0 where there is no output.

    Raises:
        ValueError: If there are not k qualities, a first member has none, or patience is no probability.
    """
    if not 0 <= patience <= 1:
        raise ValueError(f"Patience is a probability, not {patience}.")
    if not labels:
        return 0.0
    weights = [patience**position for position in range(len(labels))]
    earned = fsum(weight * each for weight, each in zip(weights, credit(labels, qualities), strict=True))
    return earned / fsum(weights)
