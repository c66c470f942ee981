"""The nearest text: by the lines that tell texts apart, and only where it is clear."""

from collections.abc import Mapping

from linkers.variants.similarity import Nearest, find_nearest

COMMON = "\n".join(f"shared line {number}" for number in range(50))


def text(*lines: str) -> str:
    return COMMON + "\n" + "\n".join(lines)


def nearest_of(query: str, texts: Mapping[str, str]) -> Nearest | None:
    return find_nearest({"query": query}, texts)["query"]


def test_lines_that_most_texts_share_do_not_count() -> None:
    texts = {name: text(*(f"{name}{number}" for number in range(10))) for name in "abc"}
    nearest = nearest_of(text("a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "x", "y"), texts)
    assert nearest is not None
    assert (nearest.name, nearest.similarity) == ("a", 0.8)
    assert nearest_of(COMMON, texts) is None


def test_unrelated_texts_are_not_near() -> None:
    texts = {name: text(*(f"{name}{number}" for number in range(10))) for name in "abc"}
    assert nearest_of(text("a0", "a1", "x2", "x3", "x4", "x5", "x6", "x7"), texts) is None


def test_equals_are_ambiguous() -> None:
    lines = [f"t{number}" for number in range(10)]
    other = {name: text(*(f"{name}{number}" for number in range(10))) for name in "cdef"}
    assert nearest_of(text(*lines[:9]), {"a": text(*lines), "b": text(*lines), **other}) is None


def test_no_texts_at_all() -> None:
    assert nearest_of("a\nb", {}) is None
    assert find_nearest({}, {"a": "b"}) == {}
