"""Names of ideas: slug before code before alias, and no guess where two claim one name."""

from pathlib import Path

import pytest

from linkers.outcomes.idea_index import IdeaIndex
from linkers.write_ups import collect_write_ups
from parsers.scopes import Scope
from tests.helpers import parse_folder, write_scratchpad

SCOPE = Scope("codex", "novelty")


@pytest.fixture
def index(tmp_path: Path) -> IdeaIndex:
    files = {
        "ideas/abp001_polar.md": "# ABP001: Polar\n\nFamily slug: `polar`\n\nx\n",
        "ideas/xyz001_one.md": "# One\n\nAlias: `shared`\n\nx\n",
        "ideas/xyz001_two.md": "# Two\n\nAlias: `shared`\n\nx\n",
        "ideas/shared-name.md": "# Shared name\n\nx\n",
    }
    return IdeaIndex(collect_write_ups(parse_folder(write_scratchpad(tmp_path, files, scope=SCOPE))).kept)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("ABP001", "abp001_polar"),
        ("abp001-polar", "abp001_polar"),
        ("abp001_polar.md", "abp001_polar"),
        ("polar", "abp001_polar"),
        ("Shared_Name", "shared-name"),
    ],
)
def test_found(index: IdeaIndex, name: str, slug: str) -> None:
    assert index.find(SCOPE, name) == f"codex--novelty--{slug}"


@pytest.mark.parametrize("name", ["xyz001", "shared", "pol", "abp001_polar_muon", ""])
def test_not_found(index: IdeaIndex, name: str) -> None:
    """Two ideas claim `xyz001` and `shared`; the rest is no name of any."""
    assert index.find(SCOPE, name) is None


def test_nothing_is_found_across_scopes(index: IdeaIndex) -> None:
    assert index.find(Scope("claude-code", "novelty"), "ABP001") is None
