"""The constraints name what each wave asked."""

import pytest

from outputs.snapshots.constraints import WAVE_CONSTRAINTS
from parsers.scopes import WAVES


def test_every_wave_has_one_text_of_its_own() -> None:
    assert tuple(WAVE_CONSTRAINTS) == WAVES
    assert len(set(WAVE_CONSTRAINTS.values())) == len(WAVES)


@pytest.mark.parametrize(
    ("wave", "words"),
    [
        ("v1", ("open search", "baseline", "3500")),
        ("novelty", ("new", "does not count", "hyperparameters")),
        ("v2", ("v1 and novelty", "3000")),
        ("v3", ("v2", "below 3000", "at most three modifiers")),
    ],
)
def test_it_says_what_the_wave_asked(wave: str, words: tuple[str, ...]) -> None:
    text = WAVE_CONSTRAINTS[wave].lower()
    assert all(word in text for word in words), text
