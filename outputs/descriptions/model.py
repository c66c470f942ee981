"""What a description is made from, and what it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from parsers.run_ids import RunName
from parsers.scopes import Scope

MAX_DESCRIPTION_CHARS = 2_000
"""Longer texts are cut, and say so with a last character of three dots."""


class DescriptionSource(StrEnum):
    """Where a description comes from, the best first."""

    IDEA_WRITEUP = "idea_writeup"
    VARIANT_DOCSTRING = "variant_docstring"
    LLM_GENERATED = "llm_generated"
    RUN_ID_DECODED = "run_id_decoded"


@dataclass(frozen=True, slots=True)
class IdeaText:
    """What a write-up says.

    Attributes:
        idea_id: Whose it is.
        title: Its title.
        proposal: What it proposes.
    """

    idea_id: str
    title: str
    proposal: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that ran.

    Attributes:
        sha256: Its hash.
        text: The text.
        label: Whose it is, as a sentence may say it: `the baseline` or a run id in backticks.
    """

    sha256: str
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class DescriptionInput:
    """All that is known of what an experiment does; nothing of what came of it.

    Attributes:
        experiment_id: The experiment.
        scope: Its scope: nothing is shared beyond it.
        name: Its run id, taken apart.
        family: Experiments of one scope and family share one question to a model.
        idea: The idea that it tested, where that is known.
        docstring: Header docstring of the source that it ran.
        source: That source, where it is known.
        bases: Sources to compare it with: the baseline and near relatives of other families.
        scheduled_steps: Steps its schedule was laid out for.
        preamble: The beginning of its log.
        idea_names: What the scope's ideas are, by every name that run ids may use for them.
    """

    experiment_id: str
    scope: Scope
    name: RunName
    family: str
    idea: IdeaText | None = None
    docstring: str | None = None
    source: SourceText | None = None
    bases: tuple[SourceText, ...] = ()
    scheduled_steps: int | None = None
    preamble: str = ""
    idea_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Description:
    """What an experiment does.

    Attributes:
        text: The description.
        source: Where it comes from.
        evidence: In a few words, what exactly it was taken from.
    """

    text: str
    source: DescriptionSource
    evidence: str
