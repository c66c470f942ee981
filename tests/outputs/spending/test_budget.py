"""What may be spent, and how many tokens a text has at most."""

from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outputs.spending.budget import Budget, Usage
from outputs.spending.cache import AnswerCache, answer_key
from outputs.spending.errors import OverBudgetError, SpendingError
from outputs.spending.prices import PRICES, Price, parse_price, price_of
from outputs.spending.tokens import bound_tokens, cut_to_tokens


def test_reservations_of_many_threads_never_exceed_the_limit() -> None:
    budget = Budget(5.0, {"m": Price(1_000_000)})
    barrier, admitted = Barrier(16), list[Usage]()

    def reserve() -> None:
        barrier.wait()
        try:
            admitted.append(budget.reserve("m", 1, 0))
        except OverBudgetError:
            return

    threads = [Thread(target=reserve) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(admitted) == 5


def test_what_is_not_charged_is_given_back() -> None:
    budget = Budget(1.0, {"m": Price(1_000_000)})
    for _ in range(10):
        reserved = budget.reserve("m", 1, 0)
        budget.settle("tests", "m", reserved, None)
    assert budget.spent_usd == 0
    reserved = budget.reserve("m", 1, 0)
    budget.settle("tests", "m", reserved, reserved)
    with pytest.raises(OverBudgetError):
        budget.reserve("m", 1, 0)


def test_a_model_without_a_price_is_not_asked() -> None:
    with pytest.raises(SpendingError, match="--price mystery="):
        price_of("mystery")
    assert price_of("mystery", {"mystery": Price(0)}) == Price(0)
    assert price_of("gpt-4.1-mini", {"gpt-4.1-mini": Price(1)}) == Price(1), (
        "a stated price outweighs the table"
    )


@pytest.mark.parametrize("text", ["", "m", "m=", "=1,2", "m=a,b", "m=-1,0", "m=1,2,3", "m=nan,0", "m=inf,0"])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(SpendingError, match="is no price"):
        parse_price(text)


def test_every_price_of_the_table_is_positive() -> None:
    assert all(price.input_usd > 0 for price in PRICES.values())


@given(st.text())
def test_the_bound_is_between_a_third_of_the_bytes_and_all_of_them(text: str) -> None:
    """A space joins one letter at least, so that no token is counted for more than three bytes."""
    size = len(text.encode("utf-8", errors="replace"))
    assert size <= 3 * bound_tokens(text) <= 3 * size


@given(st.text(max_size=300), st.integers(0, 100))
def test_a_cut_text_fits_and_is_a_beginning(text: str, limit: int) -> None:
    cut = cut_to_tokens(text, limit)
    assert bound_tokens(cut) <= limit
    assert text.startswith(cut)
    assert cut == text or bound_tokens(text) > limit


def test_a_key_tells_everything_apart() -> None:
    base = ("p", "m", {"a": 1}, "text")
    others = [("q", *base[1:]), ("p", "n", *base[2:]), ("p", "m", {"a": 2}, "text"), (*base[:3], "text ")]
    assert len({answer_key(*base), *(answer_key(*other) for other in others)}) == 5
    assert answer_key("p", "m", {"a": 1, "b": 2}, "t") == answer_key("p", "m", {"b": 2, "a": 1}, "t")


def test_answers_survive_and_nothing_is_evicted(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("cache")
    with AnswerCache(folder) as cache:
        for number in range(200):
            cache.put(f"k{number}", bytes(20_000))
    with AnswerCache(folder) as cache:
        assert all(cache.get(f"k{number}") == bytes(20_000) for number in range(200))
        assert cache.get("other") is None
