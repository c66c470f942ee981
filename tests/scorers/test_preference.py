"""Predicted win rates, with the arithmetic beside them."""

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.preference import (
    Answer,
    PreferenceError,
    Standing,
    rank_by_subset,
    rank_writers,
    shared_ranks,
    sigmoid,
)


def answers(table: Mapping[str, Mapping[str, float | None]], subset: str | None = None) -> list[Answer]:
    """Answers from rewards by prompt and writer."""
    return [
        Answer(prompt, writer, reward, subset)
        for prompt, rewards in table.items()
        for writer, reward in rewards.items()
    ]


def ranked(standings: tuple[Standing, ...]) -> list[tuple[str, int | None]]:
    return [(each.writer, each.rank) for each in standings]


def rates(standings: tuple[Standing, ...]) -> dict[str, float | None]:
    return {each.writer: each.win_rate for each in standings}


def test_sigmoid_is_what_it_is_called() -> None:
    """1 / (1 + e^-1) = 1 / 1.36788 = 0.731059; ln 3 are odds of 3 to 1."""
    assert sigmoid(1.0) == pytest.approx(0.731059, abs=1e-6)
    assert sigmoid(math.log(3)) == pytest.approx(0.75)
    assert sigmoid(-math.log(3)) == pytest.approx(0.25)
    assert (sigmoid(0.0), sigmoid(1e9), sigmoid(-1e9)) == (0.5, 1.0, 0.0)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_shares_of_a_pair_make_up_one(difference: float) -> None:
    assert sigmoid(difference) + sigmoid(-difference) == 1.0


def test_a_rate_is_the_plain_mean_over_all_comparisons() -> None:
    """Odds of 3 to 1 where rewards are ln 3 apart, and of 9 to 1 where they are 2 ln 3 apart.

    p1: a over b 3/4, a over c 9/10, b over c 3/4. p2: a over b 1/4, c did not answer.
    a: (0.75 + 0.90 + 0.25) / 3; b: (0.25 + 0.75 + 0.75) / 3; c: (0.10 + 0.25) / 2. A mean of the means by
    prompt would give a (0.825 + 0.25) / 2 = 0.5375 instead of 0.6333.
    """
    step = math.log(3)
    found = rank_writers(
        answers(
            {"p1": {"a": 2 * step, "b": step, "c": 0.0}, "p2": {"a": 0.0, "b": step, "c": None}},
        )
    )
    assert rates(found) == {
        "a": pytest.approx(1.90 / 3),
        "b": pytest.approx(1.75 / 3),
        "c": pytest.approx(0.35 / 2),
    }
    assert ranked(found) == [("a", 1), ("b", 2), ("c", 3)]
    assert [each.num_comparisons for each in found] == [3, 3, 2]
    assert [(each.num_answered, each.num_prompts) for each in found] == [(2, 2), (2, 2), (1, 2)]


def test_ranks_are_one_plus_the_number_of_strictly_higher_rates() -> None:
    """A middle pair of equals: 1, 2, 2, 4."""
    found = rank_writers(answers({"p": {"a": 0.3, "b": 0.1 + 0.1, "c": 0.2, "d": 0.1}}))
    assert ranked(found) == [("a", 1), ("b", 2), ("c", 2), ("d", 4)]
    assert rates(found)["b"] == rates(found)["c"]


def test_all_equal_share_the_first_rank() -> None:
    found = rank_writers(answers({p: dict.fromkeys("abc", 0.1) for p in "xyz"}))
    assert [(each.rank, each.win_rate) for each in found] == [(1, 0.5)] * 3


def test_noise_of_floating_point_breaks_no_tie() -> None:
    """A lead of a over c by 0.3 - 0.2 = 0.09999999999999998 ties with one of b by 0.2 - 0.1 = 0.1."""
    table = {"p1": {"a": 0.3, "c": 0.2}, "p2": {"b": 0.2, "c": 0.1}}
    assert 0.3 - 0.2 != 0.2 - 0.1
    assert ranked(rank_writers(answers(table))) == [("a", 1), ("b", 1), ("c", 3)]


def test_a_difference_that_is_one_is_no_tie() -> None:
    assert shared_ranks({"a": 0.5, "b": 0.5 + 1e-9}) == {"a": 2, "b": 1}


