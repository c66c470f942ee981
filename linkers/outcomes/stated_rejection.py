"""Rejections that the archive states in words: by an audit, a rule check, or the write-up's own gates."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime

from linkers.outcomes.first_seen import date_of_check
from linkers.outcomes.idea_index import IdeaIndex
from linkers.outcomes.rejection import Cause, Rejection
from linkers.outcomes.timed_runs import known_from
from linkers.write_ups import WriteUp
from parsers.audits import Audit
from parsers.ideas import Idea
from parsers.rule_checks import RuleCheck
from parsers.scopes import Scope
from parsers.times import find_instants
from parsers.verdicts import Verdict, find_verdict

_BREAKS_RULES = frozenset({Verdict.NON_COMPLIANT, Verdict.FAILED, Verdict.KILLED})
"""What a check of the rules says of an idea that breaks them."""

_IS_KNOWN = frozenset({Verdict.KILLED_BY_EXISTENCE_CHECK, Verdict.KILLED, Verdict.NOT_NOVEL})
"""What a check for existing work says of an idea that exists. A mere FAIL did not end ideas: some ran on."""

_LINE_CHARS = 5_000


def find_stated(
    write_ups: Iterable[WriteUp],
    checks: Iterable[tuple[Scope, Audit | RuleCheck]],
    index: IdeaIndex,
) -> dict[str, list[Rejection]]:
    """Collect the stated rejections of every idea.

    An audit or rule check holds from the latest date that it states. A gate of a write-up holds from the date
    beside the verdict, else from the write-up's own latest date; the journal's first mention of the write-up
    does not date it, as the verdict may have come later. Without a date the rejection stays undated.

    Args:
        write_ups: The ideas.
        checks: Audits and rule checks of every scope.
        index: Names of the ideas.

    Returns:
        Rejections by idea id, in the order of the archive.
    """
    found: dict[str, list[Rejection]] = defaultdict(list)
    for scope, check in checks:
        idea_id = index.checked_in(scope, check)
        if idea_id is not None and check.verdict in _BREAKS_RULES:
            stated = date_of_check(check.text)
            at = known_from(stated) if stated else None
            evidence = f"{check.path}, line {check.line}: {check.verdict.value}."
            found[idea_id].append(Rejection(Cause.AUDIT_NONCOMPLIANT, at, evidence))
    for write_up in write_ups:
        found[write_up.idea_id].extend(_of_write_up(write_up.idea))
    return {idea_id: each for idea_id, each in found.items() if each}


def _of_write_up(idea: Idea) -> Iterator[Rejection]:
    if idea.is_killed_by_existence_check or idea.novelty_gate_verdict in _IS_KNOWN:
        said = Verdict.KILLED_BY_EXISTENCE_CHECK if idea.is_killed_by_existence_check else None
        evidence = f"{idea.path}: {(said or idea.novelty_gate_verdict or Verdict.KILLED).value}."
        yield Rejection(Cause.EXISTENCE_KILLED, _moment(idea, _IS_KNOWN), evidence)
    if idea.rule_gate_verdict in _BREAKS_RULES and idea.rule_gate_verdict is not None:
        evidence = f"{idea.path}: the rule gate says {idea.rule_gate_verdict.value}."
        yield Rejection(Cause.AUDIT_NONCOMPLIANT, _moment(idea, _BREAKS_RULES), evidence)


def _moment(idea: Idea, verdicts: frozenset[Verdict]) -> datetime | None:
    """The date beside the verdict, else the write-up's own latest date."""
    beside = []
    for line in idea.text.split("\n"):
        instants = find_instants(line[:_LINE_CHARS])
        finding = find_verdict(line[:_LINE_CHARS]) if instants else None
        if finding is not None and finding.verdict in verdicts:
            beside += [known_from(instant) for instant in instants]
    if beside:
        return max(beside)
    return max((known_from(date.instant) for date in idea.dates if date.is_own), default=None)
