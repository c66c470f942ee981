"""How each agent named ideas, runs and variant files in each wave."""

import random
import re
from dataclasses import dataclass

from demo.model import Idea
from demo.vocabulary import KNOBS, Mechanism, Place
from parsers.scopes import Scope

Knob = tuple[str, str, str]
"""Abbreviation, constant and value of one hyperparameter."""


@dataclass(frozen=True, slots=True)
class IdeaName:
    """Slug of an idea, the token by which run ids name it, and how certain that token is."""

    slug: str
    token: str


@dataclass(frozen=True, slots=True)
class RecipeName:
    """What the names of a recipe's runs and files begin with, and how the run id names the idea."""

    stem: str
    variant_base: str
    id_link: str
    is_in_variant: bool


def initials(words: list[str]) -> str:
    """Join the first letters.

    >>> initials(["anti", "correlation", "nesterov"])
    'acn'
    """
    return "".join(word[0] for word in words)


def knob_text(scope: Scope, knob: Knob) -> str:
    """Write a hyperparameter the way a scope's names do.

    >>> knob_text(Scope("codex", "v1"), ("b", "BETA2", "0.95"))
    'b095'
    >>> knob_text(Scope("claude-code", "v1"), ("lr", "MUON_LR", "0.030"))
    'lr3e-2'
    """
    short, _, value = knob
    if short == "lr" and scope.agent == "claude-code":
        mantissa, exponent = f"{float(value):e}".split("e")
        return f"lr{mantissa.rstrip('0').rstrip('.').replace('.', 'p')}e{int(exponent)}"
    return short + value.replace(".", "")


def draw_knobs(source: random.Random, count: int) -> list[Knob]:
    """Draw different hyperparameters with values."""
    return [(short, name, source.choice(values)) for short, name, values in source.sample(KNOBS, count)]


def name_idea(
    scope: Scope, source: random.Random, mechanism: Mechanism, place: Place, number: int
) -> IdeaName:
    """Name an idea in the style of a scope.

    Args:
        scope: Whose style.
        source: Decides between habits of one scope.
        mechanism: What the idea changes.
        place: Where.
        number: Three-digit number for scopes that use codes.

    Returns:
        Its slug and its token.
    """
    words = mechanism.words.split()
    hyphened = "-".join([*words, place.word])
    joined = "".join([*words, place.word])
    if scope.wave == "novelty" and scope.agent == "codex":
        code = _code(words, place) + f"{number:03d}"
        return IdeaName(f"{code}_{hyphened.replace('-', '_')}", code)
    if scope.wave == "novelty":
        return IdeaName(hyphened, initials([*words, place.word]) if len(words) > 1 else joined)
    if scope.agent == "codex" and scope.wave == "v1":
        if source.random() < 0.25:
            which = source.randint(1, 4)
            return IdeaName(f"{'-'.join(words)}-optimizer{which}", f"{''.join(words)}opt{which}")
        return IdeaName(hyphened, joined)
    if scope.agent == "codex" and scope.wave == "v2":
        return IdeaName(hyphened, initials([*words, place.word]) if len(words) > 1 else joined)
    if scope.agent == "codex":
        return IdeaName(hyphened, "".join(word[:3] for word in words) + place.word[:4])
    return IdeaName(hyphened, hyphened)


def _code(words: list[str], place: Place) -> str:
    letters = initials([*words, place.word])
    return (letters + words[0][1:])[:3] if len(letters) < 3 else letters[:4]


def name_recipe(
    scope: Scope, source: random.Random, idea: Idea, knobs: list[Knob], counter: int, prefix: str
) -> RecipeName:
    """Name a recipe that tests an idea openly.

    Args:
        scope: Whose style.
        source: Decides between habits of one scope.
        idea: What is tested.
        knobs: Hyperparameters that the name mentions.
        counter: Running number for scopes that count their variants.
        prefix: Modifiers that the recipe stands on, for scopes that name them.

    Returns:
        The beginnings of its names.
    """
    is_slug_token = idea.token == idea.slug
    link = "name" if is_slug_token or re.fullmatch(r"[a-z]+\d{3}", idea.token) else "alias"
    texts = [knob_text(scope, knob) for knob in knobs]
    slug = idea.slug.replace("-", "_")
    if (scope.agent, scope.wave) == ("codex", "novelty"):
        stem = "_".join([idea.token, *texts])
        return RecipeName(stem, stem, link, True)
    if (scope.agent, scope.wave) == ("codex", "v1"):
        stem = "-".join([*([prefix] if prefix else []), idea.token, *texts])
        return RecipeName(stem, f"train_gpt_simple_{stem.replace('-', '_')}", link, False)
    if (scope.agent, scope.wave) == ("codex", "v2"):
        stem = "-".join([idea.token + knobs[0][2].replace(".", ""), *texts[1:]])
        return RecipeName(stem, _folded(stem), link, False)
    if scope.agent == "codex":
        stem = f"v3{idea.token}{''.join(texts)}"
        return RecipeName(stem, "_".join(["v3", slug, *texts, "rolelr2", "lookahead"]), link, True)
    stem = "-".join([idea.token, *texts])
    if scope.wave == "novelty":
        return RecipeName(stem, _folded(stem), link, False)
    if scope.wave in ("v2", "v3") and source.random() < 0.5:
        stem = f"v{counter}-{stem}"
        return RecipeName(stem, f"train_gpt_simple_{_folded(stem)}", link, True)
    return RecipeName(stem, f"train_gpt_simple_{_folded(stem)}", link, True)


