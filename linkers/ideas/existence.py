"""Since when an idea existed, and whether a run was launched before that."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from linkers.ideas.aliases import AliasIndex
from linkers.ideas.mentions import Mentions
from linkers.ideas.model import Birth
from linkers.ideas.tokens import compact
from linkers.launch_times import LaunchTime
from linkers.runs import Run
from linkers.write_ups import WriteUp
from parsers.audits import Audit
from parsers.rule_checks import RuleCheck
from parsers.times import find_instants


def find_births(
    write_ups: Iterable[WriteUp],
    mentions: Iterable[Mentions],
    checks: Iterable[Audit | RuleCheck],
    runs: Mapping[str, Run],
    aliases: AliasIndex,
) -> dict[str, Birth]:
    """Find the earliest evidence of every idea of a scope; an idea that nothing dates is left out.

    Where a write-up has no date of its own, an entry that says which runs tested the idea is evidence of it from
    the first of their launches on: it was written to report them.

    Args:
        write_ups: The scope's ideas.
        mentions: What the journal names. A copied opener dates nothing.
        checks: The scope's audits and rule checks.
        runs: The scope's runs by experiment id.
        aliases: The names of the ideas.
    """
    found: dict[str, list[Birth]] = {
        each.idea_id: [Birth(each.idea.first_date.at, f"date of {each.idea.path}", is_own=True)]
        for each in write_ups
        if each.idea.first_date is not None
    }
    own = set(found)
    for each in mentions:
        for idea_id in each.idea_ids:
            if (birth := _witness(each, runs, is_dated=idea_id in own)) is not None:
                found.setdefault(idea_id, []).append(birth)
    for check in checks:
        group = aliases.by_text.get(compact(check.idea_slug if isinstance(check, Audit) else check.idea_name), ())
        for instant in find_instants(check.text[:2000])[:1] if len(group) == 1 else ():
            found.setdefault(group[0].idea_id, []).append(
                Birth(instant.at, f"date in {check.path}, line {check.line}", is_own=False)
            )
    return {idea_id: min(births, key=lambda each: (each.at, each.source)) for idea_id, births in found.items()}


def _witness(mentions: Mentions, runs: Mapping[str, Run], *, is_dated: bool) -> Birth | None:
    entry = mentions.entry
    if entry.at is None or entry.is_copied_opener:
        return None
    times = [entry.at.at]
    if not is_dated:
        launches = (runs[experiment_id].launch for experiment_id in mentions.run_ids)
        times += [launch.at for launch in launches if launch is not None]
    return Birth(min(times), f"entry at {entry.path}:{entry.line_start}", is_own=False)


def is_before(launch: LaunchTime | None, birth: Birth | None) -> bool:
    """Say whether a run was launched before anything of an idea existed. A mere date stands for its whole day."""
    if launch is None or birth is None:
        return False
    return latest(launch) < birth.at


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

