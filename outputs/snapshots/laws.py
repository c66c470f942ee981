"""The laws that snapshots keep, as checks of the finished tables: each names the rows that break it.

The checks know nothing of how snapshots are taken. They work on the tables alone, so that any dataset can be
asked, also one that somebody else wrote.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain

import polars as pl

from outputs.snapshots.clocks import DEV_POSITIONS
from outputs.snapshots.constraints import WAVE_CONSTRAINTS

MAX_NAMED = 5
"""A violation names this many ids and counts the rest."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A snapshot that breaks a law.

    Attributes:
        law: Name of the law.
        snapshot_id: The snapshot.
        detail: What is wrong, with the ids.
    """

    law: str
    snapshot_id: str
    detail: str


ScopeKey = tuple[str, str]
"""Agent and wave."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Names in the order of their times.

    Attributes:
        times: The times, sorted.
        names: The name that goes with each.
    """

    times: tuple[datetime, ...] = ()
    names: tuple[str, ...] = ()

    def until(self, at: datetime) -> tuple[str, ...]:
        """The names up to a moment, itself included."""
        return self.names[: bisect_right(self.times, at)]

    def after(self, at: datetime) -> tuple[str, ...]:
        """The names behind a moment."""
        return self.names[bisect_right(self.times, at) :]


Timelines = Mapping[ScopeKey, Timeline]


@dataclass(frozen=True, slots=True)
class Known:
    """What the laws are checked against: an index of the tables `experiments` and `ideas`.

    Attributes:
        launched: Every dated experiment, by scope.
        hits: Step, finish, id and scope of every experiment whose hit was known some time, sorted.
        improved: Experiments with verdict improved.
        frontier: Experiments on a frontier walk.
        seen: Every dated idea, by scope.
        rejected: Every dated rejection of an idea.
        improved_ideas: Ideas with verdict improved.
        frontier_ideas: Ideas on a frontier walk.
    """

    launched: Timelines
    hits: Sequence[tuple[int, datetime, str, ScopeKey]]
    improved: frozenset[str]
    frontier: frozenset[str]
    seen: Timelines
    rejected: Timeline
    improved_ideas: frozenset[str] = field(default_factory=frozenset)
    frontier_ideas: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, experiments: pl.DataFrame, ideas: pl.DataFrame) -> "Known":
        """Index the tables."""
        hits = experiments.drop_nulls(["finished_at", "step_to_3_28"])
        rows = hits.select("step_to_3_28", "finished_at", "experiment_id", "agent", "wave").rows()
        return cls(
            launched=_timelines(experiments, "experiment_id"),
            hits=sorted((step, finish, name, (agent, wave)) for step, finish, name, agent, wave in rows),
            improved=_ids(experiments, "experiment_id", pl.col("verdict") == "improved"),
            frontier=_ids(experiments, "experiment_id", pl.col("on_frontier_walk")),
            seen=_timelines(ideas, "idea_id"),
            rejected=_timeline(ideas, "rejected_at", "idea_id"),
            improved_ideas=_ids(ideas, "idea_id", pl.col("verdict") == "improved"),
            frontier_ideas=_ids(ideas, "idea_id", pl.col("on_frontier_walk")),
        )


def _timelines(frame: pl.DataFrame, column: str) -> dict[ScopeKey, Timeline]:
    scopes = frame.partition_by("agent", "wave", as_dict=True, maintain_order=True)
    return {
        (str(agent), str(wave)): _timeline(of_scope, "first_seen_at", column)
        for (agent, wave), of_scope in scopes.items()
    }


def _timeline(frame: pl.DataFrame, time: str, column: str) -> Timeline:
    rows = frame.drop_nulls(time).select(time, column).sort(time, column)
    return Timeline(tuple(rows[time]), tuple(rows[column]))


def _ids(frame: pl.DataFrame, column: str, condition: pl.Expr) -> frozenset[str]:
    return frozenset(frame.filter(condition)[column])


Row = dict[str, object]
Law = Callable[["Frozen", Known], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Frozen:
    """One row of the table `snapshots`."""

    row: Row

    @property
    def scope(self) -> tuple[str, str]:
        """Agent and wave."""
        return str(self.row["agent"]), str(self.row["wave"])

    @property
    def at(self) -> datetime:
        """The wall clock."""
        at = self.row["wall_clock"]
        if not isinstance(at, datetime):
            raise TypeError("The wall clock of a snapshot is no time.")
        return at

    def ids(self, column: str) -> list[str]:
        """The ids in a column."""
        found = self.row[column]
        return found if isinstance(found, list) else []


def _named(ids: Collection[str], what: str) -> Iterator[str]:
    if ids:
        shown = ", ".join(sorted(ids)[:MAX_NAMED])
        more = f" and {len(ids) - MAX_NAMED} more" if len(ids) > MAX_NAMED else ""
        yield f"{what}: {shown}{more}"


def _same(found: Iterable[str], wanted: Iterable[str], what: str) -> Iterator[str]:
    found, wanted = set(found), set(wanted)
    yield from _named(found - wanted, f"{what} that should not be there")
    yield from _named(wanted - found, f"{what} that are missing")


def priors_came_before(frozen: Frozen, known: Known) -> Iterator[str]:
    """The priors are the scope's experiments and ideas up to the wall clock, all of them and no other."""
    for column, timed in (("prior_experiment_ids", known.launched), ("prior_idea_ids", known.seen)):
        wanted = timed.get(frozen.scope, Timeline()).until(frozen.at)
        yield from _same(frozen.ids(column), wanted, column)


