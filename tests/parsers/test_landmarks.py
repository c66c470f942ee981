"""Several needles in one pass: each is found where a search for it alone finds it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.byte_search import Needles, Span, find_all
from parsers.landmarks import find_landmarks

WORDS = (b"val_loss:", b"trial:", b"seed", b"/variants/", b"indexed_run {")
PIECES = st.sampled_from(
    [*WORDS, b"val_loss:se", b"/variants", b"tri", b"see", b"ed", b":", b"\n", b"{", b"\0\xff"]
)


@given(st.lists(PIECES, max_size=12).map(b"".join), st.lists(st.integers(0, 100), max_size=6))
def test_one_pass_finds_what_a_pass_a_word_finds(data: bytes, bounds: list[int]) -> None:
    bounds = sorted({min(bound, len(data)) for bound in bounds})
    output = [Span(*pair) for pair in zip(bounds[::2], bounds[1::2], strict=False)]
    wanted = [[at for start, stop in output for at in find_all(data, word, start, stop)] for word in WORDS]
    landmarks = find_landmarks(data, output)
    assert landmarks.checkpoints == wanted[0]
    assert landmarks.markers == sorted(wanted[1] + wanted[2])
    assert [landmarks.variants, landmarks.indexed_runs] == wanted[3:]


@pytest.mark.parametrize("needles", [(b"abc", b"cd"), (b"cd", b"abc"), (b"abc", b"b"), (b"b", b"abc")])
def test_needles_that_can_overlap_are_refused(needles: tuple[bytes, bytes]) -> None:
    with pytest.raises(ValueError, match="can overlap"):
        Needles(*needles)
