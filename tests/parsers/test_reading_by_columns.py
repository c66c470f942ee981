"""The two ways of reading checkpoints, by columns and line by line, tell the same of any log that both can read."""

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.byte_search import find_all
from parsers.checkpoints import _plain_trials, _walk, find_trials
from parsers.embedded_source import normalise_source, source_bytes_sha256

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
    hits = find_all(data, b"val_loss:", 0, len(data))
    walked = _walk(data, "x.log", hits, [])
    plain = _plain_trials(data, hits)
    assert repr(plain or walked) == repr(walked)
    assert repr(find_trials(data, [], "x.log")) == repr(walked)


def test_most_usual_logs_are_read_by_columns() -> None:
    line = "step:{0}/3000 val_loss:3.5 train_time:{0}.0s step_avg:200.00ms\n"
    data = "".join(line.format(step) for step in (0, 125, 250, 250)).encode()
    plain = _plain_trials(data, find_all(data, b"val_loss:", 0, len(data)))
    assert plain is not None
    assert (plain.checkpoints.step, plain.num_repeated) == ([0, 125, 250], 1)


@given(
    st.text(st.sampled_from("a \t\r\n\x0b\x1c\x85\xa0\u2028é"))
    | st.binary().map(lambda b: b.decode("latin-1"))
)
def test_bytes_and_text_of_a_source_have_one_hash(text: str) -> None:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    normal = "\n".join(lines).rstrip("\n") + "\n"
    assert normalise_source(text) == normal
    assert source_bytes_sha256(text.encode()) == hashlib.sha256(normal.encode()).hexdigest()


@given(st.binary())
def test_bytes_that_are_no_utf_8_are_hashed_as_their_replaced_text(data: bytes) -> None:
    normal = normalise_source(data.decode(errors="replace"))
    assert source_bytes_sha256(data) == hashlib.sha256(normal.encode()).hexdigest()
