"""Gathers, scope by scope, everything that can tell which variant a run executed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from linkers.names import fold, without_prefixes
from linkers.runs import Run
from linkers.variants.embedded import EditedSources, match_edited, match_same
from linkers.variants.model import ScopeEvidence, SourceMatch, VariantFile
from linkers.variants.name_index import NameIndex
from parsers.elsewhere import Mapper
from parsers.export import ExportRun
from parsers.kinds import FileKind
from parsers.parsed_files import ParsedArchive
from parsers.run_ids import parse_run_id
from parsers.scopes import Scope
from parsers.stubs import LaunchCommand
from parsers.variants import Variant

TEMPLATE_STEM = "train_gpt_simple"
"""The trainer's own name: launchers copy a variant to it, so as a variant it tells nothing."""


Matches = dict[str, SourceMatch]


def collect_evidence(
    parsed: ParsedArchive, runs: Iterable[Run], mapper: Mapper = map
) -> dict[Scope, ScopeEvidence]:
    """Index variants, launch commands and export rows of every scope.

    Args:
        parsed: The parsed archive.
        runs: Its runs.
        mapper: Who compares the edited sources of each scope with its files, which takes longest.
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
    scopes = parsed.archive.scopes
    by_source = {scope: _by_source(files[scope]) for scope in scopes}
    edited = [
        EditedSources.of(hashes[scope], parsed.sources, files[scope], by_source[scope]) for scope in scopes
    ]
    found = {}
    for scope, matches in zip(scopes, mapper(match_edited, edited), strict=True):
        matches |= match_same(hashes[scope], parsed.sources, by_source[scope])
        matches = dict(sorted(matches.items()))
        found[scope] = _index(scope, files[scope], by_source[scope], matches, commands[scope], exports[scope])
    return found


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
    by_source: Mapping[str, tuple[str, ...]],
    matches: Matches,
    commands: Mapping[str, list[tuple[str, LaunchCommand]]],
    exports: _Exports,
) -> ScopeEvidence:
    by_folded: dict[str, set[str]] = defaultdict(set)
    by_peeled: dict[str, set[str]] = defaultdict(set)
    for stem in files:
        bare = without_prefixes(fold(stem))
        by_folded[fold(stem)].add(stem)
        by_folded[bare].add(stem)
        by_peeled[fold(parse_run_id(bare.replace("_", "-")).stem)].add(stem)
    return ScopeEvidence(
        scope=scope,
        files=files,
        by_folded=_sorted_sets(by_folded),
        by_peeled=_sorted_sets(by_peeled),
        names=NameIndex(files),
        by_source=by_source,
        source_matches=matches,
        commands=commands,
        exports=exports,
    )


def _by_source(files: Mapping[str, VariantFile]) -> dict[str, tuple[str, ...]]:
    stems: dict[str, set[str]] = defaultdict(set)
    for stem, file in files.items():
        stems[file.variant.source_sha256].add(stem)
    return _sorted_sets(stems)


def _sorted_sets(index: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(sorted(stems)) for key, stems in index.items()}
