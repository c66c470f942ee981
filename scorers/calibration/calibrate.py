"""Has a judge answer cases whose answer is known, at every threshold, and says which one to use."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scorers.bootstrap import Draws, resample
from scorers.calibration.cases import Case
from scorers.calibration.metrics import (
    CLASSES,
    Confusion,
    accuracy,
    confusion_of,
    f1,
    figure,
    kappa,
    precision,
    recall,
    resample_confusion,
)
from scorers.calibration.results import CalibrationResult, ClassFigures, JudgeFigures, ThresholdFigures
from scorers.classes import Classification
from scorers.cosine_judge import CosineJudge
from scorers.errors import ScoringError
from scorers.judging import Judge
from scorers.pools import Benchmark
from scorers.scoring import score
from scorers.thresholds import PUBLISHED_THRESHOLD

GRID = tuple(round(0.3 + 0.01 * number, 2) for number in range(70))
"""The thresholds that are tried: 0.30 to 0.99."""

Found = Mapping[str, Classification]
"""What a judge found each case to be, by its id."""


def calibrate(
    benchmark: Benchmark,
    cases: Sequence[Case],
    paraphrases: str,
    make_judge: Callable[[float], Judge] = CosineJudge,
) -> CalibrationResult:
    """Choose a threshold on cases whose answer is known, and measure a judge on them.

    Args:
        benchmark: The dataset, with somebody who embeds candidates.
        cases: The cases.
        paraphrases: Who paraphrased them, for the record.
        make_judge: Makes the judge that is measured at the chosen threshold; the sweep is always by cosine.

    Raises:
        ScoringError: If there is no case.
    """
    if not cases:
        raise ScoringError("There is nothing to calibrate on: the dataset has no dev snapshot.")
    draws = resample(len({each.snapshot_id for each in cases}))
    at_none = _near(benchmark, cases)
    swept = {
        threshold: {each.case_id: classify(each, *at_none[each.case_id], threshold) for each in cases}
        for threshold in sorted({*GRID, PUBLISHED_THRESHOLD})
    }
    figures = {threshold: _at(threshold, cases, found, draws) for threshold, found in swept.items()}
    threshold = choose([(each, figures[each].kappa.value) for each in GRID])
    found = judge_cases(benchmark, cases, make_judge(threshold))
    return CalibrationResult(
        embedding=benchmark.embedding,
        embedding_model=benchmark.model,
        threshold=threshold,
        num_cases=len(cases),
        num_snapshots=draws.shape[1],
        paraphrases=paraphrases,
        judge=_measure(make_judge(threshold).name, cases, found, draws),
        published=figures[PUBLISHED_THRESHOLD],
        sweep=tuple(figures[each] for each in GRID),
    )


def choose(kappas: Sequence[tuple[float, float | None]]) -> float:
    """Choose the threshold with the largest kappa; of equal ones the nearest to the published, the lower.

    >>> choose([(0.7, 0.5), (0.74, 0.9), (0.77, 0.9), (0.8, None)])
    0.74
    """
    ranked = sorted(
        (-(-2.0 if value is None else round(value, 12)), round(abs(each - PUBLISHED_THRESHOLD), 6), each)
        for each, value in kappas
    )
    return ranked[0][2]


def classify(case: Case, prior: float, future: float, threshold: float) -> Classification:
    """Say what cosine makes of a case, by the similarity of its nearest prior and future."""
    if not case.candidate.is_valid:
        return Classification.INVALID
    if np.float32(future) >= np.float32(threshold):
        return Classification.NOVEL_VALIDATED
    if np.float32(prior) >= np.float32(threshold):
        return Classification.REDISCOVERY
    return Classification.NOVEL_UNVALIDATED


def judge_cases(benchmark: Benchmark, cases: Sequence[Case], judge: Judge) -> Found:
    """Let a judge answer the cases, one snapshot at a time."""
    found: dict[str, Classification] = {}
    for snapshot_id, members in _by_snapshot(cases).items():
        result = score(benchmark, snapshot_id, [each.candidate for each in members], judge=judge)
        found |= {
            each.case_id: answer.classification
            for each, answer in zip(members, result.candidates, strict=True)
        }
    return found


def _near(benchmark: Benchmark, cases: Sequence[Case]) -> Mapping[str, tuple[float, float]]:
    """The similarity of each case to its nearest prior and future; -1 where it has none."""
    near: dict[str, tuple[float, float]] = {}
    for snapshot_id, members in _by_snapshot(cases).items():
        result = score(benchmark, snapshot_id, [each.candidate for each in members])
        for each, answer in zip(members, result.candidates, strict=True):
            prior, future = answer.nearest_prior, answer.nearest_future
            near[each.case_id] = (prior.similarity if prior else -1.0, future.similarity if future else -1.0)
    return near


def _by_snapshot(cases: Sequence[Case]) -> dict[str, list[Case]]:
    grouped: dict[str, list[Case]] = {}
    for each in sorted(cases, key=lambda each: each.case_id):
        grouped.setdefault(each.snapshot_id, []).append(each)
    return grouped


def _confusions(cases: Sequence[Case], found: Found) -> Confusion:
    """One matrix a snapshot, shape (snapshots, classes, classes)."""
    return np.stack(
        [
            confusion_of([each.expected for each in members], [found[each.case_id] for each in members])
            for members in _by_snapshot(cases).values()
        ]
    )


def _at(threshold: float, cases: Sequence[Case], found: Found, draws: Draws) -> ThresholdFigures:
    by_snapshot = _confusions(cases, found)
    whole, drawn = by_snapshot.sum(axis=0), resample_confusion(by_snapshot, draws)
    return ThresholdFigures(
        threshold=threshold,
        accuracy=figure(accuracy(whole), accuracy(drawn)),
        kappa=figure(kappa(whole), kappa(drawn)),
        classes=_class_figures(whole, drawn),
    )


def _measure(name: str, cases: Sequence[Case], found: Found, draws: Draws) -> JudgeFigures:
    by_snapshot = _confusions(cases, found)
    whole, drawn = by_snapshot.sum(axis=0), resample_confusion(by_snapshot, draws)
    right: dict[str, list[bool]] = {}
    for each in cases:
        right.setdefault(each.kind.value, []).append(found[each.case_id] is each.expected)
    return JudgeFigures(
        judge=name,
        accuracy=figure(accuracy(whole), accuracy(drawn)),
        kappa=figure(kappa(whole), kappa(drawn)),
        classes=_class_figures(whole, drawn),
        confusion={
            row.value: {column.value: int(whole[i, j]) for j, column in enumerate(CLASSES)}
            for i, row in enumerate(CLASSES)
        },
        accuracy_by_kind={kind: sum(hits) / len(hits) for kind, hits in sorted(right.items())},
    )


def _class_figures(whole: Confusion, drawn: Confusion) -> tuple[ClassFigures, ...]:
    def both(
        of: Callable[[Confusion, Classification], NDArray[np.float64]], each: Classification
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return of(whole, each), of(drawn, each)

    return tuple(
        ClassFigures(
            classification=each.value,
            num_expected=int(whole[place].sum()),
            num_found=int(whole[:, place].sum()),
            precision=figure(*both(precision, each)),
            recall=figure(*both(recall, each)),
            f1=figure(*both(f1, each)),
        )
        for place, each in enumerate(CLASSES)
        if each is not Classification.UNJUDGED or whole[:, place].any()
    )
