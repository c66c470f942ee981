"""Describes experiments and embeds the descriptions: what a build asks of models, and what it pays."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from flows.settings import BuildSettings, WordsSettings
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
from outputs.embeddings.bge_backend import BgeBackend, BgeSettings, check_installed
from outputs.embeddings.model import Backend, embed_texts
from outputs.embeddings.openai_backend import OpenAIBackend
from outputs.embeddings.tables import build_embeddings
from outputs.schemas import EMBEDDING_TABLES
from outputs.spending.batches import ask_in_batches
from outputs.spending.budget import Budget, Estimate, Usage
from outputs.spending.cache import AnswerCache
from outputs.spending.errors import MissingKeyError
from outputs.spending.prices import BATCH_DISCOUNT, parse_price
from outputs.spending.questions import Answers, Purse, Question, ask, estimate_questions, take_cached
from outputs.spending.report import Spending, make_spending
from outputs.spending.service import ServiceSettings

KEY_VARIABLE = "OPENAI_API_KEY"


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


def check_words(words: WordsSettings) -> None:
    """Refuse what cannot be done, before any work.

    Raises:
        SpendingError: If a key, a price or a package is missing.
    """
    prices = dict(parse_price(text) for text in words.prices)
    if words.needs_key and not os.environ.get(KEY_VARIABLE, "").strip():
        raise MissingKeyError(
            f"OpenAI was asked for, but the environment variable {KEY_VARIABLE} holds no key: "
            "set it, or leave out --describe openai and --embed openai."
        )
    budget = Budget(0.0, prices)
    if words.describe == "openai":
        budget.price(words.describe_model)
    if "openai" in words.embed:
        budget.price(words.embed_model)
    if "bge" in words.embed:
        check_installed()


@contextmanager
def open_purse(settings: BuildSettings) -> Iterator[Purse | None]:
    """Open what is needed to ask a model, where one is asked at all.

    Answers are kept in the folder `answers` of the cache that was named, else of the user's cache.
    """
    words = settings.words
    if not words.needs_answers:
        yield None
        return
    base = Path(settings.cache) if settings.cache else _user_cache()
    service = ServiceSettings(
        api_key=os.environ.get(KEY_VARIABLE, "").strip(),
        base_url=words.base_url,
        timeout_s=words.timeout_s,
        max_attempts=words.max_attempts,
    )
    with ExitStack() as stack:
        cache = stack.enter_context(AnswerCache(base / "answers"))
        yield Purse(
            service, cache, Budget(settings.max_usd, dict(parse_price(text) for text in words.prices))
        )


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "speedrun-etl"


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
    if purse is None:
        return Words(descriptions)
    asked = _FamilyQuestions.of(inputs, rungs) if words.describe == "openai" else _FamilyQuestions({}, {})
    backends = [_backend(name, words, purse) for name in sorted(set(words.embed))]
    estimates = _check_budget(asked, descriptions, backends, words, purse, say)
    spending = []
    if words.describe == "openai":
        described, report = _describe(asked, words, purse, estimates["descriptions"])
        descriptions.update(described)
        spending.append(report)
    embeddings = {}
    for backend in backends:
        frame, report = _embed(backend, descriptions, purse, estimates[backend.name])
        embeddings[EMBEDDING_TABLES[backend.name].name] = frame
        spending.append(report)
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
    settings = BgeSettings(
        model=words.bge_model,
        revision=words.bge_revision,
        device=words.bge_device,
        pooling=words.bge_pooling,
        query_instruction=words.bge_query_instruction,
    )
    return BgeBackend(settings, purse.cache)


def _check_budget(
    asked: _FamilyQuestions,
    descriptions: Mapping[str, Description | None],
    backends: Sequence[Backend],
    words: WordsSettings,
    purse: Purse,
    say: Callable[[str], None],
) -> dict[str, Estimate]:
    """Say what everything together may cost, and refuse it if that is too much."""
    estimates: dict[str, Estimate] = {}
    if asked.questions:
        share = BATCH_DISCOUNT if words.is_batched else 1.0
        estimates["descriptions"] = estimate_questions(
            panel(words.describe_model), asked.questions.values(), purse, share
        )
    else:
        estimates["descriptions"] = Estimate("descriptions", words.describe_model, 0, 0, Usage())
    known, open_questions = take_cached(
        panel(words.describe_model), asked.questions.values(), purse, complaint
    )
    asked_ids = set(asked.ids)
    texts = [each.text for name, each in descriptions.items() if each and name not in asked_ids]
    texts += [tidy(answer.description) for answer in known.given.values()]
    # What a model will answer is not known yet; it may be as long as an answer may be.
    texts += [f"{number:0{MAX_ANSWER_CHARS}}" for number in range(len(open_questions))]
    for backend in backends:
        estimates[backend.name] = backend.estimate(texts)
    shown = [each for name, each in estimates.items() if name != "descriptions" or words.describe == "openai"]
    for estimate in shown:
        say(estimate.sentence())
    total = sum((each.usage for each in shown), Usage())
    if shown:
        purse.budget.check(
            replace(
                max(shown, key=lambda each: each.usage.usd),
                purpose=" and ".join(dict.fromkeys(each.purpose for each in shown)),
                items=sum(each.items for each in shown),
                usage=total,
            )
        )
    return estimates


def _describe(
    asked: _FamilyQuestions, words: WordsSettings, purse: Purse, estimate: Estimate
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
    counts = len(answers.given), answers.cached
    usage = purse.budget.usage_of(whom.purpose, whom.model)
    report = make_spending(
        whom.purpose, "openai", whom.model, counts, usage, estimate.usage.usd, answers.failed
    )
    return described, report


def _described(answer: FamilyDescription | None, key: FamilyKey, model: str) -> Description | None:
    if answer is None:
        return None
    evidence = f"{model} on the family {key[1]}"
    return Description(tidy(answer.description), DescriptionSource.LLM_GENERATED, evidence)


def _embed(
    backend: Backend,
    descriptions: Mapping[str, Description | None],
    purse: Purse,
    estimate: Estimate,
) -> tuple[pl.DataFrame, Spending]:
    """Embed each distinct description once."""
    texts = {name: each.text if each else "" for name, each in descriptions.items()}
    cached = backend.estimate(list(texts.values())).cached
    embedded = embed_texts(backend, texts.values())
    frame = build_embeddings(backend.name, backend.model, texts, embedded)
    failures = {
        name: (embedded[text].reason or "") if text else "It has no description."
        for name, text in texts.items()
        if embedded[text].vector is None
    }
    had = sum(each.vector is not None for each in embedded.values())
    usage = purse.budget.usage_of(estimate.purpose, backend.model) if backend.name == "openai" else Usage()
    counts = had, cached
    report = make_spending(
        estimate.purpose, backend.name, backend.model, counts, usage, estimate.usage.usd, failures
    )
    return frame, report
