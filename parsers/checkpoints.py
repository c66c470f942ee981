"""The validation checkpoints of a training log, trial by trial."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from parsers.checkpoint_columns import (
    ANSI,
    AVG_NAMES,
    EMA_NAMES,
    NUMBER,
    PLAIN_PREFIX,
    USUAL_LINE,
    Checkpoints,
    UsualRow,
    read_columns,
    seconds,
)
from parsers.kinds import FileKind
from parsers.quarantine import Quarantined, Reason, excerpt

TARGET_VAL_LOSS = 3.28
"""The loss that the experiment counts steps to. Reaching it exactly counts."""

_MAX_LINE_BYTES = 4096
_MAX_RESTARTS_IN_A_LINE = 4
_MAX_QUARANTINED_LINES = 1000

_PREFIX = re.compile(rb"(?:\x1b\[[0-9;]*[A-Za-z]|" + PLAIN_PREFIX + rb")*")
_RESTART = re.compile(rb"step:\d{1,9}/\d")
_STEP = re.compile(rb"step:(\d{1,9})/(\d{1,9})[ \t]")
_FIELD = re.compile(rb"([A-Za-z_]\w{0,40}):(" + NUMBER + rb")(m?s)?(?![\w.])")
_CLOSING_FIELD = re.compile(rb"step_avg:" + NUMBER + rb"ms(?!\w)")

_SECONDS = {b"s": 1.0, b"ms": 0.001}

_TRIAL_MARKER = re.compile(rb"trial:(\d{1,6})/\d{1,6}(?:[ \t]+seed:(\d{1,18}))?[ \t\r]*$")
_SEED_MARKER = re.compile(rb"seed:(\d{1,18})[ \t\r]*$")
_BATCH_MARKER = re.compile(rb"=+ seed (\d{1,18}) start\b")
_MARKERS = (_TRIAL_MARKER, _BATCH_MARKER, _SEED_MARKER)


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
    step_avg_ms: float


def find_trials(data: bytes, hits: Sequence[int], marker_hits: Sequence[int], path: str) -> Trials:
    """Read the checkpoints of a log and divide them into trials.

    A new trial starts where the step does not grow, or at a marker (`trial:2/25 seed:1`,
    `=== seed 3 start ... ===`, a bare `seed:3`) that names another trial or seed than the current one.
    A line that repeats, letter for letter, a checkpoint printed before is an echo of a batch script
    and counts as nothing; a bare `seed:` line heads a new process, behind which lines count afresh.
    A last line without line end counts only when it holds everything up to its average step time, as
    the trainer may have died while it printed.

    Args:
        data: The whole log.
        hits: Offsets of `val_loss:` in its output: in embedded source nothing is a checkpoint.
        marker_hits: Offsets of `trial:` and `seed` in its output.
        path: The log's path, for quarantine.
    """
    markers = _marker_lines(data, marker_hits)
    plain = None if markers else _plain_trials(data, hits)
    return plain or _walk(data, path, hits, markers)


def _plain_trials(data: bytes, hits: Sequence[int]) -> Trials | None:
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
    if not lines:
        return Trials(Checkpoints(), (), 0, ())
    columns = read_columns(b"\n".join(lines))
    if columns is None:
        return None
    return Trials(columns, (None,) * (columns.trial[-1] + 1), len(lines) - len(columns), ())


def _walk(data: bytes, path: str, hits: Sequence[int], markers: list[_Line]) -> Trials:
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


def _marker_lines(data: bytes, hits: Sequence[int]) -> list[_Line]:
    """List the lines that announce a trial or its seed, in order."""
    found = []
    read_to = 0
    for at in hits:
        if at < read_to:
            continue
        start, read_to = _line_around(data, at)
        if start >= 0:
            line = _read_line(data, start, read_to)
            if any(marker.match(line.text) for marker in _MARKERS):
                found.append(line)
    return found


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
            match = USUAL_LINE.match(data, line_feed + 1)
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
        body = ANSI.sub(b"", body).rstrip()
    return _Line(start + body_start, body, stop < len(data))


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


def _usual(row: UsualRow) -> _Checkpoint:
    _, step, scheduled, val_loss, name, other, train_time, unit, step_avg = row
    return _Checkpoint(
        int(step),
        int(scheduled),
        float(val_loss),
        float(other) if name in EMA_NAMES else None,
        float(other) if name in AVG_NAMES else None,
        seconds(train_time, unit),
        float(step_avg),
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
        next((losses[name] for name in EMA_NAMES if name in losses), None),
        next((losses[name] for name in AVG_NAMES if name in losses), None),
        round(times_s[b"train_time"], 6),
        math.nan if step_avg_s is None else round(step_avg_s * 1000, 6),
    )


def _salvage(text: bytes) -> tuple[_Checkpoint | None, bytes]:
    """Find a whole checkpoint behind a broken one, where a second job wrote into an unfinished line."""
    for restart in islice(_RESTART.finditer(text, 1), _MAX_RESTARTS_IN_A_LINE):
        rest = text[restart.start() :]
        if checkpoint := _parse_unusual(rest):
            return checkpoint, rest
    return None, b""
