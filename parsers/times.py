"""Times that the archive states: ISO stamps, `date` output, and torch's stamps that lack a year."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

DEFAULT_YEAR = 2026
"""Year of the experiment, for stamps without one in an archive that states no date at all."""

EARLIEST_YEAR = 2017
"""No transformer was trained before this year: an earlier date in a text is not the experiment's."""

LATEST_YEAR = 2100
"""A later date is a number that happens to look like one."""

_ISO = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?P<fraction>[.,]\d+)?\s?(?P<offset>Z|UTC|[+-]\d{2}:?\d{2})?)?"
)
_DATE_OUTPUT = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) +(?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) +"
    r"(?P<time>\d{2}:\d{2}:\d{2}) +(?P<zone>UTC|GMT) +(?P<year>\d{4})"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True, order=True)
class Instant:
    """A point in time that some text states.

    Attributes:
        at: UTC, timezone-aware. Midnight when only the date is known.
        is_date_only: Whether the text gave no time of day.
    """

    at: datetime
    is_date_only: bool = False


@dataclass(frozen=True, slots=True, order=True)
class YearlessTime:
    """A stamp with month, day and time but no year, as torch's loggers print it.

    Attributes:
        month: 1 to 12.
        day: 1 to 31.
        time_of_day_us: Microseconds since midnight.
    """

    month: int
    day: int
    time_of_day_us: int

    def in_year(self, year: int) -> datetime | None:
        """Place the stamp in a year (UTC), or answer None for a 29 February that the year lacks."""
        try:
            midnight = datetime(year, self.month, self.day, tzinfo=UTC)
        except ValueError:
            return None
        return midnight + timedelta(microseconds=self.time_of_day_us)

    def near(self, dates: Sequence[date]) -> datetime | None:
        """Place the stamp in the year that brings it closest to dates that are known.

        Args:
            dates: Dates stated in full near the stamp. With none the answer is None.
        """
        year = _nearest_year(self.month, self.day, tuple(dates))
        return None if year is None else self.in_year(year)


@lru_cache(maxsize=4096)
def _nearest_year(month: int, day: int, dates: tuple[date, ...]) -> int | None:
    distances: list[tuple[int, int]] = []
    for year in {known.year + shift for known in dates for shift in (-1, 0, 1)}:
        with suppress(ValueError):
            at = date(year, month, day)
            distances.append((min(abs((at - known).days) for known in dates), year))
    return min(distances)[1] if distances else None


def _instant_of(match: re.Match[str]) -> Instant | None:
    if not match["time"]:
        try:
            day = date.fromisoformat(match["date"])
        except ValueError:
            return None
        at, is_date_only = datetime(day.year, day.month, day.day, tzinfo=UTC), True
    else:
        clock = match["time"] if match["time"].count(":") == 2 else match["time"] + ":00"
        fraction = ("." + match["fraction"][1:7].ljust(6, "0")) if match["fraction"] else ""
        offset = "+00:00" if match["offset"] in (None, "Z", "UTC") else match["offset"]
        try:
            at = datetime.fromisoformat(f"{match['date']}T{clock.zfill(8)}{fraction}{offset}").astimezone(UTC)
        except (ValueError, OverflowError):
            return None
        is_date_only = False
    return Instant(at, is_date_only) if EARLIEST_YEAR <= at.year <= LATEST_YEAR else None


def parse_instant(text: str) -> Instant | None:
    """Read a text that is a timestamp and nothing else.

    An offset is honoured; without one the time is UTC, as the cluster's nodes ran on UTC.

    >>> parse_instant("2026-05-02T15:42:04+02:00").at.isoformat()
    '2026-05-02T13:42:04+00:00'
    >>> parse_instant("2026-05-02").is_date_only
    True
    """
    text = text.strip()
    if match := _ISO.fullmatch(text):
        return _instant_of(match)
    if match := _DATE_OUTPUT.fullmatch(text):
        return _instant_of_date_output(match)
    return None


def _instant_of_date_output(match: re.Match[str]) -> Instant | None:
    if match["month"] not in _MONTHS:
        return None
    month = _MONTHS.index(match["month"]) + 1
    return parse_instant(f"{match['year']}-{month:02d}-{int(match['day']):02d}T{match['time']}Z")


def find_instants(text: str) -> list[Instant]:
    """Find every timestamp that stands in a text, in the order of the text.

    >>> [found.at.date().isoformat() for found in find_instants("from 2026-05-01 to 2026-05-03 noon")]
    ['2026-05-01', '2026-05-03']
    """
    found = [
        (match.start(), _instant_of(match)) for match in _ISO.finditer(text) if _stands_alone(match, text)
    ]
    found += [(match.start(), _instant_of_date_output(match)) for match in _DATE_OUTPUT.finditer(text)]
    return [instant for _, instant in sorted(found, key=lambda pair: pair[0]) if instant is not None]


def _stands_alone(match: re.Match[str], text: str) -> bool:
    """Reject digits that are cut out of a longer number or an id."""
    before = text[match.start() - 1] if match.start() else " "
    after = text[match.end()] if match.end() < len(text) else " "
    return not (before.isalnum() or before == "-") and not after.isalnum()


def resolve_year(
    stamp: YearlessTime, scope_dates: Iterable[date], archive_dates: Iterable[date], default_year: int
) -> datetime:
    """Give a stamp its year: from the scope's dates, else the archive's, else the default.

    The clock of the machine that runs this is never asked.

    Args:
        stamp: A stamp without a year.
        scope_dates: Dates that files of the same scope state in full.
        archive_dates: The same for the whole archive.
        default_year: Used when the archive states no date at all.

    Returns:
        The stamp as UTC. A 29 February in a year without one becomes 1 March.
    """
    for dates in (tuple(scope_dates), tuple(archive_dates)):
        if (placed := stamp.near(dates)) is not None:
            return placed
    at = stamp.in_year(default_year)
    if at is None:
        at = datetime(default_year, 3, 1, tzinfo=UTC) + timedelta(microseconds=stamp.time_of_day_us)
    return at
