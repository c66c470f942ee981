"""Every law finds the snapshot that breaks it."""

from collections.abc import Callable

import polars as pl
import pytest

from outputs.outcome_tables import build_snapshots_table
from outputs.snapshots.clocks import Clock
from outputs.snapshots.laws import LAWS, check_laws
from outputs.snapshots.selection import History, TimedIdea
from parsers.scopes import Scope
from tests.outcome_cases import SCOPE, frames, hour, timed

OTHER, V2 = Scope("claude-code", "v1"), Scope("codex", "v2")
RUNS = [
    timed("old", 1, 2, 3300),
    timed("best", 2, 4, 3200),
    timed("training", 3, 30, 3000),
    timed("next", 20, 21, 3050),
    timed("theirs", 1, 2, 3100, scope=OTHER),
    timed("theirs-later", 20, 21, 3390, scope=OTHER),
    timed("second-wave", 1, 2, 3400, scope=V2),
]
IDEAS = [
    TimedIdea("codex--v1--seen", SCOPE, hour(1), hour(5)),
    TimedIdea("codex--v1--rejected-later", SCOPE, hour(1), hour(15)),
    TimedIdea("codex--v1--coming", SCOPE, hour(15), None, True, True),
    TimedIdea("claude-code--v1--theirs", OTHER, hour(2)),
    TimedIdea("claude-code--v1--theirs-later", OTHER, hour(12)),
]


@pytest.fixture(scope="module")
def tables() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    snapshot = History(
        [*RUNS, *(timed("anchor", 0, None, scope=scope) for scope in (SCOPE, OTHER, V2))],
        IDEAS,
        {"codex--v1--next"},
    ).freeze(SCOPE, Clock(2, hour(10)))
    experiments, ideas = frames(RUNS, IDEAS)
    on_walk = experiments["experiment_id"] == "codex--v1--next"
    return (
        experiments.with_columns(on_walk.alias("on_frontier_walk")),
        ideas,
        build_snapshots_table([snapshot]),
    )


def test_a_snapshot_as_it_should_be_breaks_no_law(
    tables: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame],
) -> None:
    assert check_laws(*tables) == []


def adding(column: str, name: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    added = pl.col(column).list.concat(pl.lit([name])).list.sort()
    return lambda snapshots: snapshots.with_columns(added.alias(column))


def without_any(column: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda snapshots: snapshots.with_columns(pl.col(column).list.head(0))


def setting(**values: object) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda snapshots: snapshots.with_columns(**{name: pl.lit(value) for name, value in values.items()})


BREACHES = {
    "a run that came later": ("priors_came_before", adding("prior_experiment_ids", "codex--v1--next")),
    "an idea that came later": ("priors_came_before", adding("prior_idea_ids", "codex--v1--coming")),
    "a run of another scope": (
        "priors_came_before",
        adding("prior_experiment_ids", "codex--v2--second-wave"),
    ),
    "a prior too few": ("priors_came_before", without_any("prior_experiment_ids")),
    "a future that is past": (
        "futures_come_after",
        adding("future_improved_experiment_ids", "codex--v1--best"),
    ),
    "a future idea too few": ("futures_come_after", without_any("future_frontier_idea_ids")),
    "a future that came to nothing": (
        "futures_come_after",
        adding("future_improved_idea_ids", "codex--v1--rejected-later"),
    ),
    "both behind and ahead": (
        "priors_and_futures_are_disjoint",
        adding("future_improved_experiment_ids", "codex--v1--old"),
    ),
    "a rejection that came later": (
        "rejected_are_priors_rejected_by_then",
        adding("rejected_idea_ids", "codex--v1--rejected-later"),
    ),
    "a rejection too few": ("rejected_are_priors_rejected_by_then", without_any("rejected_idea_ids")),
    "the other agent's later run": (
        "other_agent_is_of_the_wave_and_earlier",
        adding("other_agent_visible_experiment_ids", "claude-code--v1--theirs-later"),
    ),
    "the other agent's later idea": (
        "other_agent_is_of_the_wave_and_earlier",
        adding("other_agent_visible_idea_ids", "claude-code--v1--theirs-later"),
    ),
    "another wave": (
        "other_agent_is_of_the_wave_and_earlier",
        adding("other_agent_visible_experiment_ids", "codex--v2--second-wave"),
    ),
    "the field's later run": (
        "field_priors_came_before",
        adding("field_prior_experiment_ids", "codex--v1--next"),
    ),
    "the field too small": ("field_priors_came_before", without_any("field_prior_idea_ids")),
    "a recipe that is still training": (
        "recipes_are_the_best_known",
        setting(current_recipe_experiment_id="codex--v1--training", current_recipe_step_to_3_28=3000),
    ),
    "a recipe that is not the best": (
        "recipes_are_the_best_known",
        setting(current_recipe_experiment_id="codex--v1--old", current_recipe_step_to_3_28=3300),
    ),
    "a field's best of one scope alone": (
        "recipes_are_the_best_known",
        setting(field_best_experiment_id="codex--v1--best", field_best_step_to_3_28=3200),
    ),
    "a wrong k": ("names_and_splits_are_as_designed", setting(k=7)),
    "a wrong split": ("names_and_splits_are_as_designed", setting(split="dev")),
    "an id twice": ("names_and_splits_are_as_designed", adding("prior_idea_ids", "codex--v1--seen")),
}


@pytest.mark.parametrize("breach", BREACHES)
def test_a_broken_law_is_found(breach: str, tables: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]) -> None:
    law, breaking = BREACHES[breach]
    experiments, ideas, snapshots = tables
    found = check_laws(experiments, ideas, breaking(snapshots))
    assert law in {violation.law for violation in found}, found
    assert {violation.snapshot_id for violation in found} == {snapshots["snapshot_id"][0]}


def test_every_law_is_broken_once() -> None:
    assert {law for law, _ in BREACHES.values()} == {law.__name__ for law in LAWS}
