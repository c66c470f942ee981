"""The ladder of descriptions: write-up, docstring, else the run id in words."""

from outputs.descriptions.ladder import MAX_CHARS, Description, DescriptionSource, describe
from parsers.ideas import Idea, parse_idea
from parsers.run_ids import parse_run_id

NAME = parse_run_id("v12-ts2999-r4")


def idea(text: str) -> Idea:
    parsed = parse_idea(text.encode(), "ideas/polar.md")
    assert isinstance(parsed, Idea)
    return parsed


def test_the_write_up_comes_first() -> None:
    written = idea("# Polar Muon\n\n## Proposal\n\nProject it.\n")
    expected = Description("Polar Muon\n\nProject it.", DescriptionSource.IDEA_WRITEUP)
    assert describe(NAME, written, "A docstring.") == expected


def test_then_the_docstring() -> None:
    assert describe(NAME, None, " A docstring.\n").source == DescriptionSource.VARIANT_DOCSTRING
    assert describe(NAME, None, "  \n").source == DescriptionSource.RUN_ID_DECODED


def test_else_the_run_id() -> None:
    found = describe(NAME, None, None)
    assert found == Description(
        "Run of v12, 2999 training steps, replicate 4.", DescriptionSource.RUN_ID_DECODED
    )


def test_a_long_write_up_is_cut() -> None:
    long = idea("# Polar Muon\n\n## Proposal\n\n" + "word " * 2000)
    assert len(describe(NAME, long, None).text) <= MAX_CHARS
