"""Tier `ledger`: the variant that the ledger states, as a path of some machine or a short name."""

from linkers.names import fold, tokens
from linkers.runs import Run
from linkers.variants.model import Answer, ScopeEvidence


def answer(run: Run, scope: ScopeEvidence) -> Answer | None:
    """Resolve what the ledger states, else what the `indexed_run` line of a log states."""
    stated = [(f"ledger line {run.ledger_lines[-1]}", run.ledger)] if run.ledger else []
    stated += [(f"indexed_run in {log.path}", log.indexed_run) for log in run.logs if log.indexed_run]
    for place, facts in stated:
        for text in (facts.variant, facts.script):
            stem = resolve(text, scope) if text else None
            if stem is not None:
                return Answer(stem, 1.0, f"{place} states `{text}`.")
    return None


def resolve(text: str, scope: ScopeEvidence) -> str | None:
    """Find the one variant that a text names: by path, by folded name, or by a version such as `v15`."""
    if (stem := scope.stem_of_path(text)) is not None:
        return stem
    if "/" in text or text.endswith(".py"):
        return None
    if len(named := scope.by_folded.get(fold(text), ())) == 1:
        return named[0]
    wanted = _spaced(text)
    holding = [stem for stem in scope.files if wanted in _spaced(stem)]
    return holding[0] if len(holding) == 1 and wanted.strip() else None


def _spaced(name: str) -> str:
    """Spell a name as its words and numbers, so that some of them side by side are a part of the text."""
    return f" {' '.join(tokens(name))} "
