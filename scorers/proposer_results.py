"""The results of a proposer: a line of JSON a snapshot, written whole or not at all, and taken up again.

Beside the file `NAME` lies a folder `NAME.work`. It holds the settings, and for each snapshot what the
proposer printed and the candidates that it left.
"""

import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from scorers.errors import ScoringError
from scorers.results import ScoringResult, UsageResult

Split = Literal["dev", "test"]

Settings = Mapping[str, str | int | float | bool | None]
"""What decides what a score means: lines that differ in it do not belong into one file."""


NOTHING_USED = UsageResult()


class ResultsError(ScoringError):
    """A file of results cannot be read, or was written otherwise. The message is one sentence."""


class ResultLine(BaseModel):
    """What came of one snapshot.

    Attributes:
        proposer: Who proposed.
        snapshot_id: The snapshot.
        split: Its split.
        status: `scored`, or `failed`, which is no score of zero.
        reason: Why it failed.
        result: Its score and how it came about; None where it failed.
        num_left_out: Candidates that were one too many, and did not count.
        usage: What the judge cost, also where it failed.
        seconds: How long it took, proposer and judge, in the attempt that this line tells of.
        settings: What decides what the score means.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    proposer: str
    snapshot_id: str
    split: Split
    status: Literal["scored", "failed"]
    reason: str | None = None
    result: ScoringResult | None = None
    num_left_out: int = 0
    usage: UsageResult = NOTHING_USED
    seconds: float = 0.0
    settings: Settings

    @property
    def is_complete(self) -> bool:
        """Whether it has a score to which all candidates contribute."""
        return self.result is not None and self.result.num_unjudged == 0


class ResultsFile:
    """A file of results that is being written. Only whoever holds its lock may use it.

    Every line goes to the disk as soon as its snapshot is finished. While the work is on, lines stand in the
    order in which snapshots were finished; `arrange` puts them in theirs.

    Attributes:
        settings: What decides what a score means.
        folder: The folder beside it.
        lines: The lines by snapshot.
        has_lost_a_line: Whether the last line was torn, as by a kill, and was dropped.
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        """Open the file, or make it.

        Args:
            path: Where it is.
            settings: What decides what a score means.

        Raises:
            ResultsError: If it holds something else, or was written with other settings.
        """
        self.settings = settings
        self.folder = path.with_name(f"{path.name}.work")
        self._path = path
        self._lock = threading.Lock()
        self._open_folder()
        data = path.read_bytes()
        whole, _, torn = data.rpartition(b"\n")
        self.lines = {line.snapshot_id: line for line in self._read(whole)}
        self.has_lost_a_line = bool(torn)
        if torn:
            self._rewrite()

    def log(self, snapshot_id: str) -> Path:
        """Name the file for what the proposer prints."""
        return self.folder / snapshot_id / "output.log"

    def candidates(self, snapshot_id: str) -> Path:
        """Name the folder for what it leaves."""
        return self.folder / snapshot_id / "candidates"

    def _open_folder(self) -> None:
        """Make the file and the folder, or see that they belong together and to these settings."""
        if not self._path.exists() and self.folder.exists():
            raise ResultsError(
                f"{self.folder} belongs to results that are gone: delete it, or name another --out."
            )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch()
        self.folder.mkdir(exist_ok=True)
        stated = self.folder / "settings.json"
        if stated.exists():
            self._check(json.loads(stated.read_bytes()))
            return
        beside = self.folder / ".settings.json.new"
        beside.write_text(json.dumps(dict(self.settings), indent=1, sort_keys=True) + "\n", encoding="utf-8")
        beside.replace(stated)

    def _check(self, settings: Settings) -> None:
        """Refuse to mix results of different settings."""
        names = sorted(settings.keys() | self.settings.keys())
        differing = [
            f"{name} {settings.get(name)!r} and not {self.settings.get(name)!r}"
            for name in names
            if settings.get(name) != self.settings.get(name)
        ]
        if differing:
            raise ResultsError(
                f"{self._path} was written with {', '.join(differing)}: go on with those settings, or name "
                "another --out."
            )

    def _read(self, data: bytes) -> list[ResultLine]:
        lines = []
        for number, text in enumerate(data.split(b"\n"), start=1):
            if not text.strip():
                continue
            try:
                line = ResultLine.model_validate_json(text)
            except ValidationError:
                raise ResultsError(
                    f"Line {number} of {self._path} is no result of a proposer: name another --out."
                ) from None
            self._check(line.settings)
            lines.append(line)
        return lines

    def drop(self, snapshot_ids: Sequence[str]) -> None:
        """Take lines out, so that their snapshots are done anew."""
        if snapshot_ids:
            self.lines = {name: line for name, line in self.lines.items() if name not in set(snapshot_ids)}
            self._rewrite()

    def append(self, line: ResultLine) -> None:
        """Bring a line to the disk. Safe to use from several threads."""
        with self._lock, self._path.open("ab") as file:
            file.write(_json(line))
            file.flush()
            os.fsync(file.fileno())
            self.lines[line.snapshot_id] = line

    def arrange(self, snapshot_ids: Sequence[str]) -> None:
        """Put the lines in the order of the snapshots."""
        self.lines = {name: self.lines[name] for name in snapshot_ids if name in self.lines}
        self._rewrite()

    def _rewrite(self) -> None:
        beside = self._path.with_name(f".{self._path.name}.new")
        with beside.open("wb") as file:
            file.writelines(map(_json, self.lines.values()))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self._path)


def _json(line: ResultLine) -> bytes:
    # In ASCII: some readers take U+2028 for the end of a line.
    return json.dumps(line.model_dump(mode="json"), separators=(",", ":")).encode("ascii") + b"\n"
