"""Tier `name_stem`: the run id, freed of its suffixes, against the names of the scope's variants."""

from rapidfuzz import fuzz

from linkers.names import fold
from linkers.runs import Run
from linkers.variants.model import Answer, ScopeEvidence
from linkers.variants.name_index import NameParts, name_parts

EXACT_SCORE = 0.99
FAMILY_SCORE = 0.95
SIBLING_SCORE = 0.9
"""How sure a name is that equals the id, the id without suffixes, or that of another seed's file."""

MIN_MARGIN = 0.05
"""Lead in similarity that the best abbreviated name must have over the second."""

MIN_WORD_RATIO = 85.0
"""Similarity (0 to 100) at which two words count as one, misspelt."""


def answer(run: Run, scope: ScopeEvidence) -> Answer | None:
    """Match the name exactly, then freed of its suffixes, then as an abbreviation. A tie is no answer."""
    for score, name in _names(run):
        stems = scope.by_folded.get(fold(name), ())
        if len(stems) == 1:
            return Answer(stems[0], score, f"`{name}` is the name of {stems[0]}.py, prefixes aside.")
        if stems:
            return None
    stems = scope.by_peeled.get(fold(run.name.stem), ())
    if stems:
        evidence = f"{stems[0]}.py bears the name of another seed of the run."
        return Answer(stems[0], SIBLING_SCORE, evidence) if len(stems) == 1 else None
    return _abbreviated(run, scope)


def _names(run: Run) -> list[tuple[float, str]]:
    """List the names to look up: the whole id, then with one suffix less each time."""
    suffixes = run.name.suffixes
    shorter = ["-".join([run.name.stem, *suffixes[:keep]]) for keep in range(len(suffixes) - 1, -1, -1)]
    return [(EXACT_SCORE, run.run_id), *((FAMILY_SCORE, name) for name in shorter)]


def _abbreviated(run: Run, scope: ScopeEvidence) -> Answer | None:
    """Find the file of which the id is an abbreviation: same numbers in order, words cut short."""
    mine = name_parts(run.name.stem)
    ranked = sorted(
        (
            (fuzz.ratio(" ".join(mine.tokens), " ".join(theirs.tokens)) / 100, stem)
            for stem, theirs in scope.names.with_numbers_of(mine)
            if numbers_agree(mine, theirs) and _words_agree(mine, theirs)
        ),
        key=lambda pair: (-pair[0], pair[1]),
    )
    if not ranked:
        return None
    score, stem = ranked[0]
    second, runner_up = ranked[1] if len(ranked) > 1 else (0.0, None)
    if score - second < MIN_MARGIN:
        return None
    evidence = f"`{run.name.stem}` abbreviates {stem}.py: the same numbers, words cut short."
    return Answer(stem, score * SIBLING_SCORE, evidence, runner_up=runner_up, margin=score - second)


def numbers_agree(mine: NameParts, theirs: NameParts) -> bool:
    """Whether the numbers of an abbreviation stand in the same order in the full name, long ones all of them.

    >>> numbers_agree(name_parts("ts3037"), name_parts("ts3027"))
    False
    >>> numbers_agree(name_parts("v3aur2b035proj3029"), name_parts("v3_aurora2b035projonly_rolelr2_ts3029"))
    True
    """
    rest = iter(theirs.numbers)
    if not all(number in rest for number in mine.numbers):
        return False
    return mine.long_numbers >= theirs.long_numbers


def _words_agree(mine: NameParts, theirs: NameParts) -> bool:
    """Whether each word of an abbreviation starts, or nearly equals, a word of the full name, in order."""
    rest = iter(theirs.words)
    return all(any(_is_cut(word, full) for full in rest) for word in mine.words)


def _is_cut(word: str, full: str) -> bool:
    return full.startswith(word) or fuzz.ratio(word, full) >= MIN_WORD_RATIO
