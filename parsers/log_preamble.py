"""What a training log says of its own launch before the first step: when, with which seed, as which log."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from parsers.times import Instant, YearlessTime, find_instants, parse_instant

MAX_PREAMBLE_BYTES = 1_000_000
"""Longest stretch before the first step that is read; a real one has a few kilobytes."""

_HEAD_LINES = 12
_HEAD_LINE_CHARS = 200
_WORD = re.compile(r"[A-Za-z]{3}")
_START_KEY = re.compile(
    r"^[\s#=>*-]*(?P<key>[A-Za-z][\w ./-]{0,60}?)[\"']?\s*(?::|=|\s)\s*[\"']?"
    r"(?P<value>\d{4}-\d{2}-\d{2}(?:[T ][\d:.,]+\s?(?:Z|UTC|[+-]\d{2}:?\d{2})?)?)[\"']?[\s=,}]*$"
)
_YEAR = re.compile(r"20\d\d|2100")
"""Every year between the earliest and the latest that counts: no time is stated in full without one."""

_START_WORD = re.compile(r"start|launch|began|begin|timestamp|\bdate\b|\btime\b", re.IGNORECASE)
_END_WORD = re.compile(r"\bend|finish|stop|done", re.IGNORECASE)
_TORCH_STAMP = re.compile(
    r"[IWEF](?<![^\s:\]\[].)(?P<month>\d{1,2})(?P<day>\d{2}) "
    r"(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})(?:\.(?P<fraction>\d{1,9}))?"
)
_SEED = re.compile(r"(?<![A-Za-z_])seed(?:_env)?[\"']?\s?[=: ]\s?(\d{1,18})\b", re.IGNORECASE)
_STOP_STEP = re.compile(r"\b(?:run_stop_step|stop_step|reported_step)=(\d{1,9})\b")
_LOG_ID = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.txt\b")


@dataclass(frozen=True, slots=True)
class Preamble:
    """What stands before the first step.

    Attributes:
        stated_launch: A launch time stated with its year, from a header or the output of `date`.
        torch_stamp: The first stamp of torch's loggers, which lack the year.
        dates: Every date stated in full, to give other stamps their year.
        seed: The seed that the trainer or its command line names.
        stop_step: A step declared as the run's end, below the schedule's.
        log_id: The uuid of the log file that the trainer itself writes, `logs/<uuid>.txt`.
        head: Its first lines with words in them, without checkpoints.
    """

    stated_launch: Instant | None
    torch_stamp: YearlessTime | None
    dates: tuple[date, ...]
    seed: int | None
    stop_step: int | None
    log_id: str | None
    head: str = ""


def read_preamble(parts: Sequence[bytes]) -> Preamble:
    """Read the parts of a log that stand before its first step and outside its source.

    Args:
        parts: Stretches of the log in order, without embedded source.
    """
    text = "\n".join(part[:MAX_PREAMBLE_BYTES].decode("utf-8", errors="replace") for part in parts)
    lines = [line.strip(" \t\ufeff") for line in text.splitlines()]
    dated = [line for line in lines if _YEAR.search(line)] if _YEAR.search(text) else []
    launches = [instant for line in dated if (instant := _launch_in(line)) is not None]
    return Preamble(
        stated_launch=launches[0] if launches else None,
        torch_stamp=_first_torch_stamp(text),
        dates=tuple(sorted({instant.at.date() for instant in launches})),
        seed=_first_int(_SEED, text) if "seed" in text.lower() else None,
        stop_step=_first_int(_STOP_STEP, text) if "step=" in text else None,
        log_id=match[1] if ".txt" in text and (match := _LOG_ID.search(text)) else None,
        head="\n".join(islice((line[:_HEAD_LINE_CHARS] for line in lines if _is_telling(line)), _HEAD_LINES)),
    )


def _is_telling(line: str) -> bool:
    return not line.startswith("step:") and _WORD.search(line) is not None


def _launch_in(line: str) -> Instant | None:
    """Read `### START_ISO=...`, `Run UTC timestamp=...`, `=== seed 2 start ... ===` or bare `date` output."""
    if len(line) > 300:
        return None
    if bare := parse_instant(line):
        return bare
    match = _START_KEY.match(line)
    if match is None or not _START_WORD.search(match["key"]) or _END_WORD.search(match["key"]):
        return _date_output_after_start(line)
    return parse_instant(match["value"])


def _date_output_after_start(line: str) -> Instant | None:
    """Read `batch start Thu Aug 13 13:38:39 UTC 2026` and the like."""
    if not _START_WORD.search(line) or _END_WORD.search(line) or ("UTC" not in line and "GMT" not in line):
        return None
    found = find_instants(line)
    return found[0] if found else None


def _first_torch_stamp(text: str) -> YearlessTime | None:
    for match in _TORCH_STAMP.finditer(text):
        hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"])
        month, day = int(match["month"]), int(match["day"])
        if 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 60:
            micros = int((match["fraction"] or "0")[:6].ljust(6, "0"))
            return YearlessTime(month, day, ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros)
    return None


def _first_int(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return int(match[1]) if match else None
