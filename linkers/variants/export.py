"""Tier `export`: the script that the self-contained export holds for the run."""

from linkers.runs import Run
from linkers.variants.model import Answer, ScopeEvidence
from parsers.export import ExportRun

_SCRIPTS = ("launched_script", "source_snapshot")


def answer(run: Run, scope: ScopeEvidence) -> Answer | None:
    """Take the launched script's original path, else the file with the same text."""
    found = []
    for export, script_sha256 in scope.exports.get(run.run_id, ()):
        stems = {stem for path in _script_paths(export) if (stem := scope.stem_of_path(path)) is not None}
        if not stems and script_sha256 is not None:
            stems = set(scope.by_source.get(script_sha256, ()))
        if len(stems) == 1 or script_sha256 is not None:
            stem = min(stems) if len(stems) == 1 else None
            found.append((stem, script_sha256, export.export_id))
    if len({stem for stem, _, _ in found}) != 1:
        return None
    stem, script_sha256, export_id = found[0]
    is_drifted = None
    if stem is not None and script_sha256 is not None:
        is_drifted = scope.files[stem].variant.source_sha256 != script_sha256
    return Answer(stem, 1.0, f"The export holds the script as {export_id}.", script_sha256, is_drifted)


def _script_paths(export: ExportRun) -> list[str]:
    found = [each.original_path for each in export.artifacts if each.name.removesuffix(".py") in _SCRIPTS]
    return [path for path in found if path is not None]
