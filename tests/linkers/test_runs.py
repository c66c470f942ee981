"""Runs joined from ledger, logs and export: which source wins, and what is kept of the loser."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest

from linkers.launch_times import TimeSource
from linkers.runs import Run, SeedSource, join_runs
from parsers.ledger_fields import Status
from parsers.scopes import Scope
from tests.helpers import SCOPE, log_text, parse_folder, write_scratchpad


def join(root: Path) -> dict[str, Run]:
    return {run.experiment_id.removeprefix("codex--v1--"): run for run in join_runs(parse_folder(root), 2026)}


def test_the_log_wins_and_the_ledger_fills(tmp_path: Path) -> None:
    write_scratchpad(
        tmp_path,
        {"runs/a.log": log_text((0, 10.8), (2900, 3.29), (3000, 3.29))},
        [
            {
                "run_id": "a",
                "final_val_loss": 3.27,
                "slurm_job": 7743,
                "purpose": "search",
                "launched": "2026-05-01",
            }
        ],
    )
    run = join(tmp_path)["a"]
    assert (run.outcome.final_val_loss, run.outcome.final_step) == (3.29, 3000)
    assert run.ledger is not None
    assert (run.ledger.final_val_loss, run.ledger.slurm_job_id) == (3.27, "7743")
    assert run.conflicts == ("final_val_loss: log 3.29, ledger 3.27",)
    assert run.launch is not None
    assert (run.launch.source, run.launch.is_date_only) == (TimeSource.LEDGER_DATE, True)


def test_a_rounded_loss_and_a_later_trial_are_no_conflict(tmp_path: Path) -> None:
    log = log_text((2000, 3.5), (3000, 3.27823), (2000, 3.51), (3000, 3.27715))
    write_scratchpad(
        tmp_path,
        {"runs/a.log": log, "runs/b.log": log},
        [{"run_id": "a", "final_val_loss": 3.278}, {"run_id": "b", "final_val_loss": 3.27715}],
    )
    runs = join(tmp_path)
    assert runs["a"].conflicts == runs["b"].conflicts == ()
    assert (runs["a"].num_trials, runs["a"].outcome.final_val_loss) == (2, 3.27823)


def test_the_ledgers_crossing_does_not_fill_a_log_that_shows_none(tmp_path: Path) -> None:
    write_scratchpad(
        tmp_path,
        {"runs/a.log": log_text((2900, 3.3), (3000, 3.29))},
        [{"run_id": "a", "step_to_3_28": 2950}, {"run_id": "b", "step_to_3_28": 2950}],
    )
    runs = join(tmp_path)
    assert runs["a"].outcome.step_to_3_28 is None
    assert runs["a"].conflicts == ("step_to_3_28: log None, ledger 2950",)
    assert runs["b"].outcome.step_to_3_28 == 2950


def test_several_logs_of_a_run_count_once_and_the_fullest_is_published(tmp_path: Path) -> None:
    source = "import torch\n" + "=" * 100 + "\n"
    write_scratchpad(
        tmp_path,
        {
            "runs/a.log": source,
            "runs/a.console.log": log_text((0, 10.8), (3000, 3.27)),
            "runs/a.sbatch.log": "### START_ISO=2026-05-01T10:00:00Z\n" + log_text((0, 10.8)),
        },
    )
    (run,) = join(tmp_path).values()
    assert [log.path.rsplit("/", 1)[1] for log in run.logs] == ["a.console.log", "a.sbatch.log", "a.log"]
    assert (run.num_trials, run.outcome.num_val_points) == (1, 2)
    assert run.launch is not None
    assert run.launch.at == datetime(2026, 5, 1, 10, tzinfo=UTC)


def test_a_requeued_log_is_one_run_with_two_trials(tmp_path: Path) -> None:
    write_scratchpad(tmp_path, {"runs/a.log": log_text((0, 10.8), (1500, 3.6), (0, 10.9), (3000, 3.27))})
    run = join(tmp_path)["a"]
    assert (run.num_trials, run.outcome.final_step, run.outcome.step_to_3_28) == (2, 1500, None)


def test_a_log_goes_to_the_ledger_row_that_states_it(tmp_path: Path) -> None:
    write_scratchpad(
        tmp_path,
        {"runs/b.log": log_text((3000, 3.3))},
        [{"run_id": "a", "log_path": "/beegfs/u/scratchpad/runs/b.log"}],
    )
    assert list(join(tmp_path)) == ["a"]


def test_a_log_that_two_rows_state_stays_with_its_own_name(tmp_path: Path) -> None:
    rows = [{"run_id": "a", "log": "b.log"}, {"run_id": "c", "log": "b.log"}]
    write_scratchpad(tmp_path, {"runs/b.log": log_text((3000, 3.3))}, rows)
    assert list(join(tmp_path)) == ["a", "b", "c"]


def test_a_row_that_names_a_log_by_its_uuid_says_so(tmp_path: Path) -> None:
    log_id = "00000000-0000-4000-8000-000000000406"
    write_scratchpad(
        tmp_path,
        {"runs/short.out": log_text((3000, 3.3), head=f"logs/{log_id}.txt\n")},
        [{"tag": "long", "log": f"logs/{log_id}.txt"}],
    )
    runs = join(tmp_path)
    assert runs["long"].same_log_as == "short"
    assert runs["short"].same_log_as is None


def test_ids_repeat_across_scopes_and_never_mix(tmp_path: Path) -> None:
    for number, scope in enumerate((Scope("codex", "v1"), Scope("codex", "v2"), Scope("claude-code", "v1"))):
        log = {"runs/baseline-muon-s0.log": log_text((3000, 3.3 + number / 100))}
        write_scratchpad(tmp_path, log, [{"run_id": "baseline-muon-s0", "seed": number}], scope)
    runs = join_runs(parse_folder(tmp_path), 2026)
    assert [(str(run.scope), run.seed) for run in runs] == [
        ("v1/claude-code", 2),
        ("v1/codex", 0),
        ("v2/codex", 1),
    ]
    assert len({run.experiment_id for run in runs}) == 3
    assert [run.outcome.final_val_loss for run in runs] == [3.32, 3.3, 3.31]


STAMP = "W0518 15:03:49.681000 1735 torch/distributed/run.py:851] \n"


def test_a_yearless_stamp_takes_the_year_of_its_scope(tmp_path: Path) -> None:
    write_scratchpad(
        tmp_path,
        {"runs/a.log": log_text((3000, 3.3), head=STAMP)},
        [{"run_id": "b", "launched": "2025-05-17"}],
    )
    launch = join(tmp_path)["a"].launch
    assert launch is not None
    assert (launch.at.year, launch.source) == (2025, TimeSource.LOG_TORCH)


def test_a_yearless_stamp_takes_the_year_of_the_archive_then_the_default(tmp_path: Path) -> None:
    stamped = {"runs/a.log": log_text((3000, 3.3), head=STAMP)}
    write_scratchpad(tmp_path / "one", stamped)
    write_scratchpad(tmp_path / "two", stamped)
    write_scratchpad(
        tmp_path / "two", ledger=[{"run_id": "b", "launched": "2024-12-30"}], scope=Scope("codex", "v2")
    )
    alone = join_runs(parse_folder(tmp_path / "one"), 2031)[0].launch
    beside = join_runs(parse_folder(tmp_path / "two"), 2031)[0].launch
    assert alone is not None
    assert beside is not None
    assert (alone.at.year, beside.at.year) == (2031, 2025)


def test_a_stamp_of_january_follows_a_december(tmp_path: Path) -> None:
    write_scratchpad(
        tmp_path,
        {"runs/a.log": log_text((3000, 3.3), head=STAMP.replace("0518", "0102"))},
        [{"run_id": "b", "launched": "2025-12-30"}],
    )
    launch = join(tmp_path)["a"].launch
    assert launch is not None
    assert launch.at.year == 2026


@pytest.mark.parametrize(
    ("run_id", "head", "row", "scope", "expected"),
    [
        ("a-seed3", "Using seed=7\n", {"seed": 5}, SCOPE, (7, SeedSource.LOG)),
        ("a-seed3", "", {"seed": 5}, SCOPE, (5, SeedSource.LEDGER)),
        ("a-seed3", "", {}, SCOPE, (3, SeedSource.RUN_ID)),
        ("a-seed3", "", {}, Scope("codex", "v2"), (3, SeedSource.RUN_ID_NOT_FORWARDED)),
        ("a-s3", "", {}, Scope("claude-code", "v1"), (3, SeedSource.RUN_ID_NOT_FORWARDED)),
        ("a", "", {}, SCOPE, (None, None)),
    ],
)
def test_the_seed_and_how_it_is_known(
    tmp_path: Path,
    run_id: str,
    head: str,
    row: dict[str, object],
    scope: Scope,
    expected: tuple[object, object],
) -> None:
    write_scratchpad(
        tmp_path,
        {f"runs/{run_id}.log": log_text((3000, 3.3), head=head)},
        [{"run_id": run_id, **row}],
        scope,
    )
    (run,) = join_runs(parse_folder(tmp_path), 2026)
    assert (run.seed, run.seed_source) == expected


TRACEBACK = "Traceback (most recent call last):\n"
PREEMPTED = "slurmstepd: error: *** JOB 7 CANCELLED AT 2026-05-01T10:00:00 DUE TO PREEMPTION ***\n"


@pytest.mark.parametrize(
    ("run_id", "log", "row", "status", "num_conflicts"),
    [
        ("a", log_text((3000, 3.3)), {"status": "failed"}, Status.COMPLETED, 1),
        ("a", log_text((3000, 3.3)), {"status": "1"}, Status.COMPLETED, 1),
        ("a", log_text((1500, 3.6)), {"status": "preempted"}, Status.PREEMPTED, 0),
        ("a", log_text((1500, 3.6)) + PREEMPTED, {}, Status.PREEMPTED, 0),
        ("a", log_text((1500, 3.6)) + PREEMPTED, {"status": "143"}, Status.PREEMPTED, 1),
        ("a", log_text((1500, 3.6)) + TRACEBACK, {"status": "canceled"}, Status.CANCELED, 0),
        ("a", log_text((1500, 3.6)), {}, Status.INCOMPLETE, 0),
        ("a", log_text((1500, 3.6), (125, 5.0), (3000, 3.3)), {"status": "preempted"}, Status.COMPLETED, 1),
        ("a-h3375-stop1500", log_text((1500, 3.6)), {}, Status.COMPLETED, 0),
        (
            "a",
            log_text((1500, 3.6), head="Using run_stop_step=1500 train_steps=3000\n"),
            {},
            Status.COMPLETED,
            0,
        ),
        ("a", "import torch\nTraceback (most recent call last):\n", {}, Status.FAILED, 0),
    ],
)
def test_the_last_checkpoint_outweighs_every_word(
    tmp_path: Path, run_id: str, log: str, row: dict[str, object], status: Status, num_conflicts: int
) -> None:
    write_scratchpad(tmp_path, {f"runs/{run_id}.log": log}, [{"run_id": run_id, **row}])
    (run,) = join_runs(parse_folder(tmp_path), 2026)
    assert (run.status, len(run.conflicts)) == (status, num_conflicts)


def test_the_indexed_run_fills_where_the_ledger_is_silent(tmp_path: Path) -> None:
    log = 'indexed_run {"final_val_loss": 3.27, "first_step_le_3p28": 2950, "final_step": 3000}\n'
    write_scratchpad(tmp_path, {"runs/a.log": log})
    outcome = join(tmp_path)["a"].outcome
    assert (outcome.final_val_loss, outcome.step_to_3_28, outcome.final_step) == (3.27, 2950, 3000)


def test_the_genuine_ledger_agrees_with_its_logs(real_scratchpad: Path) -> None:
    runs = {run.run_id: run for run in join_runs(parse_folder(real_scratchpad), 2026)}
    with (real_scratchpad / "gold.csv").open(encoding="utf-8") as file:
        stated = [row for row in csv.DictReader(file) if row["ledger_final"]]
    assert len(stated) == 31
    for row in stated:
        run = runs[row["run_id"]]
        assert run.conflicts == ()
        assert run.ledger is not None
        finals = run.ledger.trial_final_val_losses or (run.ledger.final_val_loss,)
        assert finals[int(row["trial"])] == float(row["ledger_final"])
    assert sum(len(run.ledger_lines) for run in runs.values()) == 78
    assert {name for name, run in runs.items() if run.same_log_as} == {
        "S2_s03f002ef008_3260",
        "S2_s03f002ef008_3260_8t",
    }
    assert all(run.launch is not None for run in runs.values() if run.logs)


def test_genuine_logs_are_all_dated(real_logs: Path) -> None:
    runs = join_runs(parse_folder(real_logs), 2026)
    assert len(runs) == 213
    assert all(run.launch is not None and run.launch.at.year == 2026 for run in runs)
