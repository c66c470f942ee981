"""The description of an experiment, from the best text that the archive has of it."""

from dataclasses import dataclass
from enum import StrEnum

from outputs.descriptions.run_id_words import describe_run_id
from parsers.ideas import Idea
from parsers.run_ids import RunName

MAX_CHARS = 2000
"""Longer descriptions are cut: the beginning tells what an idea is."""


class DescriptionSource(StrEnum):
    """Where a description comes from, the best first."""

    IDEA_WRITEUP = "idea_writeup"
    VARIANT_DOCSTRING = "variant_docstring"
    LLM_GENERATED = "llm_generated"
    RUN_ID_DECODED = "run_id_decoded"


@dataclass(frozen=True, slots=True)
class Description:
    """A description with its source.

    Attributes:
        text: At most `MAX_CHARS` characters.
        source: Where it comes from.
    """

    text: str
    source: DescriptionSource


def describe(name: RunName, idea: Idea | None, docstring: str | None) -> Description:
    """Describe an experiment without asking a model.

    Args:
        name: Its run id.
        idea: The idea that it tested.
        docstring: Header docstring of the source that it ran.
    """
    if idea is not None:
        text = f"{idea.title}\n\n{idea.proposal_text}" if idea.proposal_text != idea.title else idea.title
        return Description(text[:MAX_CHARS].strip(), DescriptionSource.IDEA_WRITEUP)
    if docstring is not None and docstring.strip():
        return Description(docstring.strip()[:MAX_CHARS], DescriptionSource.VARIANT_DOCSTRING)
    return Description(describe_run_id(name)[:MAX_CHARS], DescriptionSource.RUN_ID_DECODED)
