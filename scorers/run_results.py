"""Reader of what `run` writes: a line of JSON for each proposer and snapshot, scored or failed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from scorers.errors import ScoringError
from scorers.results import ScoringResult
from scorers.set_score import set_score

SPLITS = ("dev", "test")
SET_SCORE_TOLERANCE = 1e-9


class RunLine(BaseModel):
    """What came of one snapshot.

    Attributes:
        proposer: Who proposed.
        snapshot_id: The snapshot.
        split: Its split.
        status: Whether a set of candidates came of it.
        reason: Why none did, as a sentence. Untrusted, as it may quote the proposer.
        result: The scored set.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    proposer: str
    snapshot_id: str
    split: Literal["dev", "test"]
    status: Literal["scored", "failed"]
    reason: str | None = None
    result: ScoringResult | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A line with where it stands.

    Attributes:
        place: File and line, as errors name them.
        line: What it says.
    """

    place: str
    line: RunLine


def read_results(paths: Sequence[Path]) -> list[Placed]:
    """Read result files.

    Raises:
        ScoringError: If one cannot be read, or a line is none of `run` or contradicts itself.
    """
    return [placed for path in paths for placed in _read(path)]


def _read(path: Path) -> Iterator[Placed]:
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScoringError(f"{path} cannot be read: {type(error).__name__}.") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"{path}:{number}"
            try:
                placed = Placed(place, RunLine.model_validate_json(line))
            except ValidationError as error:
                raise ScoringError(f"{place} is no line of results: {_why(error)}.") from None
            _check_line(placed)
            yield placed


def _why(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else first["msg"]


def _check_line(placed: Placed) -> None:
    """Refuse a line whose parts do not belong together, or whose sum is not that of its parts."""
    line, result = placed.line, placed.line.result
    if (line.status == "scored") != (result is not None):
        raise ScoringError(f"{placed.place} is {line.status} and has {'a' if result else 'no'} result.")
    if result is None:
        return
    if result.snapshot_id != line.snapshot_id:
        raise ScoringError(f"{placed.place} is about {line.snapshot_id} and scores {result.snapshot_id}.")
    total = set_score(
        [each.score for each in result.candidates],
        result.diversity,
        result.valid_fraction,
        diversity_weight=result.diversity_weight,
        validity_weight=result.validity_weight,
    )
    if abs(total - result.set_score) > SET_SCORE_TOLERANCE:
        raise ScoringError(
            f"{placed.place} states a set score of {result.set_score:g}, and its candidates make {total:g}: "
            "score it anew."
        )


def check_snapshots(lines: Iterable[Placed], splits: Mapping[str, str]) -> None:
    """Refuse lines that do not belong to the snapshots of a dataset, and second lines.

    Args:
        lines: The lines.
        splits: The split of each snapshot of the dataset.

    Raises:
        ScoringError: If a snapshot is not the dataset's or is of another split than stated, or a proposer has
            two lines for one.
    """
    places: dict[tuple[str, str], str] = {}
    for placed in lines:
        line = placed.line
        if line.snapshot_id not in splits:
            raise ScoringError(f"{placed.place}: {line.snapshot_id} is no snapshot of the dataset.")
        if splits[line.snapshot_id] != line.split:
            raise ScoringError(
                f"{placed.place} has {line.snapshot_id} in the split {line.split}, and the dataset in "
                f"{splits[line.snapshot_id]}."
            )
        key = (line.proposer, line.snapshot_id)
        if key in places:
            raise ScoringError(
                f"{placed.place} is a second result of {line.proposer!r} for {line.snapshot_id}, after "
                f"{places[key]}: keep one."
            )
        places[key] = placed.place


def check_comparable(lines: Iterable[Placed], dataset: str) -> None:
    """Refuse lines whose scores do not compare.

    Args:
        lines: The lines.
        dataset: Fingerprint of the dataset.

    Raises:
        ScoringError: If sets were scored in different ways or against another dataset.
    """
    first: Placed | None = None
    for placed in lines:
        if placed.line.result is None:
            continue
        if placed.line.result.dataset != dataset:
            raise ScoringError(
                f"{placed.place} was scored against another dataset than this one: score it anew."
            )
        first = first or placed
        _check_same_way(first, placed)


def ways(result: ScoringResult) -> dict[str, str]:
    """Name everything about how a set was scored that scores hang on."""
    return {
        "judge": result.judge,
        "embedding": f"{result.embedding} ({result.embedding_model})",
        "threshold": "none" if result.threshold is None else f"{result.threshold:g}",
        "priors": result.priors,
        "weights": f"{result.diversity_weight:g} for diversity, {result.validity_weight:g} for validity",
        "rule": "as the reference client" if result.is_compat else "as published",
    }


def _check_same_way(first: Placed, other: Placed) -> None:
    assert first.line.result is not None and other.line.result is not None, "only scored lines are compared"
    one, another = ways(first.line.result), ways(other.line.result)
    for name, value in one.items():
        if another[name] != value:
            raise ScoringError(
                f"{other.place} was scored with {name} {another[name]}, and {first.place} with {value}: such "
                "scores do not compare, so rank them apart."
            )
