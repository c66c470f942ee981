"""Freezing a scope at a moment: which ids were known then, and which were still ahead."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from linkers.outcomes.best_known import BestKnown
from linkers.outcomes.judgement import JudgedIdea, Judgement
from linkers.outcomes.timed_runs import TimedRun
from linkers.outcomes.verdicts import Verdict
from outputs.snapshots.clocks import Clock, pick_clocks
from outputs.snapshots.constraints import WAVE_CONSTRAINTS
from parsers.scopes import Scope


@dataclass(frozen=True, slots=True)
class TimedIdea:
    """What freezing needs to know of an idea.

    Attributes:
        idea_id: Its id.
        scope: Its scope.
        first_seen_at: From when on it was there, or None.
        rejected_at: From when on it was rejected, or None.
        is_improved: Whether its verdict is improved.
        is_on_frontier_walk: Whether one of its runs moved the frontier.
    """

    idea_id: str
    scope: Scope
    first_seen_at: datetime | None
    rejected_at: datetime | None = None
    is_improved: bool = False
    is_on_frontier_walk: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was known in a scope at a moment, and what was still ahead. Every list of ids is sorted.

    Attributes:
        scope: The scope.
        clock: The moment.
        wave_constraint: What the wave asked of an idea.
        current_recipe: Step and id of the best hit of the scope that was known.
        field_best: The same of all scopes.
        prior_idea_ids: Ideas of the scope that were there.
        prior_experiment_ids: Experiments of the scope that were launched.
        future_frontier_idea_ids: Later ideas of the scope that moved its frontier.
        future_improved_idea_ids: Later ideas of the scope with verdict improved.
        future_improved_experiment_ids: Later experiments of the scope with verdict improved.
        future_frontier_experiment_ids: Later experiments of the scope that moved its frontier.
        rejected_idea_ids: Prior ideas of the scope that were rejected.
        other_agent_visible_idea_ids: Ideas of the other agent in the same wave that were there.
        other_agent_visible_experiment_ids: Experiments of the other agent in the same wave, likewise.
        field_prior_idea_ids: Ideas of all scopes that were there.
        field_prior_experiment_ids: Experiments of all scopes that were launched.
    """

    scope: Scope
    clock: Clock
    wave_constraint: str
    current_recipe: tuple[int, str] | None
    field_best: tuple[int, str] | None
    prior_idea_ids: tuple[str, ...]
    prior_experiment_ids: tuple[str, ...]
    future_frontier_idea_ids: tuple[str, ...]
    future_improved_idea_ids: tuple[str, ...]
    future_improved_experiment_ids: tuple[str, ...]
    future_frontier_experiment_ids: tuple[str, ...]
    rejected_idea_ids: tuple[str, ...]
    other_agent_visible_idea_ids: tuple[str, ...]
    other_agent_visible_experiment_ids: tuple[str, ...]
    field_prior_idea_ids: tuple[str, ...]
    field_prior_experiment_ids: tuple[str, ...]

    @property
    def k(self) -> int:
        """Number of the scope's experiments that were launched."""
        return len(self.prior_experiment_ids)

    @property
    def snapshot_id(self) -> str:
        """Name of the snapshot."""
        return f"snap_{self.scope.agent}_{self.scope.wave}_k{self.k:04d}"


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The snapshots of an archive.

    Attributes:
        taken: The snapshots, by scope and moment.
        warnings: One sentence for each scope that is missing or has fewer than five.
        num_undated_runs: Runs that are in no snapshot, as nothing dates them.
        num_undated_ideas: Ideas that are in no snapshot, as nothing dates them.
    """

    taken: tuple[Snapshot, ...]
    warnings: tuple[str, ...]
    num_undated_runs: int
    num_undated_ideas: int


class _Timeline:
    """Ids in the order of their times, so that those up to a moment are a slice."""

    def __init__(self, timed: Iterable[tuple[datetime | None, str]]) -> None:
        dated = sorted((at, name) for at, name in timed if at is not None)
        self.times = [at for at, _ in dated]
        self._names = [name for _, name in dated]

    def until(self, moment: datetime) -> tuple[str, ...]:
        return tuple(sorted(self._names[: bisect_right(self.times, moment)]))

    def after(self, moment: datetime) -> tuple[str, ...]:
        return tuple(sorted(self._names[bisect_right(self.times, moment) :]))


class History:
    """All that snapshots are taken of, sorted once."""

    def __init__(
        self, runs: Iterable[TimedRun], ideas: Iterable[TimedIdea], frontier_ids: Iterable[str]
    ) -> None:
        """Sort the history.

        Args:
            runs: The runs of all scopes.
            ideas: The ideas of all scopes.
            frontier_ids: Experiments on the frontier walk of their scope.
        """
        self._runs: dict[Scope, list[TimedRun]] = defaultdict(list)
        self._ideas: dict[Scope, list[TimedIdea]] = defaultdict(list)
        for run in runs:
            self._runs[run.scope].append(run)
        for idea in ideas:
            self._ideas[idea.scope].append(idea)
        on_walk = frozenset(frontier_ids)
        self.scopes = tuple(sorted(self._runs, key=lambda scope: (scope.wave, scope.agent)))
        all_runs = [run for each in self._runs.values() for run in each]
        all_ideas = [idea for each in self._ideas.values() for idea in each]
        self._launches = {scope: _launches(each) for scope, each in self._runs.items()}
        self._field_launches = _launches(all_runs)
        self._improved = {
            scope: _launches(run for run in each if run.verdict == Verdict.IMPROVED)
            for scope, each in self._runs.items()
        }
        self._frontier = {
            scope: _launches(run for run in each if run.experiment_id in on_walk)
            for scope, each in self._runs.items()
        }
        self._seen = {scope: _sightings(each) for scope, each in self._ideas.items()}
        self._field_seen = _sightings(all_ideas)
        self._best = {scope: BestKnown(each) for scope, each in self._runs.items()}
        self._field_best = BestKnown(all_runs)

    def clocks(self, scope: Scope) -> tuple[Clock, ...]:
        """Pick the moments at which a scope is frozen."""
        return pick_clocks(self._launches[scope].times)

    def num_dated(self, scope: Scope) -> int:
        """Count the dated launches of a scope."""
        return len(self._launches[scope].times)

    def freeze(self, scope: Scope, clock: Clock) -> Snapshot:
        """Freeze a scope at a moment. Nothing but the future columns looks at anything behind it."""
        at = clock.wall_clock
        empty = _Timeline(())
        ideas = self._ideas.get(scope, [])
        others = [other for other in self.scopes if other.wave == scope.wave and other != scope]
        return Snapshot(
            scope=scope,
            clock=clock,
            wave_constraint=WAVE_CONSTRAINTS[scope.wave],
            current_recipe=self._best[scope].at(at),
            field_best=self._field_best.at(at),
            prior_idea_ids=self._seen.get(scope, empty).until(at),
            prior_experiment_ids=self._launches[scope].until(at),
            future_frontier_idea_ids=_sightings(i for i in ideas if i.is_on_frontier_walk).after(at),
            future_improved_idea_ids=_sightings(i for i in ideas if i.is_improved).after(at),
            future_improved_experiment_ids=self._improved[scope].after(at),
            future_frontier_experiment_ids=self._frontier[scope].after(at),
            rejected_idea_ids=_rejected(ideas, at),
            other_agent_visible_idea_ids=_joined(self._seen.get(other, empty).until(at) for other in others),
            other_agent_visible_experiment_ids=_joined(self._launches[other].until(at) for other in others),
            field_prior_idea_ids=self._field_seen.until(at),
            field_prior_experiment_ids=self._field_launches.until(at),
        )


def take_snapshots(judgement: Judgement) -> Snapshots:
    """Take the snapshots of every scope that has enough dated launches."""
    runs = [each.timed for each in judgement.runs]
    ideas = [timed_idea(idea) for idea in judgement.ideas]
    frontier_ids = (each.timed.experiment_id for each in judgement.runs if each.is_on_frontier_walk)
    history = History(runs, ideas, frontier_ids)
    taken: list[Snapshot] = []
    warnings: list[str] = []
    for scope in history.scopes:
        clocks = history.clocks(scope)
        taken += [history.freeze(scope, clock) for clock in clocks]
        if not clocks:
            warnings.append(
                f"{scope} has no snapshot: only {history.num_dated(scope)} of its runs are dated."
            )
        elif len(clocks) < 5:
            warnings.append(
                f"{scope} has {len(clocks)} snapshots, as many of its runs bear one and the same date."
            )
    return Snapshots(
        taken=tuple(taken),
        warnings=tuple(warnings),
        num_undated_runs=sum(run.launched_at is None for run in runs),
        num_undated_ideas=sum(idea.first_seen_at is None for idea in ideas),
    )


def timed_idea(idea: JudgedIdea) -> TimedIdea:
    """Take over what freezing needs to know of an idea."""
    return TimedIdea(
        idea_id=idea.write_up.idea_id,
        scope=idea.write_up.scope,
        first_seen_at=idea.first_seen.at if idea.first_seen else None,
        rejected_at=idea.rejection.at if idea.rejection else None,
        is_improved=idea.verdict == Verdict.IMPROVED,
        is_on_frontier_walk=idea.is_on_frontier_walk,
    )


def _launches(runs: Iterable[TimedRun]) -> _Timeline:
    return _Timeline((run.launched_at, run.experiment_id) for run in runs)


def _sightings(ideas: Iterable[TimedIdea]) -> _Timeline:
    return _Timeline((idea.first_seen_at, idea.idea_id) for idea in ideas)


def _rejected(ideas: Sequence[TimedIdea], moment: datetime) -> tuple[str, ...]:
    return tuple(
        sorted(
            idea.idea_id
            for idea in ideas
            if idea.first_seen_at is not None
            and idea.rejected_at is not None
            and max(idea.first_seen_at, idea.rejected_at) <= moment
        )
    )


def _joined(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted(name for part in parts for name in part))
