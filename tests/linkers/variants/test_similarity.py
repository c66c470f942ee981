"""The nearest text: by the lines that tell texts apart, and only where it is clear."""

from linkers.variants.similarity import LineIndex

COMMON = "\n".join(f"shared line {number}" for number in range(50))


def text(*lines: str) -> str:
    return COMMON + "\n" + "\n".join(lines)


def test_lines_that_most_texts_share_do_not_count() -> None:
    index = LineIndex({name: text(*(f"{name}{number}" for number in range(10))) for name in "abc"})
    nearest = index.nearest(text("a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "x", "y"))
    assert nearest is not None
    assert (nearest.name, nearest.similarity) == ("a", 0.8)
    assert index.nearest(COMMON) is None


def test_unrelated_texts_are_not_near() -> None:
    index = LineIndex({name: text(*(f"{name}{number}" for number in range(10))) for name in "abc"})
    assert index.nearest(text("a0", "a1", "x2", "x3", "x4", "x5", "x6", "x7")) is None


def test_equals_are_ambiguous() -> None:
    lines = [f"t{number}" for number in range(10)]
    other = {name: text(*(f"{name}{number}" for number in range(10))) for name in "cdef"}
    assert LineIndex({"a": text(*lines), "b": text(*lines), **other}).nearest(text(*lines[:9])) is None


def test_no_texts_at_all() -> None:
    assert LineIndex({}).nearest("a\nb") is None
