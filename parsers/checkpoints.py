"""The validation checkpoints of a training log, trial by trial."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from math import isfinite
from operator import ge
from typing import NamedTuple

from parsers.byte_search import find, find_all
from parsers.embedded_source import SourceSpan
from parsers.kinds import FileKind
from parsers.quarantine import Quarantined, Reason, excerpt

TARGET_VAL_LOSS = 3.28
"""The loss that the experiment counts steps to. Reaching it exactly counts."""

_MAX_LINE_BYTES = 4096
_MAX_RESTARTS_IN_A_LINE = 4
_MAX_QUARANTINED_LINES = 1000

_NUMBER = rb"[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+|nan|inf)"
_PLAIN_PREFIX = rb"[ \t]|\xef\xbb\xbf|\[[^\]\n]{1,40}\]:?|\d{1,4}:[ \t]"
_PREFIX = re.compile(rb"(?:\x1b\[[0-9;]*[A-Za-z]|" + _PLAIN_PREFIX + rb")*")
_OTHER_LOSS = (
    rb"(val_ema_loss|ema_val_loss|val_avg_loss|avg_val_loss|fwa_val_loss|val_fwa_loss):(%b)" % _NUMBER
)
_FURTHER_FIELD = rb"(?!\w*loss)[A-Za-z_]\w{0,40}:%b(?![\w.])" % _NUMBER
_USUAL_LINE = re.compile(
    rb"^(?:%b)*(step:(\d{1,9})/(\d{1,9}) val_loss:(%b)(?: %b)?"
    rb" train_time:(\d+(?:\.\d*)?)(m?s) step_avg:(%b)ms(?: %b)*)[ \t]*\r?(?:\n|\Z)"
    % (_PLAIN_PREFIX, _NUMBER, _OTHER_LOSS, _NUMBER, _FURTHER_FIELD),
    re.MULTILINE,
)
_UsualRow = tuple[bytes, ...]
_RESTART = re.compile(rb"step:\d{1,9}/\d")
_STEP = re.compile(rb"step:(\d{1,9})/(\d{1,9})[ \t]")
_FIELD = re.compile(rb"([A-Za-z_]\w{0,40}):(" + _NUMBER + rb")(m?s)?(?![\w.])")
_CLOSING_FIELD = re.compile(rb"step_avg:" + _NUMBER + rb"ms(?!\w)")
_ANSI = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")

_SECONDS = {b"s": 1.0, b"ms": 0.001}
_EMA_NAMES = (b"val_ema_loss", b"ema_val_loss")
_AVG_NAMES = (b"val_avg_loss", b"avg_val_loss", b"fwa_val_loss", b"val_fwa_loss")

_TRIAL_MARKER = re.compile(rb"trial:(\d{1,6})/\d{1,6}(?:[ \t]+seed:(\d{1,18}))?[ \t\r]*$")
_SEED_MARKER = re.compile(rb"seed:(\d{1,18})[ \t\r]*$")
_BATCH_MARKER = re.compile(rb"=+ seed (\d{1,18}) start\b")
_MARKERS = (_TRIAL_MARKER, _BATCH_MARKER, _SEED_MARKER)


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
        step_avg_ms: Milliseconds a step so far; None where the trainer printed `nan`, as at step 0.
    """

    trial: list[int] = field(default_factory=list)
    step: list[int] = field(default_factory=list)
    scheduled_steps: list[int] = field(default_factory=list)
    val_loss: list[float] = field(default_factory=list)
    val_ema_loss: list[float | None] = field(default_factory=list)
    val_avg_loss: list[float | None] = field(default_factory=list)
    train_time_s: list[float] = field(default_factory=list)
    step_avg_ms: list[float | None] = field(default_factory=list)

    def __len__(self) -> int:
        """Count the checkpoints."""
        return len(self.step)


@dataclass(frozen=True, slots=True)
class Trials:
    """What the lines of one log say of its trials.

    Attributes:
        checkpoints: Every checkpoint, once.
        seeds: The seed that a marker names for each trial, None where none does.
        num_repeated: Checkpoint lines that repeat one printed before; they count as nothing.
        damaged: Lines that start like a checkpoint and cannot be read as one.
    """

    checkpoints: Checkpoints
    seeds: tuple[int | None, ...]
    num_repeated: int
    damaged: tuple[Quarantined, ...]


