"""When a run counts as tried, and when its outcome is known."""

import math
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from linkers.outcomes.timed_runs import LONGEST_TRAIN_TIME_S, TimedRun, finish_of, time_run
from linkers.runs import join_runs
from tests.helpers import log_text, parse_folder, write_scratchpad
from tests.outcome_cases import hour


def only_run(root: Path, **row: object) -> TimedRun:
    log = log_text((0, 10.8), (3000, 3.27))
    parsed = parse_folder(write_scratchpad(root, {"runs/a.log": log}, [{"run_id": "a", **row}]))
    return time_run(join_runs(parsed, 2026)[0], {"codex--v1--a": "codex--v1--x"})


def test_an_outcome_is_known_when_the_training_time_has_passed(tmp_path: Path) -> None:
    run = only_run(tmp_path, launched_at="2026-05-02T10:00:00Z")
    assert (run.launched_at, run.finished_at) == (hour(34), hour(34) + timedelta(seconds=600))
    assert (run.step_to_3_28, run.verdict, run.idea_id) == (3000, "improved", "codex--v1--x")


def test_a_bare_date_counts_as_the_end_of_its_day(tmp_path: Path) -> None:
    """A run of 2 May may have been launched late that day: at noon it was not there for sure."""
    run = only_run(tmp_path, launched="2026-05-02")
    last_moment = hour(48) - timedelta(microseconds=1)
    assert (run.launched_at, run.finished_at) == (last_moment, last_moment + timedelta(seconds=600))


def test_without_a_launch_nothing_is_known(tmp_path: Path) -> None:
    run = only_run(tmp_path)
    assert (run.launched_at, run.finished_at, run.step_to_3_28) == (None, None, 3000)


def test_the_same_launch_under_another_id_does_not_count_again(tmp_path: Path) -> None:
    """A ledger row that names a log by the uuid which another run's log prints is that run once more."""
    head = "logs/6a0f8ad3-8a1c-4b6e-9d2f-0123456789ab.txt\n"
    files = {"runs/a.log": log_text((0, 10.8), (3000, 3.27), head=head)}
    row = {
        "run_id": "b",
        "launched_at": "2026-05-02T10:00:00Z",
        "source_log": "logs/6a0f8ad3-8a1c-4b6e-9d2f-0123456789ab.txt",
    }
    runs = join_runs(parse_folder(write_scratchpad(tmp_path, files, [row])), 2026)
    repeated = next(run for run in runs if run.run_id == "b")
    assert repeated.same_log_as == "a"
    assert time_run(repeated, {}).launched_at is None


@pytest.mark.parametrize("seconds", [None, -1.0, math.nan, math.inf, 1e300, LONGEST_TRAIN_TIME_S + 1])
def test_an_absurd_training_time_tells_nothing(seconds: float | None) -> None:
    assert finish_of(hour(0), seconds) is None


@pytest.mark.parametrize(
    ("launched", "seconds", "finished"), [(None, 60.0, None), (hour(0), 3600.0, hour(1))]
)
def test_finish(launched: datetime | None, seconds: float, finished: datetime | None) -> None:
    assert finish_of(launched, seconds) == finished