def _folded(stem: str) -> str:
    return stem.replace("-", "_")


def name_opaque_recipe(scope: Scope, counter: int) -> RecipeName:
    """Name a recipe in a way that tells nothing of its idea."""
    stems = {
        ("claude-code", "v1"): f"exp{counter}",
        ("codex", "v1"): f"queue{counter % 7}-item{counter}",
        ("claude-code", "novelty"): f"try{counter}",
        ("codex", "novelty"): f"batch{counter % 5:02d}_item{counter}",
        ("claude-code", "v2"): f"v{counter}",
        ("codex", "v2"): f"cand{counter}",
        ("claude-code", "v3"): f"v{counter}",
        ("codex", "v3"): f"v3u2900-worker{counter}",
    }
    stem = stems[(scope.agent, scope.wave)]
    has_prefix = scope.agent == "claude-code" or scope.wave == "v1"
    return RecipeName(stem, ("train_gpt_simple_" if has_prefix else "") + _folded(stem), "", False)


def name_sweep(scope: Scope, sweep: str, knobs: list[Knob], counter: int) -> RecipeName:
    """Name a recipe that no write-up stands behind."""
    texts = [knob_text(scope, knob) for knob in knobs]
    if scope.agent == "codex":
        stem = {
            "v1": "-".join([sweep, *texts]),
            "novelty": "_".join(["base", sweep.replace("-", ""), *texts]),
            "v2": "-".join([f"v{12 + counter % 3}", sweep.replace("-", ""), *texts]),
            "v3": f"v3sub{sweep.replace('-', '')}{''.join(texts)}",
        }[scope.wave]
        folded = _folded(stem)
        return RecipeName(stem, f"train_gpt_simple_{folded}" if scope.wave == "v1" else folded, "", False)
    stem = "-".join([sweep, *texts])
    return RecipeName(stem, f"train_gpt_simple_{_folded(stem)}", "", False)


def name_run(
    scope: Scope, stem: str, rung: tuple[int, int], member: int, tail: str
) -> tuple[str, int | None]:
    """Name one member of a family.

    Args:
        scope: Whose style.
        stem: Stem of the recipe.
        rung: Schedule and stop step.
        member: Which member of the family on this rung, from 0.
        tail: Suffix such as `-repro`, or empty.

    Returns:
        The run id, and the seed that it claims, if any.
    """
    steps, stop = rung
    if scope.agent == "claude-code":
        middle = "" if scope.wave in ("v1", "novelty") else f"-ts{steps}"
        return f"{stem}{middle}-s{member}{tail}", member
    if scope.wave == "v1":
        horizon = f"-h{steps}" if steps != stop else ""
        return f"{stem}{horizon}-stop{stop}-seed{member}{tail}", member
    if scope.wave == "novelty":
        seed = 1234 if member == 1 else member
        return f"{stem}_t{steps}" + (f"_seed{seed}" if member else ""), seed if member else None
    joint = f"-ts{steps}" if scope.wave == "v2" else str(steps)
    return f"{stem}{joint}" + (f"-r{member}" if member else "") + tail, None


def name_variant(scope: Scope, base: str, rung: tuple[int, int], member: int, is_shared: bool) -> str:
    """Name the file that a run executes; a shared file serves every seed."""
    steps, stop = rung
    if scope.agent == "claude-code":
        return base if scope.wave in ("v1", "novelty") else f"{base}_ts{steps}"
    if scope.wave == "v1":
        horizon = f"_h{steps}" if steps != stop else ""
        return f"{base}{horizon}_stop{stop}_seed{0 if is_shared else member}"
    return f"{base}_t{steps}" if scope.wave == "novelty" else f"{base}_ts{steps}"
