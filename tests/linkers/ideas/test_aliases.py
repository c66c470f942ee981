"""Which names an idea has, and who has the better right to one."""

from pathlib import Path

from linkers.ideas.aliases import AliasIndex, AliasKind
from tests.linkers.ideas.small import gather


def index(root: Path, ideas: dict[str, str]) -> AliasIndex:
    return gather(root, ["x"], ideas).aliases


def kinds(aliases: AliasIndex, text: str) -> list[tuple[str, AliasKind]]:
    return [(alias.idea_id.rsplit("--", 1)[-1], alias.kind) for alias in aliases.by_text.get(text, ())]


def test_declared_names_are_found_in_any_phrasing_with_their_line(tmp_path: Path) -> None:
    phrases = {
        "quick-brown-fox": "**Family slug:** `qbf`",
        "lazy-dog-nap": "It is good. Runs are called `ldog...` for short.",
        "green-old-door": "In the ledger the token is `grodo`.",
        "wide-open-gate": "Files carry the prefix `wog_*`.",
    }
    aliases = index(tmp_path, {slug: f"# T\n\n{text}\n" for slug, text in phrases.items()})
    for text, slug in (("qbf", "quick-brown-fox"), ("ldog", "lazy-dog-nap"), ("grodo", "green-old-door")):
        assert kinds(aliases, text) == [(slug, AliasKind.DECLARED)], text
    assert aliases.by_text["ldog"][0].source.endswith("ideas/lazy-dog-nap.md:3")
    assert kinds(aliases, "wog") == [("wide-open-gate", AliasKind.DECLARED)]


def test_a_quoted_word_is_a_name_only_if_it_shortens_the_slug(tmp_path: Path) -> None:
    aliases = index(tmp_path, {"adagrad-muon": "# T\n\nSee `agmu` and `torch` and `runs.jsonl`.\n"})
    assert kinds(aliases, "agmu") == [("adagrad-muon", AliasKind.MENTIONED)]
    assert kinds(aliases, "torch") == []


def test_a_reference_to_another_idea_is_no_name(tmp_path: Path) -> None:
    """`called x` may speak of the other idea x, which keeps its name."""
    aliases = index(
        tmp_path, {"polar-step": "", "polar-step-two": "# T\n\nLike the one called `polar-step`.\n"}
    )
    assert kinds(aliases, "polarstep") == [("polar-step", AliasKind.SLUG)]


def test_a_declared_name_outweighs_a_derived_one(tmp_path: Path) -> None:
    aliases = index(tmp_path, {"sign-wise-clip": "", "slow-warm-cool": "# T\n\nRun token: `swc`.\n"})
    assert kinds(aliases, "swc") == [("slow-warm-cool", AliasKind.DECLARED)]


def test_shared_initials_have_rivals(tmp_path: Path) -> None:
    aliases = index(tmp_path, {"sign-wise-clip": "", "slow-warm-cool": ""})
    assert [alias.rivals for alias in aliases.by_text["swc"]] == [2, 2]


def test_initials_that_are_a_word_of_a_slug_are_no_name(tmp_path: Path) -> None:
    """`soap` would be read as the word, not as initials."""
    aliases = index(tmp_path, {"soft-orth-annealed-polar": "", "soap-lite": ""})
    assert kinds(aliases, "soap") == []


def test_a_code_and_the_slug_behind_it_are_names(tmp_path: Path) -> None:
    aliases = index(tmp_path, {"abp001_adam_polar": ""})
    assert kinds(aliases, "abp001") == [("abp001_adam_polar", AliasKind.CODE)]
    assert kinds(aliases, "adampolar") == [("abp001_adam_polar", AliasKind.SLUG)]


def test_only_a_telling_word_stands_for_its_idea(tmp_path: Path) -> None:
    aliases = index(tmp_path, {"spectra-adamminiopt1": "", "galore-hidden": "", "ns-fp32-lite": ""})
    assert kinds(aliases, "adamminiopt1") == [("spectra-adamminiopt1", AliasKind.WORD)]
    assert kinds(aliases, "galore") == kinds(aliases, "fp32") == []
