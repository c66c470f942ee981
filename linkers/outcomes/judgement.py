"""Everything that is judged of an archive, put together: runs, ideas and cohorts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from linkers.outcomes.cohorts import Cohort, build_cohorts
from linkers.outcomes.deltas import Deltas, compare_with_best
from linkers.outcomes.families import recipes_of
from linkers.outcomes.first_seen import FirstSeen, date_ideas
from linkers.outcomes.frontier import walk_frontier
from linkers.outcomes.idea_index import IdeaIndex
from linkers.outcomes.lineage import Ancestry, collect_recipes, find_ancestry, find_recipe_parents
from linkers.outcomes.links import Links
from linkers.outcomes.rejection import (
    Rejection,
    find_failure,
    find_ruling_out,
    pick_rejection,
    rule_out_families,
)
from linkers.outcomes.stated_rejection import find_stated
from linkers.outcomes.timed_runs import TimedRun, best_of, time_run
from linkers.outcomes.verdicts import Verdict
from linkers.runs import Run
from linkers.write_ups import WriteUp
from parsers.audits import Audit
from parsers.journal import JournalEntry
from parsers.parsed_files import ParsedArchive
from parsers.rule_checks import RuleCheck
from parsers.scopes import Scope


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """What came of a run.

    Attributes:
        run: The run.
        timed: Its times and verdict.
        position: 1-based place in the order of its scope's launches; None without a time.
        deltas: Its lead over what was known when it was launched.
        is_on_frontier_walk: Whether it moved its scope's frontier.
        recipe: Name of its recipe.
        parent_recipes: Families that its family builds on.
    """

    run: Run
    timed: TimedRun
    position: int | None
    deltas: Deltas
    is_on_frontier_walk: bool
    recipe: str
    parent_recipes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgedIdea:
    """What came of an idea.

    Attributes:
        write_up: The idea.
        first_seen: The earliest evidence of it.
        position: 1-based place in the order in which its scope's ideas were first seen.
        runs: The runs that tested it, by launch.
        best: The best of them.
        ancestry: Where it comes from.
        rejection: The rejection that is published, the earliest that is dated.
        other_rejections: Further reasons.
        is_on_frontier_walk: Whether one of its runs moved the frontier.
    """

    write_up: WriteUp
    first_seen: FirstSeen | None
    position: int | None
    runs: tuple[TimedRun, ...]
    best: TimedRun | None
    ancestry: Ancestry
    rejection: Rejection | None
    other_rejections: tuple[Rejection, ...]
    is_on_frontier_walk: bool

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of its best run; None for an idea that no run tested."""
        return self.best.verdict if self.best else None


@dataclass(frozen=True, slots=True)
class Judgement:
    """All judgements on an archive.

    Attributes:
        runs: In the order of the runs.
        ideas: In the order of the write-ups.
        cohorts: Sorted by scope, recipe and schedule.
    """

    runs: tuple[JudgedRun, ...]
    ideas: tuple[JudgedIdea, ...]
    cohorts: tuple[Cohort, ...]


def judge(
    parsed: ParsedArchive, runs: Iterable[Run], write_ups: Iterable[WriteUp], links: Links
) -> Judgement:
    """Judge every run and idea.

    Args:
        parsed: The parsed archive, for its journals, audits and rule checks.
        runs: The joined runs.
        write_ups: The ideas, each once.
        links: What each run executed and tested.
    """
    runs, write_ups = tuple(runs), tuple(write_ups)
    timed = tuple(time_run(run, links.idea_of) for run in runs)
    on_walk = walk_frontier(timed)
    recipes = collect_recipes(timed)
    recipe_parents = find_recipe_parents(recipes)
    recipe_of = recipes_of(runs, links.source_of)
    deltas = compare_with_best(timed)
    positions = _positions((run.scope, run.launched_at, run.experiment_id) for run in timed)
    judged_runs = tuple(
        JudgedRun(
            run=run,
            timed=each,
            position=positions.get(each.experiment_id),
            deltas=deltas[each.experiment_id],
            is_on_frontier_walk=each.experiment_id in on_walk,
            recipe=recipe_of[each.experiment_id],
            parent_recipes=recipe_parents.get((each.scope, each.family), ()),
        )
        for run, each in zip(runs, timed, strict=True)
    )
    index = IdeaIndex(write_ups)
    ancestry = find_ancestry(write_ups, recipes, recipe_parents, index)
    ideas = _judge_ideas(parsed, write_ups, timed, on_walk, ancestry, index)
    return Judgement(judged_runs, ideas, build_cohorts(runs, recipe_of))


def _judge_ideas(
    parsed: ParsedArchive,
    write_ups: tuple[WriteUp, ...],
    timed: tuple[TimedRun, ...],
    on_walk: frozenset[str],
    ancestry: Mapping[str, Ancestry],
    index: IdeaIndex,
) -> tuple[JudgedIdea, ...]:
    entries = [(file.scope, entry) for file, entry in parsed.records(JournalEntry) if file.scope]
    checks: list[tuple[Scope, Audit | RuleCheck]] = [
        (file.scope, audit) for file, audit in parsed.records(Audit) if file.scope
    ]
    checks += [(file.scope, check) for file, check in parsed.records(RuleCheck) if file.scope]
    first_seen = date_ideas(write_ups, entries, checks, timed, index)
    stated = find_stated(write_ups, checks, index)
    ruled_out = rule_out_families(timed)
    launches: dict[Scope, list[datetime]] = defaultdict(list)
    runs_of: dict[str, list[TimedRun]] = defaultdict(list)
    for run in sorted(timed, key=_launch_order):
        if run.launched_at is not None:
            launches[run.scope].append(run.launched_at)
        if run.idea_id is not None:
            runs_of[run.idea_id].append(run)
    positions = _positions(
        (each.scope, first_seen[each.idea_id].at, each.idea_id)
        for each in write_ups
        if each.idea_id in first_seen
    )
    ideas = []
    for write_up in write_ups:
        idea_id = write_up.idea_id
        runs = tuple(runs_of[idea_id])
        shown = (find_failure(runs, launches[write_up.scope]), find_ruling_out(runs, ruled_out))
        rejections = [*stated.get(idea_id, ()), *(each for each in shown if each is not None)]
        rejection = pick_rejection(rejections)
        ideas.append(
            JudgedIdea(
                write_up=write_up,
                first_seen=first_seen.get(idea_id),
                position=positions.get(idea_id),
                runs=runs,
                best=best_of(runs),
                ancestry=ancestry[idea_id],
                rejection=rejection,
                other_rejections=tuple(each for each in rejections if each is not rejection),
                is_on_frontier_walk=any(run.experiment_id in on_walk for run in runs),
            )
        )
    return tuple(ideas)


def _positions(timed: Iterable[tuple[Scope, datetime | None, str]]) -> dict[str, int]:
    """Number the dated things of each scope in the order of their times, then of their ids."""
    dated: dict[Scope, list[tuple[datetime, str]]] = defaultdict(list)
    for scope, at, name in timed:
        if at is not None:
            dated[scope].append((at, name))
    return {name: place for each in dated.values() for place, (_, name) in enumerate(sorted(each), start=1)}


def _launch_order(run: TimedRun) -> tuple[bool, float, str]:
    at = run.launched_at
    return at is None, at.timestamp() if at else 0.0, run.experiment_id
