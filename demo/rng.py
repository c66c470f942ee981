"""Random numbers that depend on names alone, so that no order of work can change a byte."""

import random


def rng(*parts: object) -> random.Random:
    """Make a generator that is seeded by the text of its parts.

    >>> rng("v2/codex", 3).random() == rng("v2/codex", "3").random()
    True
    """
    return random.Random(":".join(str(part) for part in parts))  # noqa: S311 - reproducible, guards nothing


def pick(source: random.Random, weights: dict[str, float]) -> str:
    """Draw one key of a table of weights.

    >>> pick(rng("x"), {"only": 1.0})
    'only'
    """
    return source.choices(list(weights), list(weights.values()))[0]
