"""The ways in which the archive writes the path of a variant file."""

from demo.model import Run

_USER = "mlresearch"


def worktree_path(run: Run, inside: str) -> str:
    """Write a path of the cluster's file system, which names a worktree of the agent.

    Args:
        run: Which run's worktree.
        inside: Path below the track's `ai` folder.

    Returns:
        An absolute path.
    """
    worktree = f"speedrun-{run.scope.agent}-{run.scope.wave}-w{run.job_id % 5}"
    return f"/beegfs/{_USER}/{worktree}/records/track_3_optimization/ai/{inside}"


def stated_variant(run: Run, form: str) -> str:
    """Write the path of the run's variant in one of the ledger's forms.

    Args:
        run: Which run.
        form: `full`, `relative`, `bare` or `short`.

    Returns:
        The text of the field; `short` is the variant's counter when its name has one.
    """
    name = f"{run.variant}.py"
    if form == "full":
        return worktree_path(run, f"scratchpad/variants/{name}")
    if form == "relative":
        lead = "records/track_3_optimization/ai/" if run.job_id % 2 else ""
        return f"{lead}scratchpad/variants/{name}"
    counter = run.variant.removeprefix("train_gpt_simple_").split("_")[0]
    is_counted = counter[:1] == "v" and counter[1:].isdigit()
    return counter if form == "short" and is_counted else name
