"""Verdict words in every spelling, and sentences that only talk about verdicts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.verdicts import Verdict, find_verdict, is_stated


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("PASS", Verdict.PASSED),
        ("pass.", Verdict.PASSED),
        ("✅ **PASS** - nothing is touched", Verdict.PASSED),
        ("1. PASS", Verdict.PASSED),
        ("Verdict: PASS CONDITIONAL", Verdict.PASSED_CONDITIONALLY),
        ("Verdict: pass (conditional on one seed)", Verdict.PASSED_CONDITIONALLY),
        ("Conditional pass: one seed", Verdict.PASSED_CONDITIONALLY),
        ("❌ FAIL: reads validation data", Verdict.FAILED),
        ("Decision: KILL", Verdict.KILLED),
        ("The proposal is compliant.", Verdict.COMPLIANT),
        ("non-compliant", Verdict.NON_COMPLIANT),
        ("NONCOMPLIANT", Verdict.NON_COMPLIANT),
        ("Verdict: **NOT COMPLIANT**", Verdict.NON_COMPLIANT),
        ("NOT **COMPLIANT**", Verdict.NON_COMPLIANT),
        ("non\u2013compliant", Verdict.NON_COMPLIANT),
        ("it isn't compliant", Verdict.NON_COMPLIANT),
        ("novel-enough", Verdict.NOVEL_ENOUGH),
        ("Verdict: Novel Enough", Verdict.NOVEL_ENOUGH),
        ("not-novel", Verdict.NOT_NOVEL),
        ("This is not novel enough.", Verdict.NOT_NOVEL),
        ("killed by existence check (it is Lion)", Verdict.KILLED_BY_EXISTENCE_CHECK),
        ("The idea does not pass the gate.", Verdict.FAILED),
        ("Verdict: not a pass", Verdict.FAILED),
        ("## Verdict\n\nPASS", Verdict.PASSED),
        ("| PASS |", Verdict.PASSED),
    ],
)
def test_verdicts_in_every_decoration(text: str, verdict: Verdict) -> None:
    finding = find_verdict(text)
    assert finding is not None
    assert finding.verdict is verdict


@pytest.mark.parametrize(
    "text",
    [
        "The gate asks for PASS or FAIL.",
        "PASS/FAIL",
        "PASS if no data changes, FAIL otherwise.",
        "Forward pass unchanged; one pass over the data.",
        "pass-through gradients",
        "It must be compliant with all rules.",
        "It would be killed by existence check if it were Lion.",
        "This fails when the loss diverges.",
        "Do not KILL yet.",
        "Does it PASS?",
        "Status: running",
        "Verdict: pending",
        "a bypass, compliance, failsafe",
        "",
    ],
)
def test_a_text_that_only_talks_about_verdicts_gives_none(text: str) -> None:
    assert find_verdict(text) is None


def test_a_negated_form_wins_over_the_plain_word_elsewhere_in_the_text() -> None:
    finding = find_verdict("Rule 1: COMPLIANT\nRule 2: NOT COMPLIANT\n")
    assert finding is not None
    assert finding.verdict is Verdict.NON_COMPLIANT


def test_a_labelled_verdict_wins_over_other_words_and_the_last_label_holds() -> None:
    finding = find_verdict("FAIL was feared.\nVerdict: PASS\n\nUpdated verdict: FAIL\n")
    assert finding is not None
    assert (finding.verdict, finding.line) == (Verdict.FAILED, 3)


def test_rejections_are_told_apart() -> None:
    rejections = {verdict for verdict in Verdict if verdict.is_rejection}
    assert rejections == {
        Verdict.FAILED,
        Verdict.KILLED,
        Verdict.NON_COMPLIANT,
        Verdict.NOT_NOVEL,
        Verdict.KILLED_BY_EXISTENCE_CHECK,
    }


def test_is_stated_does_not_take_a_supposition_for_a_statement() -> None:
    assert is_stated("PASS\nKilled by the existence check.", Verdict.KILLED_BY_EXISTENCE_CHECK)
    assert not is_stated("not killed by existence check", Verdict.KILLED_BY_EXISTENCE_CHECK)


WORDS = [
    "PASS",
    "FAIL",
    "not",
    "compliant",
    "non-",
    "verdict:",
    "novel",
    "enough",
    "**",
    "|",
    "/",
    "or",
    "\n",
    " ",
]


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=60))
def test_any_text_gives_a_verdict_on_one_of_its_lines_or_none(parts: list[str]) -> None:
    text = " ".join(parts)
    finding = find_verdict(text)
    assert finding is None or 0 <= finding.line < len(text.split("\n"))
