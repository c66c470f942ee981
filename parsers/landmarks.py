"""The words of a training log beside which everything stands that is read from its output."""

from collections.abc import Sequence
from typing import NamedTuple

from parsers.byte_search import Needles, Span

_NEEDLES = Needles(b"val_loss:", b"trial:", b"seed", b"/variants/", b"indexed_run {")


class Landmarks(NamedTuple):
    """Where the words stand, each in the order of the log.

    Attributes:
        checkpoints: Offsets of `val_loss:`.
        markers: Offsets of `trial:` and `seed`, which announce a trial.
        variants: Offsets of `/variants/`.
        indexed_runs: Offsets of `indexed_run {`.
    """

    checkpoints: list[int]
    markers: list[int]
    variants: list[int]
    indexed_runs: list[int]


def find_landmarks(data: bytes, output: Sequence[Span]) -> Landmarks:
    """Find the words in one pass.

    Args:
        data: The whole log.
        output: Where it is output: embedded source speaks of no run.
    """
    checkpoints, trials, seeds, variants, indexed_runs = _NEEDLES.find_in(data, output)
    return Landmarks(checkpoints, sorted([*trials, *seeds]), variants, indexed_runs)
