"""The frontier of each agent over time: every moment at which a better step became known."""

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from parsers.scopes import AGENTS


@dataclass(frozen=True, slots=True)
class FrontierStep:
    """A run that reached 3.28 earlier than every run of its agent that had finished before.

    Attributes:
        agent: The agent.
        wave: Its wave at that time.
        experiment_id: The run.
        at: When it finished.
        step: Its step.
    """

    agent: str
    wave: str
    experiment_id: str
    at: datetime
    step: int


def frontier_steps(experiments: pl.DataFrame) -> tuple[FrontierStep, ...]:
    """List the steps of every agent's frontier, by agent and time, of the runs whose outcome became known."""
    known = experiments.filter(pl.col("finished_at").is_not_null(), pl.col("step_to_3_28").is_not_null())
    ordered = known.sort("finished_at", "step_to_3_28", "experiment_id")
    columns = ("agent", "wave", "experiment_id", "finished_at", "step_to_3_28")
    best: dict[str, int] = {}
    steps = []
    for agent, wave, experiment_id, at, step in ordered.select(columns).iter_rows():
        if agent not in best or step < best[agent]:
            best[agent] = step
            steps.append(FrontierStep(agent, wave, experiment_id, at, step))
    return tuple(sorted(steps, key=lambda each: (AGENTS.index(each.agent), each.at, -each.step)))
