"""Cohorts: the trials of one recipe under one schedule, and the step at which they make a claim.

A cohort counts every trial of its runs' published logs, apart from those that these rules leave out, in this
order:

1. `repeated`: a trial with the same losses at the same steps as another is that one logged twice, or the same
   draw run twice: it tells nothing new. The log with fewer trials keeps it, then the run with the first id.
2. `diverged`: a loss that is not a number or infinite, or a last loss more than `MAX_EXCESS_LOSS` above the
   median of the cohort's last losses.
3. `stopped_early`: its last checkpoint lies before the cohort's end. The end is the last step that at least
   half of the trials reached; where some trials ran as planned, to their schedule's end or their declared
   stop, only these are asked.

The rest are its members. A claim stands at the earliest checkpoint that all of them share and at which
`(3.28 - mean) * sqrt(n)` is at least 0.004.
"""

import math
import statistics
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from linkers.runs import Run, SeedSource
from parsers.checkpoints import TARGET_VAL_LOSS
from parsers.scopes import Scope

CLAIM_SCORE = 0.004
"""The score from which on a recipe counts as reaching 3.28 at a step."""

MAX_EXCESS_LOSS = 0.5
"""A last loss further above its cohort's median is no draw of the same recipe, but a run that broke."""

MIN_REPEATED_CHECKPOINTS = 3
"""Fewer equal losses than this may be chance; step 0, where every trial looks the same, counts for none."""

_ROUNDING = 1e-9
"""Slack for the comparison of a score, far below what five decimals of a loss can make."""


