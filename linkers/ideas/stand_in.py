"""The variant file of each run, as far as ledger and names alone tell."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

from linkers.names import fold, without_prefixes
from linkers.runs import Run
from parsers.kinds import FileKind
from parsers.parsed_files import ParsedArchive
from parsers.scopes import Scope


def variant_stems_of(parsed: ParsedArchive, runs: Iterable[Run]) -> dict[str, str]:
    """Find the variant that a run's ledger row or log names by file name, or whose name is the run id."""
    stems: dict[Scope, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file in parsed.archive.files:
        if file.scope is not None and file.kind is FileKind.VARIANT:
            stem = PurePosixPath(file.path).stem
            for key in {fold(stem), without_prefixes(fold(stem))}:
                stems[file.scope][key].add(stem)
    found: dict[str, str] = {}
    for run in runs:
        facts = [run.ledger, *(log.indexed_run for log in run.logs)]
        names = [text for each in facts if each for text in (each.variant, each.script) if text]
        names += [run.run_id, run.name.stem]
        for name in names:
            key = fold(name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".py"))
            if len(owners := stems[run.scope].get(key, set())) == 1:
                found[run.experiment_id] = min(owners)
                break
    return found
