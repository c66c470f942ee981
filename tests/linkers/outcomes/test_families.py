"""Families and recipes: what the names say, and what one source under two names says."""

import pytest

from linkers.outcomes.families import family_of, recipes_of
from linkers.run_outcomes import Outcome
from linkers.runs import Run
from parsers.ledger_fields import Status
from parsers.run_ids import parse_run_id
from parsers.scopes import Scope

SCOPE = Scope("codex", "v2")


def run(run_id: str, scope: Scope = SCOPE) -> Run:
    return Run(
        scope=scope,
        run_id=run_id,
        name=parse_run_id(run_id),
        launch=None,
        outcome=Outcome(),
        status=Status.INCOMPLETE,
        seed=None,
        seed_source=None,
        num_trials=0,
        logs=(),
        ledger=None,
        ledger_lines=(),
        export_ids=(),
        conflicts=(),
        same_log_as=None,
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("lr-floor-f010-h3500-stop3250-seed0", "lr-floor-f010-stop3250-seed1"),
        ("v12-ts2999-r4", "v12-ts3022"),
        ("v12iso-musched-h3375-s3195-seed0-retry1", "v12iso-musched-h3375-s3220-seed9"),
    ],
)
def test_one_family(first: str, second: str) -> None:
    """`h3500-stop3250` differs from `stop3250` in the horizon alone; all rungs of a recipe are one family."""
    assert family_of(parse_run_id(first)) == family_of(parse_run_id(second))


@pytest.mark.parametrize(("first", "second"), [("v1-ts3225", "v12-ts3225"), ("ema-b099-s0", "ema-b0999-s0")])
def test_two_families(first: str, second: str) -> None:
    assert family_of(parse_run_id(first)) != family_of(parse_run_id(second))


def recipes(*names_and_sources: tuple[str, str | None]) -> list[str]:
    runs = [run(name) for name, _ in names_and_sources]
    source_of = {
        each.experiment_id: sha256 for each, (_, sha256) in zip(runs, names_and_sources, strict=True)
    }
    named = recipes_of(runs, source_of)
    return [named[each.experiment_id] for each in runs]


def test_a_horizon_makes_another_recipe() -> None:
    assert recipes(("a-h3500-stop3250-s0", None), ("a-stop3250-s0", None)) == ["a-h3500", "a"]


def test_one_source_under_a_longer_name_is_one_recipe() -> None:
    found = recipes(("v12opt-ts3000", "f" * 64), ("v12opt-confirm-ts3000-r1", "f" * 64))
    assert found == ["v12opt", "v12opt"]


def test_another_source_is_no_other_recipe() -> None:
    """Seeds and rungs are written into the files, so files of one recipe differ."""
    assert recipes(("v12opt-ts3000", "f" * 64), ("v12opt-ts3022", "e" * 64)) == ["v12opt", "v12opt"]


@pytest.mark.parametrize("other", ["lion-lr003", "muon-lr004", "muon-lr003-wd01"])
def test_a_sweep_over_one_script_stays_apart(other: str) -> None:
    """One trainer that takes its parameters from outside prints one source for every member."""
    assert recipes(("muon-lr003", "f" * 64), (other, "f" * 64)) == ["muon-lr003", other]


def test_a_source_is_shared_only_within_a_scope() -> None:
    runs = [run("v12opt"), run("v12opt-confirm", Scope("codex", "v3"))]
    named = recipes_of(runs, dict.fromkeys((each.experiment_id for each in runs), "f" * 64))
    assert named[runs[1].experiment_id] == "v12opt-confirm"
