"""A leaderboard by hand: means, win rates, ranks, intervals, and what is left out of them."""

import math
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.errors import ScoringError
from scorers.leaderboard import Leaderboard, Outcome, Standing, rank_proposers
from scorers.run_results import Placed
from tests.scorers.result_cases import DATASET, SPLITS, failed, result, scored, total

RAN = {"max_candidates": "5", "dataset_sha256": DATASET, "judge": "cosine", "threshold": "0.75"}
"""What the settings of the cases tell of how sets were scored."""


def ranked(lines: Sequence[Placed], **options: object) -> Leaderboard:
    return rank_proposers(lines, SPLITS, DATASET, **options)  # type: ignore[arg-type]


def by_name(board: Leaderboard) -> dict[str, Standing]:
    return {each.proposer: each for each in board.standings}


def scores(proposer: str, *values: float) -> list[Placed]:
    """Set scores on s1, s2, s3."""
    return [total(proposer, f"s{n}", value) for n, value in enumerate(values, start=1)]


def test_means_and_ranks() -> None:
    """a: (1 + 2 + 0.3) / 3 = 1.1; b: (0.5 + 0.5 + 0.5) / 3 = 0.5."""
    board = ranked(scores("b", 0.5, 0.5, 0.5) + scores("a", 1.0, 2.0, 0.3))
    assert [(each.proposer, each.rank) for each in board.standings] == [("a", 1), ("b", 2)]
    assert [each.set_score.mean for each in board.standings] == [pytest.approx(1.1), pytest.approx(0.5)]


def test_equal_set_scores_share_a_rank() -> None:
    """The means of b and c are one number, added up in another order: 1, 2, 2, 4."""
    lines = scores("d", 0.1, 0.1, 0.1) + scores("c", 0.3, 0.2, 0.1) + scores("a", 1, 1, 1)
    board = ranked(lines + scores("b", 0.1, 0.2, 0.3))
    assert [(each.proposer, each.rank) for each in board.standings] == [
        ("a", 1),
        ("b", 2),
        ("c", 2),
        ("d", 4),
    ]


def test_the_win_rate_takes_set_scores_for_rewards() -> None:
    """A leads by ln 3 on s1 (3/4), is level on s2 (1/2) and trails by ln 3 on s3 (1/4): together 1/2."""
    step = math.log(3)
    board = by_name(ranked(scores("a", step, 0, 0) + scores("b", 0, 0, step) + [total("c", "s1", 0)]))
    # Of s1 there is c as well: a 3/4, b 1/2, and c itself 1/4 and 1/2.
    assert board["a"].win_rate.mean == pytest.approx((0.75 + 0.75 + 0.5 + 0.25) / 4)
    assert board["b"].win_rate.mean == pytest.approx((0.25 + 0.5 + 0.5 + 0.75) / 4)
    assert board["c"].win_rate.mean == pytest.approx((0.25 + 0.5) / 2)
    assert [board[name].num_comparisons for name in "abc"] == [4, 4, 2]


def test_ideas_and_their_worth_are_averaged_too() -> None:
    """Two ideas of quality 10 and 5.5, then one of 1 said twice: distinct 2 and 1, worth by hand."""
    lines = [
        scored("a", "s1", result([1, 0], [0, 1]), max_candidates=2),
        scored("a", "s2", result([-1, -1], [0, 0]), max_candidates=2),
    ]
    found = by_name(ranked(lines))["a"]
    assert found.distinct_k.mean == 1.5
    assert found.utility_k.mean == pytest.approx(((10 + 0.8 * 5.5) / 1.8 + 1 / 1.8) / 2)


def test_a_failed_snapshot_is_shown_and_is_no_zero() -> None:
    board = by_name(ranked([total("a", "s1", 1.0), total("a", "s2", 2.0), failed("a", "s3", "It hung.")]))
    assert board["a"].set_score.mean == pytest.approx(1.5)
    assert [each.outcome for each in board["a"].entries] == [Outcome.SCORED, Outcome.SCORED, Outcome.FAILED]
    assert board["a"].entries[2].reason == "It hung."
    assert board["a"].count(Outcome.FAILED) == 1


def test_a_snapshot_that_was_never_run_is_shown() -> None:
    found = by_name(ranked([total("a", "s2", 1.0)]))["a"]
    assert [each.outcome.value for each in found.entries] == ["not run", "scored", "not run"]


def test_a_set_that_was_not_judged_whole_does_not_count() -> None:
    halved = result([0.9, 0.0], num_unjudged=1)
    board = by_name(ranked([total("a", "s1", 1.0), scored("a", "s2", halved), *scores("b", 0, 5, 0)]))
    assert board["a"].set_score.mean == pytest.approx(1.0)
    assert board["a"].entries[1].outcome is Outcome.UNJUDGED
    assert board["a"].entries[1].reason == "1 of 2 candidates could not be judged."
    assert board["b"].num_comparisons == 1, "only s1 has two sets to compare"