class _Line(NamedTuple):
    """A line of interest, without its prefix; its number is counted only when it is needed."""

    offset: int
    text: bytes
    is_terminated: bool


class _Checkpoint(NamedTuple):
    step: int
    scheduled_steps: int
    val_loss: float
    val_ema_loss: float | None
    val_avg_loss: float | None
    train_time_s: float
    step_avg_ms: float | None


def find_trials(data: bytes, sources: list[SourceSpan], path: str) -> Trials:
    """Read the checkpoints of a log and divide them into trials.

    A new trial starts where the step does not grow, or at a marker (`trial:2/25 seed:1`,
    `=== seed 3 start ... ===`, a bare `seed:3`) that names another trial or seed than the current one.
    A line that repeats, letter for letter, a checkpoint printed before is an echo of a batch script
    and counts as nothing; a bare `seed:` line heads a new process, behind which lines count afresh.
    A last line without line end counts only when it holds everything up to its average step time, as
    the trainer may have died while it printed.

    Args:
        data: The whole log.
        sources: Spans of embedded source, in which nothing is a checkpoint.
        path: The log's path, for quarantine.
    """
    spans = _outside(sources, len(data))
    hits = [at for start, stop in spans for at in find_all(data, b"val_loss:", start, stop)]
    markers = _marker_lines(data, spans)
    plain = None if markers else _plain_trials(data, hits)
    return plain or _walk(data, path, hits, markers)


def _plain_trials(data: bytes, hits: list[int]) -> Trials | None:
    """Read a log column by column, as most can be: usual lines alone, and no marker."""
    lines = []
    stop = 0
    for at in hits:
        if at < stop:
            continue
        start = data.rfind(b"\n", at - _MAX_LINE_BYTES if at > _MAX_LINE_BYTES else 0, at)
        stop = data.find(b"\n", at, at + _MAX_LINE_BYTES)
        if (start < 0 and at > _MAX_LINE_BYTES) or (stop < 0 and at + _MAX_LINE_BYTES < len(data)):
            return None
        stop = len(data) if stop < 0 else stop
        lines.append(data[start + 1 : stop])
    text = b"\n".join(lines)
    rows: list[_UsualRow] = _USUAL_LINE.findall(_ANSI.sub(b"", text) if b"\x1b" in text else text)
    if len(rows) != len(lines):
        return None
    if not rows:
        return Trials(Checkpoints(), (), 0, ())
    printed_once = dict.fromkeys(rows)
    _, step_texts, scheduled, losses, names, others, times, units, averages = zip(*printed_once, strict=True)
    step = list(map(int, step_texts))
    trial = list(accumulate(map(ge, step, step[1:]), initial=0))
    columns = Checkpoints(
        trial=trial,
        step=step,
        scheduled_steps=list(map(int, scheduled)),
        val_loss=list(map(float, losses)),
        val_ema_loss=_named(names, others, _EMA_NAMES),
        val_avg_loss=_named(names, others, _AVG_NAMES),
        train_time_s=list(map(_seconds, times, units)),
        step_avg_ms=[each if isfinite(each) else None for each in map(float, averages)],
    )
    return Trials(columns, (None,) * (trial[-1] + 1), len(rows) - len(printed_once), ())


def _named(names: Sequence[bytes], values: Sequence[bytes], wanted: tuple[bytes, ...]) -> list[float | None]:
    if not any(names):
        return [None] * len(names)
    return [float(value) if name in wanted else None for name, value in zip(names, values, strict=True)]


def _seconds(text: bytes, unit: bytes) -> float:
    return float(text) / 1000 if unit == b"ms" else float(text)


def _walk(data: bytes, path: str, hits: list[int], markers: list[_Line]) -> Trials:
    """Read a log line by line."""
    reader = _Reader(data, path)
    left = iter(markers)
    marker = next(left, None)
    read_to = 0
    for at in hits:
        if at < read_to:
            continue
        while marker is not None and marker.offset < at:
            reader.read_marker(marker.text)
            marker = next(left, None)
        read_to = reader.read_line(at)
    return Trials(reader.out, tuple(reader.seeds), reader.num_repeated, tuple(reader.damaged))


