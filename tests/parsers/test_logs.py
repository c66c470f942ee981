"""Whole logs: what stands round the checkpoints, and the genuine logs with their gold figures."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.logs import EndNote, Log, VariantMention, parse_log, run_id_of_log
from parsers.quarantine import Quarantined, Reason
from parsers.source_table import SourceTable
from parsers.times import YearlessTime

EQUALS = "=" * 100
SOURCE = (
    '"""muon, sample line:\nstep:125/3000 val_loss:3.10000 train_time:1.0s step_avg:8.00ms\n"""\nLR = 0.02\n'
)
HEADER = f"{EQUALS}\nRunning PyTorch 2.10.0 compiled for CUDA 12.8\n{EQUALS}\n"
BODY = (
    "step:0/3000 val_loss:10.82584 train_time:0.000s step_avg:nanms\n"
    "step:125/3000 val_loss:4.50000 train_time:25.0s step_avg:200.00ms\n"
)


def parse(text: str | bytes) -> Log:
    log = parse_log(text.encode() if isinstance(text, str) else text, "runs/x.log", SourceTable())
    assert isinstance(log, Log)
    return log


def source_in(text: str) -> list[str]:
    texts = SourceTable()
    log = parse_log(text.encode(), "runs/x.log", texts)
    assert isinstance(log, Log)
    assert log.source_sha256 == next(iter(texts.texts), None)
    return [*texts.texts.values()]


@pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\0\0\0"])
def test_an_empty_log_is_quarantined(data: bytes) -> None:
    reject = parse_log(data, "runs/x.log", SourceTable())
    assert isinstance(reject, Quarantined)
    assert (reject.reason, reject.line) == (Reason.EMPTY_FILE, None)


def test_source_before_the_delimiter_is_kept_and_holds_no_checkpoints() -> None:
    log = parse(SOURCE + HEADER + BODY)
    assert source_in(SOURCE + HEADER + BODY) == [SOURCE]
    assert list(log.checkpoints.step) == [0, 125]


def test_wrapper_lines_before_the_source_are_cut() -> None:
    wrapper = "### START_ISO=2026-05-02T15:42:04Z\n### NODE=gpu-12\nbatch_id=7\n"
    log = parse(wrapper + SOURCE + HEADER + BODY)
    assert source_in(wrapper + SOURCE + HEADER + BODY) == [SOURCE]
    assert log.preamble.stated_launch is not None
    assert log.preamble.stated_launch.at == datetime(2026, 5, 2, 15, 42, 4, tzinfo=UTC)


def test_a_log_with_nothing_but_source_has_no_checkpoints() -> None:
    assert (source_in(SOURCE), len(parse(SOURCE).checkpoints)) == ([SOURCE], 0)


def test_a_log_without_source_has_none() -> None:
    assert source_in(HEADER + BODY) == []
    assert source_in(BODY) == []


def test_a_requeued_job_prints_its_source_again() -> None:
    log = parse(SOURCE + HEADER + BODY + SOURCE + HEADER + BODY.replace("4.50000", "4.60000"))
    assert list(zip(log.checkpoints.trial, log.checkpoints.step, strict=True)) == [(0, 0), (0, 125), (1, 125)]


def test_equal_signs_inside_a_comment_are_no_delimiter() -> None:
    source = f"import torch\n# {EQUALS}\nLR = 1\n"
    assert source_in(source + HEADER + BODY) == [source]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("\ufeff### start_iso: 2026-04-29T19:22:39Z", datetime(2026, 4, 29, 19, 22, 39, tzinfo=UTC)),
        ("### start_iso: 2026-04-29T19:22:39Z", datetime(2026, 4, 29, 19, 22, 39, tzinfo=UTC)),
        ("### START_ISO=2026-05-02T15:42:04", datetime(2026, 5, 2, 15, 42, 4, tzinfo=UTC)),
        ("### START_ISO=2026-05-02T15:42:04+02:00", datetime(2026, 5, 2, 13, 42, 4, tzinfo=UTC)),
        ("### START_ISO=2026-05-02T01:42:04-0700", datetime(2026, 5, 2, 8, 42, 4, tzinfo=UTC)),
        ("Run UTC timestamp=2026-05-14T16:32:13Z", datetime(2026, 5, 14, 16, 32, 13, tzinfo=UTC)),
        ("batch_start=2026-05-18T15:03:48+00:00", datetime(2026, 5, 18, 15, 3, 48, tzinfo=UTC)),
        ("=== seed 2 start 2026-05-18T15:03:48+00:00 ===", datetime(2026, 5, 18, 15, 3, 48, tzinfo=UTC)),
        ("Mon May 18 13:54:45 UTC 2026", datetime(2026, 5, 18, 13, 54, 45, tzinfo=UTC)),
        ("batch start Thu Aug 13 13:38:39 UTC 2026: x", datetime(2026, 8, 13, 13, 38, 39, tzinfo=UTC)),
    ],
)
def test_stated_launch_times(line: str, expected: datetime) -> None:
    stated = parse(line + "\n" + BODY).preamble.stated_launch
    assert stated is not None
    assert (stated.at, stated.is_date_only) == (expected, False)


def test_the_launch_is_found_below_a_summary_that_a_wrapper_prints_first() -> None:
    summary = "seed:7\nstep:3000/3000 val_loss:3.28157 train_time:445.3s step_avg:137.81ms\nRESULT: no\n"
    stamp = "W0813 09:20:40.786000 1094936 torch/distributed/run.py:851]\n"
    log = parse(summary + stamp + "seed:7\n" + BODY)
    assert log.preamble.torch_stamp == YearlessTime(8, 13, 33640786000)


@pytest.mark.parametrize(
    "line",
    ["### END_ISO=2026-05-02T15:42:04Z", "data/val-2026-05-09/ceil.txt", "finished 2026-05-02T15:42:04Z"],
)
def test_other_dates_do_not_launch_a_run(line: str) -> None:
    assert parse(line + "\n" + BODY).preamble.stated_launch is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("W0518 15:03:49.681000 1735 torch/distributed/run.py:851] ", YearlessTime(5, 18, 54229681000)),
        ("[rank5]:W0429 19:22:41.795000 x", YearlessTime(4, 29, 69761795000)),
        ("[W610 23:17:09.483868212 socket.cpp:752] x", YearlessTime(6, 10, 83829483868)),
        ("[W1012 03:00:00.5 socket.cpp:752] x", YearlessTime(10, 12, 10800500000)),
    ],
)
def test_stamps_of_torch_lack_a_year(line: str, expected: YearlessTime) -> None:
    log = parse(line + "\n" + BODY)
    assert log.preamble.torch_stamp == expected
    assert log.preamble.stated_launch is None


@pytest.mark.parametrize(
    ("line", "seed"),
    [
        ("Using seed=13", 13),
        ("Using seed_env=0", 0),
        ("seed:12648430", 12648430),
        ("trial:1/30 seed:5", 5),
        ("command=torchrun train.py --seed 2", 2),
        ("Using data_seed=4", None),
        ("experiment=soda_fade_seeds2_12", None),
    ],
)
def test_seeds(line: str, seed: int | None) -> None:
    assert parse(HEADER + line + "\n" + BODY).seed == seed


def test_recompile_warnings_name_the_variant_once_a_place() -> None:
    place = "function: 'muon_update' (/beegfs/u/scratchpad/variants/train_gpt_simple_v32wd026.py:208)\n"
    other = "function: 'step' (/beegfs/u/scratchpad/variants/train_gpt_simple_v32wd026.py:300)\n"
    ranks = "".join(f"[rank{rank}]:W0512 11:01:12.000 {place}" for rank in range(8))
    log = parse(HEADER + BODY + ranks + ranks + "[rank0]:W0512 11:01:13.000 " + other)
    path = "/beegfs/u/scratchpad/variants/train_gpt_simple_v32wd026.py"
    assert log.variant_mentions == (VariantMention(path, 2),)


def test_the_last_indexed_run_is_read() -> None:
    log = parse(
        BODY + 'indexed_run {"final_val_loss": 3.3}\nindexed_run {"final_val_loss": 3.2, "final_step": 7}\n'
    )
    assert log.indexed_run is not None
    assert (log.indexed_run.final_val_loss, log.indexed_run.final_step) == (3.2, 7)


def test_a_broken_indexed_run_falls_back_on_the_one_before() -> None:
    log = parse(BODY + 'indexed_run {"final_val_loss": 3.3}\nindexed_run {"final_val_loss": 3.2')
    assert log.indexed_run is not None
    assert log.indexed_run.final_val_loss == 3.3


@pytest.mark.parametrize(
    ("tail", "note"),
    [
        (
            "slurmstepd: error: *** JOB 7743 CANCELLED AT 2026-05-01T10:00:00 DUE TO PREEMPTION ***",
            EndNote.PREEMPTED,
        ),
        (
            "slurmstepd: error: *** JOB 7743 CANCELLED AT 2026-05-01T10:00:00 DUE TO TIME LIMIT ***",
            EndNote.TIMEOUT,
        ),
        ("slurmstepd: error: *** JOB 7743 CANCELLED AT 2026-05-01T10:00:00 ***", EndNote.CANCELED),
        ("Traceback (most recent call last):\n  File x\nRuntimeError: boom", EndNote.TRACEBACK),
        ("all is well", None),
    ],
)
def test_the_tail_says_how_it_ended(tail: str, note: EndNote | None) -> None:
    assert parse(BODY + tail + "\n").end_note == note


def test_a_run_that_reached_its_schedule_ended_well_whatever_follows() -> None:
    whole = BODY + "step:3000/3000 val_loss:3.27000 train_time:600.0s step_avg:200.00ms\n"
    assert parse(whole + "Traceback (most recent call last):\n").end_note is None


@pytest.mark.parametrize(
    ("path", "run_id"),
    [
        ("v1/codex/scratchpad/runs/a-seed0.log", "a-seed0"),
        ("v1/codex/scratchpad/runs/a-seed0.console.log", "a-seed0"),
        ("v1/codex/scratchpad/runs/a-seed0.sbatch.log", "a-seed0"),
        ("v1/codex/scratchpad/runs/a.b-seed0.sbatch.out", "a.b-seed0"),
        ("v1/codex/scratchpad/runs/a-seed0/console.log", "a-seed0"),
        ("v1/codex/scratchpad/runs/log.log", "log"),
    ],
)
def test_the_logs_of_one_run_share_its_id(path: str, run_id: str) -> None:
    assert run_id_of_log(path) == run_id


VALID = (SOURCE + HEADER + BODY + 'indexed_run {"final_val_loss": 3.3}\n').encode()


@given(st.binary(max_size=400), st.integers(0, len(VALID)), st.integers(0, 60))
def test_mutated_logs_give_a_log_or_a_reject(noise: bytes, at: int, cut: int) -> None:
    result = parse_log(VALID[:at] + noise + VALID[at + cut :], "runs/x.log", SourceTable())
    if isinstance(result, Log):
        columns = [getattr(result.checkpoints, name) for name in result.checkpoints.__slots__]
        assert {len(column) for column in columns} == {len(result.checkpoints)}
        assert all(reject.line for reject in result.damaged)
    else:
        assert result.reason == Reason.EMPTY_FILE


FRAGMENTS = [b"step:", b"1/2", b" val_loss:", b"3.2", b"nan", b"\n", b"\r", b"seed:1", b"\0", b"trial:2/3"]
FRAGMENTS += [b" train_time:1s", b"=" * 100, b"import x\n", b"[rank0]:"]


@given(st.lists(st.sampled_from(FRAGMENTS)))
def test_any_order_of_fragments_is_read(fragments: list[bytes]) -> None:
    result = parse_log(b"".join(fragments), "runs/x.log", SourceTable())
    assert isinstance(result, Log | Quarantined)


def test_a_line_too_long_to_be_read_ends_the_line_before_it() -> None:
    log = parse(BODY + "x" * 10_000 + " val_loss:3.2 train_time:1s\n" + BODY.replace("4.5", "4.6"))
    assert list(log.checkpoints.step) == [0, 125, 125]


def test_one_endless_line_is_read_in_one_go() -> None:
    log = parse(b"x" * 5_000_000 + b" val_loss:3.2" * 1000)
    assert len(log.checkpoints) == 0


def _gold(folder: Path) -> list[dict[str, str]]:
    with (folder / "gold.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _check_gold(folder: Path, suffix: str) -> int:
    rows = _gold(folder)
    trials_of: dict[Path, int] = {}
    for row in rows:
        path = folder / row["wave"] / row["agent"] / "scratchpad/runs" / (row["run_id"] + suffix)
        trials_of[path] = trials_of.get(path, 0) + 1
        log = parse_log(path.read_bytes(), row["run_id"], SourceTable())
        assert isinstance(log, Log)
        out = log.checkpoints
        mine = [index for index, trial in enumerate(out.trial) if trial == int(row["trial"])]
        crossing = next((str(out.step[index]) for index in mine if out.val_loss[index] <= 3.28), "")
        assert {
            "n_checkpoints": str(len(mine)),
            "first_step": str(out.step[mine[0]]),
            "final_step": str(out.step[mine[-1]]),
            "scheduled_steps": str(out.scheduled_steps[mine[-1]]),
            "first_step_le_3_28": crossing,
        }.items() <= row.items(), row
        assert out.val_loss[mine[-1]] == float(row["final_val_loss"])
    for path, count in trials_of.items():
        log = parse_log(path.read_bytes(), path.name, SourceTable())
        assert isinstance(log, Log)
        assert len(log.trial_seeds) == count, path
    return len(rows)


def test_genuine_logs_give_their_gold_figures(real_logs: Path) -> None:
    assert _check_gold(real_logs, ".log") == 309


def test_genuine_scratchpad_gives_its_gold_figures(real_scratchpad: Path) -> None:
    assert _check_gold(real_scratchpad, ".out") == 75
