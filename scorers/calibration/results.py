"""What a calibration found, as it is kept: which threshold, by which texts, and how well it does."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scorers.calibration.metrics import Figure
from scorers.errors import ScoringError

FORMAT_VERSION = 1


class ClassFigures(BaseModel):
    """How well one class is told."""

    model_config = ConfigDict(frozen=True)

    classification: str
    num_expected: int
    num_found: int
    precision: Figure
    recall: Figure
    f1: Figure


class ThresholdFigures(BaseModel):
    """How well all classes are told at one threshold."""

    model_config = ConfigDict(frozen=True)

    threshold: float
    accuracy: Figure
    kappa: Figure
    classes: tuple[ClassFigures, ...]


class JudgeFigures(BaseModel):
    """How well a judge tells the classes: the sums and the matrix behind them."""

    model_config = ConfigDict(frozen=True)

    judge: str
    accuracy: Figure
    kappa: Figure
    classes: tuple[ClassFigures, ...]
    confusion: dict[str, dict[str, int]] = Field(
        description="Cases by what is expected, then what was found."
    )
    accuracy_by_kind: dict[str, float]


class CalibrationResult(BaseModel):
    """What a calibration found.

    Attributes:
        format_version: Of this file.
        embedding: By what texts were compared.
        embedding_model: The model behind it.
        threshold: The one to use: the largest kappa, of equal ones the nearest to the published 0.75.
        num_cases: Cases in all.
        num_snapshots: Dev snapshots that they are made from.
        paraphrases: Who paraphrased.
        judge: How well the judge does at that threshold.
        published: The same at the published threshold.
        sweep: Every threshold that was tried.
    """

    model_config = ConfigDict(frozen=True)

    format_version: int = FORMAT_VERSION
    embedding: str
    embedding_model: str
    threshold: float
    num_cases: int
    num_snapshots: int
    paraphrases: str
    judge: JudgeFigures
    published: ThresholdFigures
    sweep: tuple[ThresholdFigures, ...]


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