def test_wins_and_losses_of_the_same_size_cancel_exactly() -> None:
    """Once a beats b by 0.7, once it loses by 0.7: 0.5, as c has it against nobody better or worse."""
    table = {"p1": {"a": 0.7, "b": 0.0}, "p2": {"a": 0.0, "b": 0.7}, "p3": {"c": 1.0, "d": 1.0}}
    assert rates(rank_writers(answers(table))) == dict.fromkeys("abcd", 0.5)


@pytest.mark.parametrize("missing", [None, math.nan])
def test_a_refusal_is_no_loss(missing: float | None) -> None:
    """Of b there is an answer to p1 alone, which wins: that pair is all that counts, for a as well."""
    found = rank_writers(answers({"p1": {"a": 0.0, "b": 1.0}, "p2": {"a": 9.0, "b": missing}}))
    assert rates(found) == {"b": pytest.approx(0.731059, abs=1e-6), "a": pytest.approx(0.268941, abs=1e-6)}
    assert {each.writer: each.num_answered for each in found} == {"a": 2, "b": 1}


def test_who_never_meets_anybody_has_no_rate_and_no_rank() -> None:
    found = rank_writers(
        answers({"p1": {"a": 0.0, "b": 1.0, "mute": None}, "p2": {"alone": 3.0, "mute": None}})
    )
    assert ranked(found) == [("b", 1), ("a", 2), ("alone", None), ("mute", None)]
    assert rates(found)["alone"] is rates(found)["mute"] is None
    assert {each.writer: each.num_answered for each in found}["alone"] == 1


def test_one_writer_or_none() -> None:
    assert ranked(rank_writers(answers({"p": {"a": 1.0}}))) == [("a", None)]
    assert rank_writers([]) == ()


def test_a_human_takes_part_like_a_model() -> None:
    table = {"p1": {"model": 0.0, "human": 1.0}, "p2": {"model": 0.0, "human": 1.0}}
    renamed = {"p1": {"model": 0.0, "other": 1.0}, "p2": {"model": 0.0, "other": 1.0}}
    found, same = rates(rank_writers(answers(table))), rates(rank_writers(answers(renamed)))
    assert (found["human"], found["model"]) == (same["other"], same["model"])


def test_a_view_recomputes_everything() -> None:
    """In the one half a wins, in the other b; together they are equal, and c is in one half alone."""
    given = answers({"p1": {"a": 1.0, "b": 0.0, "c": 0.0}}, "amateur")
    given += answers({"p2": {"a": 0.0, "b": 1.0}}, "professional")
    given += answers({"p3": {"a": 5.0}})
    views = rank_by_subset(given)
    assert list(views) == [None, "amateur", "professional"]
    assert ranked(views["amateur"]) == [("a", 1), ("b", 2), ("c", 2)]
    assert ranked(views["professional"]) == [("b", 1), ("a", 2), ("c", None)]
    # a: (2 * 0.731 + 0.269) / 3 = 0.577; b: (0.269 + 0.5 + 0.731) / 3 = 0.5; c: (0.269 + 0.5) / 2 = 0.384.
    win = sigmoid(1.0)
    assert rates(views[None]) == {
        "a": pytest.approx((2 * win + (1 - win)) / 3),
        "b": pytest.approx(0.5),
        "c": pytest.approx((1 - win + 0.5) / 2),
    }
    assert [views[view][0].num_prompts for view in views] == [3, 1, 1]
    alone = rank_writers([each for each in given if each.subset == "amateur"])
    assert views["amateur"] == alone


@given(st.data())
def test_the_order_of_the_input_changes_nothing(data: st.DataObject) -> None:
    rewards = st.one_of(st.none(), st.floats(-30, 30))
    in_order = answers({f"p{n}": {w: data.draw(rewards) for w in "abcd"} for n in range(6)})
    assert rank_writers(data.draw(st.permutations(in_order))) == rank_writers(in_order)


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=6))
def test_on_one_prompt_the_rates_average_to_a_half(rewards: list[float]) -> None:
    """Each pair hands out one point."""
    found = rank_writers(answers({"p": {f"w{n}": reward for n, reward in enumerate(rewards)}}))
    assert sum(each.win_rate or 0 for each in found) == pytest.approx(len(rewards) / 2)


def test_a_second_answer_is_refused() -> None:
    with pytest.raises(PreferenceError, match="'a' answers the prompt 'p' twice"):
        rank_writers([Answer("p", "a", 1.0), Answer("p", "a", None)])


def test_an_infinite_reward_is_refused() -> None:
    with pytest.raises(PreferenceError, match="'a' has an infinite reward for the prompt 'p'"):
        rank_writers([Answer("p", "a", math.inf)])
