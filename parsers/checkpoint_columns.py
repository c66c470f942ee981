"""Checkpoint lines read column by column, as the lines of most logs can be: only their numbers differ."""

import math
import re
import string
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import ge, lt
from typing import TYPE_CHECKING

import msgspec

from parsers.byte_search import find

if TYPE_CHECKING:
    Ints = array[int]
    Floats = array[float]
else:  # an array takes no parameter before Python 3.12
    Ints = Floats = array

NUMBER = rb"[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+|nan|inf)"
PLAIN_PREFIX = rb"[ \t]|\xef\xbb\xbf|\[[^\]\n]{1,40}\]:?|\d{1,4}:[ \t]"
ANSI = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
EMA_NAMES = (b"val_ema_loss", b"ema_val_loss")
AVG_NAMES = (b"val_avg_loss", b"avg_val_loss", b"fwa_val_loss", b"val_fwa_loss")

_OTHER_NAME = rb"(" + b"|".join([*EMA_NAMES, *AVG_NAMES]) + rb")"
_FURTHER_NAME = rb"(?!\w*loss)[A-Za-z_]\w{0,40}"
USUAL_LINE = re.compile(
    rb"^(?:%b)*(step:(\d{1,9})/(\d{1,9}) val_loss:(%b)(?: %b:(%b))?"
    rb" train_time:(\d+(?:\.\d*)?)(m?s) step_avg:(%b)ms(?: %b:%b(?![\w.]))*)[ \t]*\r?(?:\n|\Z)"
    % (PLAIN_PREFIX, NUMBER, _OTHER_NAME, NUMBER, NUMBER, _FURTHER_NAME, NUMBER),
    re.MULTILINE,
)
UsualRow = tuple[bytes, ...]

_EVEN_SHAPE = re.compile(
    rb"step:/ val_loss:\.?(?: %b:\.?)? train_time:\.?(m?s) step_avg:\.?ms(?: %b:-?\.?)*"
    % (_OTHER_NAME, _FURTHER_NAME)
)
_STEP_LIMIT = 10**9
_DIGITS = b"0123456789"
_NO_AVERAGE = b"-1"
"""Stands for an average of `nan`, as at step 0: no even line has a sign there."""

_LETTERS = (string.ascii_letters + "_").encode()
_CLASSES = bytes.maketrans(_DIGITS + _LETTERS + b"\n", b"1" * 10 + b"a" * len(_LETTERS) + b" ")
"""Writes any digit as 1, any letter as a, and a line's end as a blank."""

