"""Has a judge answer cases whose answer is known, at every threshold, and says which one to use."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scorers.bootstrap import percentile_interval
from scorers.calibration.cases import Case
from scorers.calibration.figures import Layout, at_threshold, hold_out, measure_judge
from scorers.calibration.metrics import kappa, resample_confusion
from scorers.calibration.results import CalibrationResult, CaseAnswer, Origin
from scorers.calibration.sweep import GRID, choose, classify, measure_nearest
from scorers.cosine_judge import CosineJudge
from scorers.errors import ScoringError
from scorers.judging import Judge
from scorers.pools import Benchmark, Priors
from scorers.results import CandidateResult, ScoringResult, UsageResult
from scorers.scoring import score
from scorers.thresholds import PUBLISHED_THRESHOLD

UNTOLD = Origin()


@dataclass(frozen=True, slots=True)
class Calibration:
    """A calibration.

    Attributes:
        result: What it found.
        answers: What became of each case, in the order of the cases.
    """

    result: CalibrationResult
    answers: tuple[CaseAnswer, ...]


def calibrate(
    benchmark: Benchmark,
    cases: Sequence[Case],
    make_judge: Callable[[float], Judge] = CosineJudge,
    *,
    priors: Priors = "scope",
    origin: Origin = UNTOLD,
) -> Calibration:
    """Choose a threshold on cases whose answer is known, and measure a judge on them.

    Args:
        benchmark: The dataset, with somebody who embeds candidates.
        cases: The cases.
        make_judge: Makes the judge that is measured at the chosen threshold; the sweep is always by cosine.
        priors: Whose experiments count as priors, as for the cases.
        origin: What the cases were made from, for the record.

    Raises:
        ScoringError: If there is no case.
        SpendingError: If the judge asks a model and can ask no more. Answers are kept.
    """
    if not cases:
        raise ScoringError("There is nothing to calibrate on: the dataset has no dev snapshot.")
    layout = Layout.of(cases)
    near = measure_nearest(benchmark, cases, priors)
    swept = np.stack([layout.confusion(classify(near, each)) for each in GRID])
    kappas = np.stack([kappa(resample_confusion(each, layout.draws)) for each in swept])
    threshold = float(choose(GRID, kappa(swept.sum(axis=1))))
    figures = tuple(
        at_threshold(each, counts, layout.draws) for each, counts in zip(GRID, swept, strict=True)
    )
    judge = make_judge(threshold)
    results = judge_cases(benchmark, cases, judge, priors)
    answers = _answers(cases, results)
    model = next(iter(results.values())).judge_model
    result = CalibrationResult(
        embedding=benchmark.embedding,
        embedding_model=benchmark.model,
        threshold=threshold,
        threshold_interval=percentile_interval(choose(GRID, kappas)),
        num_cases=len(cases),
        num_snapshots=len(layout.scopes),
        origin=origin,
        judge=measure_judge(judge.name, model, _usage(results.values()), answers, layout),
        held_out=hold_out(swept, layout),
        published=figures[GRID.index(PUBLISHED_THRESHOLD)],
        sweep=figures,
    )
    return Calibration(result, answers)


def judge_cases(
    benchmark: Benchmark, cases: Sequence[Case], judge: Judge, priors: Priors = "scope"
) -> dict[str, ScoringResult]:
    """Let a judge answer the cases: one set a snapshot, its cases in their order."""
    grouped: dict[str, list[Case]] = {}
    for each in cases:
        grouped.setdefault(each.snapshot_id, []).append(each)
    return {
        snapshot_id: score(
            benchmark, snapshot_id, [each.candidate for each in members], judge=judge, priors=priors
        )
        for snapshot_id, members in grouped.items()
    }


def _answers(cases: Sequence[Case], results: dict[str, ScoringResult]) -> tuple[CaseAnswer, ...]:
    left = {snapshot_id: iter(each.candidates) for snapshot_id, each in results.items()}
    return tuple(_answer(each, next(left[each.snapshot_id])) for each in cases)


def _answer(case: Case, found: CandidateResult) -> CaseAnswer:
    return CaseAnswer(
        case_id=case.case_id,
        snapshot_id=case.snapshot_id,
        kind=case.kind,
        source_id=case.source_id,
        title=found.title,
        expected=case.expected,
        found=found.classification,
        matched_id=found.matched_id,
        nearest_prior=found.nearest_prior.similarity if found.nearest_prior else None,
        nearest_future=found.nearest_future.similarity if found.nearest_future else None,
        reason=found.reason,
    )


def _usage(results: Iterable[ScoringResult]) -> UsageResult:
    used = [each.usage for each in results]
    return UsageResult(
        input_tokens=sum(each.input_tokens for each in used),
        output_tokens=sum(each.output_tokens for each in used),
        usd=sum(each.usd for each in used),
    )
