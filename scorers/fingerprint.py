"""What names the data that scores come from, so that those of different data are not compared."""

import hashlib

import polars as pl

FINGERPRINT_CHARS = 16


def fingerprint(experiments: pl.DataFrame, snapshots: pl.DataFrame) -> str:
    """Hash what a score depends on: the experiments with their texts and ideas, and the snapshots.

    Vectors are left out: they follow from the texts and the model, which a result names, and may differ in
    the last bit from machine to machine.

    Args:
        experiments: Every described experiment, in a fixed order.
        snapshots: Every snapshot, in a fixed order.
    """
    digest = hashlib.sha256()
    for frame in (experiments, snapshots):
        digest.update(frame.write_ndjson().encode())
    return digest.hexdigest()[:FINGERPRINT_CHARS]
