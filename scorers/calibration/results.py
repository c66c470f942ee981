"""What a calibration found, as it is kept: which threshold, by which texts, and how well it does."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scorers.bootstrap import Interval
from scorers.calibration.cases import CASES_A_KIND, Kind
from scorers.calibration.metrics import Figure
from scorers.classes import Classification
from scorers.errors import ScoringError
from scorers.results import UsageResult

FORMAT_VERSION = 1


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Origin(_Frozen):
    """What a calibration was made from.

    Attributes:
        dataset_sha256: What names the contents of the dataset.
        per_kind: Cases of a kind in a snapshot, at most.
        priors: Whose experiments counted as priors, `scope` or `field`.
        paraphrases: Who paraphrased: `rules`, or a model.
        paraphrase_usage: What that cost.
        judge_settings: How the judge that was measured was asked.
    """

    dataset_sha256: str | None = None
    per_kind: int = CASES_A_KIND
    priors: str = "scope"
    paraphrases: str = "rules"
    paraphrase_usage: UsageResult = UsageResult()
    judge_settings: dict[str, str | int | float | bool | None] = Field(default_factory=dict)


class ClassFigures(_Frozen):
    """How well one class is told."""

    classification: Classification
    num_expected: int
    num_found: int
    precision: Figure
    recall: Figure
    f1: Figure


class ThresholdFigures(_Frozen):
    """How well all classes are told at one threshold."""

    threshold: float
    accuracy: Figure
    kappa: Figure
    classes: tuple[ClassFigures, ...]


class KindFigures(_Frozen):
    """How often the cases of one kind are told right."""

    kind: Kind
    num_cases: int
    accuracy: Figure


class Agreement(_Frozen):
    """How often answers are right, and how much of that is not chance."""

    accuracy: Figure
    kappa: Figure


class JudgeFigures(_Frozen):
    """How well a judge tells the classes.

    Attributes:
        judge: Who.
        judge_model: The model that it asks, if it asks one.
        everything: Over all cases.
        well_formed: Over those that are proposals, as no judge is needed to tell the malformed ones.
        classes: By class.
        kinds: By kind of case.
        confusion: Cases by what is expected, then by what was found.
        usage: What asking cost.
    """

    judge: str
    judge_model: str | None
    everything: Agreement
    well_formed: Agreement
    classes: tuple[ClassFigures, ...]
    kinds: tuple[KindFigures, ...]
    confusion: dict[Classification, dict[Classification, int]]
    usage: UsageResult


class CalibrationResult(_Frozen):
    """What a calibration found. Intervals hold 95%, over resampled snapshots.

    Attributes:
        format_version: Of this file.
        embedding: By what texts were compared.
        embedding_model: The model behind it.
        threshold: The one to use: the largest kappa, of equal ones the nearest to the published 0.75.
        threshold_interval: Where the choice falls on resampled snapshots; None where there is one snapshot.
        num_cases: Cases in all.
        num_snapshots: Dev snapshots that they are made from.
        origin: What it was made from.
        judge: How well the judge does at that threshold.
        held_out: How well cosine does on the cases of each scope at the threshold that the other scopes
            choose; None where there is one scope. The figures of `judge` are from the cases that chose.
        published: How well cosine does at the published threshold.
        sweep: The same at every threshold that was tried.
    """

    format_version: int = FORMAT_VERSION
    embedding: str
    embedding_model: str
    threshold: float
    threshold_interval: Interval | None
    num_cases: int
    num_snapshots: int
    origin: Origin
    judge: JudgeFigures
    held_out: Agreement | None
    published: ThresholdFigures
    sweep: tuple[ThresholdFigures, ...]


class CaseAnswer(_Frozen):
    """What became of one case: a line of the table of cases.

    Attributes:
        case_id: Snapshot, kind and number.
        snapshot_id: The dev snapshot.
        kind: How it was made.
        source_id: The experiment whose text it is made of; None for a malformed one.
        title: Its title.
        expected: The right answer.
        found: The judge's.
        matched_id: The experiment that the judge takes it for.
        nearest_prior: Cosine to the nearest prior; None where there is none.
        nearest_future: Cosine to the nearest future, likewise.
        reason: Why, in the judge's words.
    """

    case_id: str
    snapshot_id: str
    kind: Kind
    source_id: str | None
    title: str
    expected: Classification
    found: Classification
    matched_id: str | None
    nearest_prior: float | None
    nearest_future: float | None
    reason: str


def read_calibration(path: Path) -> CalibrationResult:
    """Read what a calibration found.

    Raises:
        ScoringError: If the file is not there, or is none.
    """
    try:
        found = CalibrationResult.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ScoringError(f"The calibration {path} cannot be read: {type(error).__name__}.") from None
    except ValidationError:
        raise ScoringError(f"{path} is no calibration: write it with `speedrun-etl calibrate`.") from None
    if found.format_version != FORMAT_VERSION:
        raise ScoringError(f"The calibration {path} is of another version: calibrate again.")
    return found
