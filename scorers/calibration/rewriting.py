"""Says a text in other words by rules: no model is needed, and the mechanism stays what it was.

It swaps words of the field and of everyday English for synonyms, and moves a closing reason or condition to
the front of its sentence. A person or a model departs further from a text, so paraphrases by rules are easier
to match than real ones: what is measured on them is an upper bound.
"""

import re
from collections.abc import Sequence

_SYNONYMS = {
    "apply": "use", "applies": "uses", "because": "since", "before": "ahead of", "behind": "after",
    "change": "alter", "changes": "alters", "cooldown": "final decay phase", "decay": "shrinkage",
    "decrease": "lower", "direction": "orientation", "each": "every", "early": "at the start",
    "faster": "more quickly", "gain": "scale factor", "gradient": "loss derivative",
    "gradients": "loss derivatives", "head": "attention head", "increase": "raise", "keep": "hold",
    "keeps": "holds", "large": "big", "larger": "bigger", "late": "near the end", "layer": "block",
    "layers": "blocks", "learning rate": "step size", "loss": "objective", "lower": "reduce",
    "matrix": "weight array", "momentum": "velocity averaging", "noise": "random perturbation",
    "optimizer": "update rule", "parameter": "weight", "parameters": "weights", "replace": "swap",
    "scale": "multiply", "schedule": "timetable", "small": "little", "smaller": "tinier",
    "start": "begin", "step": "update", "steps": "updates", "train": "fit", "training": "fitting",
    "update": "step", "updates": "steps", "warmup": "ramp-up", "weight decay": "weight shrinkage",
    "with": "using", "without": "lacking",
}  # fmt: skip
"""Words and what stands for them; longer ones are tried first."""

_WORDS = re.compile(
    r"\b(?:" + "|".join(sorted(map(re.escape, _SYNONYMS), key=len, reverse=True)) + r")\b", re.IGNORECASE
)
_REASON = re.compile(r"^(?P<main>.{15,}?),? (?P<word>because|since|when|where|while) (?P<rest>.{8,})$")


def rewrite_by_rules(texts: Sequence[str]) -> list[str | None]:
    """Say texts in other words; None where no rule changes anything.

    >>> rewrite_by_rules(["Keep the learning rate low, because noise grows.", "Muon"])
    ['Since random perturbation grows, hold the step size low.', None]
    """
    rewritten = ["\n\n".join(map(_paragraph, text.split("\n\n"))) for text in texts]
    return [new if new != old else None for old, new in zip(texts, rewritten, strict=True)]


def _paragraph(text: str) -> str:
    sentences = re.split(r"(?<=[.!?]) +", text)
    return " ".join(_WORDS.sub(_synonym, _reorder(each)) for each in sentences)


def _reorder(sentence: str) -> str:
    end = sentence[-1:] if sentence[-1:] in ".!?" else ""
    match = _REASON.match(sentence.removesuffix(end))
    if match is None:
        return sentence
    main = match["main"]
    main = main if main[1:2].isupper() else main[0].lower() + main[1:]
    return f"{match['word'].capitalize()} {match['rest']}, {main}{end}"


def _synonym(match: re.Match[str]) -> str:
    word = match[0]
    other = _SYNONYMS[word.lower()]
    return other.capitalize() if word[0].isupper() else other
