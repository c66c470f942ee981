"""Counts as bars: they add up, begin where the last one ended, and leave nothing out."""

import polars as pl
import pytest

from linkers.variants.coverage import CoverageRow
from outputs.report.bars import OPEN, coverage_waterfall, stack, stack_by_scope, waterfall


def test_segments_lie_side_by_side_and_fill_the_bar() -> None:
    bar = stack("v1/codex", ["a", "b", "c"], {"a": 1, "c": 2})
    assert [(part.start, part.share, part.place) for part in bar.segments] == [
        (0.0, pytest.approx(33.333), 0),
        (pytest.approx(33.333), 0.0, 1),
        (pytest.approx(33.333), pytest.approx(66.667), 2),
    ]
    assert bar.total == 3


def test_a_bar_of_nothing_divides_by_nothing() -> None:
    assert [part.share for part in stack("v1/codex", ["a"], {}).segments] == [0.0]


def test_a_waterfall_ends_with_what_is_left_open() -> None:
    steps = waterfall([("first", 6, 5), ("second", 9, 3)], 10)
    assert [(step.tier, step.added, step.start, step.end) for step in steps] == [
        ("first", 5, 0.0, 50.0),
        ("second", 3, 50.0, 80.0),
        (OPEN, 2, 80.0, 100.0),
    ]


def test_the_waterfall_of_scopes_is_their_sum() -> None:
    rows = [
        CoverageRow("codex", "v1", "first", 6, 4, 4, 4, 1),
        CoverageRow("codex", "v1", "second", 6, 5, 1, 5, 0),
        CoverageRow("codex", "v2", "first", 4, 1, 1, 1, 0),
        CoverageRow("codex", "v2", "second", 4, 3, 2, 3, 0),
    ]
    assert [
        (step.tier, step.answered, step.added, step.reached, step.end) for step in coverage_waterfall(rows)
    ] == [("first", 5, 5, 5, 50.0), ("second", 8, 3, 8, 80.0), (OPEN, None, 2, 10, 100.0)]
    assert [step.end for step in coverage_waterfall([])] == [0.0]


def test_scopes_stand_in_the_order_of_the_waves_and_null_is_left_open() -> None:
    experiments = pl.DataFrame(
        {
            "agent": ["codex", "claude-code", "codex"],
            "wave": ["v2", "v1", "v2"],
            "tier": ["stub", None, None],
        }
    )
    bars = stack_by_scope(experiments, "tier", ("ledger", "stub", OPEN))
    assert [bar.scope for bar in bars] == ["v1/claude-code", "v2/codex"]
    assert [(part.name, part.count, part.place) for part in bars[1].segments] == [
        ("stub", 1, 1),
        (OPEN, 1, 2),
    ]
