"""Checkpoints and trials: one test a quirk of real logs."""

import math
from dataclasses import fields

import pytest

from parsers.byte_search import Span
from parsers.checkpoint_columns import Checkpoints
from parsers.checkpoints import Trials, find_trials
from parsers.embedded_source import outside
from parsers.landmarks import find_landmarks
from parsers.quarantine import Reason


def read(text: str | bytes) -> Trials:
    data = text.encode() if isinstance(text, str) else text
    return read_output(data, [Span(0, len(data))])


def read_output(data: bytes, output: list[Span]) -> Trials:
    landmarks = find_landmarks(data, output)
    return find_trials(data, landmarks.checkpoints, landmarks.markers, "runs/x.log")


def line(step: int, loss: object = 3.5, *, scheduled: int = 3000, time: str = "") -> str:
    time = time or f"{step * 0.2:.3f}s"
    average = "nan" if step == 0 else "200.00"
    return f"step:{step}/{scheduled} val_loss:{loss} train_time:{time} step_avg:{average}ms\n"


def rows(checkpoints: Checkpoints) -> list[tuple[float | None, ...]]:
    return list(zip(*(getattr(checkpoints, field.name) for field in fields(checkpoints)), strict=True))


def steps_by_trial(checkpoints: Checkpoints) -> list[list[int]]:
    trials: list[list[int]] = [[] for _ in range(max(checkpoints.trial, default=-1) + 1)]
    for trial, step in zip(checkpoints.trial, checkpoints.step, strict=True):
        trials[trial].append(step)
    return trials


def test_a_usual_line_gives_every_column() -> None:
    out = read("step:125/2900 val_loss:4.47040 train_time:28.366s step_avg:226.93ms\n").checkpoints
    assert rows(out) == [(0, 125, 2900, 4.4704, None, None, 28.366, 226.93)]


def test_training_lines_are_no_checkpoints() -> None:
    assert len(read("step:124/2900 train_time:28.1s step_avg:226.9ms\n").checkpoints) == 0


def test_step_avg_of_step_0_is_no_number() -> None:
    out = read("step:0/3300 val_loss:10.82584 train_time:0.000s step_avg:nanms\n").checkpoints
    assert math.isnan(out.step_avg_ms[0])
    assert list(out.val_loss) == [10.82584]


@pytest.mark.parametrize(
    ("fields", "ema", "average"),
    [
        ("val_loss:3.3 val_ema_loss:3.29 train_time:1s", 3.29, None),
        ("val_loss:3.3 ema_val_loss:3.29 train_time:1s", 3.29, None),
        ("val_loss:3.3 val_avg_loss:3.28 train_time:1s", None, 3.28),
        ("val_loss:3.3 fwa_val_loss:3.28 val_ema_loss:3.29 train_time:1s", 3.29, 3.28),
        ("ema_val_loss:3.29 val_loss:3.3 train_time:1s", 3.29, None),
        ("val_loss:3.3 train_time:1s step_avg:1.00ms val_ema_loss:3.29", 3.29, None),
    ],
)
def test_losses_of_averaged_weights_have_columns_of_their_own(
    fields: str, ema: float | None, average: float | None
) -> None:
    out = read(f"step:125/2900 {fields}\n").checkpoints
    assert (list(out.val_loss), out.val_ema_loss, out.val_avg_loss) == ([3.3], [ema], [average])


def test_fields_behind_step_avg_are_passed_over() -> None:
    text = (
        "step:2860/2900 val_loss:3.27837 train_time:2145.235s step_avg:750.08ms "
        "ema_beta:0 ref_gamma:-0.075 ref_step:2375\n"
    )
    out = read(text).checkpoints
    assert rows(out) == [(0, 2860, 2900, 3.27837, None, None, 2145.235, 750.08)]


def test_older_logs_give_train_time_in_ms() -> None:
    out = read("step:125/2900 val_loss:4.5 train_time:28366ms step_avg:226.93ms\n").checkpoints
    assert list(out.train_time_s) == [28.366]


def test_a_loss_of_exactly_the_target_is_kept_exactly() -> None:
    assert list(read(line(3000, "3.28000")).checkpoints.val_loss) == [3.28]


def test_losses_that_are_no_numbers_are_kept() -> None:
    out = read(line(0, "nan") + line(125, "inf") + line(250, "-inf")).checkpoints
    assert math.isnan(out.val_loss[0])
    assert list(out.val_loss[1:]) == [math.inf, -math.inf]


def test_trials_are_told_by_the_step_going_back() -> None:
    trials = read(line(125) + line(250) + line(125, 3.6) + line(250, 3.4))
    assert steps_by_trial(trials.checkpoints) == [[125, 250], [125, 250]]


def test_a_trial_marker_names_the_seed() -> None:
    text = "trial:1/2 seed:7\n" + line(125) + line(250) + "trial:2/2 seed:9\n" + line(125, 3.6)
    trials = read(text)
    assert trials.seeds == (7, 9)
    assert steps_by_trial(trials.checkpoints) == [[125, 250], [125]]


