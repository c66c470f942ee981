"""Drives the reference client as its users do. Run by an interpreter of its own, where nothing of ours is.

Reads a job as JSON from standard input and writes what came of it to standard output.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import novelty_bench as nb

UNFILTERED = (
    "load_calibration_cases",
    "load_experiments",
    "load_idea_embeddings",
    "load_ideas",
    "load_mechanism_extractions",
    "load_proposals",
    "load_runs",
    "load_snapshots",
    "load_val_trajectories",
)


def main() -> None:
    """Do the job."""
    job = json.load(sys.stdin)
    root = job["data_root"]
    done = {"tables": load_all(root), "filtered": filter_some(root, job["filters"])}
    done["recipes"] = [nb.load_current_recipe(each, data_root=root) for each in job["snapshot_ids"]]
    done["sets"] = score_all(root, job["sets"])
    done["empty"] = tried(lambda: nb.score(snapshots(root)[job["snapshot_ids"][0]], [], **options(root)))
    json.dump(done, sys.stdout)


def load_all(root: str) -> dict[str, Any]:
    """Load every table; where one cannot be had, say why."""
    loaders = {name: getattr(nb, name) for name in UNFILTERED}
    for backend in ("openai", "bge"):
        loaders[f"load_proposal_embeddings:{backend}"] = with_backend(backend)
    return {name: tried(partial(loaded, load, root)) for name, load in loaders.items()}


def loaded(load: Callable[..., Any], root: str) -> dict[str, Any]:
    """Load a table and say what it holds."""
    frame = load(data_root=root)
    return {"rows": len(frame), "columns": list(frame.columns)}


def with_backend(backend: str) -> Callable[..., Any]:
    """Ask for the table of one backend."""
    return lambda data_root: nb.load_proposal_embeddings(backend=backend, data_root=data_root)


def filter_some(root: str, filters: list[list[Any]]) -> list[int]:
    """Count the rows that filters leave."""
    return [len(getattr(nb, name)(data_root=root, **wanted)) for name, wanted in filters]


def tried(work: Callable[[], Any]) -> Any:
    """Give what work gives, or the name of its error."""
    try:
        return work()
    except Exception as error:
        return {"error": type(error).__name__}


def snapshots(root: str) -> dict[str, Any]:
    """Give the rows of the snapshots, by id."""
    frame = nb.load_snapshots(data_root=root)
    return {row["snapshot_id"]: row for _, row in frame.iterrows()}


def options(root: str) -> dict[str, str]:
    """Say how sets are scored."""
    return {"data_root": root, "embedding_backend": "openai", "judge_backend": "cosine"}


def score_all(root: str, sets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Score sets of files."""
    rows = snapshots(root)
    done = []
    for each in sets:
        files = [Path(file) for file in each["files"]]
        result = nb.score(rows[each["snapshot_id"]], files, **options(root))
        done.append(json.loads(result.model_dump_json()))
    return done


if __name__ == "__main__":
    main()
