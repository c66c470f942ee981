"""Which judge is asked, as options and settings have it, for every command that scores."""

from enum import StrEnum
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict

from outputs.spending.questions import Purse
from scorers.cosine_judge import CosineJudge
from scorers.judging import Judge
from scorers.llm_judge import LlmJudge
from scorers.llm_questions import DEFAULT_EFFORT, DEFAULT_MODEL
from scorers.thresholds import PUBLISHED, Threshold

DEFAULT_JUDGE_TIMEOUT_S = 180.0
"""A reasoning model thinks before it answers."""


class JudgeName(StrEnum):
    """Who judges."""

    COSINE = "cosine"
    LLM_HYBRID = "llm-hybrid"


class Effort(StrEnum):
    """How much a reasoning model is to think."""

    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class FallbackName(StrEnum):
    """Who judges what a model leaves unjudged."""

    NONE = "none"
    COSINE = "cosine"


JudgeOption = Annotated[JudgeName, typer.Option(help="Who tells what a candidate is.")]
JudgeModelOption = Annotated[str, typer.Option(help="Model that llm-hybrid asks.")]
EffortOption = Annotated[
    Effort,
    typer.Option(metavar="LEVEL", help="How much that model is to think: minimal, low, medium or high."),
]
BothOrdersOption = Annotated[
    bool,
    typer.Option("--both-orders", help="Ask twice, with either pool first; what earns less counts."),
]
FallbackOption = Annotated[FallbackName, typer.Option(help="Who judges what llm-hybrid leaves unjudged.")]
JudgeTimeoutOption = Annotated[float, typer.Option(min=0.1, help="Longest wait for an answer, in seconds.")]


class JudgeSettings(BaseModel):
    """Which judge is asked, and how.

    Attributes:
        name: Which one.
        threshold: The least cosine of a match, where cosine judges, and of two candidates of one idea.
        model: The model that `llm-hybrid` asks.
        effort: How much that is to think.
        is_both_orders: Whether it is asked with either pool first.
        fallback: Who judges what it leaves unjudged.
    """

    model_config = ConfigDict(frozen=True)

    name: JudgeName = JudgeName.COSINE
    threshold: Threshold = PUBLISHED
    model: str = DEFAULT_MODEL
    effort: Effort = Effort(DEFAULT_EFFORT)
    is_both_orders: bool = False
    fallback: FallbackName = FallbackName.NONE

    @property
    def is_asking(self) -> bool:
        """Whether a model is asked."""
        return self.name is JudgeName.LLM_HYBRID

    def for_results(self) -> dict[str, str | int | float | bool | None]:
        """List what decides what a judgement means."""
        shown: dict[str, str | int | float | bool | None] = {
            "judge": self.name.value,
            "threshold": self.threshold.value,
        }
        if self.is_asking:
            shown |= {
                "judge_model": self.model,
                "effort": self.effort.value,
                "both_orders": self.is_both_orders,
                "fallback": self.fallback.value,
            }
        return shown


def make_judge(settings: JudgeSettings, purse: Purse | None) -> Judge:
    """Make the judge that the settings name.

    Args:
        settings: Which judge.
        purse: What is needed to ask a model; None where none is asked.

    Raises:
        SpendingError: If the price of its model is not known.
    """
    cosine = CosineJudge(settings.threshold.value)
    if not settings.is_asking:
        return cosine
    assert purse is not None, "whoever asks a model opens a purse"
    purse.budget.price(settings.model)
    return LlmJudge(
        purse=purse,
        model=settings.model,
        effort=settings.effort.value,
        is_both_orders=settings.is_both_orders,
        fallback=cosine if settings.fallback is FallbackName.COSINE else None,
    )
