"""Results of several proposers side by side: read, and refused where their scores do not compare."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from scorers.classes import Classification
from scorers.errors import ScoringError
from scorers.proposer_results import ResultLine
from scorers.results import ScoringResult
from scorers.set_score import set_score

OWN_SETTINGS = ("proposer", "command_sha256")
"""The settings of a run that are a proposer's own. Scores of runs that differ in any other do not compare."""

DATASET_SETTING = "dataset_sha256"
SET_SCORE_TOLERANCE = 1e-9

_UNCLASSED = (Classification.INVALID, Classification.UNJUDGED)


@dataclass(frozen=True, slots=True)
class Placed:
    """A line of results with where it stands.

    Attributes:
        place: File and line, as errors name them.
        line: What it says.
    """

    place: str
    line: ResultLine


def read_results(paths: Sequence[Path]) -> list[Placed]:
    """Read files of results.

    Raises:
        ScoringError: If one cannot be read, or a line is no result or contradicts itself.
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
                placed = Placed(place, ResultLine.model_validate_json(line))
            except ValidationError as error:
                raise ScoringError(f"{place} is no result of a proposer: {_why(error)}.") from None
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
    if any(
        each.distinct_class is None and each.classification not in _UNCLASSED for each in result.candidates
    ):
        raise ScoringError(f"{placed.place} does not tell which candidates state the same idea: run it anew.")
    total = set_score(
        [each.score for each in result.candidates],
        result.diversity,
        result.valid_fraction,
        diversity_weight=result.diversity_weight,
        validity_weight=result.validity_weight,
    )
    if not abs(total - result.set_score) <= SET_SCORE_TOLERANCE:
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


def check_comparable(lines: Sequence[Placed], dataset_sha256: str) -> None:
    """Refuse lines whose scores do not compare.

    Args:
        lines: The lines.
        dataset_sha256: What names the contents of the dataset.

    Raises:
        ScoringError: If sets were scored in different ways or against another dataset, or if two proposers
            bear one name.
    """
    own: dict[str, Placed] = {}
    for placed in lines:
        before = own.setdefault(placed.line.proposer, placed)
        _check_same(before, placed, _own_settings(before.line), _own_settings(placed.line))
        if placed.line.settings.get(DATASET_SETTING) != dataset_sha256:
            raise ScoringError(f"{placed.place} was scored against another dataset: run it against this one.")
        _check_same(lines[0], placed, _shared_settings(lines[0].line), _shared_settings(placed.line))
    scored = [(placed, placed.line.result) for placed in lines if placed.line.result is not None]
    for placed, result in scored:
        first, first_result = scored[0]
        _check_same(first, placed, _rule(first_result), _rule(result))


def ways(lines: Sequence[Placed]) -> dict[str, str]:
    """Name how comparable lines were scored, by all that scores hang on.

    Args:
        lines: The lines, at least one.
    """
    rules = [_rule(placed.line.result) for placed in lines if placed.line.result is not None]
    return _shared_settings(lines[0].line) | (rules[0] if rules else {})


def _shared_settings(line: ResultLine) -> dict[str, str]:
    return {name: str(value) for name, value in line.settings.items() if name not in OWN_SETTINGS}


def _own_settings(line: ResultLine) -> dict[str, str]:
    return {name: str(line.settings.get(name)) for name in OWN_SETTINGS}


def _rule(result: ScoringResult) -> dict[str, str]:
    """Name what the settings of a run do not tell, as a result may be written by hand."""
    return {
        "rule": "the reference client's" if result.is_compat else "as published",
        "weights": f"{result.diversity_weight:g} diversity, {result.validity_weight:g} validity",
    }


def _check_same(first: Placed, other: Placed, one: Mapping[str, str], another: Mapping[str, str]) -> None:
    for name in sorted(one.keys() | another.keys()):
        if one.get(name) != another.get(name):
            raise ScoringError(
                f"{other.place} was scored with {name} {another.get(name)}, and {first.place} with "
                f"{one.get(name)}: such scores do not compare, so rank them apart."
            )
