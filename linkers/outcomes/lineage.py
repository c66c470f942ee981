"""Where ideas and recipes come from: declared parents, names that say so, recipes that contain others."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from linkers.names import fold
from linkers.outcomes.idea_index import IdeaIndex
from linkers.outcomes.timed_runs import TimedRun
from linkers.write_ups import WriteUp
from parsers.idea_names import Relation
from parsers.scopes import Scope

_FROM = re.compile(r"(?P<change>.+?)[-_]from[-_](?P<parent>.+)")
_MODIFIER = re.compile(r"[^-_]+")


@dataclass(frozen=True, slots=True)
class Recipe:
    """A family of runs as lineage sees it.

    Attributes:
        scope: Its scope.
        name: Its name.
        launched_at: When its first run was launched.
        idea_ids: Ideas that its runs test, the most tested first.
    """

    scope: Scope
    name: str
    launched_at: datetime | None
    idea_ids: tuple[str, ...] = ()

    @property
    def modifiers(self) -> frozenset[str]:
        """The parts of its name between separators."""
        return frozenset(_MODIFIER.findall(self.name.lower()))


def collect_recipes(runs: Iterable[TimedRun]) -> tuple[Recipe, ...]:
    """Collect the families of all scopes, sorted by scope and name."""
    members: dict[tuple[Scope, str], list[TimedRun]] = defaultdict(list)
    for run in runs:
        members[run.scope, run.family].append(run)
    recipes = []
    for (scope, name), each in sorted(members.items()):
        launched_at = min((run.launched_at for run in each if run.launched_at), default=None)
        counts = Counter(run.idea_id for run in each if run.idea_id is not None)
        ideas = sorted(counts, key=lambda idea_id: (-counts[idea_id], idea_id))
        recipes.append(Recipe(scope, name, launched_at, tuple(ideas)))
    return tuple(recipes)


def find_recipe_parents(recipes: Iterable[Recipe]) -> dict[tuple[Scope, str], tuple[str, ...]]:
    """Find the parents of every recipe in its scope.

    A name `x-from-y` names its parent. Otherwise the parents are the recipes whose modifiers the name holds
    all and adds to, the largest of them: of `a`, `a-b`, `a-c` and `a-b-c` the last one's parents are the two
    in the middle. A parent found so must have been launched before its child.

    Returns:
        Names of the parents, sorted, by scope and name of the child; recipes without parents are missing.
    """
    by_scope: dict[Scope, list[Recipe]] = defaultdict(list)
    for recipe in recipes:
        by_scope[recipe.scope].append(recipe)
    parents = {}
    for scope, members in sorted(by_scope.items()):
        index = _ModifierIndex(members)
        for recipe in members:
            if names := index.parents(recipe):
                parents[scope, recipe.name] = names
    return parents


class _ModifierIndex:
    """The recipes of a scope, each found by the rarest part of its name."""

    def __init__(self, recipes: Sequence[Recipe]) -> None:
        self._by_folded = {fold(recipe.name): recipe for recipe in recipes}
        self._modifiers = {recipe.name: recipe.modifiers for recipe in recipes}
        counts = Counter(part for parts in self._modifiers.values() for part in parts)
        self._by_rarest: dict[str, list[Recipe]] = defaultdict(list)
        for recipe in recipes:
            if parts := self._modifiers[recipe.name]:
                self._by_rarest[min(parts, key=lambda part: (counts[part], part))].append(recipe)

    def parents(self, child: Recipe) -> tuple[str, ...]:
        named = _FROM.fullmatch(child.name)
        if named and (parent := self._by_folded.get(fold(named["parent"]))) is not None:
            return (parent.name,)
        whole = self._modifiers[child.name]
        held = [
            (self._modifiers[other.name], other)
            for part in whole
            for other in self._by_rarest.get(part, ())
            if self._modifiers[other.name] < whole and _is_earlier(other, child)
        ]
        return tuple(
            sorted(other.name for parts, other in held if not any(parts < larger for larger, _ in held))
        )


def _is_earlier(parent: Recipe, child: Recipe) -> bool:
    if parent.launched_at is None or child.launched_at is None:
        return False
    return parent.launched_at < child.launched_at


@dataclass(frozen=True, slots=True)
class Ancestry:
    """Where an idea comes from.

    Attributes:
        parents: Ideas that its write-up declares as parents, in the order of the text.
        inspired_by: Ideas whose recipes its own recipes build on, sorted, without the parents.
    """

    parents: tuple[str, ...] = ()
    inspired_by: tuple[str, ...] = ()


def find_ancestry(
    write_ups: Iterable[WriteUp],
    recipes: Iterable[Recipe],
    recipe_parents: Mapping[tuple[Scope, str], tuple[str, ...]],
    index: IdeaIndex,
) -> dict[str, Ancestry]:
    """Find the ancestry of every idea.

    A reference in a write-up is a parent only where the text says so: the closest priors are what an idea
    differs from. What recipes tell is kept apart from what is declared.

    Args:
        write_ups: The ideas.
        recipes: The recipes with the ideas that they test.
        recipe_parents: Parents of the recipes.
        index: Names of the ideas.
    """
    recipes = tuple(recipes)
    ideas_of = {(recipe.scope, recipe.name): recipe.idea_ids for recipe in recipes}
    built_on: dict[str, set[str]] = defaultdict(set)
    for recipe in recipes:
        for parent in recipe_parents.get((recipe.scope, recipe.name), ()):
            for idea_id in recipe.idea_ids[:1]:
                built_on[idea_id].update(ideas_of[recipe.scope, parent][:1])
    ancestry = {}
    for write_up in write_ups:
        named = (
            index.find(write_up.scope, reference.name)
            for reference in write_up.idea.local_references
            if reference.relation is Relation.PARENT
        )
        own = write_up.idea_id
        parents = tuple(dict.fromkeys(idea_id for idea_id in named if idea_id and idea_id != own))
        inspired_by = tuple(sorted(built_on[own] - {own, *parents}))
        ancestry[own] = Ancestry(parents, inspired_by)
    return ancestry
