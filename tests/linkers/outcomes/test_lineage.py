"""Lineage: what is declared, what names say, which recipes contain others."""

from itertools import pairwise
from pathlib import Path

import pytest

from linkers.outcomes.idea_index import IdeaIndex
from linkers.outcomes.lineage import Ancestry, collect_recipes, find_ancestry, find_recipe_parents
from linkers.outcomes.timed_runs import TimedRun
from linkers.write_ups import collect_write_ups
from tests.helpers import parse_folder, write_scratchpad
from tests.outcome_cases import SCOPE, timed


def parents(*names: str) -> dict[str, tuple[str, ...]]:
    """Parents of families that were launched one after the other, in the order given."""
    runs = [timed(name, hour, hour + 1, stem=name) for hour, name in enumerate(names)]
    return {name: found for (_, name), found in find_recipe_parents(collect_recipes(runs)).items()}


def test_each_stack_grew_from_the_one_before() -> None:
    stack = [
        "normuon-tailresrmsstack",
        "normuon-tailresrmsstack-aggmom3hidden",
        "normuon-tailresrmsstack-aggmom3hidden-adamminiopt1",
        "normuon-tailresrmsstack-aggmom3hidden-adamminiopt1-muon2fhidden",
    ]
    assert parents(*stack) == {child: (parent,) for parent, child in pairwise(stack)}


def test_a_combination_has_two_parents() -> None:
    """`cm0225` and `attn0625` are both parents of the combo; what both grew from is its grandparent."""
    base = "legal-v12opt-lookahead"
    found = parents(base, f"{base}-cm0225", f"{base}-attn0625", f"{base}-cm0225-attn0625")
    assert found[f"{base}-cm0225-attn0625"] == (f"{base}-attn0625", f"{base}-cm0225")


def test_a_name_that_says_from_names_its_parent() -> None:
    child = "formalprune-norespulse-from-tailresrmsstack-aggmom3hidden"
    found = parents("formalprune", "tailresrmsstack-aggmom3hidden", child)
    assert found[child] == ("tailresrmsstack-aggmom3hidden",)


def test_a_recipe_that_came_later_is_no_parent() -> None:
    assert parents("ema-lion", "ema") == {}


@pytest.mark.parametrize(("first", "second"), [("v1-ema", "v12-ema-x"), ("ema", "schema-x"), ("ema", "ema")])
def test_names_are_compared_part_by_part(first: str, second: str) -> None:
    assert parents(first, second) == {}


def ancestry(root: Path, *runs: TimedRun) -> dict[str, Ancestry]:
    files = {
        "ideas/polar-muon.md": "# Polar Muon\n\nParent: `wide-muon`.\n\nUnlike `far-muon`, it is polar.\n",
        "ideas/wide-muon.md": "# Wide Muon\n\nx\n",
        "ideas/far-muon.md": "# Far Muon\n\nx\n",
        "ideas/both-muon.md": "# Both\n\nIt builds on `polar-muon` and `far-muon`.\n",
    }
    write_ups = collect_write_ups(parse_folder(write_scratchpad(root, files))).kept
    recipes = collect_recipes(runs)
    found = find_ancestry(write_ups, recipes, find_recipe_parents(recipes), IdeaIndex(write_ups))
    return {idea_id.rsplit("--", 1)[1]: each for idea_id, each in found.items()}


def test_a_reference_is_a_parent_only_where_the_text_says_so(tmp_path: Path) -> None:
    found = ancestry(tmp_path)
    assert found["polar-muon"].parents == (SCOPE.qualify("wide-muon"),)
    assert found["both-muon"].parents == (SCOPE.qualify("polar-muon"), SCOPE.qualify("far-muon"))
    assert found["wide-muon"] == Ancestry()


def test_a_recipe_that_builds_on_anothers_tells_of_its_idea(tmp_path: Path) -> None:
    runs = [
        timed("a", 0, 1, stem="far", idea="far-muon"),
        timed("b", 1, 2, stem="far-wide", idea="wide-muon"),
        timed("c", 2, 3, stem="far-polar", idea="polar-muon"),
        timed("d", 3, 4, stem="far-wide-polar", idea="polar-muon"),
    ]
    found = ancestry(tmp_path, *runs)
    assert found["wide-muon"].inspired_by == (SCOPE.qualify("far-muon"),)
    assert found["polar-muon"].inspired_by == (SCOPE.qualify("far-muon"),), "wide-muon is declared already"
