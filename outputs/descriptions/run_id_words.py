"""A run id in plain words: what its parts say of the run."""

from linkers.names import fold
from linkers.outcomes.families import family_of
from parsers.run_ids import RunName


def describe_run_id(name: RunName) -> str:
    """Say what a run id says.

    >>> from parsers.run_ids import parse_run_id
    >>> describe_run_id(parse_run_id("normuon-beta090-horizon3375-stop3325-seed0-controlled"))
    'Run of normuon beta090, schedule of 3375 steps, stopped at step 3325, seed 0, controlled.'
    >>> describe_run_id(parse_run_id("v12-ts2999-r4"))
    'Run of v12, 2999 training steps, replicate 4.'
    """
    parts = [f"Run of {fold(family_of(name)).replace('_', ' ') or name.run_id}"]
    for value, words in (
        (name.start_step, "something starts at step {}"),
        (name.horizon, "schedule of {} steps"),
        (name.train_steps, "{} training steps"),
        (name.stop_step, "stopped at step {}"),
        (name.seed, "seed {}"),
        (name.replicate, "replicate {}"),
        (name.retry, "retry {}"),
    ):
        if value is not None:
            parts.append(words.format(value))
    parts += [suffix for suffix in name.suffixes if suffix.isalpha() and suffix != "retry"]
    return ", ".join(parts) + "."
