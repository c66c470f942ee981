"""Precision and recall against a gold standard, by hand."""

from pathlib import Path

import pytest

from outputs.quality.gold import GoldError, GoldIdea, read_gold
from outputs.quality.measures import Link, Share, quality_by_scope, quality_by_tier


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # z = 1.96, z^2 = 3.8415. Ten of ten: 10 / 13.8415.
        (10, 10, 0.7225, 1.0),
        (0, 10, 0.0, 0.2775),
        # Half of four: centre 0.5, spread z * sqrt(0.0625 + 0.06002) / 1.9604.
        (2, 4, 0.1500, 0.8500),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_by_hand(hits: int, n: int, low: float, high: float) -> None:
    assert Share(hits, n).interval == pytest.approx((low, high), abs=1e-4)


def test_nothing_has_no_share() -> None:
    assert Share(0, 0).value is None


def link(run: str, idea: str | None, tier: str | None, *proposed: str) -> Link:
    return Link(run, run[0], idea, tier, frozenset(proposed))


GOLD = {
    "a1": GoldIdea("x", is_knowable=True),
    "a2": GoldIdea("y", is_knowable=True),
    "b1": GoldIdea("x", is_knowable=False),
    "b2": GoldIdea(None, is_knowable=False),
    "b3": GoldIdea("z", is_knowable=True),
}
LINKS = [
    link("a1", "x", "prefix", "x"),
    link("a2", "x", "thread", "x", "y"),
    link("b1", "x", "thread", "x"),
    link("b2", None, None),
    link("b3", None, None, "z"),
    link("b4", "x", "prefix", "x"),
]


def test_tiers_by_hand() -> None:
    """A right link that could not be known counts for precision, and never for recall; `b4` is unknown to gold."""
    rows = {row.tier: row for row in quality_by_tier(LINKS, GOLD)}
    assert (rows["prefix"].precision, rows["prefix"].recall) == (Share(1, 1), Share(1, 3))
    assert (rows["thread"].precision, rows["thread"].recall) == (Share(1, 2), Share(1, 3))
    assert rows["llm"].precision == Share(0, 0)


def test_scopes_by_hand() -> None:
    rows = {row.scope: row for row in quality_by_scope(LINKS, GOLD)}
    assert (rows["a"].precision, rows["a"].recall, rows["a"].proposed) == (
        Share(1, 2),
        Share(1, 2),
        Share(2, 2),
    )
    assert (rows["b"].precision, rows["b"].recall, rows["b"].proposed) == (
        Share(1, 1),
        Share(0, 1),
        Share(1, 1),
    )
    assert (rows["all"].runs, rows["all"].precision) == (5, Share(2, 3))


def test_gold_is_a_file_or_a_folder(tmp_path: Path) -> None:
    text = "agent,wave,run_id,idea_slug,idea_knowable_by\ncodex,v1,r,i,name\ncodex,v1,s,,\n"
    (tmp_path / "runs.csv").write_text(text)
    wanted = {
        "codex--v1--r": GoldIdea("codex--v1--i", is_knowable=True),
        "codex--v1--s": GoldIdea(None, is_knowable=False),
    }
    assert read_gold(tmp_path) == read_gold(tmp_path / "runs.csv") == wanted


def test_what_is_no_gold_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("agent,wave,run_id\n")
    with pytest.raises(GoldError, match="lacks the column idea_slug"):
        read_gold(tmp_path)
    with pytest.raises(GoldError, match="cannot be read: FileNotFoundError"):
        read_gold(tmp_path / "absent.csv")
