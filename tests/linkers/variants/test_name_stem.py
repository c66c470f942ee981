"""Names: what may be peeled, folded and abbreviated, and where a name proves nothing."""

from pathlib import Path

import pytest

from linkers.runs import join_runs
from linkers.variants.cascade import recover_variants
from linkers.variants.model import Answer
from tests.helpers import log_text, parse_folder, write_scratchpad


def answer(root: Path, run_id: str, *stems: str) -> Answer | None:
    files = {f"variants/{stem}.py": f"NAME = '{stem}'\n" for stem in stems}
    write_scratchpad(root, {f"runs/{run_id}.log": log_text((0, 10.8)), **files})
    parsed = parse_folder(root)
    (run,) = recover_variants(parsed, join_runs(parsed, 2026)).runs
    return dict(run.answers).get("name_stem")


@pytest.mark.parametrize(
    ("run_id", "stem"),
    [
        ("v12-ts3000", "v12_ts3000"),
        ("v12-ts2999-r4", "v12_ts2999"),
        ("baseline-muon-3500-seed0", "train_gpt_simple_baseline_muon_3500_seed0"),
        ("baseline-muon-3500-seed1", "train_gpt_simple_baseline_muon_3500_seed0"),
        ("ngi001_n095_m105_t3475_seed1234", "ngi001_n095_m105_t3475"),
        ("v88-aurora-proj-s2", "train_gpt_simple_v88_aurora_proj"),
        ("v12opt-rolewd-ts3037-sig-r1", "legal_v12opt_rolewd_ts3037"),
        ("v3prune-w258loo-nosphere-r1-preempt", "v3prune_w258loo_nosphere"),
        ("a.b-c-seed2-retry1", "a_b_c"),
        ("v3aur2b035proj3029", "v3_aurora2b035projonly_rolelr2_lookahead_ts3029"),
        ("v3aur2b0253025-r1", "v3_aurora2_b025_ts3025"),
    ],
)
def test_names_that_tell(tmp_path: Path, run_id: str, stem: str) -> None:
    others = ("unrelated_muon_ts3000", "train_gpt_simple_other_3500_seed1")
    found = answer(tmp_path, run_id, stem, *others)
    assert found is not None
    assert found.stem == stem


@pytest.mark.parametrize(
    ("run_id", "stem"),
    [
        ("v12-ts3037", "v12_ts3027"),
        ("v3aur2b035proj3029", "v3_aurora2b025projonly_rolelr2_lookahead_ts3029"),
        ("v1-ts3000", "v12_ts3000"),
        ("ema-ts3000", "schema_ts3000"),
        ("muon", "muon_ts3000"),
        ("soap-lr3e-2", "soap_lr3e_3"),
    ],
)
def test_names_that_only_look_alike(tmp_path: Path, run_id: str, stem: str) -> None:
    assert answer(tmp_path, run_id, stem) is None


def test_a_tie_is_no_answer(tmp_path: Path) -> None:
    assert answer(tmp_path, "v3aur3029", "v3_aurora_ts3029", "v3_auroral_ts3029") is None


def test_the_name_with_the_seed_outweighs_the_bare_one(tmp_path: Path) -> None:
    found = answer(
        tmp_path, "x-seed1", "train_gpt_simple_x_seed1", "train_gpt_simple_x_seed0", "train_gpt_simple_x"
    )
    assert found is not None
    assert found.stem == "train_gpt_simple_x_seed1"


def test_files_of_several_other_seeds_are_no_answer(tmp_path: Path) -> None:
    assert answer(tmp_path, "x-seed7", "train_gpt_simple_x_seed1", "train_gpt_simple_x_seed0") is None
