"""Which files are proposals, why the others are none, and what of them is embedded."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outputs.descriptions.ladder import tidy
from parsers.lines import MAX_TEXT_BYTES
from scorers.candidates import MAX_BODY_CHARS, MAX_TITLE_CHARS, parse_candidate, read_candidate
from tests.scorers.small import candidate_text

BODY = "Decay the learning rate of hidden matrices as a square root of what is left."


@pytest.mark.parametrize(
    "text",
    [
        f"# Slow decay\n\n## Proposal\n\n{BODY}\n",
        f"# Slow decay #\n\n## Proposal ##\n\n{BODY}",
        f"#   Slow decay  \n##  proposal  \n{BODY}",
        f"Slow decay\n==========\n\nProposal\n--------\n\n{BODY}\n",
        f"# Slow decay\r\n\r\n## Proposal\r\n\r\n{BODY}\r\n",
        f"# Slow decay\r\r## PROPOSAL\r\r{BODY}\r",
        f"\ufeff# Slow decay\n\n## Proposal\n\n{BODY}",
        f"# **Slow** decay\n\n## **Proposal**\n\n{BODY}",
        f"---\nauthor: me\n---\n# Slow decay\n\n## Proposal\n\n{BODY}",
        f"```\n# Not this\n```\n\n# Slow decay\n\n## Proposal\n\n{BODY}",
        f"~~~\n# Not this\n## Proposal\n~~~\n\n# Slow decay\n\n## Proposal\n\n{BODY}",
        f"    # Not this, it is code\n\n# Slow decay\n\n## Proposal\n\n{BODY}",
        f"> # Not this, it is quoted\n\n# Slow decay\n\n## Proposal\n\n{BODY}",
        f"<!--\n# Not this\n-->\n\n# Slow decay\n\n## Proposal\n\n{BODY}",
        f"## Why\n\nBecause.\n\n# Slow decay\n\n## Proposal\n\n{BODY}\n\n## Prior art\n\nNone.",
        f"# Slow decay\n\n## Proposal\n\nShort.\n\n## Proposal\n\n{BODY}",
        f"# Slow decay\n\n## Proposal\n\n### In short\n\n{BODY[:20]}\n\n### At length\n\n{BODY[20:]}",
        f"# Slow decay\n\n## Proposal\n\n```\n{BODY}\n```",
    ],
)
def test_a_title_and_a_proposal_make_a_candidate(tmp_path: Path, text: str) -> None:
    path = tmp_path / "candidate.md"
    path.write_bytes(text.encode("utf-8"))
    candidate = read_candidate(path)
    assert (candidate.invalid_reason, candidate.title) == (None, "Slow decay")
    assert candidate.path == str(path)
    assert candidate.text.startswith("Slow decay\n\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"## Slow decay\n\n## Proposal\n\n{BODY}", "It has no title"),
        (f"#\n\n## Proposal\n\n{BODY}", "It has no title"),
        (f"#Slow decay\n\n## Proposal\n\n{BODY}", "It has no title"),
        (f"```\n# Slow decay\n```\n\n## Proposal\n\n{BODY}", "It has no title"),
        (f"# Slow decay\n\n{BODY}", "It has no section `## Proposal`."),
        (f"# Slow decay\n\n### Proposal\n\n{BODY}", "It has no section `## Proposal`."),
        (f"# Slow decay\n\n# Proposal\n\n{BODY}", "It has no section `## Proposal`."),
        (f"# Slow decay\n\n## Proposals\n\n{BODY}", "It has no section `## Proposal`."),
        (f"# Slow decay\n\n```\n## Proposal\n{BODY}\n```", "It has no section `## Proposal`."),
        (f"# Slow decay\n\n**Proposal**\n\n{BODY}", "It has no section `## Proposal`."),
        (
            "# Slow decay\n\n## Proposal\n",
            "Its section `## Proposal` has 0 characters and needs at least 50.",
        ),
        (
            f"# Slow decay\n\n## Proposal\n\nShort.\n\n## Rationale\n\n{BODY}",
            "Its section `## Proposal` has 6 characters and needs at least 50.",
        ),
        (f"# Slow decay\n\n## Proposal\n\nShort.\n\n# Next\n\n{BODY}", "has 6 characters"),
    ],
)
def test_anything_else_is_invalid_and_says_why(text: str, reason: str) -> None:
    candidate = parse_candidate(text)
    assert not candidate.is_valid
    assert reason in (candidate.invalid_reason or "")


@pytest.mark.parametrize(("length", "is_valid"), [(49, False), (50, True)])
def test_fifty_characters_are_enough_and_blanks_around_them_do_not_count(length: int, is_valid: bool) -> None:
    assert parse_candidate(candidate_text(proposal=f"\n\n  {'x' * length}  \n\n")).is_valid is is_valid


@given(st.text(alphabet="#=-`>* \n\r\tProposal\x00\u2028", max_size=200))
def test_whatever_it_holds_is_read(text: str) -> None:
    candidate = parse_candidate(text)
    assert candidate.is_valid == (candidate.invalid_reason is None)
    assert len(candidate.text) <= MAX_TITLE_CHARS + 2 + MAX_BODY_CHARS
    assert "\x00" not in candidate.text
    assert parse_candidate(text.replace("\r\n", "\n").replace("\r", "\n")) == candidate


def test_a_title_of_one_letter_is_one() -> None:
    assert parse_candidate(candidate_text(title="T")).title == "T"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file holds no text."),
        (b" \n\n ", "The file holds no text."),
        (b"\x00\x01\x02" * 50, "The file is binary, not text."),
        (b"# T\n" + b"x" * MAX_TEXT_BYTES, "The file has more than 2,000,000 bytes."),
    ],
)
def test_a_file_that_is_no_text_is_invalid(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "candidate.md"
    path.write_bytes(data)
    candidate = read_candidate(path)
    assert (candidate.invalid_reason, candidate.text) == (reason, "")


def test_letters_that_are_no_utf8_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "candidate.md"
    path.write_bytes(candidate_text(title="D\u00e9cay").encode("latin-1"))
    candidate = read_candidate(path)
    assert (candidate.is_valid, candidate.title) == (True, "D\ufffdcay")


def test_what_cannot_be_opened_is_invalid_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    for path in (tmp_path / "absent.md", tmp_path, tmp_path / "pipe.md", "a\0b.md"):
        candidate = read_candidate(path)
        assert (candidate.invalid_reason or "").startswith("The file cannot be read: "), path


def test_a_file_without_permission_is_invalid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "candidate.md"
    path.write_text(candidate_text(), encoding="utf-8")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert read_candidate(path).invalid_reason == "The file cannot be read: Permission denied."


def test_the_text_is_the_title_and_the_body_without_its_heading() -> None:
    candidate = parse_candidate("Intro.\n\n# Slow decay\n\n## Proposal\n\nDecay.\n\n## Prior art\n\nNone.\n")
    assert candidate.body == "Intro.\n\n\n## Proposal\n\nDecay.\n\n## Prior art\n\nNone."
    assert candidate.text == "Slow decay\n\nIntro.\n\n## Proposal\n\nDecay.\n\n## Prior art\n\nNone."


def test_an_underlined_title_leaves_the_body_whole() -> None:
    assert parse_candidate("Slow\ndecay\n===\n\nDecay.\n").body == "Decay."


def test_the_text_holds_1500_characters_of_the_body() -> None:
    body = "word " * 1_000
    candidate = parse_candidate(f"# Title\n\n{body}")
    assert candidate.text == f"Title\n\n{body[:MAX_BODY_CHARS].rstrip()}"
    assert parse_candidate(f"# {'t' * 9_000}\n\nBody.").text == f"{'t' * MAX_TITLE_CHARS}\n\nBody."


def test_the_text_has_the_normal_form_of_descriptions() -> None:
    text = "# Slow\x1b[31m decay\n\n\n\n\nDecay  \r\n\r\n\r\nslowly\x00.\n"
    assert parse_candidate(text).text == tidy("Slow[31m decay\n\nDecay\n\nslowly.")
    assert parse_candidate(text).text == "Slow[31m decay\n\nDecay\n\nslowly."
