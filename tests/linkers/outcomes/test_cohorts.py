"""Cohorts: the public results table reproduced, the eight-run cohort, and who is left out."""

import csv
import math
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkers.outcomes.cohorts import (
    Cohort,
    LeftOut,
    Score,
    Trial,
    build_cohorts,
    choose_members,
    shared_losses,
)
from linkers.outcomes.families import recipes_of
from linkers.runs import SeedSource, join_runs
from parsers.scopes import Scope
from tests.helpers import log_text, parse_folder, write_scratchpad

EIGHT = (3.27823, 3.27882, 3.27831, 3.27862, 3.27769, 3.27845, 3.27919, 3.27771)


def cohorts(root: Path) -> tuple[Cohort, ...]:
    runs = join_runs(parse_folder(root), 2026)
    source_of = {
        run.experiment_id: next((log.source_sha256 for log in run.logs if log.source_sha256), None)
        for run in runs
    }
    return build_cohorts(runs, recipes_of(runs, source_of))


def results() -> list[Mapping[str, str]]:
    path = Path(__file__).parents[4] / "shared" / "real-logs" / "gold_results.csv"
    return list(csv.DictReader(path.open(encoding="utf-8"))) if path.is_file() else []


@pytest.fixture(scope="module")
def real_cohorts(real_logs: Path) -> tuple[Cohort, ...]:
    return cohorts(real_logs)


@pytest.mark.parametrize("row", results(), ids=lambda row: row["recipe"])
def test_the_public_results_table_is_reproduced(
    row: Mapping[str, str], real_cohorts: tuple[Cohort, ...]
) -> None:
    """Steps, trials and mean of every row whose logs and table agree; nobody here wrote that table."""
    if row["agrees"] != "True":
        pytest.skip("logs and table disagree by the table's own account")
    claims = [
        (each.claim.step, len(each.members), f"{each.claim.mean:.5f}")
        for each in real_cohorts
        if each.recipe == row["recipe"] and each.claim
    ]
    assert [claim[:2] for claim in claims] == [(int(row["table_steps"]), int(row["table_n"]))]
    assert abs(float(claims[0][2]) - float(row["claimable_mean"])) <= 1.01e-5


def test_trials_that_a_batch_log_repeats_count_once(real_cohorts: tuple[Cohort, ...]) -> None:
    """`soda-fade`: a batch log holds seven trials that have logs of their own, two more are logged twice."""
    soda = next(each for each in real_cohorts if each.recipe == "soda-fade-3000-n9")
    assert (len(soda.members), soda.claim and soda.claim.step) == (9, 3000)
    assert {reason for _, reason in soda.left_out} == {LeftOut.REPEATED}
    assert all(trial.num_siblings == 1 for trial in soda.members)


def test_two_schedules_of_one_recipe_are_two_cohorts(real_cohorts: tuple[Cohort, ...]) -> None:
    """`muown` ran 30 trials over 3090 steps and 10 over 3200; the table counts the 30."""
    sizes = {each.scheduled_steps: len(each.members) for each in real_cohorts if each.recipe == "muown"}
    assert sizes == {3090: 30, 3200: 10}


def test_the_eight_run_cohort(tmp_path: Path) -> None:
    name = "legal-v12opt-rolewd-rolelr2-lookahead-ts3037-cm0225-attn0625-sig-r"
    files = {
        f"runs/{name}{number}.log": log_text((0, 10.8), (3000, 3.29), (3037, loss), scheduled=3037)
        for number, loss in enumerate(EIGHT, start=1)
    }
    (cohort,) = cohorts(write_scratchpad(tmp_path, files, scope=Scope("codex", "v2")))
    assert (len(cohort.members), cohort.left_out, cohort.scheduled_steps) == (8, (), 3037)
    assert cohort.claim is not None and cohort.claim == cohort.last
    assert cohort.claim.mean == pytest.approx(3.2783775, abs=1e-12)
    assert round(cohort.claim.score, 6) == 0.004589
    assert cohort.seed_source is None, "replicates name no seed"


def trial(name: str, *points: tuple[int, float], is_planned_end: bool = False, siblings: int = 1) -> Trial:
    steps, losses = zip(*points, strict=True)
    return Trial(name, 0, steps, losses, is_planned_end, siblings)


def left_out(*trials: Trial) -> dict[str, LeftOut]:
    return {each.experiment_id: reason for each, reason in choose_members(trials)[1]}


def test_who_stopped_early_is_left_out() -> None:
    full = [trial(f"full{number}", (125, 4.5), (3000, 3.28 + number / 1000)) for number in range(3)]
    assert left_out(*full, trial("short", (125, 4.6))) == {"short": LeftOut.STOPPED_EARLY}


