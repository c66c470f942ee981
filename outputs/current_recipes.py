"""`current_recipes/`: for every snapshot the source of the best recipe that was known then."""

from collections.abc import Sequence

from linkers.outcomes.links import Links
from outputs.snapshots.selection import Snapshot

FOLDER = "current_recipes"


def recipe_texts(snapshots: Sequence[Snapshot], links: Links) -> dict[str, str]:
    """Write one Python file a snapshot: the text that ran where it is known, else a comment.

    Today's variant file is not put in its place: it may have been edited after the run.

    Args:
        snapshots: The snapshots.
        links: What each run executed.

    Returns:
        Texts by path inside the dataset.
    """
    return {f"{FOLDER}/{each.snapshot_id}.py": _text(each, links) for each in snapshots}


def _text(snapshot: Snapshot, links: Links) -> str:
    best = snapshot.current_recipe
    if best is None:
        return "# No run of this scope was known to have reached 3.28 by then.\n"
    step, experiment_id = best
    text = links.texts.get(links.source_of.get(experiment_id) or "")
    if text is not None:
        return text if text.endswith("\n") else text + "\n"
    known = [
        f"The best recipe known then is {experiment_id}, which reached 3.28 at step {step}.",
        "The text that it ran is not in the archive.",
    ]
    if (variant := links.variant_of.get(experiment_id)) is not None:
        tier = links.variant_tier_of.get(experiment_id) or "unknown"
        known.append(f"It ran the file variants/{variant}.py, by tier {tier}; that file may differ now.")
    return "".join(f"# {_one_line(line)}\n" for line in known)


def _one_line(text: str) -> str:
    """Keep a name of the archive from ending the comment that it stands in."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