def _marker_lines(data: bytes, spans: list[tuple[int, int]]) -> list[_Line]:
    """List the lines that announce a trial or its seed, in order."""
    found: dict[int, _Line] = {}
    for needle in (b"trial:", b"seed"):
        for start, stop in spans:
            at = find(data, needle, start, stop)
            while at >= 0:
                line_start, line_stop = _line_around(data, at)
                if line_start >= 0 and line_start not in found:
                    line = _read_line(data, line_start, line_stop)
                    if any(marker.match(line.text) for marker in _MARKERS):
                        found[line_start] = line
                at = find(data, needle, max(line_stop, at + 1), stop)
    return [found[offset] for offset in sorted(found)]


class _Reader:
    """Walks over the lines of interest and keeps what the current trial is."""

    def __init__(self, data: bytes, path: str) -> None:
        self.data = data
        self.path = path
        self.out = Checkpoints()
        self.seeds: list[int | None] = []
        self.damaged: list[Quarantined] = []
        self.num_repeated = 0
        self.seen: set[bytes] = set()
        self.last_step: int | None = None
        self.marker: tuple[str, int] | None = None
        self.seed: int | None = None
        self.counted_to = (0, 1)

    def read_line(self, at: int) -> int:
        """Read the line round an offset, and return where to look on."""
        data = self.data
        floor = max(0, at - _MAX_LINE_BYTES)
        line_feed = data.rfind(b"\n", floor, at)
        if line_feed >= 0 or floor == 0:
            match = _USUAL_LINE.match(data, line_feed + 1)
            if match is not None:
                self._take(_usual(match.groups(b"")), match[1])
                return match.end()
        start, stop = _line_around(data, at)
        if start >= 0:
            self._read_unusual(_read_line(data, start, stop))
        return max(stop, at + 1)

    def _read_unusual(self, line: _Line) -> None:
        text = line.text
        if not text.startswith(b"step:"):
            return
        checkpoint = _parse_unusual(text)
        if checkpoint is None or not (line.is_terminated or _CLOSING_FIELD.search(text)):
            self._quarantine(line)
            checkpoint, text = _salvage(text)
        if checkpoint is not None:
            self._take(checkpoint, text)

    def _take(self, checkpoint: _Checkpoint, text: bytes) -> None:
        if text in self.seen:
            self.num_repeated += 1
            return
        self.seen.add(text)
        self._append(checkpoint)

    def read_marker(self, text: bytes) -> None:
        """Note what a line announces, if it announces anything."""
        if match := _TRIAL_MARKER.match(text):
            self._mark(("trial", int(match[1])), int(match[2]) if match[2] else None)
        elif match := _BATCH_MARKER.match(text):
            self._mark(("batch", int(match[1])), int(match[1]))
        elif match := _SEED_MARKER.match(text):
            self.seen.clear()
            self._mark(("seed", int(match[1])), int(match[1]))

    def _mark(self, marker: tuple[str, int], seed: int | None) -> None:
        is_other = self.marker is not None and self.marker[0] == marker[0] and self.marker != marker
        if is_other:
            self.last_step = None
        self.marker = marker
        self.seed = seed

    def _append(self, checkpoint: _Checkpoint) -> None:
        step, scheduled_steps, val_loss, val_ema_loss, val_avg_loss, train_time_s, step_avg_ms = checkpoint
        if self.last_step is None or step <= self.last_step:
            self.seeds.append(self.seed)
        self.last_step = step
        out = self.out
        out.trial.append(len(self.seeds) - 1)
        out.step.append(step)
        out.scheduled_steps.append(scheduled_steps)
        out.val_loss.append(val_loss)
        out.val_ema_loss.append(val_ema_loss)
        out.val_avg_loss.append(val_avg_loss)
        out.train_time_s.append(train_time_s)
        out.step_avg_ms.append(step_avg_ms)

    def _quarantine(self, line: _Line) -> None:
        if len(self.damaged) >= _MAX_QUARANTINED_LINES:
            return
        cause = "is damaged: no val_loss and train_time can be read from it"
        if not line.is_terminated:
            cause = "is cut off by the end of the log"
        self.damaged.append(
            Quarantined(
                kind=FileKind.LOG,
                path=self.path,
                line=self._line_number(line.offset),
                byte_offset=line.offset,
                reason=Reason.DAMAGED_CHECKPOINT,
                detail=f"A checkpoint line {cause}; it was not counted.",
                excerpt=excerpt(line.text),
            )
        )

    def _line_number(self, offset: int) -> int:
        """Number a line, counting on from the one that was numbered last."""
        counted, number = self.counted_to
        number += self.data.count(b"\n", counted, offset)
        self.counted_to = (offset, number)
        return number