def test_runs_that_ended_as_planned_set_the_end() -> None:
    """Most jobs of a recipe may be cancelled: what the finished ones show at the end still counts."""
    short = [trial(f"short{number}", (125, 4.5 + number / 100)) for number in range(5)]
    full = [
        trial(f"full{number}", (125, 4.4), (3000, 3.28 + number / 1000), is_planned_end=True)
        for number in (1, 2)
    ]
    assert left_out(*short, *full) == {each.experiment_id: LeftOut.STOPPED_EARLY for each in short}


def test_who_went_further_stays() -> None:
    stops = [trial(f"a{number}", (3000, 3.28 + number / 1000), is_planned_end=True) for number in range(3)]
    longer = trial("longer", (3000, 3.29), (3100, 3.27), is_planned_end=True)
    members, out = choose_members([*stops, longer])
    assert (len(members), out) == (4, ())
    assert [*shared_losses(members)] == [3000]


@pytest.mark.parametrize("last", [math.nan, math.inf, 3.9])
def test_who_diverged_is_left_out(last: float) -> None:
    """A bad seed ends some thousandths higher, a run that broke ends far off or prints no number."""
    good = [trial(f"good{number}", (125, 4.5), (3000, 3.28 + number / 1000)) for number in range(3)]
    assert left_out(*good, trial("bad", (125, 4.6), (3000, last))) == {"bad": LeftOut.DIVERGED}


def test_a_bad_seed_counts() -> None:
    good = [trial(f"good{number}", (3000, 3.28 + number / 1000)) for number in range(3)]
    assert left_out(*good, trial("unlucky", (3000, 3.35))) == {}


def test_a_cohort_of_diverged_trials_has_no_member_and_no_score(tmp_path: Path) -> None:
    (cohort,) = cohorts(write_scratchpad(tmp_path, {"runs/a.log": log_text((0, 10.8), (125, math.nan))}))
    assert (cohort.members, cohort.last, cohort.claim) == ((), None, None)
    assert [reason for _, reason in cohort.left_out] == [LeftOut.DIVERGED]


def test_what_fails_before_its_third_step_repeats_nobody() -> None:
    """Every trial prints 10.82584 at step 0, and one equal loss more may be chance."""
    same = [trial(name, (0, 10.82584), (125, 4.5)) for name in "ab"]
    assert left_out(*same) == {}


def test_a_claim_needs_a_step_that_all_members_share() -> None:
    first = trial("a", (0, 10.8), (125, 4.5), (2990, 3.26), (3000, 3.25))
    second = trial("b", (0, 10.8), (125, 4.4), (3000, 3.26))
    assert [*shared_losses([first, second])] == [125, 3000]


def test_a_loss_just_under_the_target_is_no_claim() -> None:
    score = Score.of(3000, [3.2799])
    assert (score.is_claim, score.sd) == (False, None)


@pytest.mark.parametrize(("n", "mean"), [(4, 3.278), (16, 3.279), (1, 3.276)])
def test_a_score_of_exactly_the_bar_is_a_claim(n: int, mean: float) -> None:
    """0.004 itself is enough, whatever the last bit of the floats says."""
    assert Score.of(3000, [mean] * n).is_claim
    assert not Score.of(3000, [mean + 0.00001] * n).is_claim


@pytest.mark.parametrize(
    ("scope", "log_head", "expected"),
    [
        (Scope("codex", "v1"), "", SeedSource.RUN_ID),
        (Scope("claude-code", "v1"), "", SeedSource.RUN_ID_NOT_FORWARDED),
        (Scope("codex", "v1"), "seed:0\n", SeedSource.RUN_ID_NOT_FORWARDED),
        (Scope("codex", "v1"), "seed:3\n", SeedSource.LOG),
    ],
)
def test_seeds_that_never_reached_the_trainer_are_marked(
    tmp_path: Path, scope: Scope, log_head: str, expected: SeedSource
) -> None:
    """The name says seed 3: some launchers never passed it on, and a log that prints another one says so."""
    log = log_text((0, 10.8), (3000, 3.27), head=log_head)
    (cohort,) = cohorts(write_scratchpad(tmp_path, {"runs/ema-b099-seed3.log": log}, scope=scope))
    assert cohort.seed_source == expected


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 30), min_size=1, max_size=8, unique=True).map(sorted),
            st.sampled_from((3.2, 3.28, 4.0, math.nan)),
        ),
        max_size=8,
    )
)
def test_every_trial_is_a_member_or_left_out(drawn: list[tuple[list[int], float]]) -> None:
    trials = [
        trial(f"r{number}", *((step, loss + step / 1000 + number / 1e5) for step in steps))
        for number, (steps, loss) in enumerate(drawn)
    ]
    members, out = choose_members(trials)
    assert sorted([*members, *(each for each, _ in out)], key=lambda each: each.experiment_id) == trials
    for step, losses in shared_losses(members).items():
        assert all(step in each.steps for each in members)
        assert math.isfinite(Score.of(step, losses).score)
