"""What sources change, read without running them."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outputs.descriptions.constants_diff import MAX_CHANGES, Change, Differ, changed_constants, constants_of
from outputs.descriptions.model import SourceText

TRAINER = '''"""Trains.

LR = 9
"""
import torch
MUON_LR = 0.035
betas: tuple = (0.9, 0.95)
a, b = 1, 2
SEED = 3
train_steps = 3000
NAME = "contra"
PATH = "data/x.bin"
optimizer = Muon(
    params, lr=0.02,
    momentum=0.95, ns_steps=5,
)
def f(x=7):
    LOCAL = 8
class C:
    y = 1
if True:
    HIDDEN = 1
'''


def source(name: str, text: str) -> SourceText:
    return SourceText(name, text, f"`{name}`")


def test_constants_are_names_and_arguments_of_the_top_level() -> None:
    """Not the text of a docstring, nor what a function keeps to itself, nor what the run id tells already."""
    assert constants_of(TRAINER) == {
        "MUON_LR": "0.035",
        "betas": "(0.9, 0.95)",
        "a": "1",
        "b": "2",
        "Muon.lr": "0.02",
        "Muon.momentum": "0.95",
    }


def test_a_number_written_otherwise_is_no_change() -> None:
    assert changed_constants({"EPS": "1e-3", "X": "1"}, {"EPS": "0.001", "X": "2"}) == (
        Change("X", "2", "1"),
    )


def test_the_nearest_relative_is_the_one_with_the_fewest_changes() -> None:
    own = source("own", "A = 1\nB = 2\nC = 3\n")
    far = source("far", "A = 9\nB = 9\nC = 3\n")
    near = source("near", "A = 1\nB = 9\nC = 3\n")
    same = source("same", "A = 1\nB = 2\nC = 3\n")
    found = Differ().compare(own, [far, same, near])
    assert found is not None
    assert (found.base, found.changes) == ("`near`", (Change("B", "9", "2"),))
    assert Differ().compare(own, [same]) is None


def test_sources_that_differ_in_everything_are_no_relatives() -> None:
    own = source("own", "".join(f"X{number} = 1\n" for number in range(MAX_CHANGES + 1)))
    other = source("other", "".join(f"X{number} = 2\n" for number in range(MAX_CHANGES + 1)))
    assert Differ().compare(own, [other]) is None


@pytest.mark.parametrize(
    "text",
    [
        "A = (" * 2_000,
        "A = " + "-" * 3_000 + "1",
        "A = 1\0\nB = 2",
        "A = " + "9" * 3_900,
        "A = 1e999999\nB = 0x" + "f" * 3_000,
        '"""' * 100_001,
        "A = 'x\n" * 10_000,
        "\ufeffA = 1\r\nB\u0308 = 2\r\n",
    ],
    ids=["parens", "minus", "nul", "digits", "huge", "quotes", "unclosed", "bom"],
)
def test_hostile_sources_are_read_all_the_same(text: str) -> None:
    assert all(len(value) <= 40 for value in constants_of(text).values())


@given(st.text(alphabet="AB =1.\n()\"'#:,\\[]{}defclass", max_size=200))
def test_any_text_is_read(text: str) -> None:
    for name, value in constants_of(text).items():
        assert name
        ast.literal_eval(value)
