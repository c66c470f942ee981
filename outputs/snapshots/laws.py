"""The laws that snapshots keep, as checks of the finished tables: each names the rows that break it.

The checks know nothing of how snapshots are taken. They work on the tables alone, so that any dataset can be
asked, also one that somebody else wrote.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime

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


@dataclass(frozen=True, slots=True)
class Known:
    """What the laws are checked against: an index of the tables `experiments` and `ideas`.

    Attributes:
        launched: Scope and time of every dated experiment.
        hits: Scope, finish, step of every experiment whose hit was known some time.
        improved: Experiments with verdict improved.
        frontier: Experiments on a frontier walk.
        seen: Scope and time of every dated idea.
        rejected: Time of every dated rejection.
        improved_ideas: Ideas with verdict improved.
        frontier_ideas: Ideas on a frontier walk.
    """

    launched: dict[str, tuple[tuple[str, str], datetime]]
    hits: dict[str, tuple[tuple[str, str], datetime, int]]
    improved: frozenset[str]
    frontier: frozenset[str]
    seen: dict[str, tuple[tuple[str, str], datetime]]
    rejected: dict[str, datetime]
    improved_ideas: frozenset[str] = field(default_factory=frozenset)
    frontier_ideas: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, experiments: pl.DataFrame, ideas: pl.DataFrame) -> "Known":
        """Index the tables."""
        runs = experiments.select(
            "experiment_id", "agent", "wave", "first_seen_at", "finished_at", "step_to_3_28"
        ).rows()
        seen = ideas.select("idea_id", "agent", "wave", "first_seen_at").rows()
        rejected = ideas.filter(pl.col("rejected_at").is_not_null())
        return cls(
            launched={name: ((agent, wave), at) for name, agent, wave, at, _, _ in runs if at},
            hits={
                name: ((agent, wave), finish, step)
                for name, agent, wave, _, finish, step in runs
                if finish is not None and step is not None
            },
            improved=_ids(experiments, "experiment_id", pl.col("verdict") == "improved"),
            frontier=_ids(experiments, "experiment_id", pl.col("on_frontier_walk")),
            seen={name: ((agent, wave), at) for name, agent, wave, at in seen if at},
            rejected=dict(rejected.select("idea_id", "rejected_at").rows()),
            improved_ideas=_ids(ideas, "idea_id", pl.col("verdict") == "improved"),
            frontier_ideas=_ids(ideas, "idea_id", pl.col("on_frontier_walk")),
        )


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
        return [str(each) for each in found] if isinstance(found, list) else []


def _named(ids: Collection[str], what: str) -> Iterator[str]:
    if ids:
        shown = ", ".join(sorted(ids)[:MAX_NAMED])
        more = f" and {len(ids) - MAX_NAMED} more" if len(ids) > MAX_NAMED else ""
        yield f"{what}: {shown}{more}"


def _same(found: Collection[str], wanted: Collection[str], what: str) -> Iterator[str]:
    yield from _named(set(found) - set(wanted), f"{what} that should not be there")
    yield from _named(set(wanted) - set(found), f"{what} that are missing")


def priors_came_before(frozen: Frozen, known: Known) -> Iterator[str]:
    """The priors are the scope's experiments and ideas up to the wall clock, all of them and no other."""
    for column, timed in (("prior_experiment_ids", known.launched), ("prior_idea_ids", known.seen)):
        own, now = frozen.scope, frozen.at
        wanted = {name for name, (scope, at) in timed.items() if scope == own and at <= now}
        yield from _same(frozen.ids(column), wanted, column)


def futures_come_after(frozen: Frozen, known: Known) -> Iterator[str]:
    """The futures are the scope's experiments and ideas behind the wall clock that came to something."""
    for column, timed, chosen in (
        ("future_improved_experiment_ids", known.launched, known.improved),
        ("future_frontier_experiment_ids", known.launched, known.frontier),
        ("future_improved_idea_ids", known.seen, known.improved_ideas),
        ("future_frontier_idea_ids", known.seen, known.frontier_ideas),
    ):
        own, now = frozen.scope, frozen.at
        later = {name for name in chosen if name in timed and timed[name][0] == own and timed[name][1] > now}
        yield from _same(frozen.ids(column), later, column)


def priors_and_futures_are_disjoint(frozen: Frozen, known: Known) -> Iterator[str]:
    """Nothing is both behind and ahead."""
    for kind in ("experiment", "idea"):
        ahead = {*frozen.ids(f"future_improved_{kind}_ids"), *frozen.ids(f"future_frontier_{kind}_ids")}
        behind = {*frozen.ids(f"prior_{kind}_ids"), *frozen.ids(f"field_prior_{kind}_ids")}
        yield from _named(ahead & behind, f"{kind}s both behind and ahead")


def rejected_are_priors_rejected_by_then(frozen: Frozen, known: Known) -> Iterator[str]:
    """The rejected ideas are those priors whose rejection was known by the wall clock."""
    now = frozen.at
    by_then = {idea_id for idea_id, at in known.rejected.items() if at <= now}
    yield from _same(
        frozen.ids("rejected_idea_ids"), by_then & {*frozen.ids("prior_idea_ids")}, "rejected ideas"
    )


def other_agent_is_of_the_wave_and_earlier(frozen: Frozen, known: Known) -> Iterator[str]:
    """What the other agent shows is of the same wave, and was there."""
    agent, wave = frozen.scope
    now = frozen.at
    for column, timed in (
        ("other_agent_visible_experiment_ids", known.launched),
        ("other_agent_visible_idea_ids", known.seen),
    ):
        wanted = {
            name
            for name, (scope, at) in timed.items()
            if scope[1] == wave and scope[0] != agent and at <= now
        }
        yield from _same(frozen.ids(column), wanted, column)


def field_priors_came_before(frozen: Frozen, known: Known) -> Iterator[str]:
    """The field's priors are what all scopes had by the wall clock."""
    now = frozen.at
    for column, timed in (
        ("field_prior_experiment_ids", known.launched),
        ("field_prior_idea_ids", known.seen),
    ):
        wanted = {name for name, (_, at) in timed.items() if at <= now}
        yield from _same(frozen.ids(column), wanted, column)


def recipes_are_the_best_known(frozen: Frozen, known: Known) -> Iterator[str]:
    """The current recipe is the best hit known in the scope, the field's best that of all scopes."""
    now = frozen.at
    for column, scope in (("current_recipe", frozen.scope), ("field_best", None)):
        by_then = [
            (step, finish, name)
            for name, (of, finish, step) in known.hits.items()
            if finish <= now and scope in (None, of)
        ]
        best = min(by_then, default=None)
        wanted = (best[2], best[0]) if best else (None, None)
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