def futures_come_after(frozen: Frozen, known: Known) -> Iterator[str]:
    """The futures are the scope's experiments and ideas behind the wall clock that came to something."""
    for column, timed, chosen in (
        ("future_improved_experiment_ids", known.launched, known.improved),
        ("future_frontier_experiment_ids", known.launched, known.frontier),
        ("future_improved_idea_ids", known.seen, known.improved_ideas),
        ("future_frontier_idea_ids", known.seen, known.frontier_ideas),
    ):
        later = timed.get(frozen.scope, Timeline()).after(frozen.at)
        yield from _same(frozen.ids(column), chosen.intersection(later), column)


def priors_and_futures_are_disjoint(frozen: Frozen, known: Known) -> Iterator[str]:
    """Nothing is both behind and ahead."""
    for kind in ("experiment", "idea"):
        ahead = {*frozen.ids(f"future_improved_{kind}_ids"), *frozen.ids(f"future_frontier_{kind}_ids")}
        behind = {*frozen.ids(f"prior_{kind}_ids"), *frozen.ids(f"field_prior_{kind}_ids")}
        yield from _named(ahead & behind, f"{kind}s both behind and ahead")


def rejected_are_priors_rejected_by_then(frozen: Frozen, known: Known) -> Iterator[str]:
    """The rejected ideas are those priors whose rejection was known by the wall clock."""
    by_then = set(known.rejected.until(frozen.at)).intersection(frozen.ids("prior_idea_ids"))
    yield from _same(frozen.ids("rejected_idea_ids"), by_then, "rejected ideas")


def other_agent_is_of_the_wave_and_earlier(frozen: Frozen, known: Known) -> Iterator[str]:
    """What the other agent shows is of the same wave, and was there."""
    own_agent, own_wave = frozen.scope
    for column, timed in (
        ("other_agent_visible_experiment_ids", known.launched),
        ("other_agent_visible_idea_ids", known.seen),
    ):
        others = [each for (agent, wave), each in timed.items() if wave == own_wave and agent != own_agent]
        yield from _same(frozen.ids(column), _until(others, frozen.at), column)


def field_priors_came_before(frozen: Frozen, known: Known) -> Iterator[str]:
    """The field's priors are what all scopes had by the wall clock."""
    for column, timed in (
        ("field_prior_experiment_ids", known.launched),
        ("field_prior_idea_ids", known.seen),
    ):
        yield from _same(frozen.ids(column), _until(timed.values(), frozen.at), column)


def _until(timelines: Iterable[Timeline], at: datetime) -> Iterator[str]:
    return chain.from_iterable(timeline.until(at) for timeline in timelines)


def recipes_are_the_best_known(frozen: Frozen, known: Known) -> Iterator[str]:
    """The current recipe is the best hit known in the scope, the field's best that of all scopes."""
    now = frozen.at
    for column, scope in (("current_recipe", frozen.scope), ("field_best", None)):
        by_then = (
            (name, step)
            for step, finish, name, of in known.hits
            if finish <= now and (scope is None or scope == of)
        )
        wanted = next(by_then, (None, None))
        found = (frozen.row[f"{column}_experiment_id"], frozen.row[f"{column}_step_to_3_28"])
        if found != wanted:
            yield f"{column} is {found[0]} at step {found[1]}, not {wanted[0]} at step {wanted[1]}"


def names_and_splits_are_as_designed(frozen: Frozen, known: Known) -> Iterator[str]:
    """Id, k, split, constraint and the order of ids follow their rules."""
    row = frozen.row
    agent, wave = frozen.scope
    k = len(frozen.ids("prior_experiment_ids"))
    wanted = {
        "k": k,
        "snapshot_id": f"snap_{agent}_{wave}_k{k:04d}",
        "split": "dev" if row["position"] in DEV_POSITIONS else "test",
        "wave_constraint": WAVE_CONSTRAINTS[wave],
    }
    yield from (f"{name} is {row[name]}, not {value}" for name, value in wanted.items() if row[name] != value)
    unsorted = [
        name for name in row if name.endswith("_ids") and frozen.ids(name) != sorted({*frozen.ids(name)})
    ]
    yield from _named(unsorted, "lists that are unsorted or hold an id twice")


LAWS: tuple[Law, ...] = (
    priors_came_before,
    futures_come_after,
    priors_and_futures_are_disjoint,
    rejected_are_priors_rejected_by_then,
    other_agent_is_of_the_wave_and_earlier,
    field_priors_came_before,
    recipes_are_the_best_known,
    names_and_splits_are_as_designed,
)
"""Every law."""


def check_laws(experiments: pl.DataFrame, ideas: pl.DataFrame, snapshots: pl.DataFrame) -> list[Violation]:
    """Check every law on every snapshot.

    Args:
        experiments: The table `experiments`.
        ideas: The table `ideas`.
        snapshots: The table `snapshots`.

    Returns:
        What is broken, in the order of the snapshots and laws; nothing when all is well.
    """
    known = Known.of(experiments, ideas)
    return [
        Violation(law.__name__, str(row["snapshot_id"]), detail)
        for row in snapshots.iter_rows(named=True)
        for law in LAWS
        for detail in law(Frozen(row), known)
    ]
