"""Which runs are one recipe, and which recipes are one family: by their names and the source that ran.

A *recipe* is what the runs of one cohort share apart from the schedule: the name without seed, replicate and
rung. The horizon stays in it, as `h3500-stop3250` and `stop3250` are two schedules. A *family* is the recipe
without its horizon: what all runs of one idea's line share. Two files of one recipe may differ, as seeds and
rungs are written into them, so another source alone makes no other recipe. The same source under two names
makes them one recipe only where one name has all words of the other and no number beside it: `v12opt-confirm`
is `v12opt`, but of a sweep that passes its parameters to one script each member stays its own.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations

from linkers.names import tokens
from linkers.runs import Run
from parsers.run_ids import FIRST_STOP_STEP, RunName
from parsers.scopes import Scope

MAX_NAMES_OF_ONE_SOURCE = 64
"""A script that ran under more names than this was given parameters: its names are not compared."""

RecipeKey = tuple[Scope, str]
"""A scope and the name of a recipe in it."""

LAST_GLUED_STEP = 3999
"""A larger number at the end of a word is a parameter: no run was given that many steps without a mark."""

_GLUED_RUNG = re.compile(r"(?:[A-Za-z]\d{0,5}|\de-\d{1,2})(\d{4})$")
_SEPARATORS = re.compile(r"([-_])[-_]+")


def recipe_name(name: RunName) -> str:
    """Name the recipe of a run: its family as parsed, without a rung that is glued to its end.

    A number that stands apart stays, as it may be part of the name: `tail-refinterp-2900` was run at 2900
    steps, `soda-fade-3000` was not run at 3000.

    >>> from parsers.run_ids import parse_run_id
    >>> [recipe_name(parse_run_id(run_id)) for run_id in ("v3aur2b0253025-r1", "adago3275s1", "ema-2900")]
    ['v3aur2b025', 'adago', 'ema-2900']
    """
    glued = _GLUED_RUNG.search(name.family)
    is_horizon = name.horizon is not None and name.family.endswith((f"h{name.horizon}", f"n{name.horizon}"))
    if glued is None or is_horizon or not FIRST_STOP_STEP <= int(glued[1]) <= LAST_GLUED_STEP:
        return name.family
    return name.family[: glued.start(1)]


def family_of(name: RunName) -> str:
    """Name the family of a run.

    >>> from parsers.run_ids import parse_run_id
    >>> family_of(parse_run_id("normuon-aggmom3hidden-h3375-stop3250-seed0"))
    'normuon-aggmom3hidden'
    >>> family_of(parse_run_id("muon2fema099s2500h3375s3192s2"))
    'muon2fema099s2500'
    >>> family_of(parse_run_id("horizon3500-stop3450-seed1"))
    'horizon3500'
    """
    recipe = recipe_name(name)
    if name.horizon is None:
        return recipe
    mark = rf"(?<![A-Za-z])(?:horizon|h){name.horizon:04d}(?!\d)"
    return _SEPARATORS.sub(r"\1", re.sub(mark, "", recipe)).strip("-_") or recipe


def recipes_of(runs: Iterable[Run], source_of: Mapping[str, str | None]) -> dict[str, str]:
    """Name the recipe of every run.

    Args:
        runs: The runs.
        source_of: Hash of the source that a run executed, by experiment id, where it is known.

    Returns:
        Recipe by experiment id. Names that are one recipe bear the shortest of them.
    """
    runs = tuple(runs)
    names_of_source: dict[tuple[Scope, str], set[str]] = defaultdict(set)
    for run in runs:
        if sha256 := source_of.get(run.experiment_id):
            names_of_source[run.scope, sha256].add(recipe_name(run.name))
    same: dict[RecipeKey, RecipeKey] = {}
    for (scope, _), names in sorted(names_of_source.items()):
        if 1 < len(names) <= MAX_NAMES_OF_ONE_SOURCE:
            for first, second in combinations(sorted(names, key=lambda name: (len(name), name)), 2):
                if _is_same_name(first, second):
                    _unite(same, (scope, first), (scope, second))
    return {run.experiment_id: _root(same, (run.scope, recipe_name(run.name)))[1] for run in runs}


def _is_same_name(shorter: str, longer: str) -> bool:
    """Whether the longer name only adds words to the shorter one."""
    rest = list(tokens(longer))
    for token in tokens(shorter):
        if token not in rest:
            return False
        rest.remove(token)
    return not any(token.isdigit() for token in rest)


def _root(same: Mapping[RecipeKey, RecipeKey], key: RecipeKey) -> RecipeKey:
    while (above := same.get(key, key)) != key:
        key = above
    return key


def _unite(same: dict[RecipeKey, RecipeKey], first: RecipeKey, second: RecipeKey) -> None:
    roots = sorted({_root(same, first), _root(same, second)}, key=lambda key: (len(key[1]), key[1]))
    if len(roots) == 2:
        same[roots[1]] = roots[0]
