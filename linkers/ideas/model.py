"""What the tiers of the idea matcher work on, and what they answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from linkers.ideas.aliases import AliasIndex
from linkers.ideas.mentions import Mentions, Sentence
from linkers.ideas.spans import Span
from linkers.runs import Run
from linkers.write_ups import WriteUp
from parsers.scopes import Scope


class TierName(StrEnum):
    """The tiers, strongest kind of evidence first."""

    PREFIX = "prefix"
    ABBREVIATION = "abbreviation"
    THREAD = "thread"
    LLM = "llm"
    DEDUP = "dedup"
    OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One idea that one tier proposes for one run, or speaks against.

    Attributes:
        experiment_id: The run.
        idea_id: The idea; None where the evidence is that there is none.
        tier: Who proposes it.
        score: 0 to 1, how much the evidence proves on its own.
        evidence: One sentence: what was seen and where.
        is_against: Whether the evidence speaks against the idea, or against any idea.
    """

    experiment_id: str
    idea_id: str | None
    tier: TierName
    score: float
    evidence: str
    is_against: bool = False


@dataclass(frozen=True, slots=True)
class Birth:
    """The earliest evidence of an idea.

    Attributes:
        at: UTC; the start of the day where only the day is known.
        source: Where it stands.
        is_report: Whether nothing dates the idea but entries that report on its runs, written after them.
    """

    at: datetime
    source: str
    is_report: bool = False


@dataclass(frozen=True, slots=True)
class ScopeEvidence:
    """Everything of one scope that can tell which idea a run tested.

    Attributes:
        scope: The scope.
        runs: Its runs, by id.
        ideas: Its write-ups, by id.
        spans: Where names of ideas stand in the names of each run, by experiment id.
        families: The family of each run, by experiment id.
        variant_stems: The variant file that each run executed, where it is known, by experiment id.
        docstrings: What that file says of itself, by experiment id.
        aliases: Every name of every idea, with where it was declared.
        mentions: What the entries of the journal name.
        notes: What the ledger's remarks on each run name, by experiment id.
        births: The earliest evidence of each idea, by idea id.
    """

    scope: Scope
    runs: Mapping[str, Run]
    ideas: Mapping[str, WriteUp]
    spans: Mapping[str, tuple[Span, ...]]
    families: Mapping[str, str]
    variant_stems: Mapping[str, str]
    docstrings: Mapping[str, str]
    aliases: AliasIndex
    mentions: Sequence[Mentions]
    notes: Mapping[str, tuple[Sentence, ...]]
    births: Mapping[str, Birth]


Tier = Callable[[ScopeEvidence], list[Candidate]]
"""Proposes candidates from a scope's evidence."""


@dataclass(frozen=True, slots=True)
class RunIdea:
    """Which idea a run tested, as far as the evidence goes.

    Attributes:
        experiment_id: The run.
        idea_id: The idea; None where nothing decides.
        tier: The first tier whose own evidence would have decided so; None without an idea.
        score: How certain the best idea is, also where it was not accepted.
        runner_up: The second best idea, where there is one.
        margin: How far the runner-up is behind.
        is_conflict: Whether some evidence contradicts other evidence.
        reasons: One sentence a contradiction, or why nothing was accepted.
        candidates: Everything that was proposed, the strongest first.
        scores: What all evidence together gives each idea, the best first.
    """

    experiment_id: str
    idea_id: str | None
    tier: TierName | None
    score: float
    runner_up: str | None
    margin: float | None
    is_conflict: bool
    reasons: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    scores: tuple[tuple[str, float], ...] = ()
