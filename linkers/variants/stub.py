"""Tier `stub`: the variant that the run's launch script passes to the trainer."""

from linkers.runs import Run
from linkers.variants.model import Answer, ScopeEvidence


def answer(run: Run, scope: ScopeEvidence) -> Answer | None:
    """Take the variant of the run's launch commands; commands that name different files are no answer."""
    found: dict[str, str] = {}
    for path, command in scope.commands.get(run.run_id, ()):
        for target in (command.variant_path, command.script_path):
            stem = scope.stem_of_path(target) if target and command.is_resolved else None
            if stem is not None:
                found.setdefault(stem, f"{path}, line {command.line}, launches it.")
                break
    if len(found) != 1:
        return None
    ((stem, evidence),) = found.items()
    return Answer(stem, 1.0, evidence)
