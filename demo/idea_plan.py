"""Which ideas the agents of a scope wrote down, when, and what the gates said of them."""

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from demo.model import Idea
from demo.naming import IdeaName, name_idea
from demo.profiles import Profile, Size
from demo.rng import pick, rng
from demo.vocabulary import MECHANISMS, PLACES, Mechanism, Place


@dataclass(frozen=True, slots=True)
class KnownIdea:
    """An idea that is known by name from the experiment's reports."""

    slug: str
    token: str
    mechanism: str
    parent_slug: str = ""


KNOWN_IDEAS: dict[str, tuple[KnownIdea, ...]] = {
    "v1/claude-code": (
        KnownIdea("spectral-preconditioned-momentum", "muon-spm", "spectral preconditioned momentum"),
    ),
    "v1/codex": (
        KnownIdea("spectra-adamminiopt1", "adamminiopt1", "Adam-mini spectra"),
        KnownIdea("muon2f-hidden", "muon2fhidden", "Muon2F factored moments", "spectra-adamminiopt1"),
        KnownIdea("ema", "ema", "EMA of the weights"),
        KnownIdea("adabelief-optimizer1", "adabeliefopt1", "AdaBelief optimizer"),
        KnownIdea("formal-prune", "formalprune", "formal pruning of modifiers", "muon2f-hidden"),
    ),
    "novelty/claude-code": (
        KnownIdea("anti-correlation-nesterov", "acn", "anti-correlated Nesterov momentum"),
        KnownIdea("cross-block-ortho", "cbo", "cross-block orthogonalisation"),
        KnownIdea("spectral-momentum", "spm", "spectral momentum"),
        KnownIdea("adam-rms-muon", "arm", "RMS-matched Adam inside Muon"),
    ),
    "novelty/codex": (
        KnownIdea("ngi001_nesterov_gain_interpolation", "ngi001", "Nesterov gain interpolation"),
        KnownIdea("adv001_adaptive_directional_variance", "adv001", "adaptive directional variance"),
        KnownIdea("bam001_balanced_axis_moments", "bam001", "balanced axis moments"),
        KnownIdea(
            "abp001_adam_biproduct_polar_muon",
            "abp001",
            "Adam bi-product polar step",
            "adv001_adaptive_directional_variance",
        ),
        KnownIdea("vfg001_variance_floor_gain", "vfg001", "variance floor gain"),
        KnownIdea("ndf001_noise_damped_filter", "ndf001", "noise-damped momentum filter"),
        KnownIdea("trm001_tangent_radius_muon", "trm001", "tangent radius step"),
    ),
    "v2/claude-code": (
        KnownIdea("newton-muon", "newton-muon", "Newton-corrected Muon step"),
        KnownIdea("klshampoo", "klshampoo", "KL-Shampoo preconditioner"),
        KnownIdea("soap", "soap", "SOAP eigenbasis Adam"),
    ),
    "v2/codex": (
        KnownIdea("polar-momentum-interp", "pmi", "polar momentum interpolation"),
        KnownIdea("mousse-lite", "mousse-lite", "Mousse curvature-aware polar step"),
        KnownIdea("agmuon", "ag", "AdaGrad-normalised Muon"),
        KnownIdea("v1", "v1", "replay of the first wave's recipe"),
    ),
    "v3/claude-code": (
        KnownIdea("aurora-proj", "aurora-proj", "Aurora projected momentum"),
        KnownIdea("tail-ema", "tailema", "tail EMA of the weights"),
        KnownIdea("ema", "ema", "EMA of the weights"),
    ),
    "v3/codex": (
        KnownIdea("aurora2-b035-projonly", "aur2b035proj", "Aurora with beta 0.35, projections only"),
        KnownIdea("dual-momentum", "dualmom", "dual-rate momentum"),
        KnownIdea("tail-radial-gate", "tailradgate", "tail radial gate"),
        KnownIdea("soap-aurora-contra", "soapaurora-contra", "SOAP, Aurora and contra step"),
    ),
}
"""Ideas that every archive holds, by scope."""

_RESERVED_WORDS = """
main preempt repro retry controlled final extraval local sig seed stop soap muon normuon beta horizon
legal lookahead rolelr rolewd proj aurora tail base sub tests ema loo cand queue item worker
"""

RESERVED = frozenset(_RESERVED_WORDS.split())
"""Tokens that mean something else in run ids."""


