"""Which threshold is in use: the one that is named, else a calibrated one, else the published one."""

from pathlib import Path

import polars as pl
import typer

from flows.scoring import ScoringSettings, embedding_of
from outputs.schemas import EMBEDDING_TABLES
from scorers.calibration.results import read_calibration
from scorers.errors import ScoringError
from scorers.lexical import LEXICAL, MODEL
from scorers.thresholds import PUBLISHED_THRESHOLD


def calibration_beside(dataset: Path) -> Path:
    """Name the file beside a dataset in which its calibration is kept."""
    place = dataset.resolve()
    return place.with_name(f"{place.name}.calibration.json")


def threshold_in_use(named: float | None, calibration: Path | None, settings: ScoringSettings) -> float:
    """Find the threshold that is in use, and say so where it is a calibrated one.

    Args:
        named: The one that the caller names, if any.
        calibration: File of a calibration; None looks beside the dataset.
        settings: How the dataset is opened.

    Raises:
        ScoringError: If a calibration that is named cannot be read, or is one by other texts.
    """
    if named is not None:
        return named
    path = calibration or calibration_beside(settings.dataset)
    if calibration is None and not path.is_file():
        return PUBLISHED_THRESHOLD
    found = read_calibration(path)
    embed = settings.embed or embedding_of(settings.dataset)
    model = embedding_model(settings.dataset, embed)
    if (found.embedding, found.embedding_model) == (embed, model):
        typer.echo(f"The threshold {found.threshold:g} is that of {path}.", err=True)
        return found.threshold
    sentence = f"{path} is a calibration by {found.embedding_model}, and texts are compared by {model}"
    if calibration is not None:
        raise ScoringError(f"{sentence}: calibrate by that, or name a --threshold.")
    typer.echo(f"{sentence}: the published {PUBLISHED_THRESHOLD:g} is used.", err=True)
    return PUBLISHED_THRESHOLD


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
