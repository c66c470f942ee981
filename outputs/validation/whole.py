"""Checks of a dataset as a whole: its files, the balance of its inputs, the laws of its snapshots."""

import hashlib
from pathlib import Path

import polars as pl

from outputs.current_recipes import FOLDER as RECIPE_FOLDER
from outputs.manifest import MANIFEST_NAME
from outputs.snapshots.laws import check_laws
from outputs.validation.model import Offenders
from outputs.validation.opened import OpenedDataset
from parsers.quarantine import Reason


def find_changed_files(dataset: OpenedDataset) -> Offenders:
    """Find files that are missing or not as the manifest says, and tables that it does not name."""
    manifest = dataset.manifest
    wanted = {entry.name: entry.sha256 for entry in manifest.files}
    wanted |= {entry.name: entry.sha256 for entry in manifest.texts}
    rows = []
    for name, sha256 in wanted.items():
        found = _sha256(dataset.folder / name)
        if found != sha256:
            rows.append((name, sha256, found))
    named = {entry.name for entry in manifest.files}
    rows += [
        (f"{table.name}.parquet", "in the manifest", "not named")
        for table in dataset.tables
        if f"{table.name}.parquet" not in named
    ]
    return {"files": pl.DataFrame(rows, ("file", "wanted", "found"), orient="row")}


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "missing"


def find_wrong_row_counts(dataset: OpenedDataset) -> Offenders:
    """Find tables that do not hold as many rows as the manifest says."""
    counts = {name: frame.height for name, frame in dataset.read.items()}
    rows = [
        (name, entry.rows, counts[name])
        for entry in dataset.manifest.files
        if (name := entry.name.removesuffix(".parquet")) in counts and entry.rows != counts[name]
    ]
    return {"files": pl.DataFrame(rows, ("table", "wanted", "found"), orient="row")}


def find_strange_files(dataset: OpenedDataset) -> Offenders:
    """Find files that the manifest does not name."""
    manifest = dataset.manifest
    named = {MANIFEST_NAME, *(entry.name for entry in manifest.files)}
    named |= {entry.name for entry in manifest.texts}
    found = sorted(
        path.relative_to(dataset.folder).as_posix() for path in dataset.folder.rglob("*") if not path.is_dir()
    )
    return {"files": pl.DataFrame({"file": [name for name in found if name not in named]})}


def find_missing_scopes(dataset: OpenedDataset) -> Offenders:
    """Find scopes that the archive lacked."""
    return {"archive": pl.DataFrame({"scope": dataset.manifest.missing_scopes})}


def find_unbalanced_inputs(dataset: OpenedDataset) -> Offenders:
    """Find kinds of input where something was lost, or set aside without a row in `quarantine`."""
    quarantine = dataset.frames.get("quarantine")
    rows = []
    for each in dataset.manifest.balances:
        listed = (
            each.quarantined
            if quarantine is None
            else _count_quarantined(quarantine, each.kind, each.agent, each.wave, each.unit)
        )
        if not each.is_balanced or listed < each.quarantined:
            rows.append(
                (
                    each.kind,
                    each.agent,
                    each.wave,
                    each.unit,
                    each.seen,
                    each.parsed,
                    each.quarantined,
                    listed,
                )
            )
    names = ("kind", "agent", "wave", "unit", "seen", "parsed", "quarantined", "in_quarantine")
    return {"inputs": pl.DataFrame(rows, names, orient="row")}


def _count_quarantined(quarantine: pl.DataFrame, kind: str, agent: str, wave: str, unit: str) -> int:
    of_kind = quarantine.filter(
        pl.col("reason") != Reason.KEY_REMOVED,
        pl.col("kind") == kind,
        pl.col("agent").fill_null("") == agent,
        pl.col("wave").fill_null("") == wave,
    )
    if unit == "lines":
        return of_kind.select("path", "line").n_unique()
    return of_kind.filter(pl.col("line").is_null())["path"].n_unique()


def find_broken_laws(dataset: OpenedDataset) -> Offenders:
    """Find snapshots that break a law of time."""
    tables = ("experiments", "ideas", "snapshots")
    if not {*tables} <= dataset.frames.keys():
        return {}
    violations = check_laws(*(dataset.frames[name] for name in tables))
    rows = [(each.snapshot_id, each.law, each.detail) for each in violations]
    return {"snapshots": pl.DataFrame(rows, ("snapshot_id", "law", "detail"), orient="row")}


def find_wrong_recipes(dataset: OpenedDataset) -> Offenders:
    """Find snapshots without their recipe file, and recipe files without a snapshot."""
    if "snapshots" not in dataset.frames:
        return {}
    wanted = {f"{RECIPE_FOLDER}/{name}.py" for name in dataset.frames["snapshots"]["snapshot_id"]}
    found = {entry.name for entry in dataset.manifest.texts if entry.name.startswith(f"{RECIPE_FOLDER}/")}
    rows = [(name, "missing" if name in wanted else "of no snapshot") for name in sorted(wanted ^ found)]
    return {"files": pl.DataFrame(rows, ("file", "problem"), orient="row")}
