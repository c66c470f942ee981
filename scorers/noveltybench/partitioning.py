"""The published greedy partition of outputs into classes, with its rule for short outputs."""

from collections.abc import Sequence

from scorers.noveltybench.equivalence import Equivalence

MAX_SHORT_TOKENS = 5
"""Two outputs of at most so many tokens each are compared by their tokens, without a model."""


def partition(outputs: Sequence[str], equivalence: Equivalence, *, is_compat: bool = False) -> list[int]:
    """Put each output into the class of the first earlier one that stands for a class and equals it.

    The greedy partition of Zhang et al. 2025, section 3: in input order an output is compared with the first
    member of each class, and one that equals none begins a class. Classes are numbered by first appearance.

    An output always equals itself; short ones too if they differ in case and spaces alone. The published code
    of version 1.0 lacks that: there `ha ha ha` differs from itself, as it has one distinct token of three.

    Args:
        outputs: The k outputs.
        equivalence: Judges pairs of which at least one output is long. It is asked about all outputs that
            are left at once, each behind the class's first member.
        is_compat: Compare identical outputs by the published rule too, to the letter.

    Returns:
        The class of each output, from 0.

    Raises:
        ValueError: If the equivalence does not give one verdict a pair.

    >>> from scorers.noveltybench.equivalence import each_pair
    >>> partition(["Yes", "no", "yes."], each_pair(str.__eq__))
    [0, 1, 2]
    """
    labels: list[int | None] = [None] * len(outputs)
    classes = 0
    for head, output in enumerate(outputs):
        if labels[head] is not None:
            continue
        labels[head] = classes
        rest = [each for each in range(head + 1, len(outputs)) if labels[each] is None]
        verdicts = _compare(output, [outputs[each] for each in rest], equivalence, is_compat)
        for each, is_equal in zip(rest, verdicts, strict=True):
            if is_equal:
                labels[each] = classes
        classes += 1
    return [label for label in labels if label is not None]


def short_verdict(left: str, right: str, *, is_compat: bool = False) -> bool | None:
    """Compare two outputs by their tokens, as far as that is allowed.

    The shortcut of the published partition (version 1.0 of the code of Zhang et al. 2025): lower-cased,
    whitespace-separated tokens; where both outputs have at most 5, repeated ones counted, they are equal if
    and only if twice the number of distinct tokens that they share reaches the token count of the longer one.
    Before that, unless `is_compat`, an output equals itself (see `partition`).

    Returns:
        The verdict, or None where the equivalence must be asked.

    >>> short_verdict("a golden retriever", "Golden Retriever!"), short_verdict("a b", "b c")
    (False, True)
    >>> short_verdict("one two three four five six", "one")
    """
    one, other = left.lower().split(), right.lower().split()
    longer = max(len(one), len(other))
    is_short = longer <= MAX_SHORT_TOKENS
    if not is_compat and (one == other if is_short else left == right):
        return True
    if not is_short:
        return None
    return 2 * len(set(one) & set(other)) >= longer


def needs_equivalence(outputs: Sequence[str]) -> bool:
    """Say whether an output is too long for the rule of short ones."""
    return any(len(output.split()) > MAX_SHORT_TOKENS for output in outputs)


def _compare(head: str, others: Sequence[str], equivalence: Equivalence, is_compat: bool) -> list[bool]:
    quick = [short_verdict(head, other, is_compat=is_compat) for other in others]
    pairs = [(head, other) for other, verdict in zip(others, quick, strict=True) if verdict is None]
    asked = list(equivalence(pairs)) if pairs else []
    if len(asked) != len(pairs):
        raise ValueError(f"The equivalence gave {len(asked)} verdicts on {len(pairs)} pairs.")
    left = iter(asked)
    return [bool(next(left)) if verdict is None else verdict for verdict in quick]
