"""Writes a synthetic archive with its gold."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from demo import gold
from demo.export import Exported, export_index, export_run
from demo.gold_readme import README
from demo.journals import write_journal
from demo.ledgers import write_ledger
from demo.logs import render_logs
from demo.model import Idea, Reject, Run, ScopePlan, Variant
from demo.plan import plan_archive
from demo.profiles import Scale
from demo.sources import normalised_sha256, source_of
from demo.stubs import write_stubs
from demo.traps import broken_files, junk_files
from demo.writeups import write_empty_idea, write_ideas
from parsers.elsewhere import Mapper
from parsers.scopes import Scope

_BATCH = 120


@dataclass(frozen=True, slots=True)
class ArchiveSummary:
    """What was written.

    Attributes:
        scopes: Number of scratchpads.
        runs: Number of launches.
        ideas: Number of write-ups and list entries.
        variants: Number of variant files.
        trials: Number of trials in the logs.
        checkpoints: Number of validation checkpoints in the logs.
        rejects: Number of planted rejects.
        files: Number of files, gold included.
        log_bytes: Size of the scratchpads' logs.
        total_bytes: Size of all files.
    """

    scopes: int
    runs: int
    ideas: int
    variants: int
    trials: int
    checkpoints: int
    rejects: int
    files: int
    log_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class _Batch:
    """A share of a scope's runs, with all that is needed to write them."""

    scope: Scope
    runs: tuple[tuple[int, Run], ...]
    variants: dict[str, Variant]
    ideas: dict[str, Idea]


@dataclass(frozen=True, slots=True)
class _Written:
    """What a batch leaves behind."""

    facts: dict[str, gold.RunFacts]
    rejects: tuple[Reject, ...]
    exported: tuple[Exported, ...]
    files: int
    log_bytes: int
    total_bytes: int