class LeftOut(StrEnum):
    """Why a trial does not count."""

    REPEATED = "repeated"
    DIVERGED = "diverged"
    STOPPED_EARLY = "stopped_early"


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of one run.

    Attributes:
        experiment_id: Its run.
        number: Its 0-based number in the run's log.
        steps: Steps of its checkpoints, growing.
        losses: Losses at these steps.
        is_planned_end: Whether it ended where its schedule or its declared stop says.
        num_siblings: Trials in the same log.
    """

    experiment_id: str
    number: int
    steps: tuple[int, ...]
    losses: tuple[float, ...]
    is_planned_end: bool = False
    num_siblings: int = 1


@dataclass(frozen=True, slots=True)
class Score:
    """What a cohort shows at one step.

    Attributes:
        step: A checkpoint that all members share.
        mean: Mean loss.
        sd: Standard deviation of the losses (n - 1); None for a single member.
        score: `(3.28 - mean) * sqrt(n)`.
    """

    step: int
    mean: float
    sd: float | None
    score: float

    @property
    def is_claim(self) -> bool:
        """Whether it is enough for a claim."""
        return self.score >= CLAIM_SCORE - _ROUNDING


@dataclass(frozen=True, slots=True)
class Cohort:
    """The trials of one recipe under one schedule.

    Attributes:
        scope: Its scope.
        recipe: Name of the recipe.
        scheduled_steps: Steps of the schedule.
        members: The trials that count.
        left_out: Those that do not, with the reason.
        scores: One a checkpoint that all members share, in the order of the steps; step 0 is none.
        seed_source: The weakest of the ways in which the members' seeds are known; `run_id_not_forwarded` as
            soon as one seed is a mere name.
    """

    scope: Scope
    recipe: str
    scheduled_steps: int
    members: tuple[Trial, ...]
    left_out: tuple[tuple[Trial, LeftOut], ...]
    scores: tuple[Score, ...]
    seed_source: SeedSource | None

    @property
    def claim(self) -> Score | None:
        """The earliest shared checkpoint that makes a claim."""
        return next((score for score in self.scores if score.is_claim), None)

    @property
    def last(self) -> Score | None:
        """The last checkpoint that all members share."""
        return self.scores[-1] if self.scores else None


def build_cohorts(runs: Iterable[Run], recipe_of: Mapping[str, str]) -> tuple[Cohort, ...]:
    """Build the cohorts of all scopes.

    Args:
        runs: The runs; those without a checkpoint are in no cohort.
        recipe_of: Recipe by experiment id.

    Returns:
        Sorted by scope, recipe and schedule.
    """
    trials: dict[tuple[Scope, str, int], list[Trial]] = defaultdict(list)
    seeds: dict[tuple[Scope, str, int], list[SeedSource]] = defaultdict(list)
    for run in runs:
        for scheduled_steps, trial in _trials(run):
            key = (run.scope, recipe_of[run.experiment_id], scheduled_steps)
            trials[key].append(trial)
            if (source := _seed_source(run)) is not None:
                seeds[key].append(source)
    order = list(SeedSource)
    return tuple(
        _cohort(key, trials[key], max(seeds[key], key=order.index, default=None)) for key in sorted(trials)
    )


def _trials(run: Run) -> Iterable[tuple[int, Trial]]:
    if not run.logs:
        return
    log = run.logs[0]
    points = log.checkpoints
    numbers = sorted(set(points.trial))
    declared = {run.name.stop_step, log.preamble.stop_step}
    for number in numbers:
        first, stop = bisect_left(points.trial, number), bisect_right(points.trial, number)
        scheduled_steps = points.scheduled_steps[stop - 1]
        yield (
            scheduled_steps,
            Trial(
                experiment_id=run.experiment_id,
                number=number,
                steps=tuple(points.step[first:stop]),
                losses=tuple(points.val_loss[first:stop]),
                is_planned_end=points.step[stop - 1] in {scheduled_steps, *declared},
                num_siblings=len(numbers),
            ),
        )


def _seed_source(run: Run) -> SeedSource | None:
    """Where a run's seed is known from; a name's seed that the log belies was never forwarded."""
    is_belied = run.seed_source == SeedSource.LOG and run.num_trials == 1 and run.name.seed is not None
    if is_belied and run.name.seed != run.seed:
        return SeedSource.RUN_ID_NOT_FORWARDED
    return run.seed_source


def _cohort(key: tuple[Scope, str, int], trials: Sequence[Trial], seed_source: SeedSource | None) -> Cohort:
    members, left_out = choose_members(trials)
    return Cohort(*key, members, left_out, score_steps(members), seed_source)


def choose_members(
    trials: Iterable[Trial],
) -> tuple[tuple[Trial, ...], tuple[tuple[Trial, LeftOut], ...]]:
    """Choose the trials that count, by the rules on top of this module.

    Returns:
        The members and those left out with the reason, each sorted by experiment id and number.
    """
    ordered = sorted(trials, key=lambda trial: (trial.experiment_id, trial.number))
    reasons = _repeated(ordered)
    rest = [trial for trial in ordered if _key(trial) not in reasons]
    reasons |= dict.fromkeys(map(_key, _diverged(rest)), LeftOut.DIVERGED)
    rest = [trial for trial in rest if _key(trial) not in reasons]
    reasons |= dict.fromkeys(map(_key, _stopped_early(rest)), LeftOut.STOPPED_EARLY)
    members = tuple(trial for trial in ordered if _key(trial) not in reasons)
    left_out = tuple((trial, reasons[_key(trial)]) for trial in ordered if _key(trial) in reasons)
    return members, left_out


def _key(trial: Trial) -> tuple[str, int]:
    return trial.experiment_id, trial.number


def _repeated(trials: Sequence[Trial]) -> dict[tuple[str, int], LeftOut]:
    seen: set[tuple[tuple[int, str], ...]] = set()
    repeated = {}
    for trial in sorted(trials, key=lambda each: (each.num_siblings, each.experiment_id, each.number)):
        content = tuple(
            (step, repr(loss)) for step, loss in zip(trial.steps, trial.losses, strict=True) if step
        )
        if len(content) >= MIN_REPEATED_CHECKPOINTS and content in seen:
            repeated[_key(trial)] = LeftOut.REPEATED
        seen.add(content)
    return repeated


def _diverged(trials: Sequence[Trial]) -> list[Trial]:
    finite = [trial for trial in trials if all(map(math.isfinite, trial.losses))]
    if not finite:
        return list(trials)
    end = _end(finite)
    at_end = [trial.losses[-1] for trial in finite if trial.steps[-1] >= end]
    most = statistics.median(at_end) + MAX_EXCESS_LOSS
    return [
        trial
        for trial in trials
        if not all(map(math.isfinite, trial.losses)) or (trial.steps[-1] >= end and trial.losses[-1] > most)
    ]


def _stopped_early(trials: Sequence[Trial]) -> list[Trial]:
    if not trials:
        return []
    end = _end(trials)
    return [trial for trial in trials if trial.steps[-1] < end]


def _end(trials: Sequence[Trial]) -> int:
    """The last step that at least half of the trials reached, or of those that ran as planned."""
    asked = [trial for trial in trials if trial.is_planned_end] or trials
    reached = sorted((trial.steps[-1] for trial in asked), reverse=True)
    return reached[(len(reached) + 1) // 2 - 1]


def score_steps(members: Sequence[Trial]) -> tuple[Score, ...]:
    """Score every checkpoint that all members share."""
    if not members:
        return ()
    losses = [dict(zip(trial.steps, trial.losses, strict=True)) for trial in members]
    shared = set(losses[0]).intersection(*losses[1:]) - {0}
    return tuple(_score(step, [each[step] for each in losses]) for step in sorted(shared))


def _score(step: int, losses: Sequence[float]) -> Score:
    n = len(losses)
    mean = math.fsum(losses) / n
    sd = math.sqrt(math.fsum((loss - mean) ** 2 for loss in losses) / (n - 1)) if n > 1 else None
    return Score(step, mean, sd, (TARGET_VAL_LOSS - mean) * math.sqrt(n))
