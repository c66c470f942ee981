"""A row of losses as one line of blocks."""

import math
from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"
NO_NUMBER = "!"
"""Stands for a loss that is not a number or infinite."""

MAX_POINTS = 60
"""Longer rows are thinned; the last point is always drawn."""


def sparkline(losses: Sequence[float]) -> str:
    """Draw losses as one line of blocks, the lowest loss lowest.

    >>> sparkline([4.0, 3.5, float("nan"), 3.0])
    '█▅!▁'
    """
    step = max(1, math.ceil(len(losses) / MAX_POINTS))
    kept = [*losses[:-1:step], *losses[-1:]]
    finite = [loss for loss in kept if math.isfinite(loss)]
    if not finite:
        return NO_NUMBER * len(kept)
    low, span = min(finite), max(finite) - min(finite)
    return "".join(_block(loss, low, span) for loss in kept)


def _block(loss: float, low: float, span: float) -> str:
    if not math.isfinite(loss):
        return NO_NUMBER
    return BLOCKS[round((loss - low) / span * (len(BLOCKS) - 1)) if span else 0]
