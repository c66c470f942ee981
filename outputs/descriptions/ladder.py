"""The ladder of descriptions: write-up, docstring, model, decoded run id; the first with a text counts."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from outputs.descriptions.constants_diff import Differ
from outputs.descriptions.decoder import Decoded, decode
from outputs.descriptions.leaks import without_sample_lines
from outputs.descriptions.model import (
    MAX_DESCRIPTION_CHARS,
    Description,
    DescriptionInput,
    DescriptionSource,
)
from parsers.scopes import Scope

FamilyKey = tuple[Scope, str]
"""A family belongs to a scope: two scopes never share a description."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_BLANK_LINES = re.compile(r"\n\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Rung:
    """A description that needs nobody's help, with what a model would be told.

    Attributes:
        description: The description.
        decoded: What the run id says, where only that is known; else None.
    """

    description: Description
    decoded: Decoded | None


def describe_by_rules(inputs: Iterable[DescriptionInput]) -> dict[str, Rung]:
    """Describe experiments by what the archive says of them.

    Args:
        inputs: What is known of each experiment.

    Returns:
        A description by experiment id; none is empty.
    """
    differ = Differ()
    decoded: dict[tuple[object, ...], Decoded] = {}
    return {each.experiment_id: _describe(each, differ, decoded) for each in inputs}


def _describe(each: DescriptionInput, differ: Differ, cache: dict[tuple[object, ...], Decoded]) -> Rung:
    told = _of_write_up(each) or _of_docstring(each)
    if told is not None:
        return Rung(told, None)
    difference = differ.compare(each.source, each.bases) if each.source else None
    key = (each.scope, each.name.stem, each.scheduled_steps, difference)
    decoded = cache.get(key)
    if decoded is None:
        decoded = decode(each.name, each.scope, each.idea_names, difference, each.scheduled_steps)
        cache[key] = decoded
    evidence = f"run id {each.name.run_id}"
    if difference is not None:
        evidence += f"; its source against {difference.base}"
    text = tidy(decoded.sentence())
    return Rung(Description(text, DescriptionSource.RUN_ID_DECODED, evidence), decoded)


def _of_write_up(each: DescriptionInput) -> Description | None:
    if each.idea is None:
        return None
    title, proposal = tidy(each.idea.title), each.idea.proposal[: 2 * MAX_DESCRIPTION_CHARS]
    is_title_alone = tidy(proposal) in ("", title)
    text = title if is_title_alone else tidy(f"{title}\n\n{proposal}")
    if not text:
        return None
    return Description(text, DescriptionSource.IDEA_WRITEUP, f"write-up {each.idea.idea_id}")


def _of_docstring(each: DescriptionInput) -> Description | None:
    text = tidy(without_sample_lines((each.docstring or "")[: 4 * MAX_DESCRIPTION_CHARS]))
    if not text:
        return None
    return Description(text, DescriptionSource.VARIANT_DOCSTRING, "docstring of the variant")


def tidy(text: str) -> str:
    r"""Drop control characters and surplus blank lines, and cut what is too long.

    >>> tidy(" a\0b \r\n\n\n\n c "), len(tidy("x" * 100_000))
    ('ab\n\nc', 2000)
    """
    text = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _BLANK_LINES.sub("\n\n", text).strip()
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    if len(text) <= MAX_DESCRIPTION_CHARS:
        return text
    return text[: MAX_DESCRIPTION_CHARS - 1].rstrip() + "…"


def families_to_ask(
    inputs: Iterable[DescriptionInput], rungs: Mapping[str, Rung]
) -> dict[FamilyKey, tuple[DescriptionInput, ...]]:
    """Group the experiments that only the decoder reached by scope and family, the first run id first."""
    families: dict[FamilyKey, list[DescriptionInput]] = {}
    for each in sorted(inputs, key=lambda one: one.experiment_id):
        if rungs[each.experiment_id].decoded is not None:
            families.setdefault((each.scope, each.family), []).append(each)
    return {key: tuple(families[key]) for key in sorted(families, key=str)}
