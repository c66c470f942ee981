"""Journals: where entries begin and end, what dates them, and the opener copied from an earlier wave."""

from pathlib import Path

import pytest

from parsers.braces import MAX_EXPANDED, expand_braces, find_brace_lists
from parsers.journal import JournalEntry, StepLoss, parse_journal
from parsers.quarantine import Reason

SHARED = Path(__file__).parents[2].parent / "shared"


def entries(text: str) -> tuple[JournalEntry, ...]:
    parsed = parse_journal(text.encode(), "v3/codex/scratchpad/THREAD.md")
    assert not parsed.quarantined
    return parsed.records


def dates(text: str) -> list[str | None]:
    return [entry.at.at.isoformat()[:16] if entry.at else None for entry in entries(text)]


def test_nested_bullets_belong_to_their_parent() -> None:
    found = entries("- a\n  - b\n\n  more\n- c\n")
    assert [(e.line_start, e.line_end) for e in found] == [(1, 4), (5, 5)]


def test_one_line_entries_are_separate_and_wrapped_text_is_not() -> None:
    wrapped = (
        "a wrapped sentence of the journal that runs on to the very edge of the page and\ncontinues here\n"
    )
    one_line = "`a-s0` ended at 3.27969 and was the first " + "x" * 150 + "\n"
    found = entries(wrapped + "\n" + one_line + one_line)
    assert [(e.line_start, e.line_end) for e in found] == [(1, 2), (4, 4), (5, 5)]


def test_a_line_below_a_bullet_without_indent_is_an_entry_of_its_own() -> None:
    found = entries("- trap70_0: 3.33574\nCONCLUSION: dead.\n")
    assert [e.text for e in found] == ["- trap70_0: 3.33574", "CONCLUSION: dead."]


def test_indented_lines_belong_to_the_entry_above() -> None:
    assert len(entries("PLAN after 8t:\n  D1 ref\n  D2 floor\n")) == 1


def test_table_rows_are_entries_and_headings_in_code_are_none() -> None:
    found = entries("| run | idea |\n|---|---|\n| a-s0 | acn |\n| b-s0 | cbo |\n\n```\n# 2026-05-01\n```\n")
    assert [e.line_start for e in found] == [3, 4, 6]
    assert {e.heading for e in found} == {""}


def test_an_own_date_wins_over_the_heading_and_headings_nest() -> None:
    text = "# 2026-05-02\n\n- a\n\n## Session 2 (03:05+)\n\n- b\n- **2026-05-03T10:00Z** c\n\n# Next\n\n- d\n"
    assert dates(text) == ["2026-05-02T00:00", "2026-05-02T00:00", "2026-05-03T10:00", None]


def test_a_heading_without_a_date_does_not_borrow_that_of_its_sibling() -> None:
    assert dates("## 2026-05-02\n\n- a\n\n## Session 3 (06:55+)\n\n- b\n") == ["2026-05-02T00:00", None]


def test_a_time_of_day_is_placed_on_the_day_of_its_heading() -> None:
    assert dates("## 2026-05-02\n\n- 14:05 a\n- 99:99 b\n") == ["2026-05-02T14:05", "2026-05-02T00:00"]


def test_a_line_that_is_only_a_date_holds_until_the_next_heading() -> None:
    text = "**2026-05-02**\n\n- a\n\n2026-05-03\n\n- b\n\n## Other\n\n- c\n"
    assert dates(text) == ["2026-05-02T00:00", "2026-05-03T00:00", None]


def test_a_date_inside_an_entry_does_not_date_it() -> None:
    assert dates("- repeat of the run of 2026-05-02\n") == [None]


def test_the_copied_opener_dates_nothing() -> None:
    text = "## 2026-04-29\n\n- a\n- b\n\n## 2026-05-12\n\n- c\n\n## 2026-05-13\n\n- d\n"
    found = entries(text)
    assert [e.is_copied_opener for e in found] == [True, True, False, False]
    assert [e.at is None for e in found] == [True, True, False, False]


@pytest.mark.parametrize("second", ["2026-05-06", "2026-04-30"])
def test_a_first_day_within_a_week_of_the_rest_is_no_opener(second: str) -> None:
    found = entries(f"- 2026-04-29 a\n- {second} b\n- 2026-05-12 c\n")
    assert not any(entry.is_copied_opener for entry in found)


def test_a_journal_of_one_day_has_no_opener() -> None:
    assert not any(e.is_copied_opener for e in entries("- 2026-04-29 a\n- 2026-04-29 b\n"))


def test_names_jobs_and_losses_are_picked_out() -> None:
    found = entries(
        "- `pmi{02,05}_ts3000`, SPM (8720, 8721) at step 2000: 3200 / 3.27953, 3125=3.28270, `b`\n"
    )[0]
    assert found.quoted_names == ("pmi{02,05}_ts3000", "b")
    assert found.expanded_names == ("pmi02_ts3000", "pmi05_ts3000")
    assert found.job_ids == (8720, 8721)
    assert found.step_losses == (StepLoss(3200, 3.27953), StepLoss(3125, 3.2827))


def test_brace_lists_are_bounded() -> None:
    assert len(expand_braces("{0..9}{0..9}")) == 100
    assert expand_braces("{0..9}" * 6) == ("{0..9}" * 6,)
    assert expand_braces("a{0..99999}") == ("a{0..99999}",)
    assert all(len(expand_braces(word)) <= MAX_EXPANDED for word in find_brace_lists("x{a,b}" * 400))


def test_an_empty_journal_and_one_of_headings_are_set_aside() -> None:
    assert [q.reason for q in parse_journal(b" \r\n", "T").quarantined] == [Reason.EMPTY_FILE]
    assert [q.reason for q in parse_journal(b"# a\n## b\n", "T").quarantined] == [Reason.NO_ENTRIES]


@pytest.mark.skipif(not SHARED.exists(), reason="the genuine journals are not here")
def test_a_genuine_journal_of_sessions_is_undated_and_split_by_bullets() -> None:
    path = SHARED / "real-scratchpad/v3/codex/scratchpad/THREAD.md"
    found = parse_journal(path.read_bytes(), "v3/codex/scratchpad/THREAD.md").records
    assert not any(entry.at or entry.is_copied_opener for entry in found)
    by_line = {entry.line_start: entry for entry in found}
    assert by_line[93].line_end == 97
    assert by_line[131].line_end == 137
    assert StepLoss(3250, 3.28011) in by_line[131].step_losses
    assert by_line[33].heading == "Session 2 (03:05+)"


@pytest.mark.skipif(not SHARED.exists(), reason="the genuine journals are not here")
def test_genuine_launch_lists_give_one_dated_entry_a_line() -> None:
    for path in sorted((SHARED / "real-logs").glob("*/*/scratchpad/THREAD.md")):
        found = parse_journal(path.read_bytes(), path.name).records
        assert len(found) == sum(line.startswith("- ") for line in path.read_text().splitlines())
        assert all(len(entry.quoted_names) == 2 for entry in found)
        assert all(entry.at or entry.is_copied_opener for entry in found)
