"""The tables of the variant cascade: links, sources and the variant files themselves."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import polars as pl

from linkers.names import tokens
from linkers.outcomes.judgement import JudgedRun
from linkers.outcomes.timed_runs import best_of
from linkers.runs import Run
from linkers.variants.cascade import RecoveredVariants, RunVariant
from outputs.schemas import PROPOSALS, VARIANT_LINKS, VARIANT_SOURCES
from outputs.tables import frame_of
from parsers.kinds import FileKind
from parsers.parsed_files import ParsedArchive
from parsers.scopes import Scope
from parsers.variants import Variant

BASELINE_WORDS = frozenset({"baseline", "reference"})
"""Words of a file name that mark a script which changes nothing."""


def build_variant_links(variants: RecoveredVariants) -> pl.DataFrame:
    """Build the table `variant_links`: one row an answer of a tier."""
    path_of = {
        (scope.scope, stem): file.path for scope in variants.evidence for stem, file in scope.files.items()
    }
    rows = [
        {
            "experiment_id": each.experiment_id,
            "tier": tier,
            "variant_path": path_of[each.scope, answer.stem] if answer.stem else None,
            "source_sha256": answer.source_sha256,
            "is_drifted": answer.is_drifted,
            "score": answer.score,
            "evidence": answer.evidence,
            "runner_up_variant_stem": answer.runner_up,
            "margin": answer.margin,
            "is_chosen": tier == each.tier,
            "is_conflict": tier in each.dissenting_tiers,
        }
        for each in variants.runs
        for tier, answer in each.answers
    ]
    return frame_of(VARIANT_LINKS, rows)


def build_variant_sources(
    parsed: ParsedArchive, runs: Sequence[Run], variants: RecoveredVariants
) -> pl.DataFrame:
    """Build the table `variant_sources`: one row a distinct text that ran.

    Args:
        parsed: The parsed archive, for the texts of today's files.
        runs: The runs.
        variants: What they executed, in the same order.
    """
    today: set[tuple[Scope | None, str]] = {
        (file.scope, variant.source_sha256)
        for file, variant in parsed.records(Variant)
        if file.kind == FileKind.VARIANT
    }
    origins: dict[str, set[str]] = defaultdict(set)
    executed: dict[str, list[str]] = defaultdict(list)
    is_today: dict[str, bool] = defaultdict(bool)
    for run, each in zip(runs, variants.runs, strict=True):
        if each.source_sha256 is None:
            continue
        executed[each.source_sha256].append(each.experiment_id)
        is_today[each.source_sha256] |= (run.scope, each.source_sha256) in today
        origins[each.source_sha256].update(_origins(run, each))
    rows = [
        {
            "sha256": sha256,
            "source_text": text,
            "origins": sorted(origins[sha256]),
            "experiment_ids": sorted(executed[sha256]),
            "is_drifted": not is_today[sha256],
        }
        for sha256, text in variants.texts.items()
    ]
    return frame_of(VARIANT_SOURCES, rows)


def _origins(run: Run, variant: RunVariant) -> set[str]:
    holding = {name for name, answer in variant.answers if answer.source_sha256 == variant.source_sha256}
    found = {log.path for log in run.logs if log.source_sha256 and "embedded" in holding}
    return found | (set(run.export_ids) if "export" in holding else set())


def build_proposals(
    parsed: ParsedArchive, runs: Iterable[JudgedRun], variants: Iterable[RunVariant]
) -> pl.DataFrame:
    """Build the table `proposals`: one row a variant file.

    Args:
        parsed: The parsed archive.
        runs: The runs with what came of them.
        variants: What they executed, in the same order.
    """
    runs_of: dict[str, list[JudgedRun]] = defaultdict(list)
    for judged, variant in zip(runs, variants, strict=True):
        if variant.path is not None:
            runs_of[variant.path].append(judged)
    rows = [
        {
            "proposal_id": file.scope.qualify(variant.stem),
            "variant_path": file.path,
            "variant_stem": variant.stem,
            "agent": file.scope.agent,
            "wave": file.scope.wave,
            "sha256": variant.file_sha256,
            "source_sha256": variant.source_sha256,
            "file_size_bytes": variant.size_bytes,
            "header_docstring": variant.docstring,
            **_summary(variant.stem, runs_of[file.path]),
        }
        for file, variant in parsed.records(Variant)
        if file.kind == FileKind.VARIANT and file.scope is not None
    ]
    return frame_of(PROPOSALS, rows)


def _summary(stem: str, judged: Sequence[JudgedRun]) -> dict[str, object]:
    runs = [each.timed for each in judged]
    best = best_of(runs)
    ideas = Counter(run.idea_id for run in runs if run.idea_id is not None)
    idea_id = min(ideas, key=lambda idea: (-ideas[idea], idea), default=None)
    return {
        "proposal_type": _proposal_type(stem, idea_id),
        "parent_idea_id": idea_id,
        "run_ids": sorted(each.run.run_id for each in judged),
        "num_runs": len(runs),
        "first_seen_at": min((run.launched_at for run in runs if run.launched_at), default=None),
        "best_experiment_id": best.experiment_id if best else None,
        "best_step_to_3_28": best.step_to_3_28 if best else None,
        "best_final_val_loss": best.final_val_loss if best else None,
        "verdict": best.verdict.value if best else None,
    }


def _proposal_type(stem: str, idea_id: str | None) -> str:
    if idea_id is not None:
        return "formal_idea"
    return "baseline" if BASELINE_WORDS & set(tokens(stem)) else "variant_only"