def test_a_marker_starts_a_trial_although_the_step_grows() -> None:
    """The first trial died at step 0, so the second one's first step is larger."""
    trials = read("trial:1/2 seed:0\n" + line(0, 10.8) + "trial:2/2 seed:1\n" + line(125) + line(250))
    assert steps_by_trial(trials.checkpoints) == [[0], [125, 250]]


def test_a_batch_script_heads_each_seed() -> None:
    text = (
        "=== seed 2 start 2026-05-18T15:03:48+00:00 ===\n"
        + line(125)
        + line(3000, 3.27)
        + "=== seed 2 exit_status=0 end 2026-05-18T15:23:10+00:00 ===\n"
        + line(3000, 3.27)
        + "=== seed 3 start 2026-05-18T15:23:15+00:00 ===\n"
        + line(125, 3.6)
    )
    trials = read(text)
    assert steps_by_trial(trials.checkpoints) == [[125, 3000], [125]]
    assert (trials.seeds, trials.num_repeated) == ((2, 3), 1)


def test_an_echoed_line_is_neither_checkpoint_nor_trial() -> None:
    tail = line(3000, 3.278) + line(3020, 3.277) + line(3040, 3.276)
    trials = read(line(125) + tail + "=== done ===\n" + tail)
    assert steps_by_trial(trials.checkpoints) == [[125, 3000, 3020, 3040]]
    assert trials.num_repeated == 3


def test_step_0_that_every_trial_prints_alike_counts_once() -> None:
    trials = read(line(0, 10.82584) + line(125) + line(0, 10.82584) + line(125, 3.6))
    assert steps_by_trial(trials.checkpoints) == [[0, 125], [125]]


def test_behind_a_bare_seed_line_repeated_lines_count_afresh() -> None:
    """A wrapper prints the last checkpoint first, then the log of the process that `seed:` heads."""
    text = "seed:7\n" + line(250, 3.2) + "RESULT: x\nseed:7\n" + line(0) + line(125) + line(250, 3.2)
    assert steps_by_trial(read(text).checkpoints) == [[250], [0, 125, 250]]


def test_a_resumed_log_starts_late() -> None:
    assert steps_by_trial(read(line(2375) + line(2500)).checkpoints) == [[2375, 2500]]


@pytest.mark.parametrize(
    "text",
    [
        "tailavg step:2720 lambda:0.5 val_loss:3.27000 train_time:1.0s\n",
        "tail_ema applied step:2720 tau:150 lambda:0.6 start_step:2000\n",
        'print0(f"step:{step}/{n} val_loss:{val_loss:.5f} train_time:{t}ms")\n',
        "best val_loss:3.27000\n",
    ],
)
def test_probes_events_and_code_are_no_checkpoints(text: str) -> None:
    trials = read(text)
    assert len(trials.checkpoints) == 0
    assert trials.damaged == ()


@pytest.mark.parametrize(
    "prefix",
    ["\ufeff", "[rank0]:", "[rank0]: ", "0: ", "\x1b[32m", "  ", "[2026-05-01 10:00:00] ", "\x1b[1m[rank3]:"],
)
def test_prefixes_are_peeled(prefix: str) -> None:
    assert list(read(prefix + line(125)).checkpoints.step) == [125]


def test_colours_inside_a_line_are_peeled() -> None:
    text = "step:125/3000 val_loss:\x1b[31m3.27000\x1b[0m train_time:1.0s step_avg:8.00ms\n"
    assert list(read(text).checkpoints.val_loss) == [3.27]


def test_windows_line_ends_and_progress_bars() -> None:
    text = line(125).replace("\n", "\r\n") + "50%|####\r" + line(250).replace("\n", "\r")
    assert list(read(text).checkpoints.step) == [125, 250]


@pytest.mark.parametrize("size", range(1, len(line(2900, "3.27800").rstrip()) + 1))
def test_a_truncated_last_line_never_shows_a_false_loss(size: int) -> None:
    whole = line(2900, "3.27800").rstrip()
    trials = read(line(2800, "3.30000") + whole[:size])
    assert list(trials.checkpoints.val_loss) in ([3.3], [3.3, 3.278])
    if "val_loss:" in whole[:size] and len(trials.checkpoints) == 1:
        assert [reject.reason for reject in trials.damaged] == [Reason.DAMAGED_CHECKPOINT]
        assert trials.damaged[0].line == 2


def test_a_job_that_writes_into_an_unfinished_line_loses_only_that_line() -> None:
    text = line(125) + "step:250/3000 val_loss:3." + line(0, 10.8) + line(125, 3.6)
    trials = read(text)
    assert steps_by_trial(trials.checkpoints) == [[125], [0, 125]]
    assert len(trials.damaged) == 1


def test_invalid_utf8_around_a_checkpoint_does_no_harm() -> None:
    data = b"\xff\xfe\x00junk\n" + line(125).encode() + b"\xc3\x28\n"
    assert list(read(data).checkpoints.step) == [125]


def test_text_inside_sources_is_no_checkpoint() -> None:
    text = ("'''sample:\n" + line(125) + "'''\n").encode()
    data = text + line(250).encode()
    trials = read_output(data, outside([Span(0, len(text))], len(data)))
    assert list(trials.checkpoints.step) == [250]
