"""Run families that are known by name from the experiment's reports, and names that are planted as traps."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Famous:
    """A family with fixed names.

    Attributes:
        stem: Name of the family.
        run_ids: Its members.
        variant: Stem of the one file they run.
        mechanism: Short phrase that names what it changes.
        steps: Schedule.
        stop: Last step.
        idea_slug: Idea that it tests, or empty.
        link: `name`, `alias` or empty.
        finals: Final losses, where they are known.
        from_start: Share of the scope's window that had passed at its launch.
    """

    stem: str
    run_ids: tuple[str, ...]
    variant: str
    mechanism: str
    steps: int
    stop: int
    idea_slug: str = ""
    link: str = ""
    finals: tuple[float, ...] = ()
    from_start: float = 0.3


def _numbered(stem: str, mark: str, first: int, last: int) -> tuple[str, ...]:
    return tuple(f"{stem}{mark}{number}" for number in range(first, last + 1))


def _baseline(variant: str, steps: int) -> Famous:
    ids = _numbered("baseline-muon", "-s", 0, 2)
    return Famous("baseline-muon", ids, variant, "Muon baseline", steps, steps, from_start=0.005)


_SIG = "legal-v12opt-rolewd-rolelr2-lookahead-ts3037-cm0225-attn0625"
_STACK = (
    "normuon-b090to080-mlpprojlr124375-adamminiopt1-muon2fhidden-b2p095-eps1e3-tailresrmsstack-aggmom3hidden"
)

FAMOUS: dict[str, tuple[Famous, ...]] = {
    "v1/claude-code": (
        _baseline("train_gpt_simple_baseline_muon", 3500),
        Famous("soap-lr3e-2", ("soap-lr3e-2",), "train_gpt_simple_soap_lr3e_2", "SOAP at rate 3e-2", 3500, 3500),
        Famous(
            "muon-spm-K4-kd5-ks2", _numbered("muon-spm-K4-kd5-ks2", "-s", 0, 1), "train_gpt_simple_muon_spm_K4_kd5_ks2",
            "spectral preconditioned momentum", 3400, 3400, "spectral-preconditioned-momentum", "alias",
        ),
    ),
    "v1/codex": (
        Famous(
            "baseline-muon", _numbered("baseline-muon-3500", "-seed", 0, 2), "train_gpt_simple_baseline_muon_3500",
            "Muon baseline", 3500, 3500, from_start=0.005,
        ),
        Famous(
            "lr-floor-f010-c055", ("lr-floor-f010-c055-3450-seed0",), "train_gpt_simple_lr_floor_f010_c055_3450_seed0",
            "learning-rate floor", 3450, 3450, from_start=0.05,
        ),
        Famous(
            "ema-start2000-decay0995", _numbered("ema-start2000-decay0995", "-seed", 0, 1),
            "train_gpt_simple_ema_start2000_decay0995_seed0", "EMA of the weights", 3450, 3450, "ema", "name",
        ),
        Famous(
            "horizon3500", _numbered("horizon3500-stop3450", "-seed", 0, 1), "train_gpt_simple_horizon3500_stop3450_seed0",
            "schedule horizon", 3500, 3450, from_start=0.08,
        ),
        Famous(
            _STACK, (f"{_STACK}-h3375-stop3250-seed0", f"{_STACK}-h3375-stop3250-seed1"),
            f"train_gpt_simple_{_STACK.replace('-', '_')}_h3375_stop3250_seed0",
            "Muon2F factored moments", 3375, 3250, "muon2f-hidden", "alias", from_start=0.6,
        ),
        Famous(
            "formalprune-norespulse-from-tailresrmsstack-aggmom3hidden",
            ("formalprune-norespulse-from-tailresrmsstack-aggmom3hidden-h3375-stop3296-seed5",),
            "train_gpt_simple_formalprune_norespulse_from_tailresrmsstack_aggmom3hidden_h3375_stop3296_seed5",
            "formal pruning of modifiers", 3375, 3296, "formal-prune", "alias", from_start=0.7,
        ),
        Famous(
            "schema", _numbered("schema-check-h3375-stop3300", "-seed", 0, 1),
            "train_gpt_simple_schema_check_h3375_stop3300_seed0", "schema check of the ledger", 3375, 3300, from_start=0.4,
        ),
        Famous(
            "v12iso-musched", ("v12iso-musched-h3375-s3220-seed9", "v12iso-musched-h3375-s3195-seed0-retry1"),
            "train_gpt_simple_v12iso_musched_h3375", "isolated momentum schedule", 3375, 3220, from_start=0.9,
        ),
    ),
    "novelty/claude-code": (_baseline("baseline_muon", 3500),),
    "novelty/codex": (
        Famous(
            "ngi001_n0875_m1125", ("ngi001_n0875_m1125_t3450",), "ngi001_n0875_m1125_t3450",
            "Nesterov gain interpolation", 3450, 3450, "ngi001_nesterov_gain_interpolation", "name", (3.27992,),
        ),
        Famous(
            "ngi001_n095_m105", ("ngi001_n095_m105_t3475", "ngi001_n095_m105_t3475_seed1234"), "ngi001_n095_m105_t3475",
            "Nesterov gain interpolation", 3475, 3475, "ngi001_nesterov_gain_interpolation", "name", (3.27979, 3.28114),
        ),
        Famous(
            "vfg001_gain080_lr026", ("vfg001_gain080_lr026_t3475", "vfg001_gain080_lr026_t3475_seed1234"),
            "vfg001_gain080_lr026_t3475", "variance floor gain", 3475, 3475, "vfg001_variance_floor_gain", "name",
            (3.27941, 3.27957),
        ),
        Famous(
            "ndf001_a005_b09_t010", ("ndf001_a005_b09_t010_exact3450",), "ndf001_a005_b09_t010_exact3450",
            "noise-damped momentum filter", 3450, 3450, "ndf001_noise_damped_filter", "name", (3.27996,),
        ),
        Famous(
            "trm001_alpham005", ("trm001_alpham005",), "trm001_alpham005", "tangent radius step", 3475, 3475,
            "trm001_tangent_radius_muon", "name",
        ),
    ),
    "v2/claude-code": (
        _baseline("train_gpt_simple_muon_baseline", 3500),
        Famous(
            "v37-newton-muon", _numbered("v37-newton-muon", "-s", 0, 5), "train_gpt_simple_v37_newton_muon",
            "Newton-corrected Muon step", 3200, 3200, "newton-muon", "name",
        ),
        Famous(
            "v17-klshampoo", _numbered("v17-klshampoo", "-s", 0, 1), "train_gpt_simple_v17_klshampoo",
            "KL-Shampoo preconditioner", 3225, 3225, "klshampoo", "name", from_start=0.15,
        ),
        Famous(
            "rrm-galore-k8", ("rrm-galore-k8-s1",), "rrm_galore_k8", "GaLore rank 8", 3200, 3200, from_start=0.2,
        ),
        Famous(
            "soapbox", _numbered("soapbox-queue-probe", "-s", 0, 1), "train_gpt_simple_soapbox_queue_probe",
            "queue probe", 3200, 3200, from_start=0.5,
        ),
    ),
    "v2/codex": (
        _baseline("baseline_muon_replay", 3500),
        Famous(
            _SIG, _numbered(f"{_SIG}-sig", "-r", 1, 8), _SIG.replace("-", "_"),
            "role-wise decay and rate with lookahead, cm 0.225 and attention 0.625", 3037, 3037, "", "",
            (3.27823, 3.27882, 3.27831, 3.27862, 3.27769, 3.27845, 3.27919, 3.27771), 0.85,
        ),
        Famous("v12", ("v12-ts3000", "v12-ts3022-r1"), "v12_ts3022", "recipe v12", 3022, 3022, "", "", (3.28041, 3.27969), 0.6),
        Famous("v12", ("v12-ts2999", *_numbered("v12-ts2999", "-r", 1, 6)), "v12_ts2999", "recipe v12", 2999, 2999, from_start=0.7),
        Famous("v1", ("v1-ts3225", "v1-ts3225-r1"), "v1_ts3225", "replay of the first wave's recipe", 3225, 3225, "v1", "name"),
        Famous("pmi02", ("pmi02-ts3000", "pmi02-ts3000-r1"), "pmi02_ts3000", "polar momentum interpolation", 3000, 3000, "polar-momentum-interp", "alias", (), 0.5),
        Famous("pmi05", ("pmi05-ts3000",), "pmi05_ts3000", "polar momentum interpolation", 3000, 3000, "polar-momentum-interp", "alias", (), 0.5),
        Famous("pmi10", ("pmi10-ts3000",), "pmi10_ts3000", "polar momentum interpolation", 3000, 3000, "polar-momentum-interp", "alias", (), 0.5),
        Famous("ag1e6", ("ag1e6-ts3000",), "agmuon_g1e-6_ts3000", "AdaGrad-normalised Muon", 3000, 3000, "agmuon", "alias", (), 0.55),
        Famous("mousse-lite", ("mousse-lite-ts3000", "mousse-lite-ts3000-r1"), "mousse_lite_ts3000", "Mousse curvature-aware polar step", 3000, 3000, "mousse-lite", "name"),
        Famous("ngi001", ("ngi001-ts3050", "ngi001-ts3050-r1"), "ngi001_ts3050", "Nesterov gain interpolation", 3050, 3050, from_start=0.4),
    ),
    "v3/claude-code": (
        _baseline("train_gpt_simple_baseline_muon", 3500),
        Famous("v88-aurora-proj", _numbered("v88-aurora-proj", "-s", 0, 2), "train_gpt_simple_v88_aurora_proj", "Aurora projected momentum", 3000, 3000, "aurora-proj", "name"),
        Famous("tailema-b0999-s2000", _numbered("tailema-b0999-s2000-ts3025", "-s", 0, 1), "train_gpt_simple_tailema_b0999_s2000_ts3025", "tail EMA of the weights", 3025, 3025, "tail-ema", "alias"),
        Famous("armv2-eps1e6-a10", ("armv2-eps1e6-a10",), "armv2_eps1e6_a10", "RMS-matched Adam inside Muon", 3025, 3025),
        Famous("lemma", _numbered("lemma-sanity", "-s", 0, 1), "train_gpt_simple_lemma_sanity", "sanity check", 3025, 3025),
        Famous("v12-ts3000", ("v12-ts3000",), "train_gpt_simple_v12_replay", "recipe v12", 3000, 3000, from_start=0.1),
    ),
    "v3/codex": (
        _baseline("v3_muon_reference", 3500),
        Famous("v3aur2b035proj", ("v3aur2b035proj3029", "v3aur2b035proj3029-r1", "v3aur2b035proj3029-r2"), "v3_aurora2b035projonly_rolelr2_lookahead_ts3029", "Aurora with beta 0.35, projections only", 3029, 3029, "aurora2-b035-projonly", "alias"),
        Famous("v3tailfresh-dualmom-r018-mu055", ("v3tailfresh-dualmom-r018-mu055-ts2999",), "v3_tailfresh_dualmom_r018_mu055_ts2999", "dual-rate momentum", 2999, 2999, "dual-momentum", "alias", (), 0.6),
        Famous("v3sub3000-soapaurora-contra-s006", ("v3sub3000-soapaurora-contra-s006-ts2999-main",), "v3_sub3000_soapaurora_contra_s006_ts2999", "SOAP, Aurora and contra step", 2999, 2999, "soap-aurora-contra", "alias", (), 0.65),
        Famous("v3prune-w258loo-nosphere", ("v3prune-w258loo-nosphere-r1-preempt", "v3prune-w258loo-nosphere-r2-preempt"), "v3_prune_w258loo_nosphere", "leave-one-out: sphere constraint", 2960, 2960, from_start=0.8),
        Famous("v12", ("v12-ts3000", "v12-ts3000-r1"), "v12_ts3000", "recipe v12", 3000, 3000, from_start=0.1),
    ),
}  # fmt: skip
"""Families with fixed names, by scope."""
