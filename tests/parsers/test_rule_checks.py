"""Rule checks of one idea and of a batch."""

import pytest

from parsers.quarantine import Reason
from parsers.rule_checks import parse_rule_check
from parsers.verdicts import Verdict

FOLDER = "novelty/codex/scratchpad/rule_checks/"


@pytest.mark.parametrize(
    ("name", "idea"),
    [
        ("awr001_rule_check.md", "awr001"),
        ("awr001-rule-check.md", "awr001"),
        ("bige001_bipolar_gram_rule_audit.md", "bige001_bipolar_gram"),
        ("awr001_rule_check_2.md", "awr001"),
        ("awr001.md", "awr001"),
    ],
)
def test_the_file_name_says_which_idea_is_checked(name: str, idea: str) -> None:
    check = parse_rule_check(b"# Check\n\nAlso see ADV001: FAIL.\n\nVerdict: PASS\n", FOLDER + name).records[
        0
    ]
    assert (check.idea_name, check.verdict, check.line) == (idea, Verdict.PASSED, 5)


def test_a_check_without_a_verdict_is_set_aside() -> None:
    parsed = parse_rule_check(b"The rules ask for a PASS or FAIL.\n", FOLDER + "awr001_rule_check.md")
    assert [q.reason for q in parsed.quarantined] == [Reason.NO_VERDICT]


def test_a_batch_in_headings_rows_and_items() -> None:
    text = (
        "# Current batch\n\nSee `goal.md`.\n\n## 1. AWR001 - rows\n\nfine\n\nVerdict: COMPLIANT\n\n"
        "## Table\n\n| idea | verdict |\n|---|---|\n| `bige001_x` | FAIL |\n| ADV001 | ? |\n\n"
        "- CBM001: PASS CONDITIONAL\n- CBN001: pending\n"
    )
    parsed = parse_rule_check(text.encode(), FOLDER + "current_batch_rule_audit.md")
    assert [(c.idea_name, c.verdict, c.line) for c in parsed.records] == [
        ("AWR001", Verdict.COMPLIANT, 9),
        ("bige001_x", Verdict.FAILED, 15),
        ("CBM001", Verdict.PASSED_CONDITIONALLY, 18),
    ]
    assert [(q.reason, q.line) for q in parsed.quarantined] == [
        (Reason.NO_VERDICT, 16),
        (Reason.NO_VERDICT, 19),
    ]


def test_a_batch_that_names_no_idea_is_set_aside() -> None:
    parsed = parse_rule_check(b"# Batch\n\nall fine, PASS\n", FOLDER + "batch_audit.md")
    assert [q.reason for q in parsed.quarantined] == [Reason.NO_ENTRIES]
