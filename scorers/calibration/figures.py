"""Figures from the answers to cases: who was expected to be what, and how often that was found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorers.bootstrap import NUM_RESAMPLES, Draws, ratio_interval, resample
from scorers.calibration.cases import Case, Kind
from scorers.calibration.metrics import (
    CLASSES,
    Codes,
    Confusion,
    Figure,
    accuracy,
    codes,
    count_confusion,
    f1,
    figure,
    kappa,
    precision,
    recall,
    resample_confusion,
    without,
)
from scorers.calibration.results import (
    Agreement,
    CaseAnswer,
    ClassFigures,
    JudgeFigures,
    KindFigures,
    ThresholdFigures,
)
from scorers.calibration.sweep import GRID, choose
from scorers.classes import Classification
from scorers.results import UsageResult


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Which case is expected to be what, and where it belongs.

    Attributes:
        expected: The right answers, shape (n,).
        snapshots: The number of each case's snapshot, shape (n,).
        scopes: The number of each snapshot's scope, shape (snapshots,).
        draws: How often each snapshot is drawn, shape (resamples, snapshots); no resample of one snapshot, as
            it tells nothing of how snapshots differ.
    """

    expected: Codes
    snapshots: NDArray[np.int64]
    scopes: NDArray[np.int64]
    draws: Draws

    @classmethod
    def of(cls, cases: Sequence[Case]) -> "Layout":
        """Lay cases out."""
        scope_of = {each.snapshot_id: each.scope for each in cases}
        names, scopes = sorted(scope_of), sorted(set(scope_of.values()))
        return cls(
            codes([each.expected for each in cases]),
            np.array([names.index(each.snapshot_id) for each in cases], np.int64),
            np.array([scopes.index(scope_of[name]) for name in names], np.int64),
            resample(len(names), num_resamples=NUM_RESAMPLES if len(names) > 1 else 0),
        )

    def confusion(self, found: Codes) -> Confusion:
        """Count answers, one matrix a snapshot, shape (snapshots, classes, classes)."""
        return count_confusion(self.expected, found, self.snapshots)


def agreement(by_snapshot: Confusion, draws: Draws) -> Agreement:
    """Tell how often answers are right.

    Args:
        by_snapshot: Shape (snapshots, classes, classes).
        draws: How often each snapshot is drawn.
    """
    whole, drawn = by_snapshot.sum(axis=0), resample_confusion(by_snapshot, draws)
    return Agreement(
        accuracy=figure(accuracy(whole), accuracy(drawn)), kappa=figure(kappa(whole), kappa(drawn))
    )


def at_threshold(threshold: float, by_snapshot: Confusion, draws: Draws) -> ThresholdFigures:
    """Tell how well all classes are told at a threshold."""
    found = agreement(by_snapshot, draws)
    return ThresholdFigures(
        threshold=threshold,
        accuracy=found.accuracy,
        kappa=found.kappa,
        classes=_class_figures(by_snapshot, draws),
    )


def hold_out(swept: Confusion, layout: Layout) -> Agreement | None:
    """Tell how well cosine does on each scope at the threshold that the cases of the others choose.

    Args:
        swept: One matrix a threshold of the grid and snapshot, shape (t, snapshots, classes, classes).
        layout: Which snapshot is of which scope.

    Returns:
        Over the cases of all scopes; None where there is one scope.
    """
    scopes = np.unique(layout.scopes)
    if len(scopes) < 2:
        return None
    held = np.zeros_like(swept[0])
    for scope in scopes:
        is_held = layout.scopes == scope
        threshold = float(choose(GRID, kappa(swept[:, ~is_held].sum(axis=1))))
        held[is_held] = swept[GRID.index(threshold), is_held]
    return agreement(held, layout.draws)


def measure_judge(
    name: str, model: str | None, usage: UsageResult, answers: Sequence[CaseAnswer], layout: Layout
) -> JudgeFigures:
    """Tell how well a judge answered the cases."""
    by_snapshot = layout.confusion(codes([each.found for each in answers]))
    whole = by_snapshot.sum(axis=0)
    return JudgeFigures(
        judge=name,
        judge_model=model,
        everything=agreement(by_snapshot, layout.draws),
        well_formed=agreement(without(by_snapshot, Classification.INVALID), layout.draws),
        classes=_class_figures(by_snapshot, layout.draws),
        kinds=tuple(_kind_figures(answers, layout)),
        confusion={
            row: {column: int(whole[i, j]) for j, column in enumerate(CLASSES)}
            for i, row in enumerate(CLASSES)
        },
        usage=usage,
    )


def _kind_figures(answers: Sequence[CaseAnswer], layout: Layout) -> list[KindFigures]:
    kinds = np.array([each.kind.value for each in answers])
    is_right = np.array([each.found is each.expected for each in answers])
    figures = []
    for kind in Kind:
        places = layout.snapshots[kinds == kind.value]
        if not len(places):
            continue
        size = len(layout.scopes)
        weights = is_right[kinds == kind.value].astype(np.float64)
        right = np.bincount(places, weights=weights, minlength=size).astype(np.float64)
        counts = np.bincount(places, minlength=size)
        share = Figure(float(right.sum() / counts.sum()), ratio_interval(right, counts, layout.draws))
        figures.append(KindFigures(kind=kind, num_cases=len(places), accuracy=share))
    return figures


def _class_figures(by_snapshot: Confusion, draws: Draws) -> tuple[ClassFigures, ...]:
    """Tell each class from the rest; of the unjudged only where there are any."""
    whole, drawn = by_snapshot.sum(axis=0), resample_confusion(by_snapshot, draws)

    def told(of: Callable[[Confusion, Classification], NDArray[np.float64]], each: Classification) -> Figure:
        return figure(of(whole, each), of(drawn, each))

    return tuple(
        ClassFigures(
            classification=each,
            num_expected=int(whole[place].sum()),
            num_found=int(whole[:, place].sum()),
            precision=told(precision, each),
            recall=told(recall, each),
            f1=told(f1, each),
        )
        for place, each in enumerate(CLASSES)
        if each is not Classification.UNJUDGED or whole[:, place].any()
    )
