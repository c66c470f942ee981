"""Timed runs and ideas made by hand or at random, for tests of what was known when."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import polars as pl
from hypothesis import strategies as st

from linkers.outcomes.frontier import walk_frontier
from linkers.outcomes.timed_runs import TimedRun
from linkers.outcomes.verdicts import verdict_of
from outputs.snapshots.selection import TimedIdea
from parsers.scopes import Scope

SCOPE = Scope("codex", "v1")
SCOPES = (SCOPE, Scope("claude-code", "v1"), Scope("codex", "v2"))
START = datetime(2026, 5, 1, tzinfo=UTC)


def hour(number: float) -> datetime:
    """A moment, in hours since the start."""
    return START + timedelta(hours=number)


def timed(
    name: str,
    launched: float | None = None,
    finished: float | None = None,
    step: int | None = None,
    *,
    scope: Scope = SCOPE,
    stem: str = "recipe",
    idea: str | None = None,
) -> TimedRun:
    """A run with its times in hours since the start."""
    return TimedRun(
        experiment_id=scope.qualify(name),
        scope=scope,
        launched_at=None if launched is None else hour(launched),
        finished_at=None if finished is None else hour(finished),
        step_to_3_28=step,
        verdict=verdict_of(step, has_run=True),
        stem=stem,
        family=stem,
        idea_id=None if idea is None else scope.qualify(idea),
    )


def cut_at(runs: list[TimedRun], moment: datetime) -> list[TimedRun]:
    """What was there of some runs at a moment: later ones are gone, unfinished ones have no outcome."""
    there = [run for run in runs if run.launched_at is not None and run.launched_at <= moment]
    return [
        run
        if run.finished_at is not None and run.finished_at <= moment
        else replace(run, finished_at=None, step_to_3_28=None, verdict=verdict_of(None, has_run=True))
        for run in there
    ]


@st.composite
def timed_runs(draw: st.DrawFn, max_runs: int = 60) -> list[TimedRun]:
    """Runs of several scopes, some undated, some never known, many at the same hour."""
    runs = []
    for number in range(draw(st.integers(0, max_runs))):
        launched = draw(st.none() | st.integers(0, 40))
        lasting = draw(st.none() | st.integers(0, 6))
        finished = None if launched is None or lasting is None else launched + lasting
        runs.append(
            timed(
                f"r{number:02d}",
                launched,
                finished,
                draw(st.none() | st.sampled_from(range(2900, 3700, 25))),
                scope=draw(st.sampled_from(SCOPES)),
                stem=draw(st.sampled_from("abc")),
                idea=draw(st.none() | st.sampled_from(("x", "y"))),
            )
        )
    return runs


@st.composite
def timed_ideas(draw: st.DrawFn, max_ideas: int = 20) -> list[TimedIdea]:
    """Ideas of several scopes, some undated, some rejected, also before they were seen."""
    hours = st.none() | st.integers(0, 40).map(hour)
    ideas = []
    for number in range(draw(st.integers(0, max_ideas))):
        scope = draw(st.sampled_from(SCOPES))
        ideas.append(
            TimedIdea(
                scope.qualify(f"i{number:02d}"),
                scope,
                draw(hours),
                draw(hours),
                draw(st.booleans()),
                draw(st.booleans()),
            )
        )
    return ideas


def frames(runs: list[TimedRun], ideas: list[TimedIdea]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables `experiments` and `ideas`, as far as the laws look at them."""
    on_walk = walk_frontier(runs)
    anchors = [timed("anchor", 0, None, scope=scope) for scope in SCOPES]
    time = pl.Datetime("us", "UTC")
    experiments = pl.DataFrame(
        [
            {
                "experiment_id": run.experiment_id,
                "agent": run.scope.agent,
                "wave": run.scope.wave,
                "first_seen_at": run.launched_at,
                "finished_at": run.finished_at,
                "step_to_3_28": run.step_to_3_28,
                "verdict": run.verdict.value,
                "on_frontier_walk": run.experiment_id in on_walk,
            }
            for run in [*anchors, *runs]
        ],
        schema_overrides={"first_seen_at": time, "finished_at": time, "step_to_3_28": pl.Int64()},
    )
    table = pl.DataFrame(
        [
            {
                "idea_id": idea.idea_id,
                "agent": idea.scope.agent,
                "wave": idea.scope.wave,
                "first_seen_at": idea.first_seen_at,
                "rejected_at": idea.rejected_at,
                "verdict": "improved" if idea.is_improved else "neutral",
                "on_frontier_walk": idea.is_on_frontier_walk,
            }
            for idea in ideas
        ],
        schema={
            "idea_id": pl.String(),
            "agent": pl.String(),
            "wave": pl.String(),
            "first_seen_at": time,
            "rejected_at": time,
            "verdict": pl.String(),
            "on_frontier_walk": pl.Boolean(),
        },
    )
    return experiments, table
