"""What comes of scoring a set: every number and every match, as JSON has them."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from scorers.classes import Classification, Impact
from scorers.explanation import explain
from scorers.thresholds import ThresholdSource


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Neighbour(_Frozen):
    """An experiment near a candidate. Its texts are untrusted.

    Attributes:
        experiment_id: Its id.
        idea_id: The idea that it tested, where that is known.
        similarity: Its cosine to the candidate.
        launched_at: When it was tried.
        text: Its description.
        outcome: What came of it, in words.
    """

    experiment_id: str
    idea_id: str | None
    similarity: float
    launched_at: datetime | None
    text: str
    outcome: str


class CandidateResult(_Frozen):
    """What became of one candidate.

    Attributes:
        path: Where it was read from.
        title: Its title.
        classification: What it is.
        score: What it earns.
        confidence: How sure the judge is, 0 to 1.
        impact: What a matched future experiment stands for.
        rejection_class: Why a matched prior's idea had been rejected by then, `none` if it had not.
        multiplier: What that multiplies the score by.
        similarity: Cosine to the match; without one, to the nearest experiment of both pools.
        matched_id: The experiment that it matches.
        matched_idea_id: The idea that this tested.
        matched_at: When it was tried.
        matched_text: What it does.
        matched_outcome: What came of it, in words.
        matched_rejection: How it is known that its idea was rejected, where that counts.
        rejected_at: When it was rejected, likewise.
        reason: Why it is what it is, in a sentence.
        distinct_class: Which of the set's distinct ideas it states, numbered from 0 by first appearance, as
            NoveltyBench parts outputs; None for one that was not judged.
        orders_agree: Whether a model that was asked in both orders of the pools answered the same.
        stand_in: The judge that judged it in place of the one that was asked.
        nearest_prior: The nearest prior, whether near enough or not.
        nearest_future: The nearest future, likewise.
    """

    path: str
    title: str
    classification: Classification
    score: float
    confidence: float
    impact: Impact | None = None
    rejection_class: str | None = None
    multiplier: float | None = None
    similarity: float | None = None
    matched_id: str | None = None
    matched_idea_id: str | None = None
    matched_at: datetime | None = None
    matched_text: str | None = None
    matched_outcome: str | None = None
    matched_rejection: str | None = None
    rejected_at: datetime | None = None
    reason: str
    distinct_class: int | None = None
    orders_agree: bool | None = None
    stand_in: str | None = None
    nearest_prior: Neighbour | None = None
    nearest_future: Neighbour | None = None


class UsageResult(_Frozen):
    """What asking a judge cost.

    Attributes:
        input_tokens: Tokens that it read.
        output_tokens: Tokens that it wrote.
        usd: Dollars by the price table.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0


class ScoringResult(_Frozen):
    """What became of a set of candidates.

    Attributes:
        snapshot_id: The snapshot.
        wall_clock: Its moment.
        judge: Who judged.
        judge_model: The model that it asked, if it asks one.
        embedding: What texts were compared by.
        embedding_model: The model behind it.
        threshold: The least cosine of a match, where the judge goes by one.
        distinct_threshold: The least cosine of two candidates that state one idea.
        threshold_source: Where both come from: a calibration, the caller, or what is published.
        priors: Whose experiments counted as priors, `scope` or `field`.
        num_priors: How many there were.
        num_futures: How many futures there were.
        is_compat: Whether it was scored as the reference does.
        set_score: The score of the set.
        sum_of_scores: What the candidates earn together.
        diversity: Mean pairwise cosine distance.
        valid_fraction: Share of well-formed candidates.
        diversity_weight: Weight of the diversity.
        validity_weight: Weight of that share.
        num_unjudged: Candidates that could not be judged. They earn nothing, so that the score of a set that
            has any does not compare with that of one that was judged whole.
        usage: What it cost.
        candidates: The candidates in their order.
    """

    snapshot_id: str
    wall_clock: datetime
    judge: str
    judge_model: str | None = None
    embedding: str
    embedding_model: str
    threshold: float | None
    distinct_threshold: float | None = None
    threshold_source: ThresholdSource | None = None
    priors: str
    num_priors: int
    num_futures: int
    is_compat: bool
    set_score: float
    sum_of_scores: float
    diversity: float
    valid_fraction: float
    diversity_weight: float
    validity_weight: float
    num_unjudged: int
    usage: UsageResult
    candidates: tuple[CandidateResult, ...]

    def explain(self) -> str:
        """Say in words what became of each candidate and why; safe to print, whatever the archive holds."""
        return explain(self)
