"""Since when an idea existed, and whether a run was launched before that."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from linkers.ideas.aliases import AliasIndex
from linkers.ideas.mentions import Mentions
from linkers.ideas.model import Birth
from linkers.ideas.tokens import compact
from linkers.launch_times import LaunchTime
from linkers.write_ups import WriteUp
from parsers.audits import Audit
from parsers.rule_checks import RuleCheck
from parsers.times import find_instants

CHECK_CHARS = 2000
"""So much of a check is searched for its date."""


def find_births(
    write_ups: Iterable[WriteUp],
    mentions: Iterable[Mentions],
    checks: Iterable[Audit | RuleCheck],
    aliases: AliasIndex,
) -> dict[str, Birth]:
    """Find the earliest evidence of every idea of a scope; an idea that nothing dates is left out.

    Args:
        write_ups: The scope's ideas.
        mentions: What the journal names. A copied opener dates nothing.
        checks: The scope's audits and rule checks.
        aliases: The names of the ideas.
    """
    found: dict[str, list[Birth]] = defaultdict(list)
    for each in write_ups:
        if each.idea.first_date is not None:
            found[each.idea_id].append(Birth(each.idea.first_date.at, f"date of {each.idea.path}"))
    for mention in mentions:
        entry = mention.entry
        if entry.at is not None and not entry.is_copied_opener:
            place = f"entry at {entry.path}:{entry.line_start}"
            for idea_id in mention.idea_ids:
                found[idea_id].append(Birth(entry.at.at, place, is_report=bool(mention.run_ids)))
    for check in checks:
        name = check.idea_slug if isinstance(check, Audit) else check.idea_name
        group = aliases.by_text.get(compact(name), ())
        for instant in find_instants(check.text[:CHECK_CHARS])[:1] if len(group) == 1 else ():
            found[group[0].idea_id].append(Birth(instant.at, f"date in {check.path}:{check.line}"))
    return {idea_id: _earliest(births) for idea_id, births in found.items()}


def _earliest(births: Sequence[Birth]) -> Birth:
    """The first of several; a mere report only if all of them are."""
    first = min(births, key=lambda each: (each.at, each.source))
    return replace(first, is_report=all(each.is_report for each in births))


def lead_time(launch: LaunchTime | None, birth: Birth | None) -> timedelta:
    """How long before anything of an idea a run was launched, at least; zero if it was not, or nothing tells.

    A mere date stands for its whole day. An idea that nothing dates but reports on its runs was there before
    them.
    """
    if launch is None or birth is None or birth.is_report:
        return timedelta(0)
    return max(timedelta(0), birth.at - latest(launch))


def latest(launch: LaunchTime) -> datetime:
    """The last moment at which a run may have been launched."""
    return launch.at + timedelta(days=1, microseconds=-1) if launch.is_date_only else launch.at


def describe_conflict(launch: LaunchTime, birth: Birth) -> str:
    """Say that a run was launched before its idea."""
    day = " (only the day is known)" if launch.is_date_only else ""
    return (
        f"launched {launch.at:%Y-%m-%dT%H:%M}{day}, before the idea's earliest evidence of "
        f"{birth.at:%Y-%m-%dT%H:%M}, {birth.source}"
    )
