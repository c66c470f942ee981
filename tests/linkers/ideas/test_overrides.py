"""Corrections by hand, and the guard that keeps them from outliving their reason."""

from pathlib import Path

import pytest

from linkers.ideas.model import TierName
from linkers.ideas.overrides import OverrideError, apply_overrides, parse_overrides
from linkers.ideas.tiers import link_ideas
from tests.linkers.ideas.small import gather

HEAD = "experiment_id,idea_id,expect,reason\n"
ONE, TWO = "codex--v1--lion-clip", "codex--v1--tail-mean"
RUN, BARE = "codex--v1--lion-clip-s0", "codex--v1--try9"


def corrected(root: Path, rows: str) -> dict[str, tuple[str | None, TierName | None]]:
    evidence = gather(root, ["lion-clip-s0", "try9"], {"lion-clip": "", "tail-mean": ""})
    links = link_ideas([evidence]).links
    found = apply_overrides(links, parse_overrides(HEAD + rows, "o.csv"), evidence.ideas, "o.csv")
    return {each: (link.idea_id, link.tier) for each, link in found.items()}


def test_a_link_is_replaced_added_or_removed(tmp_path: Path) -> None:
    found = corrected(tmp_path / "a", f"{RUN},{TWO},{ONE},seen\n{BARE},{ONE},,seen\n")
    assert found == {RUN: (TWO, TierName.OVERRIDE), BARE: (ONE, TierName.OVERRIDE)}
    assert corrected(tmp_path / "b", f"{RUN},,{ONE},\n") == {RUN: (None, None), BARE: (None, None)}


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (f"{RUN},{ONE},,\n", f"Line 2 of o.csv is no longer needed: the matcher itself says {ONE}"),
        (f"{BARE},,{ONE},\n", "no longer needed: the matcher itself says no idea"),
        (f"{RUN},{TWO},,\n", f"expects no idea, but the matcher now says {ONE}"),
        (f"{BARE},{TWO},{ONE},\n", f"expects {ONE}, but the matcher now says no idea"),
        (f"codex--v1--gone,{ONE},,\n", "corrects codex--v1--gone, which the archive does not have"),
        (f"{BARE},codex--v1--gone,,\n", "names the idea codex--v1--gone, which the archive does not have"),
        (f"{BARE},{ONE},,\n{BARE},{TWO},,\n", f"Line 3 of o.csv corrects {BARE} a second time"),
    ],
)
def test_a_correction_that_no_longer_fits_fails_with_one_sentence(
    tmp_path: Path, rows: str, sentence: str
) -> None:
    with pytest.raises(OverrideError, match=sentence):
        corrected(tmp_path, rows)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(OverrideError, match="lacks the column expect"):
        parse_overrides("experiment_id,idea_id\n", "o.csv")
