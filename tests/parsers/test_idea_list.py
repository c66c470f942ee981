"""The numbered list of ideas: items or headings, their names, and the lines they stand on."""

from parsers.idea_list import parse_idea_list
from parsers.quarantine import Reason
from parsers.verdicts import Verdict


def names(text: str) -> list[tuple[str, str, int, int]]:
    parsed = parse_idea_list(text.encode(), "v1/codex/scratchpad/ideas.md")
    return [(idea.slug, idea.title, idea.line_start, idea.line_end) for idea in parsed.records]


def test_items_are_named_by_backticks_bold_or_their_first_words() -> None:
    items = "1. `ema-tail`: average\n2. **Polar Muon**: orthogonal\n3. Sparse momentum for rows. Yes\n"
    text = f"# Ideas\n\nintro\n\n{items}"
    assert names(text) == [
        ("ema-tail", "ema-tail", 5, 5),
        ("polar-muon", "Polar Muon", 6, 6),
        ("sparse-momentum-for-rows", "Sparse momentum for rows", 7, 7),
    ]


def test_numbered_headings_win_over_the_lists_below_them() -> None:
    text = "## 1. Foo bar\n\n1. step one\n2. step two\n\n## 2) `baz`\n\n### 2.1 Detail\n\nx\n"
    assert names(text) == [("foo-bar", "Foo bar", 1, 4), ("baz", "baz", 6, 10)]


def test_an_item_keeps_its_paragraphs_as_text_of_its_own() -> None:
    text = "1. `a`: first\n\n    **Rule gate:** FAIL\n\n10. `b`: parent: `a`\n"
    first, second = parse_idea_list(text.encode(), "ideas.md").records
    assert first.rule_gate_verdict is Verdict.FAILED
    assert "first" in first.proposal_text
    assert (second.line_start, second.local_references[0].name, second.local_references[0].line) == (
        5,
        "a",
        5,
    )


def test_two_ideas_of_one_name_get_two_slugs() -> None:
    assert [name[0] for name in names("1. `a`: x\n2. `a`: y\n")] == ["a", "a-2"]


def test_an_item_without_words_and_a_list_without_items_are_set_aside() -> None:
    parsed = parse_idea_list(b"1. `a`\n2.\n3. ...\n", "ideas.md")
    assert [(q.reason, q.line) for q in parsed.quarantined] == [
        (Reason.NO_TITLE_OR_TEXT, 2),
        (Reason.NO_TITLE_OR_TEXT, 3),
    ]
    assert parsed.quarantined[1].byte_offset == 10
    assert [q.reason for q in parse_idea_list(b"# Ideas\n\nnone\n", "ideas.md").quarantined] == [
        Reason.NO_ENTRIES
    ]
