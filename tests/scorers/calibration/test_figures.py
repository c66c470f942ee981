"""Figures over snapshots and scopes, reckoned by hand."""

import numpy as np
import pytest

from scorers.calibration.cases import Case, Kind
from scorers.calibration.figures import Layout, agreement, at_threshold, hold_out, measure_judge
from scorers.calibration.metrics import CLASSES, Confusion, codes, count_confusion
from scorers.calibration.results import CaseAnswer
from scorers.calibration.sweep import GRID
from scorers.candidates import parse_candidate
from scorers.classes import Classification
from scorers.results import UsageResult

INVALID, VALIDATED, REDISCOVERY, UNVALIDATED, UNJUDGED = Classification


def case(snapshot: str, kind: Kind, scope: str = "codex/v1") -> Case:
    return Case(f"{snapshot}/{kind}", snapshot, scope, kind, None, "", parse_candidate(""))


def answer(each: Case, found: Classification) -> CaseAnswer:
    return CaseAnswer(
        case_id=each.case_id,
        snapshot_id=each.snapshot_id,
        kind=each.kind,
        source_id=None,
        title="",
        expected=each.expected,
        found=found,
        matched_id=None,
        nearest_prior=None,
        nearest_future=None,
        reason="",
    )


CASES = (
    case("b", Kind.MALFORMED),
    case("b", Kind.VERBATIM_PRIOR),
    case("a", Kind.VERBATIM_PRIOR, "codex/v2"),
    case("a", Kind.VERBATIM_FUTURE, "codex/v2"),
    case("b", Kind.OTHER_SCOPE),
)
FOUND = (INVALID, REDISCOVERY, UNVALIDATED, VALIDATED, UNJUDGED)


def test_cases_are_laid_out_by_snapshot_and_scope() -> None:
    layout = Layout.of(CASES)
    assert layout.snapshots.tolist() == [1, 1, 0, 0, 1]
    assert layout.scopes.tolist() == [1, 0], "a is of codex/v2, b of codex/v1"
    assert layout.draws.shape == (10_000, 2)
    assert Layout.of(CASES[:2]).draws.shape == (0, 1), "one snapshot tells nothing of how they differ"


def test_a_judge_is_measured_by_class_by_kind_and_without_the_malformed() -> None:
    """3 of 5 are right, and 2 of the 4 that are proposals; a is right in 1 of 2, b in 2 of 3."""
    layout = Layout.of(CASES)
    answers = [answer(*each) for each in zip(CASES, FOUND, strict=True)]
    found = measure_judge("llm-hybrid", "gpt", UsageResult(usd=1.0), answers, layout)
    assert found.everything.accuracy.value == pytest.approx(3 / 5)
    assert found.everything.accuracy.interval is not None
    assert found.everything.accuracy.interval.low == pytest.approx(1 / 2)
    assert found.everything.accuracy.interval.high == pytest.approx(2 / 3)
    assert found.well_formed.accuracy.value == pytest.approx(2 / 4)
    # p_e = (1*1 + 1*1 + 2*1 + 1*1 + 0*1) / 25 = 5/25; kappa = (3/5 - 1/5) / (1 - 1/5) = 1/2.
    assert found.everything.kappa.value == pytest.approx(1 / 2)
    # Without the malformed p_e = (1*1 + 2*1 + 1*1) / 16 = 1/4; kappa = (1/2 - 1/4) / (3/4) = 1/3.
    assert found.well_formed.kappa.value == pytest.approx(1 / 3)
    assert {each.kind: (each.num_cases, each.accuracy.value) for each in found.kinds} == {
        Kind.MALFORMED: (1, 1.0),
        Kind.VERBATIM_PRIOR: (2, 0.5),
        Kind.VERBATIM_FUTURE: (1, 1.0),
        Kind.OTHER_SCOPE: (1, 0.0),
    }
    of_class = {each.classification: each for each in found.classes}
    assert set(of_class) == set(Classification), "the unjudged too, as there are some"
    assert (of_class[UNJUDGED].num_expected, of_class[UNJUDGED].num_found) == (0, 1)
    assert of_class[UNVALIDATED].precision.value == 0.0
    assert found.confusion[REDISCOVERY] == {
        INVALID: 0,
        VALIDATED: 0,
        REDISCOVERY: 1,
        UNVALIDATED: 1,
        UNJUDGED: 0,
    }
    assert (found.judge, found.judge_model, found.usage.usd) == ("llm-hybrid", "gpt", 1.0)


def test_the_unjudged_are_no_class_where_there_are_none() -> None:
    layout = Layout.of(CASES)
    counts = layout.confusion(codes([each.expected for each in CASES]))
    told = at_threshold(0.5, counts, layout.draws)
    assert [each.classification for each in told.classes] == list(Classification)[:4]
    assert (told.accuracy.value, told.kappa.value) == (1.0, 1.0)


def test_one_snapshot_has_figures_and_no_intervals() -> None:
    layout = Layout.of(CASES[:2])
    found = agreement(layout.confusion(codes(FOUND[:2])), layout.draws)
    assert (found.accuracy.value, found.accuracy.interval, found.kappa.interval) == (1.0, None, None)


def of(right: int, wrong: int) -> Confusion:
    """So many priors that are found, and so many that are not; and one of another class, as kappa needs two."""
    found = [REDISCOVERY] * right + [UNVALIDATED] * (wrong + 1)
    counts: Confusion = count_confusion(codes([REDISCOVERY] * (right + wrong) + [UNVALIDATED]), codes(found))[
        0
    ]
    return counts


def test_each_scope_is_held_out_from_the_choice_of_its_threshold() -> None:
    """Scope 0 is told best at 0.40 and scope 1 at 0.60, so that each is judged where the other is best.

    Of 4 priors each then 1 and 2 are found, and the 2 others are told: (1 + 2 + 2) of 10.
    """
    swept = np.zeros((len(GRID), 2, len(CLASSES), len(CLASSES)), np.int64)
    swept[:] = of(0, 4)
    swept[GRID.index(0.4), 0], swept[GRID.index(0.4), 1] = of(4, 0), of(2, 2)
    swept[GRID.index(0.6), 0], swept[GRID.index(0.6), 1] = of(1, 3), of(4, 0)
    cases = [case("a", Kind.VERBATIM_PRIOR, "codex/v1"), case("b", Kind.VERBATIM_PRIOR, "codex/v2")]
    found = hold_out(swept, Layout.of(cases))
    assert found is not None
    assert found.accuracy.value == pytest.approx(5 / 10)


def test_one_scope_cannot_be_held_out() -> None:
    layout = Layout.of([case("a", Kind.VERBATIM_PRIOR), case("b", Kind.VERBATIM_PRIOR)])
    swept = np.zeros((len(GRID), 2, len(CLASSES), len(CLASSES)), np.int64)
    assert hold_out(swept, layout) is None
