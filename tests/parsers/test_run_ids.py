"""Run ids taken apart: every example of the naming styles, and texts that are no ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.run_ids import SeedOrigin, parse_run_id


@pytest.mark.parametrize(
    ("run_id", "stem", "seed"),
    [
        ("baseline-muon-3500-seed0", "baseline-muon-3500", 0),
        ("lr-floor-f010-c055-3450-seed0", "lr-floor-f010-c055-3450", 0),
        ("ema-start2000-decay0995-seed0", "ema-start2000-decay0995", 0),
        ("normuon-beta090-lr030-horizon3375-stop3325-seed0-controlled", None, 0),
        ("x-aggmom3hidden-h3375-stop3296-seed1-repro", "x-aggmom3hidden-h3375-stop3296", 1),
        ("v12iso-musched-h3375-s3220-seed9", "v12iso-musched-h3375-s3220", 9),
        ("v12iso-musched-h3375-s3195-seed0-retry1", "v12iso-musched-h3375-s3195", 0),
        ("muon2fema099s2500h3375s3192s2", "muon2fema099s2500h3375s3192", 2),
        ("adago3275s1", "adago3275", 1),
        ("ngi001_n0875_m1125_t3450", "ngi001_n0875_m1125_t3450", None),
        ("ngi001_n095_m105_t3475_seed1234", "ngi001_n095_m105_t3475", 1234),
        ("trm001_alpham005", "trm001_alpham005", None),
        ("v12-ts3000", "v12-ts3000", None),
        ("v12-ts2999-r4", "v12-ts2999", None),
        ("v3aur2b0253025-r1", "v3aur2b0253025", None),
        ("v3u2900-worker70-s3035-soft2925-ts3020-r2-preempt", "v3u2900-worker70-s3035-soft2925-ts3020", None),
        ("v3prune-w258loo-nosphere-r1-preempt", "v3prune-w258loo-nosphere", None),
        ("soap-lr3e-2", "soap-lr3e-2", None),
        ("muon-spm-K4-kd5-ks2-s1", "muon-spm-K4-kd5-ks2", 1),
        ("loo03-no-muwarmup-s1", "loo03-no-muwarmup", 1),
        ("armv2-eps1e6-a10", "armv2-eps1e6-a10", None),
        ("tailema-b0999-s2000-ts3025-s0", "tailema-b0999-s2000-ts3025", 0),
    ],
)
def test_examples_of_every_scope(run_id: str, stem: str | None, seed: int | None) -> None:
    name = parse_run_id(run_id)
    assert name.seed == seed
    if stem is not None:
        assert name.stem == stem


@pytest.mark.parametrize("run_id", ["a-r018-mu055", "x-r018", "x-r00"])
def test_a_leading_zero_makes_no_replicate(run_id: str) -> None:
    assert parse_run_id(run_id).replicate is None


@pytest.mark.parametrize("run_id", ["c-s006", "c-s99", "c-s2000", "c-s3250", "c-s24"])
def test_an_s_suffix_is_a_seed_only_if_small_and_without_leading_zero(run_id: str) -> None:
    name = parse_run_id(run_id)
    assert name.seed is None
    assert name.stem == run_id


def test_a_step_behind_s_starts_something_early_and_stops_the_run_late() -> None:
    assert parse_run_id("ema-s2000").start_step == 2000
    assert parse_run_id("v12-h3375-s3250").stop_step == 3250


def test_seed_word_wins_over_s_suffix() -> None:
    name = parse_run_id("a-s1-seed2")
    assert (name.seed, name.seed_origin) == (2, SeedOrigin.SEED_WORD)
    assert parse_run_id("a-s1").seed_origin is SeedOrigin.S_SUFFIX


def test_rungs_of_a_recipe_share_the_family_and_another_horizon_does_not() -> None:
    assert parse_run_id("v12-ts3000-r1").family == parse_run_id("v12-ts2999").family
    assert parse_run_id("m-stop3250-seed0").family == parse_run_id("m-stop3296-seed5").family
    assert parse_run_id("m-h3500-stop3250").family != parse_run_id("m-stop3250").family


@given(
    st.lists(
        st.sampled_from(["-main", "-preempt", "-retry2", "-sig", "-seed3", "-s4", "-r5", "_seed6", "-final"]),
        max_size=6,
    )
)
def test_suffixes_come_off_in_any_order(suffixes: list[str]) -> None:
    name = parse_run_id("recipe-x" + "".join(suffixes))
    assert name.stem == "recipe-x"
    assert list(name.suffixes) == [suffix.lstrip("-_") for suffix in suffixes]


@given(st.text(max_size=200))
def test_any_text_is_an_id_and_starts_with_its_stem(run_id: str) -> None:
    name = parse_run_id(run_id)
    assert run_id.startswith(name.stem)
    assert bool(name.stem) == bool(run_id)


def test_a_very_long_id_is_peeled_to_its_start() -> None:
    assert parse_run_id("a" + "-s1" * 5_000).stem == "a"
