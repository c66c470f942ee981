"""The ledger: every dialect that the agents wrote, and the damage that two writers do to one file."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.ledger import MAX_LINE_BYTES, Ledger, merge_entries, parse_ledger
from parsers.ledger_fields import LedgerFields, Status
from parsers.quarantine import Reason


def parse(*lines: str) -> Ledger:
    return parse_ledger("\n".join(lines).encode(), "v1/codex/scratchpad/runs.jsonl")


def facts(**row: object) -> LedgerFields:
    ledger = parse(json.dumps({"run_id": "x", **row}))
    assert ledger.parsed.quarantined == ()
    return ledger.parsed.records[0].facts


@pytest.mark.parametrize(
    ("row", "run_id"),
    [
        ({"run_id": "a", "uuid": "b"}, "a"),
        ({"uuid": "b", "log": "runs/c.log"}, "b"),
        ({"log_path": "runs/c.console.log"}, "c"),
        ({"stdout_log": "/beegfs/u/runs/d.sbatch.out"}, "d"),
        ({"tag": "stock_2500", "log": "00000000-0000-4000-8000-000000000662.txt"}, "stock_2500"),
        ({"run_id": 42}, "42"),
    ],
)
def test_a_row_is_named_by_its_id_else_by_its_log(row: dict[str, object], run_id: str) -> None:
    assert parse(json.dumps(row)).parsed.records[0].run_id == run_id


@pytest.mark.parametrize(
    "name",
    ["step_to_3_28", "step_to_target", "step_to_3.28", "first_step_le_3p28", "first_observed_step_le_3_28"],
)
def test_names_of_the_crossing(name: str) -> None:
    assert facts(**{name: 3025}).step_to_3_28 == 3025


def test_train_steps_is_the_schedule_and_not_the_last_step() -> None:
    read = facts(train_steps=3375, final_step=3250)
    assert (read.scheduled_steps, read.final_step) == (3375, 3250)


def test_a_row_about_a_run_that_goes_on_states_neither_its_end_nor_its_last_step() -> None:
    read = facts(status="running", last_step_logged=250)
    assert (read.status, read.final_step, read.last_logged_step) == (None, None, 250)


def test_a_nested_final_counts_as_part_of_the_row() -> None:
    read = facts(final={"step": 3450, "train_steps": 3475, "val_loss": 3.2779, "train_time_s": 700.5})
    assert (read.final_step, read.scheduled_steps) == (3450, 3475)
    assert (read.final_val_loss, read.train_time_s) == (3.2779, 700.5)


def test_the_rows_own_field_outweighs_the_nested_one() -> None:
    assert facts(final={"val_loss": 3.3}, final_val_loss=3.2).final_val_loss == 3.2


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("completed", Status.COMPLETED),
        ("ok", Status.COMPLETED),
        ("SUCCESS", Status.COMPLETED),
        ("done", Status.COMPLETED),
        ("0", Status.COMPLETED),
        ("1", Status.FAILED),
        ("-9", Status.FAILED),
        ("137", Status.FAILED),
        ("cancelled", Status.CANCELED),
        ("canceled", Status.CANCELED),
        ("timed_out", Status.TIMEOUT),
        ("preempted", Status.PREEMPTED),
        ("error", Status.FAILED),
        ("incomplete", Status.INCOMPLETE),
        ("who knows", None),
    ],
)
def test_words_and_exit_codes_of_the_status(status: str, expected: Status | None) -> None:
    assert facts(status=status).status == expected


def test_a_status_that_is_a_checkpoint_line_states_the_outcome() -> None:
    read = facts(status="step:2500/2500 val_loss:3.32107 train_time:351.102s step_avg:140.44ms", error=False)
    assert (read.status, read.final_step, read.scheduled_steps) == (Status.COMPLETED, 2500, 2500)
    assert (read.final_val_loss, read.train_time_s) == (3.32107, 351.102)


def test_losses_without_steps_state_no_minimum() -> None:
    """The list of one genuine row starts with 0.5, which is no loss."""
    read = facts(losses=[0.5, 10.82584, 3.32107])
    assert read == LedgerFields()


def test_a_curve_states_steps_and_losses() -> None:
    read = facts(curve=[[0, 10.8], [3000, 3.281], [3025, 3.28], [3037, 3.279]])
    assert (read.final_step, read.final_val_loss, read.min_val_loss) == (3037, 3.279, 3.279)
    assert read.step_to_3_28 == 3025


def test_several_trials_state_the_first_ones_loss() -> None:
    read = facts(trials=2, all_finals=[3.27797, 3.27668], mean=3.277325)
    assert (read.final_val_loss, read.num_trials) == (3.27797, 2)


def test_settings_may_stand_in_env() -> None:
    assert facts(env={"TRAIN_STEPS": 3260, "ENVS": "STABLE=0.3"}).scheduled_steps == 3260


@pytest.mark.parametrize(
    ("row", "at", "is_date_only"),
    [
        ({"launched_at": "2026-05-04T01:02:03Z"}, datetime(2026, 5, 4, 1, 2, 3, tzinfo=UTC), False),
        ({"time_utc": "2026-05-04T01:02:03"}, datetime(2026, 5, 4, 1, 2, 3, tzinfo=UTC), False),
        ({"time": "00:30:00", "launched": "2026-05-12"}, datetime(2026, 5, 12, tzinfo=UTC), True),
        ({"launched": "2026-05-04T01:02:03+02:00"}, datetime(2026, 5, 3, 23, 2, 3, tzinfo=UTC), False),
    ],
)
def test_launch_times(row: dict[str, object], at: datetime, is_date_only: bool) -> None:
    launched = facts(**row).launched
    assert launched is not None
    assert (launched.at, launched.is_date_only) == (at, is_date_only)


def test_a_script_that_is_a_stub_is_no_variant() -> None:
    assert facts(script="sbatch-stubs/x.sh", variant="v15").script is None
    assert facts(script="variants/x.py").script == "variants/x.py"


@pytest.mark.parametrize("value", [True, [], {}, "abc", float("nan"), float("inf"), -3, 3.5, 10**30])
def test_a_value_that_cannot_be_a_step_costs_only_itself(value: object) -> None:
    read = facts(final_step=value, final_val_loss=3.2)
    assert (read.final_step, read.final_val_loss) == (None, 3.2)


def test_later_lines_supersede_field_by_field() -> None:
    ledger = parse(
        '{"run_id": "a", "launched": "2026-05-04", "status": "incomplete"}',
        '{"run_id": "b"}',
        '{"run_id": "a", "status": "ok", "final_val_loss": 3.27, "launched": null}',
    )
    first, second = merge_entries(ledger.parsed.records)
    assert (first.run_id, first.lines, second.run_id) == ("a", (1, 3), "b")
    assert (first.facts.status, first.facts.final_val_loss) == (Status.COMPLETED, 3.27)
    assert first.facts.launched is not None


def test_half_a_line_is_quarantined_with_its_place() -> None:
    ledger = parse('{"run_id": "a"}', '{"run_id": "b", "status": "comp', '{"run_id": "c"}')
    assert [entry.run_id for entry in ledger.parsed.records] == ["a", "c"]
    (reject,) = ledger.parsed.quarantined
    assert (reject.reason, reject.line, reject.byte_offset) == (Reason.BAD_JSON, 2, 16)
    assert (ledger.num_lines, ledger.num_lines_quarantined) == (3, 1)


def test_two_jobs_that_append_at_once_lose_only_the_broken_row() -> None:
    ledger = parse('{"run_id": "a", "sta{"run_id": "b", "status": "ok"}')
    assert [entry.run_id for entry in ledger.parsed.records] == ["b"]
    assert len(ledger.parsed.quarantined) == 1


def test_two_whole_rows_on_one_line_are_both_read() -> None:
    ledger = parse('{"run_id": "a"}{"run_id": "b"}')
    assert [entry.run_id for entry in ledger.parsed.records] == ["a", "b"]
    assert (ledger.parsed.quarantined, ledger.num_lines_quarantined) == ((), 0)


def test_an_inner_object_of_a_broken_row_is_no_row() -> None:
    ledger = parse('{"run_id": "a", "env": {"log": "x.log"}, "status": "comp')
    assert ledger.parsed.records == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[1, 2]", Reason.NOT_AN_OBJECT),
        ('"text"', Reason.NOT_AN_OBJECT),
        ('{"status": "ok"}', Reason.NO_RUN_ID),
        ("not json", Reason.BAD_JSON),
        ("[" * 100_000, Reason.BAD_JSON),
        ('{"run_id": ' + "9" * 5000 + "}", Reason.BAD_JSON),
        ('{"run_id": "' + "x" * MAX_LINE_BYTES + '"}', Reason.LINE_TOO_LONG),
    ],
    ids=["list", "text", "no id", "no json", "deep", "huge number", "long"],
)
def test_reasons_for_quarantine(line: str, reason: Reason) -> None:
    ledger = parse(line, '{"run_id": "a"}')
    assert [reject.reason for reject in ledger.parsed.quarantined] == [reason]
    assert [entry.run_id for entry in ledger.parsed.records] == ["a"]


def test_blank_lines_marks_and_line_ends_are_no_rows() -> None:
    ledger = parse_ledger(b'\xef\xbb\xbf{"run_id": "a"}\r\n\r\n  \n\0\n{"run_id": "b"}', "runs.jsonl")
    assert [entry.run_id for entry in ledger.parsed.records] == ["a", "b"]
    assert ledger.num_lines == 2


VALID = b'{"run_id": "a", "final": {"step": 1}, "status": "0"}\n{"run_id": "b", "launched": "2026-05-04"}\n'


@given(st.binary(max_size=80), st.integers(0, len(VALID)), st.integers(0, 30))
def test_mutated_ledgers_lose_no_line(noise: bytes, at: int, cut: int) -> None:
    data = VALID[:at] + noise + VALID[at + cut :]
    ledger = parse_ledger(data, "runs.jsonl")
    assert ledger.num_lines_quarantined == len({reject.line for reject in ledger.parsed.quarantined})
    read = {entry.line for entry in ledger.parsed.records}
    rejected = {reject.line for reject in ledger.parsed.quarantined}
    assert len(read | rejected) == ledger.num_lines


FIELDS = ["run_id", "status", "final", "curve", "all_finals", "seed", "launched", "env", "error"]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
)


@given(st.dictionaries(st.sampled_from(FIELDS), VALUES))
def test_any_value_in_any_field_is_read(row: dict[str, object]) -> None:
    ledger = parse(json.dumps(row))
    assert len(ledger.parsed.records) + len(ledger.parsed.quarantined) == 1


def test_every_row_of_the_genuine_ledger_is_read(real_scratchpad: Path) -> None:
    data = (real_scratchpad / "v3/codex/scratchpad/runs.jsonl").read_bytes()
    ledger = parse_ledger(data, "runs.jsonl")
    assert (ledger.num_lines, len(ledger.parsed.records), ledger.parsed.quarantined) == (78, 78, ())
    merged = {run.run_id: run.facts for run in merge_entries(ledger.parsed.records)}
    assert len(merged) == 76
    assert merged["stock_2500"].final_val_loss == 3.32107
    assert merged["stock_2500"].min_val_loss is None
    assert merged["e1_muonsqrt_2500"].final_val_loss == 3.33889
