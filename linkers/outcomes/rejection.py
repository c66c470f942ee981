"""When and why an idea was rejected, as far as runs show it: it failed, or its families were ruled out.

Each rule looks only at what was known by its own moment, and a rejection stands from that moment on, whatever
comes later. So what a snapshot says of rejections never changes with rows behind it.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import zip_longest

from linkers.outcomes.timed_runs import TimedRun
from linkers.outcomes.verdicts import NEUTRAL_STEPS, Verdict
from parsers.scopes import Scope

STREAK_RUNS = 30
"""A family is ruled out when this many of its runs in a row bring no better step."""

MIN_FAILED_RUNS = 2
"""One run is too few to call an idea failed: two runs of one recipe may cross 50 steps apart."""


QUIET_LAUNCHES = 100
"""An idea counts as left alone when its scope has launched this many other runs since its last one."""


class Cause(StrEnum):
    """Why an idea was rejected, the weightiest cause first."""

    EXISTENCE_KILLED = "existence_killed"
    AUDIT_NONCOMPLIANT = "audit_noncompliant"
    FAILED = "failed"
    FAMILY_RULED_OUT = "family_ruled_out"


@dataclass(frozen=True, slots=True)
class Rejection:
    """One reason to drop an idea.

    Attributes:
        cause: Which.
        at: From when on it was known; None where the archive does not date it.
        evidence: One sentence that says what was seen and where.
    """

    cause: Cause
    at: datetime | None
    evidence: str


def pick_rejection(rejections: Iterable[Rejection]) -> Rejection | None:
    """Pick the one that is published: the earliest, and only where none is dated the weightiest."""
    order = list(Cause)
    found = tuple(rejections)
    dated = [(each.at, order.index(each.cause), each.evidence, each) for each in found if each.at is not None]
    if dated:
        return min(dated)[-1]
    return min(found, key=lambda each: (order.index(each.cause), each.evidence), default=None)


def find_failure(runs: Sequence[TimedRun], scope_launches: Sequence[datetime]) -> Rejection | None:
    """Find the moment at which an idea had failed and was left alone.

    It has failed when at least two of its runs have finished and none of its recipes stands. A recipe at one
    rung stands while more than half of its finished runs reach 3.28 in at most 3550 steps. So a crossing that
    its repetition does not bear out is a failure, and one unlucky seed among five is none. It was left alone
    when its scope has launched `QUIET_LAUNCHES` other runs since its own last one: before that, a first miss
    is a step of a search that goes on.

    Args:
        runs: The idea's runs.
        scope_launches: Times of all launches of its scope, sorted.
    """
    finished = _by_finish(runs)
    for moment in _quiet_moments(runs, finished, scope_launches):
        known = [run for run in finished if run.finished_at is not None and run.finished_at <= moment]
        hits = [run for run in known if run.verdict in (Verdict.IMPROVED, Verdict.NEUTRAL)]
        if len(known) >= MIN_FAILED_RUNS and not _stands(known, hits):
            evidence = (
                f"{len(hits)} of its {len(known)} finished runs reached 3.28 by step {NEUTRAL_STEPS}, no "
                f"recipe in more than half of its runs, and its scope made {QUIET_LAUNCHES} other launches; "
                f"the last to finish was {known[-1].experiment_id}."
            )
            return Rejection(Cause.FAILED, moment, evidence)
    return None


def _stands(known: Iterable[TimedRun], hits: Iterable[TimedRun]) -> bool:
    total, hit = Counter(run.stem for run in known), Counter(run.stem for run in hits)
    return any(2 * hit[stem] > count for stem, count in total.items())


def _quiet_moments(
    runs: Iterable[TimedRun], finished: Iterable[TimedRun], scope_launches: Sequence[datetime]
) -> Iterator[datetime]:
    """The moments at which an idea has been left alone long enough and something about it became known."""
    own = sorted(run.launched_at for run in runs if run.launched_at is not None)
    ends = [run.finished_at for run in finished if run.finished_at is not None]
    for launch, following in zip_longest(own, own[1:]):
        index = bisect_right(scope_launches, launch) + QUIET_LAUNCHES - 1
        if index >= len(scope_launches):
            return
        quiet_from = scope_launches[index]
        until = [end for end in ends if end > quiet_from]
        yield from (at for at in (quiet_from, *until) if following is None or at < following)


def rule_out_families(runs: Iterable[TimedRun]) -> dict[tuple[Scope, str], Rejection]:
    """Find the families of which `STREAK_RUNS` finished runs in a row brought no better step."""
    families: dict[tuple[Scope, str], list[TimedRun]] = defaultdict(list)
    for run in runs:
        families[run.scope, run.family].append(run)
    ruled_out = {}
    for key in sorted(families):
        if (rejection := _end_of_streak(key[1], families[key])) is not None:
            ruled_out[key] = rejection
    return ruled_out


def _end_of_streak(family: str, runs: Sequence[TimedRun]) -> Rejection | None:
    best: int | None = None
    streak = 0
    for run in _by_finish(runs):
        is_better = run.step_to_3_28 is not None and (best is None or run.step_to_3_28 < best)
        best, streak = (run.step_to_3_28, 0) if is_better else (best, streak + 1)
        if streak == STREAK_RUNS:
            bar = f"a better step than {best}" if best is not None else "reaching 3.28"
            evidence = (
                f"{STREAK_RUNS} runs of {family} in a row ended without {bar}, "
                f"the last of them {run.experiment_id}."
            )
            return Rejection(Cause.FAMILY_RULED_OUT, run.finished_at, evidence)
    return None


def find_ruling_out(
    runs: Iterable[TimedRun], ruled_out: dict[tuple[Scope, str], Rejection]
) -> Rejection | None:
    """Find the moment at which every family that an idea had launched by then was ruled out.

    Args:
        runs: The idea's runs.
        ruled_out: The families that were, by scope and name.
    """
    first_launch: dict[tuple[Scope, str], datetime] = {}
    for run in runs:
        if run.launched_at is not None:
            key = (run.scope, run.family)
            first_launch[key] = min(run.launched_at, first_launch.get(key, run.launched_at))
    endings = sorted(
        (rejection.at, rejection.evidence)
        for key in first_launch
        if (rejection := ruled_out.get(key)) is not None and rejection.at is not None
    )
    for moment, evidence in endings:
        open_by_then = [key for key, launched_at in first_launch.items() if launched_at <= moment]
        if open_by_then and all(_is_ruled_out_by(moment, ruled_out.get(key)) for key in open_by_then):
            return Rejection(Cause.FAMILY_RULED_OUT, moment, evidence)
    return None


def _is_ruled_out_by(moment: datetime, rejection: Rejection | None) -> bool:
    return rejection is not None and rejection.at is not None and rejection.at <= moment


def _by_finish(runs: Iterable[TimedRun]) -> list[TimedRun]:
    finished = [(run.finished_at, run.experiment_id, run) for run in runs if run.finished_at is not None]
    return [run for _, _, run in sorted(finished, key=lambda each: each[:2])]
