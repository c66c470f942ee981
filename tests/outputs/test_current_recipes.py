"""The recipe files: the text that ran, else a comment that says what is known, always valid Python."""

import ast

from linkers.outcomes.links import Links
from outputs.current_recipes import recipe_texts
from outputs.snapshots.clocks import Clock
from outputs.snapshots.selection import History
from tests.outcome_cases import SCOPE, hour, timed

BEST = "codex--v1--best"


def text(links: Links, step: int | None = 3200) -> str:
    history = History([timed("best", 0, 1, step)], [], ())
    texts = recipe_texts([history.freeze(SCOPE, Clock(1, hour(2)))], links)
    assert list(texts) == ["current_recipes/snap_codex_v1_k0001.py"]
    (found,) = texts.values()
    ast.parse(found)
    return found


def test_the_text_that_ran() -> None:
    assert text(Links(source_of={BEST: "f"}, texts={"f": "import torch"})) == "import torch\n"


def test_a_known_file_is_named_but_not_copied() -> None:
    """The file may have been edited after the run."""
    found = text(Links(variant_of={BEST: "polar_muon"}, variant_tier_of={BEST: "stub"}))
    assert all(line.startswith("# ") for line in found.splitlines())
    assert all(word in found for word in (BEST, "3200", "variants/polar_muon.py", "stub"))


def test_a_name_cannot_leave_its_comment() -> None:
    found = text(Links(variant_of={BEST: "x\nimport os\r\x0c\u2028y"}))
    assert all(line.startswith("# ") for line in found.splitlines())


def test_nothing_is_known() -> None:
    assert BEST in text(Links())


def test_no_run_had_reached_the_target() -> None:
    assert text(Links(), step=None).startswith("# No run")
