"""The frontier holds what was known, when it was known."""

from datetime import UTC, datetime

import polars as pl

from outputs.report.frontier import frontier_steps


def hour(number: int) -> datetime:
    return datetime(2026, 5, 1, number, tzinfo=UTC)


def test_a_step_is_a_better_result_at_the_time_at_which_it_was_known() -> None:
    rows = [
        ("codex", "v1", "late-but-slow", hour(5), 3450),
        ("codex", "v1", "first", hour(1), 3480),
        ("codex", "v1", "equal", hour(2), 3480),
        ("codex", "v1", "never-known", None, 2000),
        ("codex", "v1", "no-hit", hour(3), None),
        ("codex", "v1", "best", hour(4), 3400),
        ("claude-code", "v1", "other-agent", hour(9), 3490),
    ]
    columns = ["agent", "wave", "experiment_id", "finished_at", "step_to_3_28"]
    experiments = pl.DataFrame(rows, schema=columns, orient="row")
    found = [(each.agent, each.experiment_id, each.step) for each in frontier_steps(experiments)]
    assert found == [("claude-code", "other-agent", 3490), ("codex", "first", 3480), ("codex", "best", 3400)]
