"""Texts cut from logs: what is cut off, and what is refused."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.source_text import clean_source

SOURCE = '"""muon"""\nimport torch\n\n\ndef step():\n    return 1\n\n\nLR = 0.02\n'


@pytest.mark.parametrize(
    "text",
    [
        SOURCE,
        "batch = 7 of 9\n" + SOURCE,
        "### NODE=gpu\n" + SOURCE,
        SOURCE + "wandb: run finished ok !\n",
        SOURCE.replace("\n\n\ndef", "\nW0429 19:22:41.795000 12 run.py:852] ****\n\n\ndef"),
        SOURCE + "[rank3]:W0429 19:22:41.795000 12 run.py:852] ****\n",
        SOURCE + "\n\n\n",
    ],
)
def test_noise_is_cut(text: str) -> None:
    cleaned = clean_source(text, set())
    assert cleaned is not None
    assert cleaned.replace("\n\n\n\n", "\n\n\n").strip() == SOURCE.strip()


@pytest.mark.parametrize(
    "text", ["", "\n\n", "\0", "this is no python\n" * 40, "x = (" * 3000, "x" * 5_000_000]
)
def test_what_is_no_python_is_refused(text: str) -> None:
    assert clean_source(text, set()) is None


@given(st.text(max_size=200), st.integers(0, len(SOURCE)))
def test_any_text_is_judged(noise: str, at: int) -> None:
    cleaned = clean_source(SOURCE[:at] + noise + SOURCE[at:], set())
    if cleaned is not None:
        compile(cleaned, "<cleaned>", "exec")


PIECES = (
    '"""doc\n\ndef of no function"""',
    "def f():\n    return '''\n\ndef g(): pass'''",
    "@cache",
    "if x:\n    pass\n\n\nelse:\n    pass",
    "x = (\n",
    ")\nclass A:\n\n\n    y = 1",
    "from __future__ import annotations",
    "def f(:",
)


@given(st.lists(st.sampled_from(PIECES), max_size=6), st.sampled_from(PIECES))
def test_known_pieces_change_no_judgement(pieces: list[str], known: str) -> None:
    text = "\n\n".join(pieces)
    accepted: set[str] = set()
    clean_source(known, accepted)
    clean_source("\n\n".join(reversed(pieces)), accepted)
    assert clean_source(text, accepted) == clean_source(text, set())
    try:
        ast.parse(text)
    except SyntaxError:
        assert clean_source(text, accepted) != text + "\n"
    else:
        assert clean_source(text, accepted) == (text.strip("\n") + "\n" if text else None)
