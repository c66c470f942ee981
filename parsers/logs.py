"""One training log, read once: its checkpoints, launch, seed, source and what it says of its variant."""

import json
import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice, pairwise

from parsers.byte_search import Span
from parsers.checkpoint_columns import Checkpoints
from parsers.checkpoints import find_trials
from parsers.embedded_source import find_repeats, find_source, outside
from parsers.kinds import FileKind
from parsers.landmarks import find_landmarks
from parsers.ledger_fields import LedgerFields, log_stem, read_fields
from parsers.log_preamble import MAX_PREAMBLE_BYTES, Preamble, read_preamble
from parsers.quarantine import Quarantined, Reason
from parsers.source_table import SourceTable

MAX_LOG_BYTES = 512_000_000
"""A larger file is no training log; the largest real ones have some megabytes."""

_INK = re.compile(rb"[^ \t\r\n\0]")
_TAIL_BYTES = 16_384
_MAX_JSON_BYTES = 1_000_000
_LATER_STEP = re.compile(rb"step:0*([1-9]\d{0,8})/\d+[ \t]")
_MAX_STEPS_IN_PREAMBLE = 100
_PATH_LETTERS = string.ascii_letters.encode() + string.digits.encode() + b"_./~@%+-"
_VARIANT_FILE = re.compile(rb"(/variants/[\w.+-]{1,200}\.py)(?::(\d+))?")
_FUNCTION = re.compile(rb"function: '([^'\n]{1,200})'")
_NODE_LOG = re.compile(r"^(?:train|stdout|stderr|console|output|log|slurm(?:-\d+)?)$")


class EndNote(StrEnum):
    """What the end of a log says of how the run ended, where it says anything."""

    TRACEBACK = "traceback"
    PREEMPTED = "preempted"
    TIMEOUT = "timeout"
    CANCELED = "canceled"


_END_NOTES = (
    (b"DUE TO PREEMPTION", EndNote.PREEMPTED),
    (b"DUE TO TIME LIMIT", EndNote.TIMEOUT),
    (b" CANCELLED AT ", EndNote.CANCELED),
    (b"got signal: 15", EndNote.CANCELED),
    (b"SIGTERM death signal", EndNote.CANCELED),
    (b"Traceback (most recent call last)", EndNote.TRACEBACK),
)
"""What the scheduler or Python writes at the end, the most telling first."""


@dataclass(frozen=True, slots=True)
class VariantMention:
    """A variant file that the log's output names, as recompile warnings do.

    Attributes:
        path: The path as written.
        num_mentions: Distinct places of the file that are named; ranks and repeats count once.
    """

    path: str
    num_mentions: int


@dataclass(frozen=True, slots=True)
class Log:
    """What one log file says.

    Attributes:
        path: POSIX path relative to the archive's root.
        size_bytes: Size of the file.
        checkpoints: The validation checkpoints of every trial.
        trial_seeds: For each trial the seed that a marker names, or None.
        seed: The seed of the first trial, from its marker or from the preamble.
        preamble: What stands before the first step.
        source_sha256: Hash of the trainer's own text in its normal form; None where none is embedded.
        variant_mentions: Variant files named by the output, the most named first.
        indexed_run: The facts of the last `indexed_run {json}` line.
        end_note: How the run ended, where the tail says so.
        num_repeated_lines: Checkpoint lines that are echoes.
        is_truncated: Whether the last line lacks its line end.
        damaged: Checkpoint lines that cannot be read.
    """

    path: str
    size_bytes: int
    checkpoints: Checkpoints
    trial_seeds: tuple[int | None, ...]
    seed: int | None
    preamble: Preamble
    source_sha256: str | None
    variant_mentions: tuple[VariantMention, ...]
    indexed_run: LedgerFields | None
    end_note: EndNote | None
    num_repeated_lines: int
    is_truncated: bool
    damaged: tuple[Quarantined, ...]