def _read_line(data: bytes, start: int, stop: int) -> _Line:
    """Free a line of its prefix and colours."""
    text = data[start : min(stop, start + _MAX_LINE_BYTES)]
    prefix = _PREFIX.match(text)
    body_start = prefix.end() if prefix else 0
    body = text[body_start:].rstrip()
    if b"\x1b" in body:
        body = _ANSI.sub(b"", body).rstrip()
    return _Line(start + body_start, body, stop < len(data))


def _outside(sources: list[SourceSpan], size: int) -> list[tuple[int, int]]:
    spans = []
    at = 0
    for source in sources:
        spans.append((at, source.start))
        at = source.stop
    spans.append((at, size))
    return [(start, stop) for start, stop in spans if start < stop]


def _line_around(data: bytes, at: int) -> tuple[int, int]:
    """Bound the line round an offset; a bare carriage return, as progress bars print it, ends a line too.

    The start is -1 where it lies further back than any line that this module reads.
    """
    floor = max(0, at - _MAX_LINE_BYTES)
    line_feed = data.rfind(b"\n", floor, at)
    start = max(line_feed, data.rfind(b"\r", max(floor, line_feed), at)) + 1
    if start == 0 and floor > 0:
        start = -1
    stop = data.find(b"\n", at)
    stop = len(data) if stop < 0 else stop
    carriage_return = data.find(b"\r", at, stop)
    return start, carriage_return if carriage_return >= 0 else stop


def _usual(row: _UsualRow) -> _Checkpoint:
    _, step, scheduled, val_loss, name, other, train_time, unit, step_avg = row
    return _Checkpoint(
        int(step),
        int(scheduled),
        float(val_loss),
        float(other) if name in _EMA_NAMES else None,
        float(other) if name in _AVG_NAMES else None,
        _seconds(train_time, unit),
        _finite(float(step_avg)),
    )


def _parse_unusual(text: bytes) -> _Checkpoint | None:
    """Read a line with other fields than the usual ones, in any order."""
    head = _STEP.match(text)
    if head is None:
        return None
    restart = _RESTART.search(text, head.end())
    stop = restart.start() if restart else len(text)
    losses: dict[bytes, float] = {}
    times_s: dict[bytes, float] = {}
    for name, number, unit in _FIELD.findall(text, head.end(), stop):
        if unit:
            times_s.setdefault(name, float(number) * _SECONDS[unit])
        else:
            losses.setdefault(name, float(number))
    if b"val_loss" not in losses or b"train_time" not in times_s:
        return None
    step_avg_s = times_s.get(b"step_avg")
    return _Checkpoint(
        int(head[1]),
        int(head[2]),
        losses[b"val_loss"],
        next((losses[name] for name in _EMA_NAMES if name in losses), None),
        next((losses[name] for name in _AVG_NAMES if name in losses), None),
        round(times_s[b"train_time"], 6),
        None if step_avg_s is None else _finite(round(step_avg_s * 1000, 6)),
    )


def _salvage(text: bytes) -> tuple[_Checkpoint | None, bytes]:
    """Find a whole checkpoint behind a broken one, where a second job wrote into an unfinished line."""
    for restart in islice(_RESTART.finditer(text, 1), _MAX_RESTARTS_IN_A_LINE):
        rest = text[restart.start() :]
        if checkpoint := _parse_unusual(rest):
            return checkpoint, rest
    return None, b""


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
