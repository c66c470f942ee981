"""Snapshots of random histories keep the laws, and nothing behind a moment leaves a trace in it."""

from dataclasses import fields, replace
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from linkers.outcomes.frontier import walk_frontier
from linkers.outcomes.timed_runs import TimedRun
from outputs.outcome_tables import build_snapshots_table
from outputs.snapshots.clocks import Clock
from outputs.snapshots.laws import check_laws
from outputs.snapshots.selection import History, Snapshot, TimedIdea
from tests.outcome_cases import SCOPE, SCOPES, cut_at, frames, hour, timed, timed_ideas, timed_runs

MOMENTS = st.integers(0, 40).map(hour)


def freeze(runs: list[TimedRun], ideas: list[TimedIdea], at: datetime) -> Snapshot:
    anchors = [timed("anchor", 0, None, scope=scope) for scope in SCOPES]
    return History([*anchors, *runs], ideas, walk_frontier(runs)).freeze(SCOPE, Clock(2, at))


@given(timed_runs(), timed_ideas(), MOMENTS)
def test_a_random_history_keeps_every_law(runs: list[TimedRun], ideas: list[TimedIdea], at: datetime) -> None:
    snapshot = freeze(runs, ideas, at)
    assert check_laws(*frames(runs, ideas), build_snapshots_table([snapshot])) == []


def known_part(snapshot: Snapshot) -> dict[str, object]:
    """Every column but those that hold what was still ahead."""
    names = [each.name for each in fields(snapshot) if not each.name.startswith("future_")]
    return {name: getattr(snapshot, name) for name in names} | {"id": snapshot.snapshot_id, "k": snapshot.k}


def ideas_cut_at(ideas: list[TimedIdea], moment: datetime) -> list[TimedIdea]:
    there = [idea for idea in ideas if idea.first_seen_at is not None and idea.first_seen_at <= moment]
    return [
        replace(
            idea,
            rejected_at=idea.rejected_at if idea.rejected_at and idea.rejected_at <= moment else None,
            is_improved=False,
            is_on_frontier_walk=False,
        )
        for idea in there
    ]


@given(timed_runs(), timed_ideas(), MOMENTS)
def test_what_came_later_leaves_no_trace(runs: list[TimedRun], ideas: list[TimedIdea], at: datetime) -> None:
    """Cut the history off at the moment: every column that says what was known stays the same."""
    whole = freeze(runs, ideas, at)
    cut = freeze(cut_at(runs, at), ideas_cut_at(ideas, at), at)
    assert known_part(cut) == known_part(whole)


@given(timed_runs(), timed_ideas(), MOMENTS, st.integers(1, 48), st.sampled_from(SCOPES))
def test_a_planted_canary_is_seen_only_ahead(
    runs: list[TimedRun], ideas: list[TimedIdea], at: datetime, later: int, scope: object
) -> None:
    """A run, an improvement, an idea and a rejection behind the moment show up in future columns alone."""
    chosen = next(each for each in SCOPES if each == scope)
    after = (at - hour(0)).total_seconds() / 3600 + later
    canary_run = timed("canary", after, after + 1, 1000, scope=chosen, idea="canary")
    canary_idea = TimedIdea(chosen.qualify("canary"), chosen, hour(after), None, True, True)
    old = TimedIdea(SCOPE.qualify("old"), SCOPE, hour(-1))
    finishing = timed("finishing", -1, after, 900)
    before = freeze([*runs, replace(finishing, step_to_3_28=None)], [*ideas, old], at)
    planted = freeze(
        [*runs, finishing, canary_run],
        [*ideas, replace(old, rejected_at=hour(after)), canary_idea],
        at,
    )
    assert known_part(planted) == known_part(before)
    assert "canary" not in repr(known_part(planted))
    if chosen == SCOPE:
        assert canary_run.experiment_id in planted.future_improved_experiment_ids
        assert canary_idea.idea_id in planted.future_frontier_idea_ids


def test_what_nothing_dates_is_in_no_snapshot() -> None:
    undated_run = timed("undated", None, None, 3000)
    undated_idea = TimedIdea(SCOPE.qualify("undated"), SCOPE, None, hour(1), True, True)
    assert "undated" not in repr(freeze([undated_run], [undated_idea], hour(30)))


def test_a_rejection_without_a_date_counts_nowhere() -> None:
    idea = TimedIdea(SCOPE.qualify("x"), SCOPE, hour(1), None)
    assert freeze([], [idea], hour(30)).rejected_idea_ids == ()


def test_launches_at_the_wall_clock_are_known() -> None:
    runs = [timed("at", 10, None), timed("just-after", 10.001, None)]
    snapshot = freeze(runs, [], hour(10))
    assert snapshot.prior_experiment_ids == ("codex--v1--anchor", "codex--v1--at")
    assert snapshot.snapshot_id == "snap_codex_v1_k0002"
