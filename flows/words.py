"""Describes experiments and embeds the descriptions: what a build asks of models, and what it pays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from flows.settings import WordsSettings
from outputs.descriptions.ladder import FamilyKey, Rung, describe_by_rules, families_to_ask, tidy
from outputs.descriptions.model import Description, DescriptionInput, DescriptionSource
from outputs.descriptions.questions import (
    MAX_ANSWER_CHARS,
    FamilyDescription,
    complaint,
    family_question,
    panel,
    question_id,
)
from outputs.embeddings.bge_backend import BgeBackend, BgeSettings
from outputs.embeddings.model import Backend, embed_texts
from outputs.embeddings.openai_backend import PURPOSE, OpenAIBackend
from outputs.embeddings.tables import build_embeddings
from outputs.schemas import EMBEDDING_TABLES
from outputs.spending.batches import ask_in_batches
from outputs.spending.budget import Estimate, Usage
from outputs.spending.prices import BATCH_DISCOUNT
from outputs.spending.questions import Answers, Purse, Question, ask, estimate_questions, take_cached
from outputs.spending.report import Spending, make_spending


@dataclass(frozen=True, slots=True)
class Words:
    """What was said of the experiments.

    Attributes:
        descriptions: A description by experiment id; None where a model was asked in vain.
        embeddings: Tables of embeddings, by their name.
        spending: What was asked of models.
    """

    descriptions: Mapping[str, Description | None]
    embeddings: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    spending: tuple[Spending, ...] = ()


def put_in_words(
    inputs: Sequence[DescriptionInput], words: WordsSettings, purse: Purse | None, say: Callable[[str], None]
) -> Words:
    """Describe experiments, and embed the descriptions by every backend that is asked for.

    Args:
        inputs: What is known of each experiment.
        words: How to describe and embed.
        purse: What is needed to ask a model; None where none is asked.
        say: Told what it may cost, before the first request.

    Raises:
        SpendingError: If it may cost too much, or nothing more can be asked.
    """
    rungs = describe_by_rules(inputs)
    descriptions: dict[str, Description | None] = {each: rung.description for each, rung in rungs.items()}
    if purse is None or (words.describe == "rules" and not words.embed):
        return Words(descriptions)
    asked = _FamilyQuestions.of(inputs, rungs) if words.describe == "openai" else _FamilyQuestions({}, {})
    backends = [_backend(name, words, purse) for name in sorted(set(words.embed))]
    _check_budget(asked, descriptions, backends, words, purse, say)
    spending = []
    if words.describe == "openai":
        described, report = _describe(asked, words, purse)
        descriptions.update(described)
        spending.append(report)
    embeddings: dict[str, pl.DataFrame] = {}
    for backend in backends:
        frame, report = _embed(backend, descriptions, purse)
        embeddings[EMBEDDING_TABLES[backend.name].name] = frame
        spending.append(report)
    say(f"Asking models has cost ${purse.budget.spent_usd:.4f} in this build.")
    return Words(descriptions, embeddings, tuple(spending))


@dataclass(frozen=True, slots=True)
class _FamilyQuestions:
    """The questions about families, and the families that they are about."""

    questions: Mapping[FamilyKey, Question[FamilyDescription]]
    families: Mapping[FamilyKey, tuple[DescriptionInput, ...]]

    @classmethod
    def of(cls, inputs: Sequence[DescriptionInput], rungs: Mapping[str, Rung]) -> "_FamilyQuestions":
        families = families_to_ask(inputs, rungs)
        questions = {}
        for key, members in families.items():
            decoded = rungs[members[0].experiment_id].decoded
            assert decoded is not None, "only families of decoded run ids are asked about"
            questions[key] = family_question(key, members, decoded)
        return cls(questions, families)

    @property
    def ids(self) -> list[str]:
        return [each.experiment_id for members in self.families.values() for each in members]


def _backend(name: str, words: WordsSettings, purse: Purse) -> Backend:
    if name == "openai":
        return OpenAIBackend(purse, words.embed_model)
    return BgeBackend(bge_settings(words), purse.cache)


def bge_settings(words: WordsSettings) -> BgeSettings:
    """Take over what a BGE model needs to know."""
    return BgeSettings(
        model=words.bge_model,
        revision=words.bge_revision,
        device=words.bge_device,
        pooling=words.bge_pooling,
        query_instruction=words.bge_query_instruction,
    )


def _check_budget(
    asked: _FamilyQuestions,
    descriptions: Mapping[str, Description | None],
    backends: Sequence[Backend],
    words: WordsSettings,
    purse: Purse,
    say: Callable[[str], None],
) -> None:
    """Say what everything together may cost, and refuse it if that is too much."""
    estimates: list[Estimate] = []
    if words.describe == "openai":
        share = BATCH_DISCOUNT if words.is_batched else 1.0
        whom = panel(words.describe_model)
        estimates.append(estimate_questions(whom, asked.questions.values(), purse, share))
    known, open_questions = take_cached(
        panel(words.describe_model), asked.questions.values(), purse, complaint
    )
    asked_ids = set(asked.ids)
    texts = [each.text for name, each in descriptions.items() if each and name not in asked_ids]
    texts += [tidy(answer.description) for answer in known.given.values()]
    # What a model will answer is not known yet; it may be as long as an answer may be.
    texts += [f"{number:0{MAX_ANSWER_CHARS}}" for number in range(len(open_questions))]
    estimates += [backend.estimate(texts) for backend in backends]
    for estimate in estimates:
        say(estimate.sentence())
    purse.budget.check(estimates)


def _describe(
    asked: _FamilyQuestions, words: WordsSettings, purse: Purse
) -> tuple[dict[str, Description | None], Spending]:
    """Ask about each family once, and give the answer to all of its experiments."""
    whom = panel(words.describe_model)
    questions = list(asked.questions.values())
    answers: Answers[FamilyDescription] = (
        ask_in_batches(whom, questions, purse, complaint)
        if words.is_batched
        else ask(whom, questions, purse, complaint)
    )
    described: dict[str, Description | None] = {}
    for key, members in asked.families.items():
        answer = answers.given.get(question_id(key))
        described.update({each.experiment_id: _described(answer, key, whom.model) for each in members})
    report = make_spending(
        whom.purpose, "openai", whom.model, len(answers.given), answers.cost, answers.failed
    )
    return described, report


def _described(answer: FamilyDescription | None, key: FamilyKey, model: str) -> Description | None:
    if answer is None:
        return None
    evidence = f"{model} on the family {key[1]}"
    return Description(tidy(answer.description), DescriptionSource.LLM_GENERATED, evidence)


def _embed(
    backend: Backend, descriptions: Mapping[str, Description | None], purse: Purse
) -> tuple[pl.DataFrame, Spending]:
    """Embed each distinct description once."""
    texts = {name: each.text if each else "" for name, each in descriptions.items()}
    embedded = embed_texts(backend, texts.values())
    frame = build_embeddings(backend.name, backend.model, texts, embedded)
    failures = {
        name: (embedded[text].reason or "") if text else "It has no description."
        for name, text in texts.items()
        if embedded[text].vector is None
    }
    had = [each for each in embedded.values() if each.vector is not None]
    tokens = sum(each.tokens for each in had)
    cost = purse.budget.priced(backend.model, tokens, 0) if tokens else Usage()
    report = make_spending(PURPOSE, backend.name, backend.model, len(had), cost, failures)
    return frame, report
