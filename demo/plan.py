"""The plan of the whole archive: all scopes, with job ids dealt out in the order of time."""

from collections.abc import Mapping
from dataclasses import replace

from demo.families import FamilyPlanner, add_anomaly
from demo.idea_plan import plan_ideas
from demo.model import Run, ScopePlan, Variant
from demo.profiles import PROFILES, Scale, size_of
from demo.rng import rng
from demo.run_plan import plan_runs
from parsers.scopes import SCOPES, Scope

_FIRST_JOB = 7743
_EDITED_SHARE = {"codex--v1": 0.12, "codex--v3": 0.1}


def plan_archive(scale: Scale, seed: int) -> tuple[ScopePlan, ...]:
    """Plan every scratchpad.

    Args:
        scale: How large.
        seed: Same seed, same plan.

    Returns:
        One plan a scope, in the order of `SCOPES`.
    """
    plans = [_plan_scope(scope, scale, seed) for scope in SCOPES]
    jobs = _deal_jobs([run for plan in plans for run in plan.runs])
    return tuple(
        replace(plan, runs=tuple(replace(run, job_id=jobs[(run.scope, run.run_id)]) for run in plan.runs))
        for plan in plans
    )


def _plan_scope(scope: Scope, scale: Scale, seed: int) -> ScopePlan:
    profile, size = PROFILES[scope], size_of(scope, scale)
    ideas = plan_ideas(profile, size, seed)
    launches, variants = FamilyPlanner(profile, size, ideas, seed).plan()
    ideas = add_anomaly(launches, ideas, rng(seed, scope, "anomaly"))
    runs = plan_runs(profile, launches, ideas, seed)
    edited = _edit(scope, variants, runs, seed)
    return ScopePlan(
        scope,
        ideas,
        tuple(edited),
        tuple(runs),
        {idea.slug: idea for idea in ideas},
        {variant.stem: variant for variant in edited},
    )


def _edit(scope: Scope, variants: list[Variant], runs: list[Run], seed: int) -> list[Variant]:
    """Mark the files that are changed after launch, at least one of each scope that embeds its source."""
    source = rng(seed, scope, "edits")
    embedded = {run.variant for run in runs if run.evidence.is_embedded}
    able = [variant.stem for variant in variants if variant.stem in embedded]
    share = _EDITED_SHARE.get(scope.qualify("")[:-2], 0.02)
    chosen = set(source.sample(able, min(len(able), max(1, round(share * len(able))))))
    return [replace(variant, is_edited=variant.stem in chosen) for variant in variants]


def _deal_jobs(runs: list[Run]) -> Mapping[tuple[Scope, str], int]:
    ordered = sorted(runs, key=lambda run: (run.launched_at, run.scope.folder, run.run_id))
    return {(run.scope, run.run_id): _FIRST_JOB + number for number, run in enumerate(ordered)}
