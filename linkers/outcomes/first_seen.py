"""When an idea was first seen: the earliest evidence of it that the archive dates."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from linkers.outcomes.idea_index import IdeaIndex
from linkers.outcomes.timed_runs import TimedRun, known_from
from linkers.write_ups import WriteUp
from parsers.audits import Audit
from parsers.journal import JournalEntry
from parsers.rule_checks import RuleCheck
from parsers.scopes import Scope
from parsers.times import Instant, find_instants


class SeenIn(StrEnum):
    """Where the earliest evidence of an idea stands."""

    WRITE_UP = "write_up"
    JOURNAL = "journal"
    AUDIT = "audit"
    RULE_CHECK = "rule_check"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class FirstSeen:
    """The earliest evidence of an idea.

    Attributes:
        at: From when on it was there; the end of the day where only the day is known.
        source: Where that stands.
        is_date_only: Whether only the day is known.
    """

    at: datetime
    source: SeenIn
    is_date_only: bool = False


def date_ideas(
    write_ups: Iterable[WriteUp],
    entries: Iterable[tuple[Scope, JournalEntry]],
    checks: Iterable[tuple[Scope, Audit | RuleCheck]],
    runs: Iterable[TimedRun],
    index: IdeaIndex,
) -> dict[str, FirstSeen]:
    """Date every idea that anything dates.

    Args:
        write_ups: The ideas.
        entries: Journal entries; copied openers count for nothing.
        checks: Audits and rule checks: what was checked on a day was there by then.
        runs: Timed runs; an idea was there when it was first tested.
        index: Names of the ideas.

    Returns:
        First sight by idea id; ideas that nothing dates are missing.
    """
    found: dict[str, list[FirstSeen]] = defaultdict(list)
    for write_up in write_ups:
        if write_up.idea.first_date is not None:
            found[write_up.idea_id].append(_seen(write_up.idea.first_date, SeenIn.WRITE_UP))
    for scope, entry in entries:
        if entry.at is not None and not entry.is_copied_opener:
            for named in index.named_in(scope, entry):
                found[named].append(_seen(entry.at, SeenIn.JOURNAL))
    for scope, check in checks:
        checked, stated = index.checked_in(scope, check), date_of_check(check.text)
        if checked is not None and stated is not None:
            source = SeenIn.AUDIT if isinstance(check, Audit) else SeenIn.RULE_CHECK
            found[checked].append(_seen(stated, source))
    for run in runs:
        if run.launched_at is not None and run.idea_id is not None:
            found[run.idea_id].append(FirstSeen(run.launched_at, SeenIn.RUN))
    order = list(SeenIn)
    return {
        idea_id: min(each, key=lambda seen: (seen.at, order.index(seen.source)))
        for idea_id, each in found.items()
    }


def date_of_check(text: str) -> Instant | None:
    """The latest date in the text of a check: it cannot have been decided before."""
    return max(find_instants(text), key=known_from, default=None)


def _seen(instant: Instant, source: SeenIn) -> FirstSeen:
    return FirstSeen(known_from(instant), source, instant.is_date_only)
