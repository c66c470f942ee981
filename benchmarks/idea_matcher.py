"""`python -m benchmarks.idea_matcher ARCHIVE`: seconds of every step of the idea matcher but the model."""

import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from flows.parsing import parse_batches
from flows.runners import Processes
from linkers.ideas.dedup import find_families, propose_by_family
from linkers.ideas.evidence import gather_evidence
from linkers.ideas.model import Candidate
from linkers.ideas.quality import measure
from linkers.ideas.resolver import resolve, resolve_anew
from linkers.ideas.tiers import DIRECT_TIERS, link_ideas
from linkers.runs import join_runs
from linkers.variants.cascade import recover_variants
from linkers.write_ups import collect_write_ups
from parsers.archive import list_archive
from parsers.parsed_files import merge_batches, plan_batches
from parsers.times import DEFAULT_YEAR


def main() -> None:
    """Parse an archive, match its runs and print what each step took."""
    archive = list_archive(Path(sys.argv[1]))
    parsed = merge_batches(
        archive, parse_batches(Processes(2), archive.root, plan_batches(archive.files), lambda count: None)
    )
    runs = join_runs(parsed, DEFAULT_YEAR)
    stems = {each.experiment_id: each.stem for each in recover_variants(parsed, runs).runs if each.stem}
    write_ups = collect_write_ups(parsed).kept
    table = Table("step", "seconds", title=f"{len(runs):,} runs, {len(write_ups):,} ideas")

    def note(step: str, started_s: float) -> float:
        table.add_row(step, f"{time.perf_counter() - started_s:.2f}")
        return time.perf_counter()

    began_s = last_s = time.perf_counter()
    scopes = gather_evidence(parsed, runs, write_ups, stems)
    last_s = note("evidence", last_s)
    proposed: dict[str, list[Candidate]] = {str(scope.scope): [] for scope in scopes}
    for name, tier in DIRECT_TIERS:
        for scope in scopes:
            proposed[str(scope.scope)] += tier(scope)
        last_s = note(name.value, last_s)
    direct = [resolve(scope, proposed[str(scope.scope)]) for scope in scopes]
    last_s = note("resolve", last_s)
    inherited = [
        propose_by_family(find_families(scope), links) for scope, links in zip(scopes, direct, strict=True)
    ]
    last_s = note("dedup", last_s)
    for scope, links, candidates in zip(scopes, direct, inherited, strict=True):
        resolve_anew(scope, links, candidates)
    note("resolve anew", last_s)
    note("all tiers", began_s)
    found = link_ideas(scopes)
    last_s = time.perf_counter()
    measure(found)
    note("quality measures, apart", last_s)
    Console().print(table)


if __name__ == "__main__":
    main()
