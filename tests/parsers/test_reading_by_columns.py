"""The two ways of reading checkpoints, by columns and line by line, tell the same of any log that both can read."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.byte_search import Span, find_all
from parsers.checkpoint_columns import _read_even, _read_usual
from parsers.checkpoints import _plain_trials, _walk, find_trials
from parsers.embedded_source import normalise_source, source_sha256
from parsers.landmarks import find_landmarks

NUMBERS = st.sampled_from(["3.28", "10.82584", "nan", "inf", "-1", "4", "1e-3", ".5", "7.", "x"])
PREFIXES = st.sampled_from(["", "[rank0]: ", "0: ", "\x1b[32m", "\ufeff", "TAG=1 ", " \t"])
OTHER_LOSSES = st.sampled_from(
    ["", " val_ema_loss:3.2", " fwa_val_loss:3.1", " loss:1", "  val_avg_loss:nan", " x"]
)
FURTHER = st.sampled_from(["", " ema_beta:0.3", " ema_beta:0.3 ref_step:2375", " val_ema_loss:3.0", " x:1ms"])
ENDS = st.sampled_from(["\n", "\r\n", " \n", "\x1b[0m\n", "", "\rstep:1/2\n"])


@st.composite
def checkpoint_lines(draw: st.DrawFn) -> str:
    step, unit = draw(st.integers(0, 4)), draw(st.sampled_from(["s", "ms"]))
    return (
        f"{draw(PREFIXES)}step:{step}/3000 val_loss:{draw(NUMBERS)}{draw(OTHER_LOSSES)}"
        f" train_time:{draw(st.sampled_from(['1', '28.366', '0.5']))}{unit} step_avg:{draw(NUMBERS)}ms"
        f"{draw(FURTHER)}{draw(ENDS)}"
    )


OTHER_LINES = st.sampled_from(
    ["\n", "step:1/3000 train_time:1s\n", "val_loss:3\n", "seeded\n", "step:1/3000 val_loss:"]
)
LOGS = st.lists(checkpoint_lines() | OTHER_LINES, max_size=8).map("".join)


@settings(max_examples=1000)
@given(LOGS)
def test_columns_and_lines_agree(text: str) -> None:
    data = text.encode()
    hits, markers, *_ = find_landmarks(data, [Span(0, len(data))])
    walked = _walk(data, "x.log", hits, [])
    plain = _plain_trials(data, hits)
    assert repr(plain or walked) == repr(walked)
    assert repr(find_trials(data, hits, markers, "x.log")) == repr(walked)


EVEN_LINES = (
    "step:{0}/3000 val_loss:3.{0} train_time:{0}.5s step_avg:20{0}.00ms\n",
    "step:{0}/3000 val_loss:4.5 val_ema_loss:4.{0} train_time:{0}ms step_avg:20.1ms ema_beta:0.3\n",
    "step:{0}/3000 val_loss:4.5 fwa_val_loss:4.{0} train_time:{0}ms step_avg:nanms ema_beta:-0.3 n:12\n",
)


@settings(max_examples=1000)
@given(
    st.sampled_from(EVEN_LINES),
    st.lists(st.integers(0, 1500), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from(["", "7", "07", ".", "-", "nan", " ", "x"]))),
)
def test_lines_of_one_shape_and_lines_agree_wherever_a_character_slips_in(
    line: str, steps: list[int], slips: list[tuple[int, str]]
) -> None:
    text = "".join(line.format(step) for step in steps)
    for at, slip in slips:
        text = text[:at] + slip + text[at + (slip == "") :]
    data = text.encode()
    hits = find_all(data, b"val_loss:", 0, len(data))
    walked = _walk(data, "x.log", hits, [])
    assert repr(_plain_trials(data, hits) or walked) == repr(walked)


@pytest.mark.parametrize("line", EVEN_LINES)
def test_lines_of_one_shape_are_read_at_once(line: str) -> None:
    lines = [line.format(step).strip() for step in (0, 125, 250)]
    even = _read_even("\n".join(lines).encode(), 3)
    assert even is not None
    assert repr(even) == repr(_read_usual("\n".join(lines).encode(), 3))


@pytest.mark.parametrize(
    "line",
    [
        "step:07/3000 val_loss:3.5 train_time:1.5s step_avg:2.00ms",
        "step:7/3000 val_loss:3..5 train_time:1.5s step_avg:2.00ms",
        "step:7/3000 val_loss:3.5 train_time:1.5s step_avg:nanms8",
        "step:7/3000 val_loss:3.5 train_time:1.5s step_avg:8nanms",
        "step:7/3000 val_loss:3.5 val_ema2_loss:1.5 train_time:1.5s step_avg:8ms",
        "step:7/3000 val_loss:3.5 5train_time:1.5s step_avg:8ms",
        "step:7/3000 val_loss:3.5 train_time:1.5s step_avg:8ms4",
        "step:7/9999999999 val_loss:3.5 train_time:1.5s step_avg:8ms",
    ],
)
def test_a_shape_alone_is_not_believed(line: str) -> None:
    assert _read_even(line.encode(), 1) is None


def test_most_usual_logs_are_read_by_columns() -> None:
    line = "step:{0}/3000 val_loss:3.5 train_time:{0}.0s step_avg:200.00ms\n"
    data = "".join(line.format(step) for step in (0, 125, 250, 250)).encode()
    plain = _plain_trials(data, find_all(data, b"val_loss:", 0, len(data)))
    assert plain is not None
    assert (list(plain.checkpoints.step), plain.num_repeated) == ([0, 125, 250], 1)


@given(
    st.text(st.sampled_from("a \t\r\n\x0b\x1c\x85\xa0\u2028é"))
    | st.binary().map(lambda b: b.decode("latin-1"))
)
def test_bytes_and_text_of_a_source_have_one_hash(text: str) -> None:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    normal = "\n".join(lines).rstrip("\n") + "\n"
    assert normalise_source(text.encode()) == normal.encode()
    assert source_sha256(text) == hashlib.sha256(normal.encode()).hexdigest()


@given(st.binary())
def test_bytes_that_are_no_utf_8_are_replaced(data: bytes) -> None:
    assert normalise_source(data) == normalise_source(data.decode(errors="replace").encode())
