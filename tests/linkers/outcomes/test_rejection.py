"""Rejections that runs show: failures, ruled out families, and that later rows never change them."""

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from linkers.outcomes.rejection import (
    MIN_FAILED_RUNS,
    QUIET_LAUNCHES,
    STREAK_RUNS,
    Cause,
    Rejection,
    find_failure,
    find_ruling_out,
    pick_rejection,
    rule_out_families,
)
from linkers.outcomes.timed_runs import TimedRun
from tests.outcome_cases import SCOPE, cut_at, hour, timed, timed_runs


def failed_at(*runs: TimedRun, later_launches: int = QUIET_LAUNCHES) -> datetime | None:
    """When an idea failed whose scope goes on with a launch an hour from hour 100 on."""
    own = [run.launched_at for run in runs if run.launched_at is not None]
    launches = sorted([*own, *(hour(100 + number) for number in range(later_launches))])
    rejection = find_failure(runs, launches)
    return rejection.at if rejection else None


LAST_QUIET = hour(100 + QUIET_LAUNCHES - 1)


def test_a_crossing_that_its_repetition_does_not_bear_out_is_a_failure() -> None:
    """NGI and NDF crossed once and failed their seed repetition."""
    assert failed_at(timed("ngi", 0, 1, 3450), timed("ngi-seed1", 2, 3)) == LAST_QUIET


def test_a_crossing_that_reproduces_stands() -> None:
    """VFG reproduces, though below the noise floor."""
    assert failed_at(timed("vfg", 0, 1, 3475), timed("vfg-seed1", 2, 3, 3470)) is None


def test_one_recipe_that_stands_saves_the_idea() -> None:
    misses = [timed(f"b{number}", number, number + 1, stem="b") for number in range(5)]
    assert failed_at(*misses, timed("a", 0, 1, 3500, stem="a")) is None
    assert failed_at(*misses) == LAST_QUIET


def test_a_late_crossing_is_none() -> None:
    """More than 3550 steps are a regression, not a hit that stands."""
    assert failed_at(timed("a", 0, 1, 3600), timed("b", 0, 1, 3600)) == LAST_QUIET


def test_one_run_is_too_few() -> None:
    assert MIN_FAILED_RUNS == 2
    assert failed_at(timed("a", 0, 1)) is None


def test_an_idea_that_is_still_being_tried_has_not_failed() -> None:
    assert failed_at(timed("a", 0, 1), timed("b", 0, 1), later_launches=QUIET_LAUNCHES - 1) is None


def test_a_miss_is_known_when_it_has_finished() -> None:
    long = [timed("a", 0, 1), timed("b", 0, 1000)]
    assert failed_at(*long) == hour(1000)
    assert failed_at(timed("a", 0, 1), timed("b", 0, None)) is None


def test_a_failure_stands_though_the_idea_is_tried_again() -> None:
    again = timed("c", 5000, 5001, 3000)
    assert failed_at(timed("a", 0, 1), timed("b", 0, 1), again) == LAST_QUIET


def streak(length: int, start: int = 0, family: str = "f") -> list[TimedRun]:
    return [timed(f"{family}{n:03d}", n, n + 1, stem=family, idea="x") for n in range(start, start + length)]


def test_thirty_runs_without_a_better_step_rule_a_family_out() -> None:
    assert rule_out_families(streak(STREAK_RUNS - 1)) == {}
    (rejection,) = rule_out_families(streak(STREAK_RUNS + 5)).values()
    assert (rejection.cause, rejection.at) == (Cause.FAMILY_RULED_OUT, hour(STREAK_RUNS))
    assert "codex--v1--f029" in rejection.evidence


def test_a_better_step_starts_the_count_anew() -> None:
    better = timed("better", 9.4, 10.5, 3300, stem="f")
    (rejection,) = rule_out_families([*streak(STREAK_RUNS + 20), better]).values()
    assert rejection.at == hour(STREAK_RUNS + 10)
    assert "3300" in rejection.evidence


def test_an_equal_step_is_no_better_one() -> None:
    equal = [timed(f"f{n:03d}", n, n + 1, 3300, stem="f") for n in range(STREAK_RUNS + 1)]
    (rejection,) = rule_out_families(equal).values()
    assert rejection.at == hour(STREAK_RUNS + 1)


def test_an_idea_is_ruled_out_with_the_last_of_the_families_it_had_by_then() -> None:
    first, second = streak(STREAK_RUNS, family="f"), streak(STREAK_RUNS, 10, family="g")
    ruled_out = rule_out_families([*first, *second])
    rejection = find_ruling_out([*first, *second], ruled_out)
    assert rejection is not None and rejection.at == hour(STREAK_RUNS + 10)
    later = streak(STREAK_RUNS, 500, family="h")
    assert (
        find_ruling_out([*first, *second, *later], rule_out_families([*first, *second, *later])) == rejection
    )


def test_the_earliest_dated_reason_is_published() -> None:
    """So a snapshot between two reasons shows the first one, also where the second weighs more."""
    failed = Rejection(Cause.FAILED, hour(1), "a")
    audited = Rejection(Cause.AUDIT_NONCOMPLIANT, hour(2), "b")
    undated = Rejection(Cause.EXISTENCE_KILLED, None, "c")
    assert pick_rejection([undated, audited, failed]) == failed
    assert pick_rejection([Rejection(Cause.AUDIT_NONCOMPLIANT, None, "d"), undated]) == undated
    assert pick_rejection([]) is None


def dense(runs: list[TimedRun]) -> list[TimedRun]:
    """The drawn runs among a streak of misses, so that both rules fire: `x` is soon left, `y` goes on."""
    ideas = ["x" if n < 6 else "y" if n % 3 == 0 else None for n in range(160)]
    rows = [
        timed(f"m{n:03d}", n / 4, n / 4 + 1, stem="abc"[n % 2], idea=idea) for n, idea in enumerate(ideas)
    ]
    return [*runs, *rows]


def test_both_rules_fire_on_the_dense_runs() -> None:
    launches = [hour(n / 4) for n in range(160)]
    runs = dense([])
    of_x, of_y = ([run for run in runs if run.idea_id == SCOPE.qualify(idea)] for idea in "xy")
    assert find_failure(of_x, launches) is not None
    assert find_ruling_out(of_y, rule_out_families(runs)) is not None


@given(timed_runs(), st.integers(0, 45))
def test_later_rows_change_no_rejection(drawn: list[TimedRun], moment: int) -> None:
    """What was rejected at a moment is the same with all that came behind it and without."""

    def rejections(runs: list[TimedRun]) -> list[object]:
        launches = sorted(run.launched_at for run in runs if run.launched_at and run.scope == SCOPE)
        ruled_out = rule_out_families(runs)
        found: list[object] = []
        for idea in "xy":
            own = [run for run in runs if run.idea_id == SCOPE.qualify(idea)]
            for each in (find_failure(own, launches), find_ruling_out(own, ruled_out)):
                found.append(each if each and each.at and each.at <= hour(moment) else None)
        return found

    runs = dense(drawn)
    assert rejections(cut_at(runs, hour(moment))) == rejections(runs)
