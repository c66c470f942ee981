"""The balance of a build: for every kind of input and scope, what was seen, parsed and set aside."""

from collections import Counter
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from parsers.kinds import FileKind
from parsers.parsed_files import ParsedArchive, ParsedFile
from parsers.quarantine import Reason


class Balance(BaseModel):
    """The balance of one kind of input in one scope. `parsed + quarantined = seen`, always.

    Attributes:
        kind: Kind of file.
        agent: Agent of the scope; empty outside the scratchpads.
        wave: Wave of the scope; empty outside the scratchpads.
        unit: What is counted: `lines` of a ledger, else `files`.
        seen: Units in the archive.
        parsed: Units that were read whole.
        quarantined: Units that stand in quarantine.
    """

    model_config = ConfigDict(frozen=True)

    kind: str
    agent: str
    wave: str
    unit: str
    seen: int
    parsed: int
    quarantined: int

    @property
    def is_balanced(self) -> bool:
        """Whether nothing was lost."""
        return self.parsed + self.quarantined == self.seen


def balance_inputs(parsed: ParsedArchive) -> tuple[Balance, ...]:
    """Count the inputs of an archive. A removed key sets nothing aside: the text around it was read.

    Seen is counted on the input, quarantined on the rejects: for a ledger the distinct lines that stand in
    quarantine, for any other file whether it was rejected as a whole. So the two sides can disagree if
    anything is lost on the way.

    Args:
        parsed: The parsed archive.

    Returns:
        One balance for each kind and scope that has files, sorted by kind, wave and agent.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    read: Counter[tuple[str, str, str]] = Counter()
    set_aside: Counter[tuple[str, str, str]] = Counter()
    for each in parsed.files:
        scope = each.file.scope
        key = (each.file.kind.value, scope.wave if scope else "", scope.agent if scope else "")
        seen[key] += each.num_seen
        read[key] += each.num_parsed
        set_aside[key] += _num_quarantined(each)
    return tuple(
        Balance(
            kind=kind,
            agent=agent,
            wave=wave,
            unit="lines" if kind == FileKind.LEDGER else "files",
            seen=seen[kind, wave, agent],
            parsed=read[kind, wave, agent],
            quarantined=set_aside[kind, wave, agent],
        )
        for kind, wave, agent in sorted(seen)
    )


def sum_by_kind(balances: Iterable[Balance]) -> tuple[Balance, ...]:
    """Add balances up over all scopes, one for each kind of input, in their order."""
    of_kind: dict[str, list[Balance]] = {}
    for each in balances:
        of_kind.setdefault(each.kind, []).append(each)
    return tuple(
        Balance(
            kind=kind,
            agent="",
            wave="",
            unit=members[0].unit,
            seen=sum(each.seen for each in members),
            parsed=sum(each.parsed for each in members),
            quarantined=sum(each.quarantined for each in members),
        )
        for kind, members in of_kind.items()
    )


def _num_quarantined(each: ParsedFile) -> int:
    lines: Iterable[int | None] = {
        reject.line for reject in each.quarantined if reject.reason != Reason.KEY_REMOVED
    }
    if None in lines:
        return 1
    return len({*lines}) if each.file.kind == FileKind.LEDGER else 0
