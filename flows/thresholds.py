"""Which threshold is in use: the one that is named, else a calibrated one, else the published one."""

from pathlib import Path

import polars as pl
import typer

from flows.scoring import ScoringSettings, dataset_sha256, embedding_of
from outputs.schemas import EMBEDDING_TABLES
from scorers.calibration.results import read_calibration
from scorers.errors import ScoringError
from scorers.lexical import LEXICAL, MODEL
from scorers.thresholds import PUBLISHED, PUBLISHED_THRESHOLD, Threshold, ThresholdSource


def calibration_beside(dataset: Path) -> Path:
    """Name the file beside a dataset in which its calibration is kept."""
    place = dataset.resolve()
    return place.with_name(f"{place.name}.calibration.json")


def threshold_in_use(
    named: float | None, calibration: Path | None, settings: ScoringSettings, *, is_compat: bool = False
) -> Threshold:
    """Find the threshold that is in use, and say so where it is a calibrated one.

    Args:
        named: The one that the caller names, if any.
        calibration: File of a calibration; None looks beside the dataset.
        settings: How the dataset is opened.
        is_compat: Whether to do as the reference client does, which knows of no calibration beside a dataset.

    Raises:
        ScoringError: If a calibration cannot be read, or one that is named is by another embedding.
    """
    if named is not None:
        return Threshold.named(named)
    path = calibration or calibration_beside(settings.dataset)
    if calibration is None and (is_compat or not path.is_file()):
        return PUBLISHED
    found = read_calibration(path)
    embed = settings.embed or embedding_of(settings.dataset)
    model = embedding_model(settings.dataset, embed)
    if (found.embedding, found.embedding_model) == (embed, model):
        is_same = found.origin.dataset_sha256 == dataset_sha256(settings.dataset)
        doubt = "" if is_same else ", which was made on other contents of the dataset: calibrate again"
        typer.echo(f"The threshold {found.threshold:g} is that of {path}{doubt}.", err=True)
        return Threshold(found.threshold, ThresholdSource.CALIBRATION)
    sentence = f"{path} is a calibration by {found.embedding_model}, and texts are compared by {model}"
    if calibration is not None:
        raise ScoringError(f"{sentence}: calibrate by that, or name a --threshold.")
    typer.echo(f"{sentence}: the published {PUBLISHED_THRESHOLD:g} is used.", err=True)
    return PUBLISHED


def embedding_model(dataset: Path, embed: str) -> str:
    """Name the model behind an embedding of a dataset.

    Raises:
        ScoringError: If the dataset has no such embeddings.
    """
    if embed == LEXICAL:
        return MODEL
    path = dataset / f"{EMBEDDING_TABLES[embed].name}.parquet"
    try:
        models = (
            pl.scan_parquet(path).select("embedding_model").head(1).collect()["embedding_model"].to_list()
        )
    except (OSError, pl.exceptions.PolarsError):
        models = []
    if not models:
        raise ScoringError(f"{dataset} has no embeddings by {embed}: build it with `--embed {embed}`.")
    return str(models[0])
