"""Paraphrases by rules: other words, the same numbers, the same code, and none where little changes."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.calibration.rewriting import MIN_CHANGED, changed_share, rewrite_by_rules


def rewritten(text: str) -> str:
    (found,) = rewrite_by_rules([text])
    assert found is not None, text
    return found


def test_words_clauses_and_numbers_change() -> None:
    text = (
        "Decay gate\n\n"
        "Apply weight decay to 6 layers at 2975 steps with epsilon 1e-8, because the loss falls faster. "
        "Keep 90% of the momentum."
    )
    assert rewritten(text) == (
        "Decay gate\n\n"
        "Since the objective drops more quickly, employ weight shrinkage to six layers at 2,975 steps with "
        "epsilon 10^-8. Retain 90 percent of the gradient averaging."
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Use SOAP so that rare tokens learn.", "In order that infrequent tokens learn, employ SOAP."),
        ("RMS matching keeps the loss stable.", "RMS matching retains the objective steady."),
        ("The loss of precision never grows.", "The loss of precision at no time increases."),
        ("Use `momentum` and a momentum-free optimizer.", "Employ `momentum` and a momentum-free update rule."),
        ("Set momentum=6 and LR_FLOOR=12, keep v3.", "Set momentum=6 and LR_FLOOR=12, retain v3."),
        ("What if we try 12 of 0.5% in 2026-05-12?", "Suppose we test twelve of 0.5% in 2026-05-12?"),
        ("Keep 3e-4 for 2020 or 1 or 007 steps.", "Retain 3e-4 for 2020 or 1 or 007 steps."),
        ("The use of large batches; keep it because it pays.", "The use of big batches; retain it since it pays."),
    ],
)  # fmt: skip
def test_what_the_rules_touch_and_what_not(text: str, said: str) -> None:
    assert rewritten(text) == said


@pytest.mark.parametrize(
    "text", ["", "Muon", "Scope v3. Changed constants: LR_FLOOR=0.02.", "```\nUse the loss, keep it.\n```"]
)
def test_what_hardly_changes_is_no_paraphrase(text: str) -> None:
    assert rewrite_by_rules([text]) == [None]


def test_each_text_is_rewritten_on_its_own() -> None:
    assert rewrite_by_rules([]) == []
    assert rewrite_by_rules(["Keep the loss.", "Muon", "Keep the loss."]) == [
        "Retain the objective.",
        None,
        "Retain the objective.",
    ]


def test_the_share_that_changes_by_hand() -> None:
    """One of the four distinct words `keep`, `the`, `loss`, `low` is gone."""
    assert changed_share("Keep the loss low the", "Retain the loss low") == 1 / 4
    assert changed_share("", "") == 0


PROSE = "Use Apply keep the loss momentum because so that weight decay large layers of with falls faster"
ODD = "`x = 3` `loss` lr=6 v2 arXiv:2510.05491 0.95 1e-8 5e-4 90% 2% 0 1 2 6 12 13 999 1000 2975 2026 12,345"
WORDS = st.sampled_from([*PROSE.split(), *ODD.split()])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=14), min_size=1, max_size=4).map(
    lambda sentences: " ".join(" ".join(each) + "." for each in sentences)
)

SMALL = "two three four five six seven eight nine ten eleven twelve"
_SMALL = {word: str(number) for number, word in enumerate(SMALL.split(), start=2)}


def numbers(text: str) -> Counter[str]:
    """What the numbers of a text are, however they are written."""
    text = re.sub(r"10\^-(\d+)", r"1e-\1", text).replace(" percent", "%")
    text = re.sub(r"(?<=\d),(?=\d)", "", text)
    for word, digits in _SMALL.items():
        text = re.sub(rf"\b{word}\b", digits, text)
    return Counter(re.findall(r"\d[\d.e%-]*(?<!\.)", text))


@given(TEXTS)
def test_numbers_and_code_stay_what_they_were(text: str) -> None:
    (found,) = rewrite_by_rules([text])
    if found is not None:
        assert numbers(found) == numbers(text)
        assert Counter(re.findall(r"`[^`]*`", found)) == Counter(re.findall(r"`[^`]*`", text))
        assert changed_share(text, found) >= MIN_CHANGED
        assert rewrite_by_rules([text]) == [found]
