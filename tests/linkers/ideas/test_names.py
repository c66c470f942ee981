"""Which idea the names of a run spell: one test a trap."""

from pathlib import Path

import pytest

from linkers.ideas.model import TierName
from tests.linkers.ideas.small import chosen, decide, gather


@pytest.mark.parametrize(
    ("run", "ideas", "wanted"),
    [
        # Tokens, not substrings.
        ("schema-check-stop3300-seed0", ["ema"], None),
        ("lemma-sanity-s0", ["ema"], None),
        ("soapbox-queue-s0", ["soap"], None),
        ("v12-ts3000", ["v1"], None),
        ("v1-ts3000", ["v1", "v12"], "v1"),
        ("ema-start2000-decay0995-seed0", ["ema"], "ema"),
        ("x-ema099-s3250", ["ema"], "ema"),
        ("adabeliefopt12-seed0", ["adabelief-optimizer1"], None),
        (
            "adabeliefopt1-b095-seed0",
            ["adabelief-optimizer1", "adabelief-optimizer2"],
            "adabelief-optimizer1",
        ),
        # The longer name wins over what lies inside it.
        ("tail-ema-b0999-s0", ["ema", "tail-ema"], "tail-ema"),
        ("tailema-b0999-s0", ["ema", "tail-ema"], "tail-ema"),
        ("polar-step-two-lr3e-2-s1", ["polar-step", "polar-step-two"], "polar-step-two"),
        # Words that ideas share prove nothing by themselves.
        ("polar-lr3e-2", ["polar-step", "polar-gain"], None),
        ("galore-k8-s1", ["galore-hidden"], None),
        # Names without separators.
        ("v3colgaipairg0802940-r2", ["column-gain-paired", "column-gain-tail"], "column-gain-paired"),
        ("v3lionembed0953020", ["lion-embed"], "lion-embed"),
        ("cna010-ts3120", ["cubic-ns-attnout"], "cubic-ns-attnout"),
        # The same initials, or the same beginnings, decide nothing.
        ("swc-b095-s0", ["sign-wise-clip", "slow-warm-cool"], None),
        ("v3polmomhead2950", ["polar-momentum-head", "polish-momentum-header"], None),
        # Codes, whatever the rest of the slug.
        ("abp001_a005_t3450", ["abp001_adam_polar", "abp002_adam_polar"], "abp001_adam_polar"),
        ("abp0011_a005", ["abp001_adam_polar"], None),
        # A version glued to a short derived name is another thing.
        ("armv2-eps1e6-a10", ["adam-rms-muon"], None),
    ],
)
def test_traps(tmp_path: Path, run: str, ideas: list[str], wanted: str | None) -> None:
    assert chosen(gather(tmp_path, [run], dict.fromkeys(ideas, "")))[run] == wanted


def test_the_last_idea_of_a_stack_is_tested_and_the_others_are_its_base(tmp_path: Path) -> None:
    evidence = gather(
        tmp_path, ["normuon-lion-clip-tail-mean-b095-seed0"], {"lion-clip": "", "tail-mean": ""}
    )
    (link,) = decide(evidence).values()
    assert link.idea_id == "codex--v1--tail-mean"
    assert link.runner_up == "codex--v1--lion-clip"
    assert "as base" in next(c.evidence for c in link.candidates if c.idea_id == link.runner_up)


def test_a_parent_named_behind_from_is_not_tested(tmp_path: Path) -> None:
    ideas = {"prune-all": "", "tail-stack": ""}
    assert chosen(gather(tmp_path, ["prune-all-from-tail-stack-seed0"], ideas)) == {
        "prune-all-from-tail-stack-seed0": "prune-all"
    }


def test_an_idea_behind_no_is_left_out(tmp_path: Path) -> None:
    assert chosen(gather(tmp_path, ["loo03-no-tail-stack-s0"], {"tail-stack": ""})) == {
        "loo03-no-tail-stack-s0": None
    }


def test_a_suffix_that_goes_with_many_ideas_is_base_even_at_the_end(tmp_path: Path) -> None:
    ideas = [f"idea{letter}-gain" for letter in "pqrstu"]
    runs = [f"{idea}-look-ahead-ts3000" for idea in ideas]
    found = chosen(gather(tmp_path, runs, dict.fromkeys([*ideas, "look-ahead"], "")))
    assert found == dict(zip(runs, ideas, strict=True))


def test_a_name_that_a_third_of_all_families_carry_proves_nothing(tmp_path: Path) -> None:
    common = [f"muon-b0{number}-s0" for number in range(10, 20)]
    others = [f"other{number}x-s0" for number in range(10)]
    found = chosen(gather(tmp_path, [*common, *others], {"muon": ""}))
    assert set(found.values()) == {None}
    rare = chosen(gather(tmp_path / "rare", [common[0], *others, "y-s0", "z-s0"], {"muon": ""}))
    assert rare[common[0]] == "muon"


def test_the_variant_file_tells_where_the_run_id_does_not(tmp_path: Path) -> None:
    evidence = gather(
        tmp_path, ["v15-s0"], {"tail-stack": ""}, variants={"v15-s0": "train_gpt_v15_tail_stack"}
    )
    assert chosen(evidence) == {"v15-s0": "tail-stack"}
    assert decide(evidence)["v15-s0"].tier is TierName.PREFIX


def test_the_run_id_outweighs_a_launch_script_that_points_elsewhere(tmp_path: Path) -> None:
    evidence = gather(
        tmp_path,
        ["lion-clip-s0"],
        {"tail-stack": "", "lion-clip": ""},
        variants={"lion-clip-s0": "tail_stack_b095"},
    )
    link = decide(evidence)["lion-clip-s0"]
    assert (link.idea_id, link.is_conflict) == ("codex--v1--lion-clip", True)


def test_a_run_without_any_trace_gets_nothing(tmp_path: Path) -> None:
    link = decide(gather(tmp_path, ["cand80-ts3000"], {"tail-stack": ""}))["cand80-ts3000"]
    assert (link.idea_id, link.score, link.candidates, link.is_conflict) == (None, 0.0, (), False)