def parse_log(data: bytes, path: str, texts: SourceTable) -> Log | Quarantined:
    """Parse one training log.

    Args:
        data: The file.
        path: Its path, for quarantine.
        texts: Takes the text that is embedded in it.

    Returns:
        The log, or why it was set aside: it is empty.
    """
    if not _INK.search(data):
        return Quarantined(FileKind.LOG, path, None, 0, Reason.EMPTY_FILE, "The log is empty.", "")
    span = find_source(data)
    sources = [span, *find_repeats(data, span)] if span else []
    landmarks = find_landmarks(data, outside(sources, len(data)))
    trials = find_trials(data, landmarks.checkpoints, landmarks.markers, path)
    preamble = read_preamble(_before_first_step(data, span))
    first_seed = trials.seeds[0] if trials.seeds else None
    return Log(
        path=path,
        size_bytes=len(data),
        checkpoints=trials.checkpoints,
        trial_seeds=trials.seeds,
        seed=preamble.seed if first_seed is None else first_seed,
        preamble=preamble,
        source_sha256=texts.add(data[span.start : span.stop]) if span else None,
        variant_mentions=_variant_mentions(data, landmarks.variants),
        indexed_run=_indexed_run(data, landmarks.indexed_runs),
        end_note=_end_note(data, trials.checkpoints),
        num_repeated_lines=trials.num_repeated,
        is_truncated=not data.endswith(b"\n"),
        damaged=trials.damaged,
    )


def run_id_of_log(path: str) -> str:
    """Name the run that a log belongs to, from its path below `runs/`.

    A file with a generic name is named after its folder.

    >>> run_id_of_log("v2/codex/scratchpad/runs/v12-ts3000.sbatch.out")
    'v12-ts3000'
    >>> run_id_of_log("v1/codex/scratchpad/runs/ema-s0/train.log")
    'ema-s0'
    """
    parts = path.split("/")
    stem = log_stem(parts[-1])
    if _NODE_LOG.match(stem) and len(parts) > 1 and parts[-2] != "runs":
        return parts[-2]
    return stem


def _before_first_step(data: bytes, span: Span | None) -> tuple[bytes, bytes]:
    """Cut out wrapper lines and header: what stands before the first optimizer step, without the source.

    A wrapper may print the last step above the log that leads up to it: a step with a smaller one behind it
    is not the first.
    """
    body_start = span.stop if span else 0
    body_stop = body_start + MAX_PREAMBLE_BYTES
    steps = islice(_LATER_STEP.finditer(data, body_start, body_stop), _MAX_STEPS_IN_PREAMBLE)
    for step, next_step in pairwise(chain(steps, [None])):
        if step is not None and (next_step is None or int(next_step[1]) >= int(step[1])):
            body_stop = step.start()
            break
    wrapper = data[: span.start] if span else b""
    return wrapper, data[body_start:body_stop]


def _variant_mentions(data: bytes, offsets: Sequence[int]) -> tuple[VariantMention, ...]:
    places: set[tuple[bytes, bytes, bytes]] = set()
    read_to = 0
    for at in offsets:
        file = _VARIANT_FILE.match(data, at) if at >= read_to else None
        if file is None:
            continue
        line_start = max(data.rfind(b"\n", max(0, at - 1000), at) + 1, at - 1000, 0)
        line_stop = data.find(b"\n", at, at + 400)
        read_to = line_stop if line_stop >= 0 else at + 400
        before = data[line_start:at]
        folder = before[len(before.rstrip(_PATH_LETTERS)) :][-400:]
        function = _FUNCTION.search(data, line_start, read_to)
        places.add((folder + file[1], file[2] or b"", function[1] if function else b""))
    counts = Counter(path for path, _, _ in places)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(VariantMention(path.decode("utf-8", errors="replace"), count) for path, count in ranked)


def _indexed_run(data: bytes, offsets: Sequence[int]) -> LedgerFields | None:
    """Read the last whole `indexed_run {json}` line."""
    for at in reversed(offsets):
        start = at + len(b"indexed_run ")
        stop = data.find(b"\n", start, start + _MAX_JSON_BYTES)
        text = data[start : stop if stop >= 0 else start + _MAX_JSON_BYTES].decode("utf-8", errors="replace")
        try:
            value, _ = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            continue
        return read_fields(value)
    return None


def _end_note(data: bytes, checkpoints: Checkpoints) -> EndNote | None:
    """Read the tail, unless the last checkpoint is the schedule's last: then the run ended well."""
    if checkpoints.step and checkpoints.step[-1] >= checkpoints.scheduled_steps[-1]:
        return None
    tail = data[-_TAIL_BYTES:]
    return next((note for words, note in _END_NOTES if words in tail), None)
