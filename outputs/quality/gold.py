"""The gold standard of the idea matcher: which idea each run really tested."""

import csv
from dataclasses import dataclass
from pathlib import Path

from parsers.scopes import Scope

COLUMNS = ("agent", "wave", "run_id", "idea_slug", "idea_knowable_by")


class GoldError(ValueError):
    """The gold standard cannot be read. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class GoldIdea:
    """The truth about one run.

    Attributes:
        idea_id: The idea that it tested; None for none.
        is_knowable: Whether anything in the archive tells so.
    """

    idea_id: str | None
    is_knowable: bool


def read_gold(path: Path) -> dict[str, GoldIdea]:
    """Read a gold standard by experiment id.

    Args:
        path: A CSV file with the columns of `COLUMNS`, or a folder that holds it as `runs.csv`.

    Raises:
        GoldError: If it is not there or lacks a column.
    """
    file = path / "runs.csv" if path.is_dir() else path
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            if missing := [column for column in COLUMNS if column not in (reader.fieldnames or ())]:
                raise GoldError(f"{file} lacks the column {missing[0]}: it needs {', '.join(COLUMNS)}.")
            rows = list(reader)
    except (OSError, UnicodeDecodeError) as error:
        raise GoldError(f"The gold standard {file} cannot be read: {type(error).__name__}.") from None
    gold = {}
    for row in rows:
        scope = Scope(row["agent"], row["wave"])
        idea_id = scope.qualify(row["idea_slug"]) if row["idea_slug"] else None
        gold[scope.qualify(row["run_id"])] = GoldIdea(idea_id, bool(row["idea_knowable_by"]))
    return gold
