"""Proposers ranked over the snapshots of a split, each number with its interval over snapshots.

A snapshot counts for a proposer if a set of candidates came of it and all of them were judged. One that
failed, was never run, or has a candidate without a judgement is no zero: it leaves every mean, and is shown.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum

import numpy as np

from scorers.bootstrap import NUM_RESAMPLES, SEED, Draws, Interval, ratio_interval, resample
from scorers.errors import ScoringError
from scorers.preference import Answer, compare, shared_ranks, win_rate
from scorers.proposer_results import ResultLine
from scorers.run_results import Placed, check_comparable, check_snapshots, ways
from scorers.set_novelty import measure_set

K_SETTING = "max_candidates"
"""The setting of a run that says how many candidates of a snapshot count."""


class Outcome(StrEnum):
    """What became of a proposer's work on a snapshot."""

    SCORED = "scored"
    FAILED = "failed"
    UNJUDGED = "unjudged"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a proposer has to show for a snapshot.

    Attributes:
        snapshot_id: The snapshot.
        outcome: What became of it.
        reason: Why it does not count, as a sentence. Untrusted.
        set_score: The score of its set; None where it does not count.
        distinct_k: How many different ideas the set holds, likewise.
        utility_k: What they are worth, likewise.
    """

    snapshot_id: str
    outcome: Outcome
    reason: str | None = None
    set_score: float | None = None
    distinct_k: float | None = None
    utility_k: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over snapshots.

    Attributes:
        mean: The mean; None where nothing counts.
        interval: Where it lies if other snapshots are drawn; None where fewer than two count.
    """

    mean: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a proposer stands.

    Attributes:
        proposer: Who proposed.
        rank: 1 plus the number of proposers with a strictly higher mean set score; None without one.
        set_score: Mean set score.
        distinct_k: Mean number of different ideas of a set.
        utility_k: Mean worth of a set, 0 to 10.
        win_rate: Predicted win rate: snapshots are the prompts and set scores the rewards.
        num_comparisons: Over how many pairs of sets of the same snapshot that is the mean.
        entries: What it has to show, for every snapshot of the split.
    """

    proposer: str
    rank: int | None
    set_score: Estimate
    distinct_k: Estimate
    utility_k: Estimate
    win_rate: Estimate
    num_comparisons: int
    entries: tuple[Entry, ...]

    def count(self, outcome: Outcome) -> int:
        """Count the snapshots with an outcome."""
        return sum(each.outcome is outcome for each in self.entries)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Proposers side by side.

    Attributes:
        split: The split whose snapshots count.
        k: The most candidates of a set.
        ways: How all sets were scored, by name.
        num_resamples: Behind each interval.
        num_left_out: Lines of the other split.
        standings: The proposers by rank, then by name; last those without a rank.
    """

    split: str
    k: int
    ways: Mapping[str, str]
    num_resamples: int
    num_left_out: int
    standings: tuple[Standing, ...]


def rank_proposers(
    results: Sequence[Placed],
    splits: Mapping[str, str],
    dataset_sha256: str,
    *,
    split: str = "test",
    num_resamples: int = NUM_RESAMPLES,
    seed: int = SEED,
) -> Leaderboard:
    """Rank proposers. The order of the results changes nothing.

    Args:
        results: Their results.
        splits: The split of each snapshot of the dataset.
        dataset_sha256: What names the contents of the dataset.
        split: The split whose snapshots count; lines of the other one are left out.
        num_resamples: How often the snapshots are drawn anew for an interval.
        seed: The same seed gives the same intervals.

    Raises:
        ScoringError: If no result is of the split, or results do not compare.
    """
    check_snapshots(results, splits)
    counted = [placed for placed in results if placed.line.split == split]
    if not counted:
        raise ScoringError(f"The results hold no line of the split {split}: name the other one, or run it.")
    check_comparable(counted, dataset_sha256)
    k = _num_candidates(counted)
    lines: dict[str, dict[str, ResultLine]] = {}
    for placed in counted:
        lines.setdefault(placed.line.proposer, {})[placed.line.snapshot_id] = placed.line
    snapshot_ids = sorted(name for name, its_split in splits.items() if its_split == split)
    entries = {
        proposer: tuple(_entry(name, of_proposer.get(name), k) for name in snapshot_ids)
        for proposer, of_proposer in sorted(lines.items())
    }
    return Leaderboard(
        split=split,
        k=k,
        ways=ways(counted),
        num_resamples=num_resamples,
        num_left_out=len(results) - len(counted),
        standings=_standings(entries, num_resamples, seed),
    )


