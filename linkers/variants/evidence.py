"""Gathers, scope by scope, everything that can tell which variant a run executed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from linkers.names import fold, without_prefixes
from linkers.runs import Run
from linkers.variants.embedded import match_sources
from linkers.variants.model import ScopeEvidence, VariantFile
from linkers.variants.name_index import NameIndex
from parsers.export import ExportRun
from parsers.kinds import FileKind
from parsers.parsed_files import ParsedArchive
from parsers.run_ids import parse_run_id
from parsers.scopes import Scope
from parsers.stubs import LaunchCommand
from parsers.variants import Variant

TEMPLATE_STEM = "train_gpt_simple"
"""The trainer's own name: launchers copy a variant to it, so as a variant it tells nothing."""


def collect_evidence(parsed: ParsedArchive, runs: Iterable[Run]) -> dict[Scope, ScopeEvidence]:
    """Index variants, launch commands and export rows of every scope.

    Args:
        parsed: The parsed archive.
        runs: Its runs.
    """
    files: dict[Scope, dict[str, VariantFile]] = defaultdict(dict)
    for file, variant in parsed.records(Variant):
        if file.kind == FileKind.VARIANT and file.scope is not None and variant.stem != TEMPLATE_STEM:
            files[file.scope].setdefault(variant.stem, VariantFile(file.path, variant))
    commands: dict[Scope, dict[str, list[tuple[str, LaunchCommand]]]] = defaultdict(lambda: defaultdict(list))
    for file, command in parsed.records(LaunchCommand):
        if file.scope is not None and command.run_id is not None:
            commands[file.scope][command.run_id].append((file.path, command))
    hashes: dict[Scope, set[str]] = defaultdict(set)
    for run in runs:
        hashes[run.scope].update(log.source_sha256 for log in run.logs if log.source_sha256)
    exports = _exports(parsed)
    return {
        scope: _index(scope, files[scope], parsed.sources, commands[scope], exports[scope], hashes[scope])
        for scope in parsed.archive.scopes
    }


_Exports = dict[str, list[tuple[ExportRun, str | None]]]


def _exports(parsed: ParsedArchive) -> dict[Scope, _Exports]:
    """Join the export's rows with the scripts beside them, by the export id in the script's path."""
    scripts = {
        file.path.split("/")[-2]: variant.source_sha256
        for file, variant in parsed.records(Variant)
        if file.kind == FileKind.EXPORT_SCRIPT
    }
    exports: dict[Scope, dict[str, list[tuple[ExportRun, str | None]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for _, export in parsed.records(ExportRun):
        if export.scope is not None and export.run_id is not None:
            exports[export.scope][export.run_id].append((export, scripts.get(export.export_id or "")))
    return exports


def _index(
    scope: Scope,
    files: Mapping[str, VariantFile],
    texts: Mapping[str, str],
    commands: Mapping[str, list[tuple[str, LaunchCommand]]],
    exports: _Exports,
    hashes: Iterable[str],
) -> ScopeEvidence:
    by_folded: dict[str, set[str]] = defaultdict(set)
    by_peeled: dict[str, set[str]] = defaultdict(set)
    by_source: dict[str, set[str]] = defaultdict(set)
    for stem, file in files.items():
        bare = without_prefixes(fold(stem))
        by_folded[fold(stem)].add(stem)
        by_folded[bare].add(stem)
        by_peeled[fold(parse_run_id(bare.replace("_", "-")).stem)].add(stem)
        by_source[file.variant.source_sha256].add(stem)
    sources = _sorted_sets(by_source)
    return ScopeEvidence(
        scope=scope,
        files=files,
        by_folded=_sorted_sets(by_folded),
        by_peeled=_sorted_sets(by_peeled),
        names=NameIndex(files),
        by_source=sources,
        source_matches=match_sources(hashes, texts, files, sources),
        commands=commands,
        exports=exports,
    )


def _sorted_sets(index: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(sorted(stems)) for key, stems in index.items()}
