"""Corrections by hand, each with a guard that fails once the matcher no longer needs it."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from linkers.ideas.model import Candidate, RunIdea, TierName

COLUMNS = ("experiment_id", "idea_id", "expect")
"""Columns that a file of corrections must have. Others, such as a reason, are for its readers."""


class OverrideError(ValueError):
    """A correction cannot be applied. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Override:
    """One correction.

    Attributes:
        experiment_id: The run.
        idea_id: The idea that it tested; None for no idea.
        expect: What the matcher says without the correction; None for no idea.
        reason: Why, in the words of whoever corrected it.
        line: Line in the file.
    """

    experiment_id: str
    idea_id: str | None
    expect: str | None
    reason: str
    line: int


def parse_overrides(text: str, name: str) -> tuple[Override, ...]:
    r"""Read corrections from CSV with the columns of `COLUMNS` and, if there is one, `reason`.

    >>> parse_overrides("experiment_id,idea_id,expect\nx,y,\n", "o.csv")
    (Override(experiment_id='x', idea_id='y', expect=None, reason='', line=2),)

    Args:
        text: The file.
        name: What to call it in an error.

    Raises:
        OverrideError: If a column is missing or a run is corrected twice.
    """
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    if missing := [column for column in COLUMNS if column not in (reader.fieldnames or ())]:
        raise OverrideError(f"{name} lacks the column {missing[0]}: it needs {', '.join(COLUMNS)}.")
    found: dict[str, Override] = {}
    for row in reader:
        cells = {key: (value or "").strip() for key, value in row.items() if isinstance(value, str | None)}
        run = cells["experiment_id"]
        if run in found:
            raise OverrideError(f"Line {reader.line_num} of {name} corrects {run} a second time: keep one.")
        found[run] = Override(
            run, cells["idea_id"] or None, cells["expect"] or None, cells.get("reason", ""), reader.line_num
        )
    return tuple(found.values())


def apply_overrides(
    links: Mapping[str, RunIdea], overrides: Iterable[Override], idea_ids: Iterable[str], name: str
) -> dict[str, RunIdea]:
    """Correct decisions.

    Args:
        links: The matcher's decisions by experiment id.
        overrides: The corrections.
        idea_ids: Every idea there is.
        name: What to call the file in an error.

    Raises:
        OverrideError: If a run or idea is not there, or if the matcher no longer says what was expected.
    """
    known = set(idea_ids)
    corrected = dict(links)
    for each in overrides:
        where = f"Line {each.line} of {name}"
        link = links.get(each.experiment_id)
        if link is None:
            raise OverrideError(f"{where} corrects {each.experiment_id}, which the archive does not have.")
        if each.idea_id is not None and each.idea_id not in known:
            raise OverrideError(f"{where} names the idea {each.idea_id}, which the archive does not have.")
        if link.idea_id == each.idea_id:
            raise OverrideError(
                f"{where} is no longer needed: the matcher itself says {each.idea_id or 'no idea'} of "
                f"{each.experiment_id}. Delete it."
            )
        if link.idea_id != each.expect:
            raise OverrideError(
                f"{where} expects {each.expect or 'no idea'}, but the matcher now says "
                f"{link.idea_id or 'no idea'} of {each.experiment_id}. Judge it again."
            )
        corrected[each.experiment_id] = _corrected(link, each, where)
    return corrected


def _corrected(link: RunIdea, override: Override, where: str) -> RunIdea:
    candidate = Candidate(
        link.experiment_id,
        override.idea_id,
        TierName.OVERRIDE,
        1.0,
        f"{where}: {override.reason or 'corrected by hand'}",
        is_against=override.idea_id is None,
    )
    return replace(
        link,
        idea_id=override.idea_id,
        tier=TierName.OVERRIDE if override.idea_id else None,
        score=1.0 if override.idea_id else link.score,
        reasons=(*link.reasons, f"corrected by hand from {override.expect or 'no idea'}"),
        is_conflict=True,
        candidates=(candidate, *link.candidates),
    )