def _num_candidates(lines: Sequence[Placed]) -> int:
    """Tell how many candidates a set may have: one number for all, as a set score grows with the set."""
    k = lines[0].line.settings.get(K_SETTING)
    if not isinstance(k, int):
        raise ScoringError(f"{lines[0].place} does not tell {K_SETTING}: run it anew.")
    for placed in lines:
        size = len(placed.line.result.candidates) if placed.line.result else 0
        if size > k:
            raise ScoringError(
                f"{placed.place} scores {size} candidates where {K_SETTING} is {k}: run it anew."
            )
    return k


def _entry(snapshot_id: str, line: ResultLine | None, k: int) -> Entry:
    if line is None:
        return Entry(snapshot_id, Outcome.NOT_RUN)
    if line.result is None:
        return Entry(snapshot_id, Outcome.FAILED, line.reason)
    result = line.result
    if result.num_unjudged:
        reason = f"{result.num_unjudged} of {len(result.candidates)} candidates could not be judged."
        return Entry(snapshot_id, Outcome.UNJUDGED, reason)
    novelty = measure_set(result, k)
    return Entry(
        snapshot_id,
        Outcome.SCORED,
        set_score=result.set_score,
        distinct_k=novelty.distinct_k,
        utility_k=novelty.utility_k,
    )


def _standings(entries: Mapping[str, Sequence[Entry]], num_resamples: int, seed: int) -> tuple[Standing, ...]:
    """Estimate everything on one and the same set of resamples."""
    shown = sorted({each.snapshot_id for of in entries.values() for each in of if each.set_score is not None})
    draws = resample(len(shown), num_resamples=num_resamples, seed=seed)
    wins = compare(
        Answer(each.snapshot_id, proposer, each.set_score) for proposer, of in entries.items() for each in of
    )
    means = {
        proposer: _mean(of, lambda each: each.set_score, shown, draws) for proposer, of in entries.items()
    }
    ranks = shared_ranks({proposer: estimate.mean for proposer, estimate in means.items()})
    standings = [
        Standing(
            proposer=proposer,
            rank=ranks[proposer],
            set_score=means[proposer],
            distinct_k=_mean(of, lambda each: each.distinct_k, shown, draws),
            utility_k=_mean(of, lambda each: each.utility_k, shown, draws),
            win_rate=_win_estimate(wins[proposer], shown, draws),
            num_comparisons=sum(map(len, wins[proposer].values())),
            entries=tuple(of),
        )
        for proposer, of in entries.items()
    ]
    return tuple(sorted(standings, key=lambda each: (each.rank is None, each.rank or 0, each.proposer)))


def _mean(
    entries: Sequence[Entry], value: Callable[[Entry], float | None], shown: Sequence[str], draws: Draws
) -> Estimate:
    """Average over the snapshots that count, each of which is a cluster of one."""
    values = {each.snapshot_id: found for each in entries if (found := value(each)) is not None}
    mean = fsum(values.values()) / len(values) if values else None
    return Estimate(mean, _interval({name: [each] for name, each in values.items()}, shown, draws))


def _win_estimate(wins: Mapping[str, Sequence[float]], shown: Sequence[str], draws: Draws) -> Estimate:
    """Average over comparisons, which come in clusters: those of a snapshot."""
    return Estimate(win_rate(wins), _interval(wins, shown, draws))


def _interval(values: Mapping[str, Sequence[float]], shown: Sequence[str], draws: Draws) -> Interval | None:
    sums = np.array([fsum(values.get(name, ())) for name in shown], dtype=np.float64)
    counts = np.array([len(values.get(name, ())) for name in shown], dtype=np.int64)
    return ratio_interval(sums, counts, draws)
