"""Judgements to the tables `experiments`, `ideas`, `cohorts` and `snapshots`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from linkers.outcomes.cohorts import Cohort
from linkers.outcomes.judgement import JudgedIdea, Judgement
from linkers.outcomes.links import Links
from linkers.outcomes.verdicts import Verdict
from outputs.descriptions.model import Description
from outputs.schemas import COHORTS, EXPERIMENTS, IDEAS, SNAPSHOTS
from outputs.snapshots.selection import Snapshot
from outputs.tables import frame_of, frame_of_columns, idea_text_row
from parsers.kinds import FileKind
from parsers.parsed_files import ParsedArchive
from parsers.scopes import Scope
from parsers.variants import Variant


@dataclass(frozen=True, slots=True)
class VariantFiles:
    """The variant files of all scopes, as tables refer to them.

    Attributes:
        paths: Path relative to the archive's root, by scope and stem.
    """

    paths: Mapping[tuple[Scope, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, parsed: ParsedArchive) -> "VariantFiles":
        """Collect the variant files; of two with one stem the first path counts."""
        return cls(
            {
                (file.scope, variant.stem): file.path
                for file, variant in reversed(parsed.records(Variant))
                if file.kind == FileKind.VARIANT and file.scope is not None
            }
        )


def build_experiments(
    judgement: Judgement,
    links: Links,
    files: VariantFiles,
    descriptions: Mapping[str, Description | None],
) -> pl.DataFrame:
    """Build the table `experiments`: one row a run.

    Args:
        judgement: What came of the runs.
        links: What they executed and tested.
        files: The variant files.
        descriptions: What they do, by experiment id; None where that could not be had.
    """
    timed = [each.timed for each in judgement.runs]
    runs = [each.run for each in judgement.runs]
    launches = [run.launch if each.launched_at else None for run, each in zip(runs, timed, strict=True)]
    ids = [each.experiment_id for each in timed]
    stems = [links.variant_of.get(name) for name in ids]
    paths = [files.paths.get((run.scope, stem or "")) for run, stem in zip(runs, stems, strict=True)]
    proposals = [
        run.scope.qualify(stem) if stem and path else None
        for run, stem, path in zip(runs, stems, paths, strict=True)
    ]
    words = [descriptions[name] for name in ids]
    columns: dict[str, list[object]] = {
        "experiment_id": [*ids],
        "run_id": [run.run_id for run in runs],
        "agent": [run.scope.agent for run in runs],
        "wave": [run.scope.wave for run in runs],
        "first_seen_at": [each.launched_at for each in timed],
        "first_seen_source": [launch.source.value if launch else None for launch in launches],
        "is_first_seen_date_only": [launch.is_date_only if launch else False for launch in launches],
        "finished_at": [each.finished_at for each in timed],
        "position": [each.position for each in judgement.runs],
        "verdict": [each.verdict.value for each in timed],
        "step_to_3_28": [each.step_to_3_28 for each in timed],
        "final_val_loss": [each.final_val_loss for each in timed],
        "hit_target": [each.step_to_3_28 is not None for each in timed],
        "linked_variant_path": [*paths],
        "linked_proposal_id": [*proposals],
        "linked_idea_id": [each.idea_id for each in timed],
        "recovered_source_sha256": [links.source_of.get(name) for name in ids],
        "variant_tier": [links.variant_tier_of.get(name) for name in ids],
        "idea_tier": [links.idea_tier_of.get(name) for name in ids],
        "seed": [run.seed for run in runs],
        "recipe": [each.recipe for each in judgement.runs],
        "parent_recipes": [each.parent_recipes for each in judgement.runs],
        "delta_vs_scope_best": [each.deltas.vs_scope_best for each in judgement.runs],
        "delta_vs_field_best": [each.deltas.vs_field_best for each in judgement.runs],
        "on_frontier_walk": [each.is_on_frontier_walk for each in judgement.runs],
        "description_text": [each.text if each else None for each in words],
        "description_source": [each.source.value if each else None for each in words],
        "description_evidence": [each.evidence if each else None for each in words],
    }
    return frame_of_columns(EXPERIMENTS, columns)


def build_ideas(ideas: Iterable[JudgedIdea], links: Links, files: VariantFiles) -> pl.DataFrame:
    """Build the table `ideas`: one row a write-up."""
    return frame_of(IDEAS, (_idea_row(idea, links, files) for idea in ideas))


def _idea_row(idea: JudgedIdea, links: Links, files: VariantFiles) -> dict[str, object]:
    seen, best, rejection = idea.first_seen, idea.best, idea.rejection
    stems = (links.variant_of.get(run.experiment_id) for run in idea.runs)
    paths = Counter(path for stem in stems if (path := files.paths.get((idea.write_up.scope, stem or ""))))
    return {
        **idea_text_row(idea.write_up),
        "first_seen_at": seen.at if seen else None,
        "first_seen_source": seen.source.value if seen else None,
        "is_first_seen_date_only": seen.is_date_only if seen else False,
        "position": idea.position,
        "primary_variant_path": min(paths, key=lambda path: (-paths[path], path), default=None),
        "all_variant_paths": sorted(paths),
        "num_runs": len(idea.runs),
        "best_experiment_id": best.experiment_id if best else None,
        "best_step_to_3_28": best.step_to_3_28 if best else None,
        "best_final_val_loss": best.final_val_loss if best else None,
        "verdict": idea.verdict.value if idea.verdict else None,
        "parent_idea_id": next(iter(idea.ancestry.parents), None),
        "parent_idea_ids": list(idea.ancestry.parents),
        "inspired_by_ids": list(idea.ancestry.inspired_by),
        "rejection_class": rejection.cause.value if rejection else "none",
        "rejection_evidence_text": "\n".join(_reasons(idea)) or None,
        "rejected_at": rejection.at if rejection else None,
        "on_frontier_walk": idea.is_on_frontier_walk,
    }


def _reasons(idea: JudgedIdea) -> Iterator[str]:
    """Name every reason, the published one first, and the run that overturned it where one did."""
    if idea.rejection is None:
        return
    for each in (idea.rejection, *idea.other_rejections):
        yield f"{each.cause.value}: {each.evidence}"
    best, at = idea.best, idea.rejection.at
    is_hit = best is not None and best.verdict in (Verdict.IMPROVED, Verdict.NEUTRAL)
    if best is not None and is_hit and at is not None and best.finished_at and best.finished_at > at:
        yield f"Later {best.experiment_id} reached 3.28 at step {best.step_to_3_28}."


def build_cohorts_table(cohorts: Iterable[Cohort]) -> pl.DataFrame:
    """Build the table `cohorts`: one row a recipe and schedule."""
    return frame_of(COHORTS, map(_cohort_row, cohorts))


def _cohort_row(cohort: Cohort) -> dict[str, object]:
    last, claim = cohort.last, cohort.claim
    return {
        "agent": cohort.scope.agent,
        "wave": cohort.scope.wave,
        "recipe": cohort.recipe,
        "scheduled_steps": cohort.scheduled_steps,
        "n": len(cohort.members),
        "member_experiment_ids": sorted({trial.experiment_id for trial in cohort.members}),
        "left_out_ids": [trial.experiment_id for trial, _ in cohort.left_out],
        "left_out_trials": [trial.number for trial, _ in cohort.left_out],
        "left_out_reasons": [reason.value for _, reason in cohort.left_out],
        "seed_source": cohort.seed_source.value if cohort.seed_source else None,
        "last_common_step": last.step if last else None,
        "mean_val_loss": last.mean if last else None,
        "sd_val_loss": last.sd if last else None,
        "score": last.score if last else None,
        "claimable_step": claim.step if claim else None,
        "claimable_mean": claim.mean if claim else None,
        "claimable_score": claim.score if claim else None,
    }


def build_snapshots_table(snapshots: Iterable[Snapshot]) -> pl.DataFrame:
    """Build the table `snapshots`: one row a snapshot."""
    return frame_of(SNAPSHOTS, map(_snapshot_row, snapshots))


def _snapshot_row(snapshot: Snapshot) -> dict[str, object]:
    current_step, current_id = snapshot.current_recipe or (None, None)
    field_step, field_id = snapshot.field_best or (None, None)
    row: dict[str, object] = {
        "snapshot_id": snapshot.snapshot_id,
        "agent": snapshot.scope.agent,
        "wave": snapshot.scope.wave,
        "k": snapshot.k,
        "wall_clock": snapshot.clock.wall_clock,
        "position": snapshot.clock.place,
        "split": snapshot.clock.split,
        "wave_constraint": snapshot.wave_constraint,
        "current_recipe_experiment_id": current_id,
        "current_recipe_step_to_3_28": current_step,
        "field_best_experiment_id": field_id,
        "field_best_step_to_3_28": field_step,
    }
    lists = (column.name for column in SNAPSHOTS.columns if column.name.endswith("_ids"))
    return row | {name: list(getattr(snapshot, name)) for name in lists}