def test_who_was_never_scored_comes_last_without_a_rank() -> None:
    board = ranked([failed("a", "s1"), failed("a", "s2"), *scores("b", -9, -9, -9)])
    assert [(each.proposer, each.rank) for each in board.standings] == [("b", 1), ("a", None)]
    last = board.standings[-1]
    for estimate in (last.set_score, last.distinct_k, last.utility_k, last.win_rate):
        assert (estimate.mean, estimate.interval) == (None, None)
    assert board.standings[0].win_rate.mean is None, "there was nobody to compare with"


def test_nobody_was_scored() -> None:
    board = ranked([failed("a", "s1")])
    assert (board.standings[0].rank, dict(board.ways)) == (None, RAN)


def test_intervals_are_those_of_all_draws_of_snapshots() -> None:
    """Of three snapshots there are 27 draws of 3.7% each: 95% reaches to the extremes, 0 and 3."""
    found = by_name(ranked(scores("a", 0, 1, 3)))["a"].set_score
    assert found.interval is not None
    means = [sum(draw) / 3 for draw in product((0, 1, 3), repeat=3)]
    assert (found.interval.low, found.interval.high) == pytest.approx((min(means), max(means)))


def test_snapshots_that_are_all_the_same_leave_no_doubt() -> None:
    board = by_name(ranked(scores("a", 0.7, 0.7, 0.7) + scores("b", 0.2, 0.2, 0.2)))
    win = 1 / (1 + math.exp(-0.5))
    for estimate, value in ((board["a"].set_score, 0.7), (board["a"].win_rate, win)):
        assert estimate.interval is not None
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx((value, value))


def test_a_win_rate_is_resampled_by_snapshot() -> None:
    """On s1 a wins for certain, on s2 it loses: the draws s1 s1, s1 s2, s2 s2 give 1, 1/2 and 0."""
    lines = [total("a", "s1", 99), total("b", "s1", 0), total("a", "s2", 0), total("b", "s2", 99)]
    found = by_name(ranked(lines))["a"].win_rate
    assert found.mean == pytest.approx(0.5)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0, 1))


def test_one_snapshot_has_no_interval() -> None:
    found = by_name(ranked([total("a", "s1", 1.0)]))["a"].set_score
    assert found.mean == pytest.approx(1.0)
    assert found.interval is None


@given(st.permutations(range(8)), st.integers(0, 3))
def test_the_order_of_the_results_changes_nothing(order: list[int], gap: int) -> None:
    lines = (
        scores("a", 0.1, 0.7, 0.4) + scores("b", 0.3, 0.2, 0.9) + [total("c", "s1", 0.5), failed("c", "s2")]
    )
    kept = [each for n, each in enumerate(lines) if n != gap]
    shuffled = [lines[n] for n in order if n != gap]
    assert ranked(shuffled, num_resamples=200) == ranked(kept, num_resamples=200)


def test_the_seed_decides_the_interval_and_nothing_else() -> None:
    lines = scores("a", 0.13, 0.77, 0.45)
    one, other = ranked(lines, num_resamples=100), ranked(lines, num_resamples=100, seed=5)
    assert one.standings[0].set_score.mean == other.standings[0].set_score.mean
    assert one == ranked(lines, num_resamples=100)


def test_a_split_is_ranked_apart() -> None:
    lines = [total("a", "d1", 9.0), *scores("a", 1, 1, 1)]
    board = ranked(lines)
    assert (board.split, board.num_left_out) == ("test", 1)
    assert board.standings[0].set_score.mean == pytest.approx(1.0)
    assert ranked(lines, split="dev").standings[0].set_score.mean == pytest.approx(9.0)


def test_no_line_of_the_split_is_refused() -> None:
    with pytest.raises(ScoringError, match="hold no line of the split dev"):
        ranked(scores("a", 1.0), split="dev")
    with pytest.raises(ScoringError, match="hold no line of the split test"):
        ranked([])


def test_a_set_that_is_too_large_is_refused() -> None:
    six = result([0.1] * 6)
    with pytest.raises(ScoringError, match=r"a.jsonl:s1 scores 6 candidates where max_candidates is 5"):
        ranked([scored("a", "s1", six)])
    board = ranked([scored("a", "s1", six, max_candidates=6)])
    assert (board.k, board.standings[0].distinct_k.mean) == (6, 6)


def test_a_run_must_tell_how_many_candidates_count() -> None:
    with pytest.raises(ScoringError, match=r"a.jsonl:s1 does not tell max_candidates"):
        ranked([scored("a", "s1", result([0.1]), max_candidates="five")])


def test_what_does_not_compare_is_refused() -> None:
    with pytest.raises(ScoringError, match=r"with threshold 0\.8"):
        ranked([total("a", "s1", 1.0), scored("b", "s1", result([0.5]), threshold="0.8")])
    with pytest.raises(ScoringError, match="is a second result of 'a'"):
        ranked([total("a", "s1", 1.0), total("a", "s1", 2.0)])
    with pytest.raises(ScoringError, match="no snapshot of the dataset"):
        ranked([failed("a", "s9")])


def test_it_says_how_the_sets_were_scored() -> None:
    rule = {"rule": "as published", "weights": "0.5 diversity, 0.1 validity"}
    assert dict(ranked(scores("a", 1.0)).ways) == RAN | rule
