"""The greedy partition and its rule for short outputs: by hand, in published cases, and whatever the input."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.noveltybench import Pair, distinct_k, each_pair, partition
from scorers.noveltybench.partitioning import short_verdict

NEVER = each_pair(lambda left, right: False)
LONG = "one two three four five six"


def unasked(pairs: Sequence[Pair]) -> Sequence[bool]:
    pytest.fail(f"asked about {pairs}")


def same_letter(left: str, right: str) -> bool:
    return left[:1] == right[:1]


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        ("yes", "no", False),
        # 2 * 1 common >= 2 tokens: a tie counts.
        ("a b", "b c", True),
        # 2 * 1 < 3.
        ("a b", "b c d", False),
        # 2 * 2 >= 4.
        ("a b", "a b c d", True),
        # 2 * 2 < 5.
        ("a b", "a b c d e", False),
        ("a b c", "c b a d e", True),
        ("Yes", "yes", True),
        ("yes", "yes.", False),
        ("  a\tb\n", "a b", True),
        # The longer one counts with its repetitions: 2 * 1 < 3, but 2 * 1 >= 2.
        ("ha", "ha ha ha", False),
        ("ha", "ha ha", True),
        # 2 * 0 >= 0: two outputs of nothing are equal; nothing and something, 2 * 0 < 1, are not.
        ("", "", True),
        ("", " \n", True),
        ("", "yes", False),
        # One token more than 5 on either side, and the model is asked.
        ("a b c d e", "a b c d e f", None),
        (LONG, "one", None),
        (LONG, "", None),
        (LONG, "six five four three two one", None),
    ],
)
def test_short_outputs_are_compared_by_tokens(left: str, right: str, verdict: bool | None) -> None:
    for is_compat in (False, True):
        assert short_verdict(left, right, is_compat=is_compat) is verdict
        assert short_verdict(right, left, is_compat=is_compat) is verdict


def test_an_output_equals_itself_unless_the_letter_is_wanted() -> None:
    """`ha ha ha` has one distinct token of three: 2 * 1 < 3, so the published rule tells it from itself."""
    twice = ["ha ha ha", "ha ha ha"]
    assert partition(twice, unasked) == [0, 0]
    assert partition(["ha ha ha", "HA  ha ha\n"], unasked) == [0, 0]
    assert partition(twice, unasked, is_compat=True) == [0, 1]
    assert partition([LONG, LONG], unasked) == [0, 0]
    assert partition([LONG, LONG.upper()], NEVER) == [0, 1], "of long ones the model judges all but the same"
    assert partition([LONG, LONG], NEVER, is_compat=True) == [0, 1], "the letter asks the model even then"


def test_no_and_one_output() -> None:
    assert partition([], unasked) == []
    assert partition([""], unasked) == [0]
    assert partition([LONG], unasked) == [0]


def test_what_is_compared_with_is_a_class_s_first_member() -> None:
    """`a b` equals `b c`, which equals `c d`; `a b` does not equal `c d`. So the order decides."""
    assert partition(["a b", "b c", "c d"], unasked) == [0, 0, 1]
    assert partition(["b c", "a b", "c d"], unasked) == [0, 0, 0]


def test_an_output_joins_the_first_class_that_it_equals() -> None:
    assert partition(["a b", "c d", "b c"], unasked) == [0, 1, 0]


def test_short_answers_as_published() -> None:
    """The one-word answers of a published row fall into the published classes."""
    answers = ["Skunks", "Raccoon?", "Raccoons", "Raccoon", "raccoon", "Raccoon."]
    assert partition(answers, unasked) == [0, 1, 2, 3, 3, 4]


def test_the_model_is_asked_of_long_ones_alone_with_the_first_member_left() -> None:
    asked: list[Pair] = []

    def note(pairs: Sequence[Pair]) -> list[bool]:
        asked.extend(pairs)
        return [same_letter(*pair) for pair in pairs]

    a, a2, b, b2 = (f"{letter} {LONG}" for letter in ("a", "a!", "b", "b!"))
    assert partition([a, "x", a2, b, "x", b2], note) == [0, 1, 0, 2, 1, 2]
    assert asked == [(a, "x"), (a, a2), (a, b), (a, "x"), (a, b2), ("x", b), ("x", b2), (b, b2)]


def test_as_many_verdicts_as_pairs_are_demanded() -> None:
    with pytest.raises(ValueError, match="1 verdicts on 2 pairs"):
        partition([LONG, f"{LONG} 7", f"{LONG} 8"], lambda pairs: [True])


OUTPUTS = st.lists(st.lists(st.sampled_from("abcdA"), max_size=7).map(" ".join), max_size=9)


def greedy(outputs: Sequence[str], is_compat: bool) -> list[int]:
    """The definition, one output after the other."""
    heads: list[str] = []
    labels = []
    for output in outputs:
        for label, head in enumerate(heads):
            verdict = short_verdict(head, output, is_compat=is_compat)
            if same_letter(head, output) if verdict is None else verdict:
                labels.append(label)
                break
        else:
            labels.append(len(heads))
            heads.append(output)
    return labels


@given(OUTPUTS, st.booleans())
def test_it_is_the_greedy_partition_of_the_definition(outputs: list[str], is_compat: bool) -> None:
    assert partition(outputs, each_pair(same_letter), is_compat=is_compat) == greedy(outputs, is_compat)


@given(OUTPUTS)
def test_labels_are_numbered_by_appearance(outputs: list[str]) -> None:
    labels = partition(outputs, each_pair(same_letter))
    assert len(labels) == len(outputs)
    assert list(dict.fromkeys(labels)) == list(range(distinct_k(labels)))
    assert labels[:1] == [0] * min(1, len(labels))


@given(OUTPUTS, st.randoms())
def test_a_true_equivalence_is_blind_to_order(outputs: list[str], source: random.Random) -> None:
    """Of outputs that the tokens do not judge, where equality is transitive."""
    long = [f"{output} {LONG}" for output in outputs]
    shuffled = source.sample(long, len(long))
    verdict = each_pair(same_letter)
    assert distinct_k(partition(long, verdict)) == distinct_k(partition(shuffled, verdict))


@given(OUTPUTS)
def test_repeating_everything_adds_no_class(outputs: list[str]) -> None:
    verdict = each_pair(same_letter)
    assert partition([*outputs, *outputs], verdict)[: len(outputs)] == partition(outputs, verdict)
    assert distinct_k(partition([*outputs, *outputs], verdict)) == distinct_k(partition(outputs, verdict))
