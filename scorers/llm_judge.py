"""The hybrid judge: cosine finds the nearest experiments, a reasoning model says whether one is a match."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from outputs.spending.errors import OverBudgetError
from outputs.spending.questions import Answers, Purse, Question, ask
from scorers.candidates import Candidate
from scorers.classes import Classification
from scorers.cosine_judge import CosineJudge
from scorers.judging import Finding, Judgement
from scorers.llm_questions import (
    DEFAULT_EFFORT,
    DEFAULT_MODEL,
    JudgeAnswer,
    Offer,
    Order,
    make_offer,
    panel,
)
from scorers.matches import make_result
from scorers.pools import Similarities, SnapshotPools

MAX_REASON_CHARS = 500


@dataclass(frozen=True, slots=True)
class LlmJudge:
    """Asks a reasoning model about each candidate.

    A candidate about which no answer can be had, or only such that must not stand, is unjudged.

    Asked in both orders, a candidate is judged if both answers can be had, and of two different ones the
    one that earns less counts, as credit must not hang on the order of two lists. The reason says so.

    Attributes:
        purse: What is needed to ask.
        model: The model.
        effort: How much it is to think.
        is_both_orders: Whether it is asked twice, with priors first and with futures first.
        fallback: Who judges what would be unjudged, if anybody.
        name: Short name.
    """

    purse: Purse
    model: str = DEFAULT_MODEL
    effort: str = DEFAULT_EFFORT
    is_both_orders: bool = False
    fallback: CosineJudge | None = None
    name: str = "llm-hybrid"

    @property
    def threshold(self) -> float | None:
        """The threshold of the judge that stands in, if one does."""
        return self.fallback.threshold if self.fallback else None

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders in which the model reads the pools."""
        return tuple(Order) if self.is_both_orders else (Order.PRIORS_FIRST,)

    def judge(
        self, candidates: Sequence[Candidate], pools: SnapshotPools, similarities: Similarities
    ) -> Judgement:
        """Judge candidates.

        Raises:
            SpendingError: If nothing more can be asked: a refused key, no money left. Answers are kept.
        """
        rows = [similarities.of(row) for row in range(len(candidates))]
        offers = [make_offer(each, pools, row) for each, row in zip(candidates, rows, strict=True)]
        answers = self._ask(offers)
        findings = []
        for number, (candidate, offer, row) in enumerate(zip(candidates, offers, rows, strict=True)):
            finding = self._finding(number, candidate, offer, answers, pools, row)
            if finding.classification is Classification.UNJUDGED and self.fallback is not None:
                finding = self._stand_in(self.fallback, candidate, finding, pools, row)
            findings.append(finding)
        return Judgement(tuple(findings), answers.cost + answers.wasted, self.model)

    def _ask(self, offers: Sequence[Offer]) -> Answers[JudgeAnswer]:
        asked: Mapping[str, tuple[Question[JudgeAnswer], Offer]] = {
            question.id: (question, offer)
            for number, offer in enumerate(offers)
            if not offer.is_empty
            for question in (offer.question(number, order) for order in self.orders)
        }
        answers = ask(
            panel(self.model, self.effort),
            [question for question, _ in asked.values()],
            self.purse,
            lambda question, answer: asked[question.id][1].complaint(answer),
        )
        if answers.unaffordable and self.fallback is None:
            raise OverBudgetError(
                f"The judge {self.model} needs more than is left of --max-usd {self.purse.budget.max_usd:g}: "
                "raise it to go on; what is paid for is kept."
            )
        return answers

    def _finding(
        self,
        number: int,
        candidate: Candidate,
        offer: Offer,
        answers: Answers[JudgeAnswer],
        pools: SnapshotPools,
        similarities: Similarities,
    ) -> Finding:
        """Turn the answers about one candidate into a finding."""
        if offer.is_empty:
            return Finding(
                Classification.NOVEL_UNVALIDATED, reason="There is no experiment that it could match."
            )
        ids = {order: offer.question(number, order).id for order in self.orders}
        for order, name in ids.items():
            if name not in answers.given:
                why = answers.failed.get(name, "It was not answered.")
                return Finding(
                    Classification.UNJUDGED, confidence=0.0, reason=f"No answer with {order.value}: {why}"
                )
        findings = {order: _read(answers.given[name], offer) for order, name in ids.items()}
        return _least(findings, candidate, pools, similarities)

    def _stand_in(
        self,
        fallback: CosineJudge,
        candidate: Candidate,
        unjudged: Finding,
        pools: SnapshotPools,
        similarities: Similarities,
    ) -> Finding:
        (finding,) = fallback.judge([candidate], pools, similarities).findings
        reason = f"Judged by {fallback.name} instead. {unjudged.reason} {finding.reason}"
        return replace(finding, reason=reason, stand_in=fallback.name)


def _read(answer: JudgeAnswer, offer: Offer) -> Finding:
    """Read an answer that may stand."""
    return Finding(
        answer.classification,
        offer.experiment_id(answer) if answer.matched_id is not None else None,
        answer.confidence,
        " ".join(answer.reason.split())[:MAX_REASON_CHARS],
    )


def _least(
    findings: Mapping[Order, Finding],
    candidate: Candidate,
    pools: SnapshotPools,
    similarities: Similarities,
) -> Finding:
    """Take the finding that earns the least, the first of several; where they differ, say how."""
    least = min(findings.values(), key=lambda each: make_result(candidate, each, pools, similarities).score)
    if len(findings) == 1:
        return least
    if len({(each.classification, each.matched_id) for each in findings.values()}) == 1:
        return replace(least, orders_agree=True)
    told = ", ".join(
        f"{order.value} {each.classification.value}" + (f" of {each.matched_id}" if each.matched_id else "")
        for order, each in findings.items()
    )
    reason = f"The orders disagree ({told}); what earns less counts. {least.reason}"
    return replace(least, reason=reason, orders_agree=False)