class _Folder:
    """Writes files below a root and counts them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._made: set[Path] = set()
        self.files = 0
        self.bytes = 0

    def write(self, path: str, data: bytes) -> None:
        target = self._root / path
        if target.parent not in self._made:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(target.parent)
        target.write_bytes(data)
        self.files += 1
        self.bytes += len(data)


def generate_archive(out: Path, *, scale: Scale, seed: int = 0, mapper: Mapper = map) -> ArchiveSummary:
    """Write a synthetic archive in the layout of the real one, with `gold/` beside its waves.

    Args:
        out: Folder to write into. Files of earlier archives are not removed.
        scale: `small`, about 600 runs, or `full`, the size of the real archive.
        seed: Same seed, same bytes.
        mapper: Who writes logs and variants. It changes no byte.

    Returns:
        Counts and sizes.
    """
    plans = plan_archive(scale, seed)
    folder = _Folder(out)
    rejects: list[Reject] = []
    for plan in plans:
        rejects += _write_texts(folder, plan, seed)
    batches = [batch for plan in plans for batch in _batches(plan)]
    written = list(mapper(partial(_write_batch, out, scale), batches))
    sources = list(mapper(partial(_write_variants, out, scale), list(plans)))
    facts: dict[Scope, dict[str, gold.RunFacts]] = {plan.scope: {} for plan in plans}
    exported: list[Exported] = []
    for batch, one in zip(batches, written, strict=True):
        facts[batch.scope] |= one.facts
        rejects += one.rejects
        exported += one.exported
    without_log = [run for plan in plans for run in plan.runs if not run.has_log][:57]
    for path, data in export_index(exported, without_log):
        folder.write(path, data)
    for path, data, reject in broken_files():
        folder.write(path, data)
        rejects.append(reject)
    _write_gold(folder, plans, facts, rejects)
    outcomes = [outcome for known in facts.values() for one in known.values() for outcome in one.outcomes]
    return ArchiveSummary(
        scopes=len(plans),
        runs=sum(len(plan.runs) for plan in plans),
        ideas=sum(len(plan.ideas) for plan in plans),
        variants=sum(len(plan.variants) for plan in plans),
        trials=len(outcomes),
        checkpoints=sum(len(outcome.points) for outcome in outcomes),
        rejects=len(rejects),
        files=folder.files + sum(one.files for one in written) + sum(files for files, _ in sources),
        log_bytes=sum(one.log_bytes for one in written),
        total_bytes=folder.bytes + sum(one.total_bytes for one in written) + sum(size for _, size in sources),
    )


def _batches(plan: ScopePlan) -> list[_Batch]:
    batches = []
    for start in range(0, len(plan.runs), _BATCH):
        runs = plan.runs[start : start + _BATCH]
        variants = {run.variant: plan.variant_by_stem[run.variant] for run in runs}
        slugs = {variant.recipe.idea_slug for variant in variants.values()} - {""}
        ideas = {slug: plan.idea_by_slug[slug] for slug in slugs}
        batches.append(_Batch(plan.scope, tuple(enumerate(runs, start + 1)), variants, ideas))
    return batches


def _write_batch(out: Path, scale: Scale, batch: _Batch) -> _Written:
    """Write the logs of some runs, and their export where they have one."""
    folder = _Folder(out)
    facts: dict[str, gold.RunFacts] = {}
    rejects: list[Reject] = []
    exported: list[Exported] = []
    log_bytes = 0
    for number, run in batch.runs:
        variant = batch.variants[run.variant]
        text = source_of(batch.scope, variant, batch.ideas.get(variant.recipe.idea_slug), scale, False)
        logs = render_logs(run, text, scale)
        for suffix, data in logs.files:
            path = f"{batch.scope.folder}/runs/{run.run_id}.{suffix}"
            folder.write(path, data)
            log_bytes += len(data)
            rejects += _log_rejects(run, path, data)
        sha256 = normalised_sha256(text) if run.evidence.is_embedded else ""
        facts[run.run_id] = gold.RunFacts(logs.outcomes, sha256)
        if run.evidence.is_exported:
            one = export_run(run, number, text, logs.files[0][1])
            exported.append(one)
            for path, data in one.files:
                folder.write(path, data)
    return _Written(facts, tuple(rejects), tuple(exported), folder.files, log_bytes, folder.bytes)


def _log_rejects(run: Run, path: str, data: bytes) -> list[Reject]:
    if not data:
        return [Reject("log", path, None, 0, "empty log")]
    if "truncated" in run.quirks and not data.endswith(b"\n"):
        return [Reject("log", path, data.count(b"\n") + 1, data.rfind(b"\n") + 1, "checkpoint line cut off")]
    return []


def _write_variants(out: Path, scale: Scale, plan: ScopePlan) -> tuple[int, int]:
    folder = _Folder(out)
    for variant in plan.variants:
        idea = plan.idea_by_slug.get(variant.recipe.idea_slug)
        text = source_of(plan.scope, variant, idea, scale, variant.is_edited)
        folder.write(f"{plan.scope.folder}/{variant.path}", text.encode())
    return folder.files, folder.bytes


def _write_texts(folder: _Folder, plan: ScopePlan, seed: int) -> list[Reject]:
    """Write everything of a scope but its logs and variants."""
    root = plan.scope.folder
    ledger, damaged = write_ledger(plan, seed)
    rejects = list(damaged)
    folder.write(f"{root}/runs.jsonl", ledger)
    folder.write(f"{root}/THREAD.md", write_journal(plan, seed).encode())
    texts = write_ideas(plan) + write_stubs(plan)
    if plan.scope.agent == "codex":
        empty, reject = write_empty_idea(plan)
        texts.append(empty)
        rejects.append(reject)
    for path, text in texts:
        folder.write(f"{root}/{path}", text.encode())
    for path, data in junk_files(plan, ledger):
        folder.write(f"{plan.scope.wave}/{plan.scope.agent}/{path}", data)
    return rejects


def _write_gold(
    folder: _Folder,
    plans: tuple[ScopePlan, ...],
    facts: dict[Scope, dict[str, gold.RunFacts]],
    rejects: list[Reject],
) -> None:
    runs = [row for plan in plans for row in gold.run_rows(plan, facts[plan.scope])]
    trials = [row for plan in plans for row in gold.trial_rows(plan, facts[plan.scope])]
    ideas = [row for plan in plans for row in gold.idea_rows(plan)]
    folder.write("gold/runs.csv", gold.as_csv(runs, ("wave", "agent", "run_id")))
    folder.write("gold/trials.csv", gold.as_csv(trials, ("wave", "agent", "run_id")))
    folder.write("gold/ideas.csv", gold.as_csv(ideas, ("wave", "agent", "slug")))
    folder.write("gold/quarantine.csv", gold.as_csv(gold.reject_rows(rejects), ("path",)))
    folder.write("gold/README.md", README.encode())
