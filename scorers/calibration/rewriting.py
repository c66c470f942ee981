"""Says a text in other words by rules: no model is needed, and the mechanism stays what it was.

Three rules, each of which leaves the meaning alone:

- Words and phrases give way to synonyms. Only such are listed as are of one part of speech and mean one thing
  in texts about training, so that no sentence needs to be understood: `scale` is a noun and a verb, `head` a
  layer and a part of attention, and neither is listed.
- A closing `because` or `so that` moves to the front of its sentence.
- Numbers are written otherwise: `six` for 6, `90 percent` for 90%, `10^-8` for 1e-8, `2,975` for 2975.

What stands in backticks, identifiers and assignments stay as they are, and so does every word that is not
listed, as most names of methods. A person or a model departs further from a text, so paraphrases by rules are
easier to match than real ones: what is measured on them is an upper bound.
"""

import re
from collections.abc import Mapping, Sequence

MIN_CHANGED = 0.1
"""A text of which a smaller share of words goes away is no paraphrase but a copy."""

_SYNONYMS: Mapping[str, str] = {
    "always": "at all times",
    "approximately": "roughly",
    "are the same size": "have the same magnitude",
    "as well as": "in addition to",
    "at least": "no less than",
    "at most": "no more than",
    "at the end of training": "in the last phase of the run",
    "at the start of training": "in the first phase of the run",
    "because": "since",
    "cheap": "inexpensive",
    "cooldown": "final decay phase",
    "coordinates": "entries",
    "depends on": "hinges on",
    "direction": "orientation",
    "directions": "orientations",
    "dropped": "discarded",
    "during": "in the course of",
    "especially": "particularly",
    "expensive": "costly",
    "fall faster": "drop more quickly",
    "falls faster": "drops more quickly",
    "follows": "tracks",
    "gradient": "loss derivative",
    "gradients": "loss derivatives",
    "grows": "increases",
    "initialisation": "choice of starting values",
    "initialization": "choice of starting values",
    "instead of": "in place of",
    "is the same size": "has the same magnitude",
    "keep": "retain",
    "keeps": "retains",
    "kept": "retained",
    "large": "big",
    "larger": "bigger",
    "learning rate": "step size",
    "learning rates": "step sizes",
    "left out": "omitted",
    "loss": "objective",
    "lowers": "reduces",
    "momentum": "gradient averaging",
    "never": "at no time",
    "often": "frequently",
    "only": "solely",
    "optimiser": "update rule",
    "optimizer": "update rule",
    "orthogonalisation": "mapping to an orthonormal matrix",
    "orthogonalization": "mapping to an orthonormal matrix",
    "parameter": "weight",
    "parameters": "weights",
    "preferred": "favoured",
    "prevents": "stops",
    "raises": "increases",
    "rare": "infrequent",
    "rather than": "in place of",
    "recomputed": "computed anew",
    "reduce": "lower",
    "reduces": "lowers",
    "remove": "take away",
    "removes": "takes away",
    "roughly": "approximately",
    "schedule": "timetable",
    "so that": "in order that",
    "sometimes": "at times",
    "stable": "steady",
    "the hope is that": "the expectation is that",
    "the last": "the final",
    "therefore": "hence",
    "training steps": "optimization iterations",
    "usually": "typically",
    "variance": "spread",
    "warmup": "ramp-up",
    "weight decay": "weight shrinkage",
    "when": "whenever",
    "without": "in the absence of",
}
"""Words and what stands for them; longer ones are tried first."""

_OPENINGS: Mapping[str, str] = {
    "Apply": "Employ",
    "Decrease": "Reduce",
    "Increase": "Raise",
    "Use": "Employ",
    "What if we try": "Suppose we test",
}
"""Words that are verbs where they open a sentence, and may be nouns elsewhere."""

_SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FIRST_SMALL = 2
_YEARS = range(1_900, 2_100)

_CODE = re.compile(r"(`[^`\n]*`)")
# A word of an identifier, a name with a hyphen or an assignment is no word of its own.
_WORDS = re.compile(
    r"(?<![\w=./-])(?:"
    + "|".join(re.escape(each) for each in sorted(_SYNONYMS, key=len, reverse=True))
    + r")(?![\w=/-]|\.\w| of\b)",
    re.IGNORECASE,
)
_OPENING = re.compile("^(?:" + "|".join(map(re.escape, _OPENINGS)) + r")(?= )")
_NUMBER = re.compile(r"(?<![\w.,:=/^+#-])(?P<digits>\d+)(?P<end>%|e-\d+)?(?![\w%:=/-]|[.,]\d)")
_CLOSING = re.compile(r"^(?P<main>[A-Za-z][^;:()]{5,}?),? (?P<word>because|so that) (?P<rest>[^;:()]{8,})$")
_SENTENCES = re.compile(r"(?<=[.!?]) +")


def rewrite_by_rules(texts: Sequence[str]) -> list[str | None]:
    """Say texts in other words; None where the rules change too little.

    >>> rewrite_by_rules(["Keep the learning rate below 2% for 6 layers, because noise grows.", "Muon"])
    ['Since noise increases, retain the step size below two percent for six layers.', None]
    """
    rewritten = ["\n\n".join(map(_paragraph, text.split("\n\n"))) for text in texts]
    return [
        new if changed_share(old, new) >= MIN_CHANGED else None
        for old, new in zip(texts, rewritten, strict=True)
    ]


def changed_share(old: str, new: str) -> float:
    """Tell which share of a text's distinct words is gone; 0 of a text without words.

    >>> changed_share("Keep the loss low.", "Retain the loss low.")
    0.25
    """
    before, after = (set(re.findall(r"\w+", text.lower())) for text in (old, new))
    return len(before - after) / len(before) if before else 0.0


def _paragraph(text: str) -> str:
    if "```" in text:
        return text
    parts = _CODE.split(" ".join(_reorder(_reopen(each)) for each in _SENTENCES.split(text)))
    return "".join(part if place % 2 else _reword(part) for place, part in enumerate(parts))


def _reopen(sentence: str) -> str:
    return _OPENING.sub(lambda match: _OPENINGS[match[0]], sentence)


def _reorder(sentence: str) -> str:
    """Move a closing clause to the front."""
    end = sentence[-1:] if sentence[-1:] in (".", "!", "?") else ""
    match = _CLOSING.match(sentence.removesuffix(end))
    if match is None or match["main"].count("`") % 2:
        return sentence
    main = match["main"]
    # What opens with two capitals is a name.
    main = main if main[1].isupper() else main[0].lower() + main[1:]
    return f"{match['word'].capitalize()} {match['rest']}, {main}{end}"


def _reword(text: str) -> str:
    return _NUMBER.sub(_number, _WORDS.sub(_synonym, text))


def _synonym(match: re.Match[str]) -> str:
    other = _SYNONYMS[match[0].lower()]
    return other.capitalize() if match[0][0].isupper() else other


def _number(match: re.Match[str]) -> str:
    digits, end = match["digits"], match["end"] or ""
    if end.startswith("e"):
        return f"10^{int(end[1:])}" if digits == "1" else match[0]
    value = int(digits)
    told = digits
    if str(value) == digits and value - _FIRST_SMALL in range(len(_SMALL)):
        told = _SMALL[value - _FIRST_SMALL]
    elif str(value) == digits and value not in _YEARS:
        told = f"{value:,}"
    return f"{told} percent" if end else told
