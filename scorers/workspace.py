"""The near-blank folder that a proposer works in: what somebody at a snapshot's moment had, and no more.

What belongs there: the goal, the rule of the wave, how far the field had come, the source of the best
variant, how to write a candidate. What does not: ids, titles, texts or verdicts of anything that was tried or
came later, the snapshot's own id, and where the dataset is. The source of the best variant is given as it
ran, with whatever its author wrote into it; it is what the agents of that moment had before them.
"""

from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import process

from linkers.outcomes.verdicts import BASELINE_STEPS
from outputs.current_recipes import FOLDER as RECIPES
from outputs.reading import ReadingError, load_experiments, load_snapshots
from scorers.candidates import MIN_PROPOSAL_CHARS
from scorers.errors import ScoringError

CANDIDATES = "candidates"
"""Folder inside a workspace in which a proposer leaves its candidates."""

RECIPE_NAME = "current_best.py"
"""The best variant's source inside a workspace."""

MAX_CANDIDATES = 5
"""How many candidates of a workspace count if nothing else is said."""

EXAMPLE = """\
# A title that says what changes

## Proposal

What to change in the training recipe, how exactly, with which values, and why that should lower the
number of steps. Write it so that somebody who knows the recipe could run it.
"""
"""A candidate as it should be written."""


class WorkspaceError(ScoringError):
    """A workspace cannot be made. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far things were at a snapshot's moment.

    Attributes:
        wave_constraint: What the wave asked of an idea.
        field_best_steps: The fewest steps to 3.28 that were known of anybody; None for none.
        recipe_steps: The fewest that were known of the scope; None for none.
        recipe_text: The source that reached them; None where no archive holds it.
    """

    wave_constraint: str
    field_best_steps: int | None
    recipe_steps: int | None
    recipe_text: str | None


def read_standing(dataset: Path, snapshot_id: str) -> Standing:
    """Read from a dataset what a workspace may tell, and nothing beside it.

    Args:
        dataset: Folder of a dataset.
        snapshot_id: Id of the snapshot.

    Raises:
        WorkspaceError: If there is no dataset or no such snapshot, or its recipe is missing.
    """
    try:
        return _standing(dataset, snapshot_id)
    except ReadingError as error:
        raise WorkspaceError(str(error)) from None


def _standing(dataset: Path, snapshot_id: str) -> Standing:
    found = load_snapshots(dataset, snapshot_id=snapshot_id).to_dicts()
    if not found:
        ids = load_snapshots(dataset)["snapshot_id"].to_list()
        close = ", ".join(match[0] for match in process.extract(snapshot_id, ids, limit=3))
        hint = f"close to it are {close}" if close else "it has none"
        raise WorkspaceError(f"{snapshot_id!r} is no snapshot of {dataset}: {hint}.")
    row = found[0]
    return Standing(
        wave_constraint=row["wave_constraint"],
        field_best_steps=row["field_best_step_to_3_28"],
        recipe_steps=row["current_recipe_step_to_3_28"],
        recipe_text=_recipe_text(dataset, snapshot_id, row["current_recipe_experiment_id"]),
    )


def _recipe_text(dataset: Path, snapshot_id: str, experiment_id: str | None) -> str | None:
    """Read the recipe's source. Where it is unknown the dataset's file names the run, so it is not read."""
    if experiment_id is None:
        return None
    hashes = load_experiments(dataset, experiment_id=experiment_id)["recovered_source_sha256"].to_list()
    if hashes in ([], [None]):
        return None
    path = dataset / RECIPES / f"{snapshot_id}.py"
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorkspaceError(
            f"{path} cannot be read ({type(error).__name__}): build the dataset again."
        ) from None


def render_workspace(standing: Standing, max_candidates: int = MAX_CANDIDATES) -> dict[str, str]:
    """Write the texts of a workspace.

    Args:
        standing: How far things were.
        max_candidates: How many candidates count.

    Returns:
        Texts by file name: the same ones for the same arguments.
    """
    texts = {"README.md": _readme(standing, max_candidates)}
    if standing.recipe_text is not None:
        texts[RECIPE_NAME] = standing.recipe_text
    return texts


def write_workspace(
    dataset: Path, snapshot_id: str, folder: Path, max_candidates: int = MAX_CANDIDATES
) -> None:
    """Write the workspace of a snapshot.

    Args:
        dataset: Folder of a dataset.
        snapshot_id: Id of the snapshot.
        folder: Where to write to; must be new or empty, and lie outside the dataset.
        max_candidates: How many candidates count.

    Raises:
        WorkspaceError: If there is no dataset or no such snapshot, or the folder is unfit.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WorkspaceError(f"{folder} is not empty: name a new folder for the workspace.")
    if folder.resolve().is_relative_to(dataset.resolve()):
        raise WorkspaceError(
            f"{folder} lies inside the dataset, which a proposer must not see: name another."
        )
    texts = render_workspace(read_standing(dataset, snapshot_id), max_candidates)
    (folder / CANDIDATES).mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8"))


def _readme(standing: Standing, max_candidates: int) -> str:
    example = "".join(f"    {line}\n" if line else "\n" for line in EXAMPLE.splitlines())
    return f"""\
# Propose the next experiment

## Goal

Train a GPT of 124M parameters to a validation loss of at most 3.28 in as few steps as possible. The
baseline, Muon, takes {BASELINE_STEPS} steps.

## The rule of this wave

{standing.wave_constraint}

## How far the field is

{_field(standing)}

## The current best variant

{_recipe(standing)}

## What to hand in

Write each idea as a Markdown file of its own into the folder `{CANDIDATES}`, with a name that ends in `.md`.
At most {max_candidates} of them count, the first by name. A file has a title and a section `## Proposal` of
at least {MIN_PROPOSAL_CHARS} characters:

{example}"""


def _field(standing: Standing) -> str:
    if standing.field_best_steps is None:
        return "Nobody is known to have reached a loss of 3.28 so far."
    return f"The fewest steps that anybody is known to have needed so far: {standing.field_best_steps}."


def _recipe(standing: Standing) -> str:
    if standing.recipe_steps is None:
        return "No variant is known to have reached a loss of 3.28 here so far."
    if standing.recipe_text is None:
        return (
            f"The best variant here is known to have needed {standing.recipe_steps} steps; its source is not "
            "at hand."
        )
    return (
        f"`{RECIPE_NAME}` is the source of the best variant here, as it ran; it is known to have needed "
        f"{standing.recipe_steps} steps."
    )
