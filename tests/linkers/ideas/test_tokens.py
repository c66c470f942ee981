"""How names are cut into tokens."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkers.ideas.tokens import COMMON_KNOBS, family_of, is_end, learn_knobs, name_form


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("muon2fema099s2500", ["muon", "2", "fema", "099", "s", "2500"]),
        ("soapLite-K4", ["soap", "lite", "k", "4"]),
        ("b0253025", ["b", "0253025"]),
        ("trm001_alpham005", ["trm", "001", "alpham", "005"]),
    ],
)
def test_tokens_end_at_separators_humps_and_digits(name: str, tokens: list[str]) -> None:
    form = name_form(name)
    cuts = sorted(form.starts | {len(form.text)})
    assert [form.text[a:b] for a, b in itertools.pairwise(cuts)] == tokens


@given(st.text(max_size=400))
def test_any_text_is_a_name(name: str) -> None:
    """Archive text is untrusted: places always lie inside the folded name, and families are never empty."""
    form = name_form(name)
    assert all(0 <= at <= len(form.text) for at in form.starts | form.ends | form.edges)
    assert form.text.isalnum() or form.text == ""
    assert family_of(name) or not name.strip("-_")


def test_a_glued_hyperparameter_ends_a_token_and_any_other_letters_do_not() -> None:
    knobs = frozenset({"g"})
    assert is_end(name_form("auroratailg090"), 10, knobs, may_be_glued=True)
    assert not is_end(name_form("auroratailg090"), 10, knobs, may_be_glued=False)
    assert not is_end(name_form("auroratailq090"), 10, knobs, may_be_glued=True)
    assert not is_end(name_form("soapbox"), 4, knobs, may_be_glued=True)


def test_m_stands_for_minus_before_a_value() -> None:
    assert is_end(name_form("tangentalpham005"), 7, COMMON_KNOBS, may_be_glued=True)


def test_hyperparameters_are_learned_from_the_names_of_the_scope() -> None:
    names = ["x-zq01-r1", "y_zq02", "z-zq05", "v1-a", "v2-a", "v3-a", "w-longer1", "w-longer2", "w-longer3"]
    assert learn_knobs(names) - COMMON_KNOBS == {"zq"}


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("v12-ts2999-r4", "v12"),
        ("pmi02_ts3000", "pmi02"),
        ("queue1-item358-h3375-stop3370-seed3", "queue1-item358"),
        ("v3u2900-worker2833030-r1-controlled", "v3u2900-worker283"),
        ("v3u2900_worker283_ts3020", "v3u2900-worker283"),
        ("v3aur2b0253025-r1", "v3aur2b025"),
        ("adago3275s1", "adago"),
        ("ngi001_n095_m105_t3475_seed1234", "ngi001-n095-m105"),
        ("tailema-b0999-s2000-ts3025-s0", "tailema-b0999-s2000"),
        ("baseline-muon-3500-seed0", "baseline-muon"),
    ],
)
def test_a_family_has_no_seed_replicate_or_step(name: str, family: str) -> None:
    assert family_of(name) == family