_COMMAS = bytes.maketrans(b"/ \n", b",,,")
_NAMES = _LETTERS + b":"
_NUMBERS = msgspec.json.Decoder(list[float])


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The checkpoints of one log, as columns of equal length in the order of the log.

    Attributes:
        trial: 0-based number of the trial in the log.
        step: Optimizer steps taken.
        scheduled_steps: Steps the schedule was laid out for.
        val_loss: Validation loss of the trained weights; NaN and infinities are kept.
        val_ema_loss: Loss of an exponential moving average of the weights, where printed.
        val_avg_loss: Loss of another average of the weights, where printed.
        train_time_s: Seconds of training so far.
        step_avg_ms: Milliseconds a step so far; not finite where there is none, as at step 0.
    """

    trial: Ints = field(default_factory=lambda: array("q"))
    step: Ints = field(default_factory=lambda: array("q"))
    scheduled_steps: Ints = field(default_factory=lambda: array("q"))
    val_loss: Floats = field(default_factory=lambda: array("d"))
    val_ema_loss: list[float | None] = field(default_factory=list)
    val_avg_loss: list[float | None] = field(default_factory=list)
    train_time_s: Floats = field(default_factory=lambda: array("d"))
    step_avg_ms: Floats = field(default_factory=lambda: array("d"))

    def __len__(self) -> int:
        """Count the checkpoints."""
        return len(self.step)


def read_columns(text: bytes) -> Checkpoints | None:
    """Read checkpoint lines as columns; lines that repeat each other count once.

    Args:
        text: The lines, none of which ends a process: a smaller step alone starts a trial.

    Returns:
        The checkpoints, or None where a line is another than a usual one.
    """
    num_lines = text.count(b"\n") + 1
    even = _read_even(text, num_lines)
    if even is None:
        return _read_usual(text, num_lines)
    if even.trial[-1] == 0:  # the steps grow, so no line repeats another
        return even
    distinct = dict.fromkeys(text.split(b"\n"))
    return _read_even(b"\n".join(distinct), len(distinct))


def _read_even(text: bytes, num_lines: int) -> Checkpoints | None:
    """Read lines that differ in their digits alone, all at once: without names they are a list of numbers."""
    shapes = text.translate(None, _DIGITS)
    first = shapes.partition(b"\n")[0]
    if b"nan" in shapes:
        shapes = shapes.replace(b" step_avg:nanms", b" step_avg:.ms")
        first = shapes.partition(b"\n")[0]
        text = text.replace(b" step_avg:nanms", b" step_avg:" + _NO_AVERAGE + b"ms")
        if b"nan" in text:  # among digits, or in another field
            return None
    shape = _EVEN_SHAPE.fullmatch(first)
    if shape is None or shapes != b"\n".join([first] * num_lines) or _has_digits_in_names(text):
        return None
    try:
        numbers = _NUMBERS.decode(b"[" + text.translate(_COMMAS, _NAMES) + b"]")
    except msgspec.DecodeError:  # such as a number without a digit, or with a zero too many
        return None
    width = len(numbers) // num_lines
    other, unit = shape.groups()
    others: list[float | None] = [*numbers[3::width]]
    time_at = 3 if other is None else 4
    step = list(map(int, numbers[::width]))
    scheduled_steps = array("q", map(int, numbers[1::width]))
    times, averages = numbers[time_at::width], numbers[time_at + 1 :: width]
    if max(step) >= _STEP_LIMIT or max(scheduled_steps) >= _STEP_LIMIT:
        return None
    return Checkpoints(
        trial=_trials(step),
        step=array("q", step),
        scheduled_steps=scheduled_steps,
        val_loss=array("d", numbers[2::width]),
        val_ema_loss=others if other in EMA_NAMES else [None] * num_lines,
        val_avg_loss=others if other in AVG_NAMES else [None] * num_lines,
        train_time_s=array("d", [time / 1000 for time in times] if unit == b"ms" else times),
        step_avg_ms=array("d", [math.nan if each < 0 else each for each in averages]),
    )


def _has_digits_in_names(text: bytes) -> bool:
    """Whether a digit begins a name or follows one, where it would be read as one of the number's."""
    classes = b" " + text.translate(_CLASSES)
    return any(find(classes, pair, 0, len(classes)) >= 0 for pair in (b"a1", b" 1"))


def _read_usual(text: bytes, num_lines: int) -> Checkpoints | None:
    """Read lines of the usual fields, each with a prefix, an other loss and further fields of its own."""
    rows: list[UsualRow] = USUAL_LINE.findall(ANSI.sub(b"", text) if b"\x1b" in text else text)
    if len(rows) != num_lines:
        return None
    columns = zip(*dict.fromkeys(rows), strict=True)
    _, steps, scheduled, losses, names, others, times, units, averages = columns
    step = list(map(int, steps))
    return Checkpoints(
        trial=_trials(step),
        step=array("q", step),
        scheduled_steps=array("q", map(int, scheduled)),
        val_loss=array("d", map(float, losses)),
        val_ema_loss=_named(names, others, EMA_NAMES),
        val_avg_loss=_named(names, others, AVG_NAMES),
        train_time_s=array("d", map(seconds, times, units)),
        step_avg_ms=array("d", map(float, averages)),
    )


def _trials(step: list[int]) -> Ints:
    if all(map(lt, step, step[1:])):
        return array("q", bytes(8 * len(step)))
    return array("q", accumulate(map(ge, step, step[1:]), initial=0))


def _named(names: Sequence[bytes], values: Sequence[bytes], wanted: tuple[bytes, ...]) -> list[float | None]:
    if not any(names):
        return [None] * len(names)
    return [float(value) if name in wanted else None for name, value in zip(names, values, strict=True)]


def seconds(text: bytes, unit: bytes) -> float:
    """Read a time in `s` or `ms`."""
    return float(text) / 1000 if unit == b"ms" else float(text)
