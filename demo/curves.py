"""Validation losses that fall the way the real ones fall."""

import random
from bisect import bisect_right

from demo.model import Point

TARGET = 3.28
"""The loss that the experiment counts the steps to."""

UNTRAINED = 10.82584
"""What an untrained model scores."""

SLOPE = 6.5e-5
"""Loss per step near the end of a run."""

_SHAPE = (
    (0.0, UNTRAINED), (0.0376, 4.80), (0.0752, 4.17), (0.1128, 3.98), (0.150, 3.876), (0.188, 3.808),
    (0.226, 3.765), (0.263, 3.722), (0.301, 3.687), (0.376, 3.630), (0.451, 3.581), (0.526, 3.535),
    (0.601, 3.491), (0.677, 3.443), (0.752, 3.400), (0.827, 3.357), (0.902, 3.316), (0.940, 3.298),
    (0.977, 3.2836), (1.0, 3.279),
)  # fmt: skip
_FRACTIONS = tuple(fraction for fraction, _ in _SHAPE)


def _shape(fraction: float) -> float:
    place = min(bisect_right(_FRACTIONS, fraction), len(_SHAPE) - 1)
    (left, high), (right, low) = _SHAPE[place - 1], _SHAPE[place]
    return high + (low - high) * (fraction - left) / (right - left)


def checkpoint_steps(first: int, stop: int, tail_points: int) -> list[int]:
    """List the steps at which a run validates: every 125, denser near the end, and the last one.

    >>> checkpoint_steps(125, 300, 2)
    [125, 250, 290, 295, 300]
    """
    steps = {*range(first, stop + 1, 125), stop}
    gap = 25 if tail_points > 6 and stop > 1000 else 5
    steps |= {stop - gap * place for place in range(1, tail_points + 1) if stop - gap * place > first}
    return sorted(steps)


def simulate(
    source: random.Random, first: int, stop: int, tail_points: int, final_loss: float
) -> tuple[Point, ...]:
    """Draw one trial that ends at a given loss.

    Args:
        source: Where the noise comes from.
        first: Step of the first checkpoint.
        stop: Step of the last one.
        tail_points: Number of dense checkpoints before the last.
        final_loss: Loss at `stop`.

    Returns:
        Steps with losses, rounded to five digits as the trainer prints them.
    """
    delta = final_loss - _SHAPE[-1][1]
    points = []
    for step in checkpoint_steps(first, stop, tail_points):
        fraction = step / stop
        noise = source.gauss(0, 0.012 * (1 - fraction) ** 2 + 0.00005) if step < stop else 0.0
        loss = UNTRAINED if step == 0 else _shape(fraction) + delta * fraction**2 + noise
        points.append((step, round(loss, 5)))
    return tuple(points)


def final_loss(source: random.Random, crossing: float, stop: int) -> float:
    """Draw the loss at the end of a run whose recipe crosses the target at a known step."""
    return round(TARGET + SLOPE * (crossing - stop) + source.gauss(0, 0.0006), 5)