def plan_ideas(profile: Profile, size: Size, seed: int) -> tuple[Idea, ...]:
    """Plan the write-ups of one scope, in the order in which they were written.

    Args:
        profile: The scope's habits.
        size: How many of them.
        seed: Seed of the archive.

    Returns:
        Ideas with unique slugs and tokens. The last ones are entries of the numbered list.
    """
    source = rng(seed, profile.scope, "ideas")
    known = KNOWN_IDEAS[str(profile.scope)]
    drafts = [(IdeaName(one.slug, one.token), one.mechanism, one.parent_slug, "") for one in known]
    drafts += _invent(profile, size.ideas - len(drafts), source, {one.token for one in known})
    span = profile.last_at - profile.first_at
    moments = sorted(profile.first_at + span * (0.02 + 0.83 * source.random()) for _ in drafts)
    ideas: list[Idea] = []
    for number, ((name, mechanism, parent, why), at) in enumerate(zip(drafts, moments, strict=True)):
        early = profile.first_at + timedelta(minutes=5 * number)
        ideas.append(
            _idea(profile, source, name, mechanism, why, early if number < len(known) else at, parent)
        )
    ideas = _with_parents(ideas, len(known), source)
    first_listed = len(ideas) - size.listed_ideas
    return tuple(
        replace(idea, list_number=number - first_listed + 1, dated_by="") if number >= first_listed else idea
        for number, idea in enumerate(ideas)
    )


Draft = tuple[IdeaName, str, str, str]


def _invent(profile: Profile, count: int, source: random.Random, taken: set[str]) -> list[Draft]:
    drafts: list[Draft] = []
    pairs = [(mechanism, place) for mechanism in MECHANISMS for place in PLACES]
    source.shuffle(pairs)
    uses: dict[str, int] = {}
    limit = 1 + count // (len(MECHANISMS) - 10)
    tokens, slugs = set(taken), set(taken)
    for mechanism, place in pairs:
        if len(drafts) == count:
            break
        if uses.get(mechanism.words, 0) >= limit:
            continue
        name = _free_name(profile, source, mechanism, place, tokens)
        if name is None or name.slug in slugs:
            continue
        uses[mechanism.words] = uses.get(mechanism.words, 0) + 1
        tokens.add(name.token)
        slugs.add(name.slug)
        where = "" if "-optimizer" in name.slug else f" {place.name}"
        drafts.append((name, mechanism.name + where, "", mechanism.why))
    return drafts


def _free_name(
    profile: Profile, source: random.Random, mechanism: Mechanism, place: Place, taken: set[str]
) -> IdeaName | None:
    for number in (1, 2, 3):
        name = name_idea(profile.scope, source, mechanism, place, number)
        is_clear = name.token not in RESERVED and not any(_is_confusable(name.token, one) for one in taken)
        if is_clear:
            return name
    return None


def _is_confusable(token: str, other: str) -> bool:
    return token == other or (len(token) < 12 and (token.startswith(other) or other.startswith(token)))


def _idea(
    profile: Profile,
    source: random.Random,
    name: IdeaName,
    mechanism: str,
    why: str,
    at: datetime,
    parent: str,
) -> Idea:
    rule, novelty, rejection = _gates(profile, source)
    words = name.slug.replace("_", " ").replace("-", " ")
    is_spelled = name.token in (name.slug, name.slug.split("_")[0])
    return Idea(
        slug=name.slug,
        title=words[0].upper() + words[1:],
        mechanism=mechanism,
        explanation=why or "the loss falls faster where the step is the same size in every direction",
        token=name.token,
        is_token_declared=is_spelled or source.random() < 0.7,
        list_number=0,
        created_at=at.replace(microsecond=0),
        dated_by=pick(source, {"writeup": 0.55, "journal": 0.3, "": 0.15}),
        parent_slug=parent,
        rule_gate=rule,
        novelty_gate=novelty,
        rejection_class=rejection,
    )


def _gates(profile: Profile, source: random.Random) -> tuple[str, str, str]:
    chance = source.random()
    if profile.scope.wave == "novelty":
        if chance < 0.1:
            return "PASS", source.choice(("FAIL", "KILL", "not-novel")), "existence_killed"
        if chance < 0.2:
            return (
                source.choice(("NON-COMPLIANT", "NONCOMPLIANT", "NOT COMPLIANT")),
                "novel-enough",
                "audit_noncompliant",
            )
        if chance < 0.3:
            return "PASS CONDITIONAL", "FAIL", ""
        return source.choice(("PASS", "PASS", "COMPLIANT")), source.choice(("PASS", "novel-enough")), ""
    if profile.scope.wave in ("v2", "v3") and chance < 0.06:
        return "PASS", "KILL", "existence_killed"
    return ("PASS", "", "") if chance < 0.4 else ("", "", "")


def _with_parents(ideas: list[Idea], n_known: int, source: random.Random) -> list[Idea]:
    linked = []
    for number, idea in enumerate(ideas):
        has_parent = number > n_known and source.random() < 0.18
        earlier = [one for one in ideas[:number] if one.created_at < idea.created_at]
        parent = source.choice(earlier).slug if has_parent and earlier else idea.parent_slug
        linked.append(replace(idea, parent_slug=parent))
    return linked
