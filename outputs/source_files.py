"""The recovered sources of a dataset as files, for people who want to read or run them."""

from pathlib import Path

import polars as pl

from outputs.dataset import OutputError

INDEX_NAME = "index.csv"


def write_sources(dataset: Path, folder: Path) -> int:
    """Write each distinct source as `{sha256}.py`, and an index of the runs.

    Args:
        dataset: Folder of a dataset.
        folder: Where to write to.

    Returns:
        The number of sources.

    Raises:
        OutputError: If there is no dataset.
    """
    path = dataset / "variant_sources.parquet"
    if not path.is_file():
        raise OutputError(f"{dataset} is no dataset: it holds no {path.name}.")
    folder.mkdir(parents=True, exist_ok=True)
    sources = pl.read_parquet(path)
    for sha256, text in sources.select("sha256", "source_text").iter_rows():
        (folder / f"{sha256}.py").write_text(text, encoding="utf-8", newline="\n")
    runs = pl.read_parquet(
        dataset / "runs.parquet",
        columns=["experiment_id", "recovered_source_sha256", "variant_path", "is_variant_drifted"],
    )
    index = runs.filter(pl.col("recovered_source_sha256").is_not_null()).sort("experiment_id")
    index.rename({"recovered_source_sha256": "sha256"}).write_csv(folder / INDEX_NAME)
    return sources.height
