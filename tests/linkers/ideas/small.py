"""Tiny scopes for the tests of the idea matcher, written by hand and read like any archive."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from linkers.ideas.evidence import gather_evidence
from linkers.ideas.model import RunIdea, ScopeEvidence
from linkers.ideas.tiers import link_ideas
from linkers.runs import join_runs
from linkers.write_ups import collect_write_ups
from parsers.scopes import Scope
from tests.helpers import SCOPE, parse_folder, write_scratchpad


def gather(
    root: Path,
    runs: Iterable[str | Mapping[str, object]],
    ideas: Mapping[str, str],
    thread: str = "",
    variants: Mapping[str, str] | None = None,
    scope: Scope = SCOPE,
    files: Mapping[str, str] | None = None,
) -> ScopeEvidence:
    """Write a scope and gather its evidence.

    Args:
        root: Empty folder.
        runs: Run ids, or rows of the ledger.
        ideas: Text of each write-up by slug.
        thread: The journal.
        variants: Variant stem of runs, by run id.
        scope: The scope.
        files: Further files of the scratchpad.
    """
    ledger = [{"run_id": run} if isinstance(run, str) else run for run in runs]
    content = {f"ideas/{slug}.md": text or f"# {slug}\n\nSome words.\n" for slug, text in ideas.items()}
    if thread:
        content["THREAD.md"] = thread
    parsed = parse_folder(write_scratchpad(root, {**content, **(files or {})}, ledger, scope))
    joined = join_runs(parsed, 2026)
    stems = {scope.qualify(run_id): stem for run_id, stem in (variants or {}).items()}
    (evidence,) = gather_evidence(parsed, joined, collect_write_ups(parsed).kept, stems)
    return evidence


def decide(evidence: ScopeEvidence) -> dict[str, RunIdea]:
    """Decide for every run, by run id."""
    links = link_ideas([evidence]).links
    return {run.run_id: links[experiment_id] for experiment_id, run in evidence.runs.items()}


def chosen(evidence: ScopeEvidence) -> dict[str, str | None]:
    """The slug of the idea of every run, by run id."""
    prefix = f"{evidence.scope.agent}--{evidence.scope.wave}--"
    return {
        run_id: link.idea_id.removeprefix(prefix) if link.idea_id else None
        for run_id, link in decide(evidence).items()
    }
