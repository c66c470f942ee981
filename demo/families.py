"""Which run families a scope has, and the launches they consist of."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from demo.famous import Famous
from demo.famous_early import EARLY
from demo.famous_late import LATE
from demo.model import Idea, Recipe, Variant
from demo.naming import (
    Knob,
    RecipeName,
    draw_knobs,
    name_opaque_recipe,
    name_recipe,
    name_run,
    name_sweep,
    name_variant,
)
from demo.pace import Pace
from demo.profiles import Profile, Size
from demo.rng import rng
from demo.vocabulary import KNOBS, LOO_CELLS, SWEEPS

_TAILS = {
    "-main": 0.04,
    "-preempt": 0.05,
    "-repro": 0.03,
    "-retry1": 0.02,
    "-controlled": 0.03,
    "-final": 0.02,
}
_MEMBERS = {
    "novelty": (1, 1, 1, 1, 2),
    "v1": (1, 1, 2, 2, 3, 4, 6),
    "v2": (1, 2, 3, 4, 6, 8, 12),
    "v3": (1, 2, 3, 4, 6, 8, 12),
}
_STACKS = (
    "normuon-b090to080", "normuon-b090to080-mlpprojlr124375", "normuon-tailresrmsstack",
    "normuon-tailresrmsstack-aggmom3hidden", "normuon-tailresrmsstack-aggmom3hidden-adamminiopt1",
    "normuon-tailresrmsstack-aggmom3hidden-adamminiopt1-muon2fhidden",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Launch:
    """A run before anything is known of its outcome.

    Attributes:
        run_id: Its name.
        recipe: What it runs.
        variant: Stem of its file.
        launched_at: When.
        seed: Seed that its name claims.
        steps: Schedule.
        stop: Last step.
        known_final: Final loss, where reports state it.
    """

    run_id: str
    recipe: Recipe
    variant: str
    launched_at: datetime
    seed: int | None
    steps: int
    stop: int
    known_final: float | None = None


class FamilyPlanner:
    """Fills a scope with families until its sizes are reached."""

    def __init__(self, profile: Profile, size: Size, ideas: tuple[Idea, ...], seed: int) -> None:
        """Prepare an empty scope.

        Args:
            profile: The scope's habits.
            size: Its sizes.
            ideas: Its ideas.
            seed: Seed of the archive.
        """
        self._profile = profile
        self._scope = profile.scope
        self._size = size
        self._ideas = ideas
        self._source = rng(seed, profile.scope, "families")
        self._pace = Pace(profile)
        self._launches: dict[str, Launch] = {}
        self._variants: dict[str, Variant] = {}
        self._families: set[str] = set()
        self._extendable: list[Recipe] = []
        self._counter = 21

    def plan(self) -> tuple[list[Launch], list[Variant]]:
        """Plan all launches and variant files, exactly as many as the size says."""
        for famous in (EARLY | LATE)[str(self._scope)]:
            self._add_famous(famous)
        kinds = self._kinds()
        while len(self._launches) < self._size.runs:
            if self._room() > 0:
                self._add_family(next(kinds))
            else:
                self._extend()
        for number in range(self._size.variants - len(self._variants)):
            self._add_orphan(number)
        return list(self._launches.values()), [self._variants[stem] for stem in sorted(self._variants)]

    def _kinds(self) -> Iterator[Idea | None]:
        """Deal out the ideas, each once before any comes again, with sweeps in between."""
        tested = [idea for idea in self._ideas if idea.rejection_class != "existence_killed"]
        while True:
            order = list(tested)
            self._source.shuffle(order)
            for idea in order:
                while self._source.random() > self._profile.idea_share:
                    yield None
                yield idea

    def _add_famous(self, famous: Famous) -> None:
        span = self._profile.last_at - self._profile.first_at
        at = self._profile.first_at + span * famous.from_start
        ideas = {idea.slug: idea for idea in self._ideas}
        if famous.idea_slug:
            at = max(at, ideas[famous.idea_slug].created_at + timedelta(minutes=40))
        recipe = Recipe(
            famous.stem, famous.stem, famous.variant, famous.idea_slug, famous.link,
            famous.idea_slug.replace("-", "_") in famous.variant and bool(famous.idea_slug),
            famous.mechanism, (), self._famous_crossing(famous, at),
        )  # fmt: skip
        self._families.add(famous.stem)
        for number, run_id in enumerate(famous.run_ids):
            tail = run_id.rsplit("-", 1)[-1]
            seed = _seed_of(tail) if self._scope.agent == "claude-code" or "seed" in tail else None
            final = famous.finals[number] if famous.finals else None
            self._launch(
                Launch(run_id, recipe, famous.variant, at, seed, famous.steps, famous.stop, final), seed or 0
            )
            at += timedelta(minutes=self._source.uniform(6, 30))

    def _famous_crossing(self, famous: Famous, at: datetime) -> float:
        if famous.mechanism == "Muon baseline":
            return 3485.0
        return famous.stop - 20.0 if famous.finals else self._pace.crossing(at, self._source)

    def _add_family(self, idea: Idea | None) -> None:
        start = self._start_of(idea)
        recipe = self._recipe(idea, start)
        if recipe.family in self._families:
            return
        self._families.add(recipe.family)
        self._extendable.append(recipe)
        is_shared = self._source.random() < 0.45
        at = start
        for rung in self._pace.rungs(start, self._source):
            for member in range(self._members()):
                tails = [tail for tail, share in _TAILS.items() if self._source.random() < share / 3]
                tail = tails[0] if tails and self._scope.wave != "novelty" else ""
                run_id, seed = name_run(self._scope, recipe.stem, rung, member, tail)
                variant = name_variant(self._scope, recipe.variant_base, rung, member, is_shared)
                if self._is_welcome(run_id, variant):
                    self._launch(Launch(run_id, recipe, variant, at, seed, *rung), seed or 0)
                at = min(at + timedelta(minutes=self._source.uniform(3, 45)), self._latest(at))

    def _is_welcome(self, run_id: str, variant: str) -> bool:
        has_room = self._room() > 0 or variant in self._variants
        return len(self._launches) < self._size.runs and run_id not in self._launches and has_room

    def _extend(self) -> None:
        """Add members to a family when all variant files are written."""
        recipes = {recipe.family for recipe in self._extendable}
        old = self._source.choice([one for one in self._launches.values() if one.recipe.family in recipes])
        at = old.launched_at
        for member in range(1, 40):
            rung = (old.steps, old.stop)
            run_id, seed = name_run(self._scope, old.recipe.stem, rung, member, "")
            if self._is_welcome(run_id, old.variant):
                at = min(at + timedelta(minutes=self._source.uniform(2, 20)), self._latest(at))
                self._launch(replace(old, run_id=run_id, launched_at=at, seed=seed), seed or 0)
            if member > 6 and self._source.random() < 0.3:
                return

    def _launch(self, launch: Launch, seed: int) -> None:
        self._launches[launch.run_id] = replace(
            launch, launched_at=launch.launched_at.replace(microsecond=self._source.randrange(1000) * 1000)
        )
        self._variants.setdefault(
            launch.variant, Variant(launch.variant, launch.recipe, launch.steps, launch.stop, seed)
        )

    def _latest(self, at: datetime) -> datetime:
        left = (self._profile.last_at - at).total_seconds()
        return at + timedelta(seconds=max(left, 0) * self._source.uniform(0.2, 0.9))

    def _members(self) -> int:
        if self._room() <= 0:
            return self._source.choice((6, 12, 20))
        spare = (self._size.runs - len(self._launches)) / self._room()
        if spare < 1.4 and self._scope.wave != "novelty":
            return self._source.choice((1, 1, 1, 2))
        return self._source.choice(_MEMBERS[self._scope.wave])

    def _room(self) -> int:
        return self._size.variants - len(self._variants)

    def _start_of(self, idea: Idea | None) -> datetime:
        first = idea.created_at if idea else self._profile.first_at
        span = (self._profile.last_at - first).total_seconds()
        delay = (
            min(span * 0.6, self._source.expovariate(1 / (0.25 * span)))
            if idea
            else span * self._source.random()
        )
        return first + timedelta(seconds=max(delay, min(900.0, span * 0.1)))

    def _recipe(self, idea: Idea | None, at: datetime) -> Recipe:
        crossing = self._pace.crossing(at, self._source)
        self._counter += 1
        if idea is None:
            name, mechanism, knobs = self._sweep()
            return self._make(name, "", mechanism, knobs, crossing)
        knobs = draw_knobs(self._source, self._source.choice((1, 1, 2)))
        if self._source.random() < self._profile.opaque:
            name = name_opaque_recipe(self._scope, self._counter)
            recipe = self._make(name, idea.slug, idea.mechanism, knobs, crossing)
            return replace(recipe, is_opaque=True)
        prefix = ""
        if idea.slug not in ("spectra-adamminiopt1", "muon2f-hidden") and self._source.random() < 0.55:
            prefix = _STACKS[
                min(int(self._pace.progress(at) * self._source.uniform(0.6, 1.2) * len(_STACKS)), 5)
            ]
        name = name_recipe(self._scope, self._source, idea, knobs, self._counter, prefix)
        return self._make(name, idea.slug, idea.mechanism, knobs, crossing)

    def _make(
        self, name: RecipeName, slug: str, mechanism: str, knobs: list[Knob], crossing: float
    ) -> Recipe:
        constants = tuple((constant, value) for _, constant, value in knobs)
        return Recipe(
            name.stem, name.stem, name.variant_base, slug, name.id_link, name.is_in_variant,
            mechanism, constants, crossing,
        )  # fmt: skip

    def _sweep(self) -> tuple[RecipeName, str, list[Knob]]:
        if self._scope.agent == "claude-code" and self._source.random() < 0.4:
            cell, mechanism = self._source.choice(LOO_CELLS)
            name = name_sweep(self._scope, f"loo{self._counter % 40:02d}-{cell}", [], self._counter)
            return name, mechanism, []
        sweep, mechanism, shorts = self._source.choice(SWEEPS)
        knobs = [
            (short, constant, self._source.choice(values))
            for short, constant, values in KNOBS
            if short in shorts
        ]
        extra = [knob for knob in draw_knobs(self._source, 2) if knob[0] not in shorts]
        knobs += extra[: self._source.choice((0, 1, 1, 2))]
        return name_sweep(self._scope, sweep, knobs, self._counter), mechanism, knobs

    def _add_orphan(self, number: int) -> None:
        """Add a file that was written and never launched."""
        knobs = tuple((name, value) for _, name, value in draw_knobs(self._source, 2))
        recipe = Recipe(
            f"unused{number:03d}", f"unused{number:03d}", f"unused_probe_{number:03d}", "", "", False,
            "unlaunched probe", knobs, 3500.0,
        )  # fmt: skip
        stem = recipe.variant_base
        self._variants[stem] = Variant(stem, recipe, self._profile.last_best, self._profile.last_best, 0)


def _seed_of(tail: str) -> int | None:
    digits = tail.removeprefix("seed").removeprefix("s")
    return int(digits) if digits.isdigit() else None


def add_anomaly(launches: list[Launch], ideas: tuple[Idea, ...], source: random.Random) -> tuple[Idea, ...]:
    """Redate one idea to the day after its first run, as if it had been written up afterwards.

    Args:
        launches: Runs of the scope.
        ideas: Its ideas.
        source: Picks the idea.

    Returns:
        The ideas, one of them with a later date. Unchanged when the scope is too short for it.
    """
    first: dict[str, datetime] = {}
    for launch in sorted(launches, key=lambda one: one.launched_at):
        first.setdefault(launch.recipe.idea_slug, launch.launched_at)
    last = max(launch.launched_at for launch in launches)
    able = [
        idea
        for idea in ideas
        if idea.slug in first and idea.dated_by == "writeup" and first[idea.slug] + timedelta(days=2) < last
    ]
    if not able:
        return ideas
    chosen = source.choice(able).slug
    return tuple(
        replace(idea, created_at=first[chosen] + timedelta(days=1, hours=2)) if idea.slug == chosen else idea
        for idea in ideas
    )
