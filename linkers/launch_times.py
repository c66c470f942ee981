"""When a run was launched: the best statement that the archive makes, and where it stands."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from parsers.export import ExportRun
from parsers.journal import JournalEntry
from parsers.ledger import LedgerEntry
from parsers.ledger_fields import LedgerFields
from parsers.logs import Log
from parsers.parsed_files import ParsedArchive
from parsers.scopes import Scope
from parsers.times import Instant, resolve_year


class TimeSource(StrEnum):
    """Where a launch time is known from, the best evidence first.

    `log_header` is stated in full by the log, `log_torch` is a stamp of torch's loggers whose year is
    inferred, `*_date` has no time of day.
    """

    LOG_HEADER = "log_header"
    LOG_TORCH = "log_torch"
    LEDGER = "ledger"
    EXPORT = "export"
    LOG_HEADER_DATE = "log_header_date"
    LEDGER_DATE = "ledger_date"
    EXPORT_DATE = "export_date"


@dataclass(frozen=True, slots=True)
class LaunchTime:
    """A launch time with its evidence.

    Attributes:
        at: UTC; midnight when only the date is known.
        source: Where it is stated.
    """

    at: datetime
    source: TimeSource

    @property
    def is_date_only(self) -> bool:
        """Whether the time of day is unknown."""
        return self.source.endswith("_date")


@dataclass(frozen=True, slots=True)
class YearEvidence:
    """The dates that an archive states in full, which give the other stamps their year.

    Attributes:
        by_scope: Dates by scope.
        in_archive: Dates of all scopes.
        default_year: Used when the archive states no date at all.
    """

    by_scope: dict[Scope, tuple[date, ...]] = field(default_factory=dict)
    in_archive: tuple[date, ...] = ()
    default_year: int = 2026

    @classmethod
    def of(cls, parsed: ParsedArchive, default_year: int) -> "YearEvidence":
        """Collect the dates of an archive's logs, ledgers and journals.

        A journal's copied opener counts for nothing: it was written for another wave.
        """
        found: dict[Scope, set[date]] = {scope: set() for scope in parsed.archive.scopes}
        for file, log in parsed.records(Log):
            _add(found, file.scope, log.preamble.dates)
        for file, entry in parsed.records(LedgerEntry):
            _add(found, file.scope, _dates([entry.facts.launched]))
        for file, note in parsed.records(JournalEntry):
            _add(found, file.scope, () if note.is_copied_opener else _dates([note.at]))
        by_scope = {scope: tuple(sorted(dates)) for scope, dates in found.items()}
        return cls(
            by_scope, tuple(sorted({day for dates in by_scope.values() for day in dates})), default_year
        )


def pick_launch(
    scope: Scope,
    logs: Iterable[Log],
    ledger: LedgerFields | None,
    exports: Iterable[ExportRun],
    years: YearEvidence,
) -> LaunchTime | None:
    """Pick the best statement of a run's launch.

    Args:
        scope: The run's scope.
        logs: Its logs, the fullest first.
        ledger: What the ledger says of it.
        exports: Its rows in the self-contained export.
        years: Dates that give yearless stamps their year.

    Returns:
        The launch by the order of `TimeSource`; within one source the first log's. None without evidence.
    """
    logs = tuple(logs)
    found = [_stated(log.preamble.stated_launch, TimeSource.LOG_HEADER) for log in logs]
    for log in logs:
        if log.preamble.torch_stamp is not None:
            known = years.by_scope.get(scope, ())
            at = resolve_year(log.preamble.torch_stamp, known, years.in_archive, years.default_year)
            found.append(LaunchTime(at, TimeSource.LOG_TORCH))
    found.append(_stated(ledger.launched if ledger else None, TimeSource.LEDGER))
    found += [_stated(export.launched_at, TimeSource.EXPORT) for export in exports]
    return min((each for each in found if each), key=lambda each: _ORDER[each.source], default=None)


_ORDER = {source: place for place, source in enumerate(TimeSource)}


def _stated(instant: Instant | None, source: TimeSource) -> LaunchTime | None:
    if instant is None:
        return None
    return LaunchTime(instant.at, TimeSource(f"{source}_date") if instant.is_date_only else source)


def _dates(instants: Iterable[Instant | None]) -> tuple[date, ...]:
    return tuple(instant.at.date() for instant in instants if instant is not None)


def _add(found: dict[Scope, set[date]], scope: Scope | None, dates: Iterable[date]) -> None:
    if scope is not None:
        found[scope].update(dates)
