"""The cascade: every tier answers for every run, the first answer is published, the rest is evidence."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from linkers.runs import Run
from linkers.variants import embedded, export, ledger, name_stem, recompile, stub
from linkers.variants.evidence import collect_evidence
from linkers.variants.model import Answer, ScopeEvidence, Tier
from parsers.elsewhere import Mapper
from parsers.parsed_files import ParsedArchive
from parsers.scopes import Scope

TIERS: Mapping[str, Tier] = {
    "ledger": ledger.answer,
    "export": export.answer,
    "embedded": embedded.answer,
    "recompile": recompile.answer,
    "stub": stub.answer,
    "name_stem": name_stem.answer,
}
"""The tiers in the order of the cascade. `ledger` and `export` are what the archive states outright and are
reported apart; a tier is added by a module and a line here."""


@dataclass(frozen=True, slots=True)
class RunVariant:
    """Which variant a run executed, as far as it can be known.

    Attributes:
        scope: Its scope.
        experiment_id: The run.
        stem: Stem of the file; None when no tier names one.
        path: Path of the file, relative to the archive's root.
        tier: The tier whose answer is published, or None.
        source_sha256: Hash of the text that ran, where a log or the export holds it.
        is_drifted: Whether that text differs from the file as it is today; None without both.
        answers: The answer of every tier that has one, in the order of the cascade.
        dissenting_tiers: Tiers that name another file than the published one.
    """

    scope: Scope
    experiment_id: str
    stem: str | None
    path: str | None
    tier: str | None
    source_sha256: str | None
    is_drifted: bool | None
    answers: tuple[tuple[str, Answer], ...]
    dissenting_tiers: tuple[str, ...]

    @property
    def is_conflict(self) -> bool:
        """Whether the tiers disagree. The published answer stands all the same, flagged."""
        return bool(self.dissenting_tiers)


@dataclass(frozen=True, slots=True)
class RecoveredVariants:
    """The variants of all runs, with the texts that ran.

    Attributes:
        runs: One record a run, in the order of the runs.
        texts: Every text that a run is known to have executed, cleaned, by its hash.
        evidence: The indexed evidence, a record a scope.
    """

    runs: tuple[RunVariant, ...]
    texts: Mapping[str, str]
    evidence: tuple[ScopeEvidence, ...]


def recover_variants(parsed: ParsedArchive, runs: Iterable[Run], mapper: Mapper = map) -> RecoveredVariants:
    """Find the variant file of every run and, where it can be had, the text itself.

    Args:
        parsed: The parsed archive.
        runs: Its runs.
        mapper: Who compares edited sources, scope by scope.
    """
    runs = tuple(runs)
    evidence = collect_evidence(parsed, runs, mapper)
    recovered = tuple(recover_one(run, evidence[run.scope]) for run in runs)
    known = dict(parsed.sources)
    for scope in evidence.values():
        known.update({match.sha256: match.text for match in scope.source_matches.values()})
    texts = {each.source_sha256: known[each.source_sha256] for each in recovered if each.source_sha256}
    return RecoveredVariants(recovered, dict(sorted(texts.items())), tuple(evidence.values()))


def recover_one(run: Run, scope: ScopeEvidence) -> RunVariant:
    """Run the cascade for one run."""
    answers = [(name, answer) for name, tier in TIERS.items() if (answer := tier(run, scope)) is not None]
    named = [(name, answer.stem) for name, answer in answers if answer.stem is not None]
    tier, stem = named[0] if named else (None, None)
    source_sha256 = next((answer.source_sha256 for _, answer in answers if answer.source_sha256), None)
    file = scope.files[stem] if stem is not None else None
    return RunVariant(
        scope=run.scope,
        experiment_id=run.experiment_id,
        stem=stem,
        path=file.path if file else None,
        tier=tier,
        source_sha256=source_sha256,
        is_drifted=file.variant.source_sha256 != source_sha256 if file and source_sha256 else None,
        answers=tuple(answers),
        dissenting_tiers=tuple(name for name, other in named if other != stem),
    )
