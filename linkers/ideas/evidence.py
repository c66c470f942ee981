"""Everything of one scope that can tell which idea a run tested, gathered from the parsed archive."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from linkers.ideas.aliases import index_aliases
from linkers.ideas.existence import find_births
from linkers.ideas.mentions import MentionReader, Sentence
from linkers.ideas.model import ScopeEvidence
from linkers.ideas.spans import find_spans
from linkers.ideas.tokens import family_of, learn_knobs
from linkers.names import fold, without_prefixes
from linkers.runs import Run
from linkers.write_ups import WriteUp
from parsers.audits import Audit
from parsers.elsewhere import Mapper
from parsers.journal import JournalEntry
from parsers.kinds import FileKind
from parsers.ledger_fields import log_stem
from parsers.parsed_files import ParsedArchive
from parsers.rule_checks import RuleCheck
from parsers.run_ids import parse_run_id
from parsers.scopes import Scope
from parsers.variants import Variant

T = TypeVar("T")

NOTE_CHARS = 2000
"""So much of a ledger's remark is read."""

_HEX = re.compile(r"[0-9a-f]{8}-?[0-9a-f-]{8,}")


def gather_evidence(
    parsed: ParsedArchive,
    runs: Iterable[Run],
    write_ups: Iterable[WriteUp],
    variant_stems: Mapping[str, str],
    mapper: Mapper = map,
) -> tuple[ScopeEvidence, ...]:
    """Gather the evidence of every scope that has runs. No scope sees another one's.

    Args:
        parsed: The parsed archive.
        runs: All runs.
        write_ups: All ideas.
        variant_stems: The variant file that each run executed, where it is known, by experiment id.
        mapper: Who gathers the evidence of each scope.
    """
    runs_of: dict[Scope, list[Run]] = defaultdict(list)
    for run in runs:
        runs_of[run.scope].append(run)
    ideas_of: dict[Scope, list[WriteUp]] = defaultdict(list)
    for each in write_ups:
        ideas_of[each.scope].append(each)
    docstrings: dict[Scope, dict[str, str]] = defaultdict(dict)
    for file, variant in parsed.records(Variant):
        if file.scope is not None and file.kind is FileKind.VARIANT and variant.docstring:
            docstrings[file.scope][variant.stem] = variant.docstring
    entries = _by_scope(parsed, JournalEntry)
    audits = _by_scope(parsed, Audit)
    checks = _by_scope(parsed, RuleCheck)
    given = [
        _Given(
            scope,
            runs_of[scope],
            ideas_of[scope],
            variant_stems,
            entries.get(scope, []),
            [*audits.get(scope, []), *checks.get(scope, [])],
            docstrings[scope],
        )
        for scope in sorted(runs_of)
    ]
    return tuple(mapper(_gather, given))


class _Given(NamedTuple):
    """What `scope_evidence` is given."""

    scope: Scope
    runs: Sequence[Run]
    write_ups: Sequence[WriteUp]
    variant_stems: Mapping[str, str]
    entries: Sequence[JournalEntry]
    checks: Sequence[Audit | RuleCheck]
    docstrings: Mapping[str, str]


def _gather(given: _Given) -> ScopeEvidence:
    return scope_evidence(*given)


def _by_scope(parsed: ParsedArchive, record_type: type[T]) -> dict[Scope, list[T]]:
    found: dict[Scope, list[T]] = defaultdict(list)
    for file, record in parsed.records(record_type):
        if file.scope is not None:
            found[file.scope].append(record)
    return found


def scope_evidence(
    scope: Scope,
    runs: Iterable[Run],
    write_ups: Iterable[WriteUp],
    variant_stems: Mapping[str, str],
    entries: Iterable[JournalEntry],
    checks: Iterable[Audit | RuleCheck],
    docstrings: Mapping[str, str],
) -> ScopeEvidence:
    """Gather the evidence of one scope, whatever the order of what it is given.

    Args:
        scope: The scope.
        runs: Its runs.
        write_ups: Its ideas.
        variant_stems: The variant file that each run executed; other scopes' runs may be in it.
        entries: Its journal.
        checks: Its audits and rule checks.
        docstrings: What its variant files say of themselves, by stem.
    """
    by_id = {run.experiment_id: run for run in sorted(runs, key=lambda each: each.run_id)}
    ideas = {each.idea_id: each for each in sorted(write_ups, key=lambda each: each.idea_id)}
    stems = {each: variant_stems[each] for each in by_id if each in variant_stems}
    journal = sorted(entries, key=lambda each: (each.path, each.line_start))
    aliases = index_aliases(ideas.values())
    families = {experiment_id: family_of(run.run_id) for experiment_id, run in by_id.items()}
    names = {each: _names(run, stems.get(each)) for each, run in by_id.items()}
    carriers: dict[str, set[str]] = defaultdict(set)
    for experiment_id, run_names in names.items():
        for name in run_names:
            carriers[name].add(families[experiment_id])
    spans = find_spans(
        {name: frozenset(each) for name, each in carriers.items()}, aliases, learn_knobs(sorted(carriers))
    )
    reader = MentionReader(by_id, stems, aliases)
    mentions = [reader.read(entry) for entry in journal]
    return ScopeEvidence(
        scope=scope,
        runs=by_id,
        ideas=ideas,
        spans={each: tuple(span for name in names[each] for span in spans[name]) for each in by_id},
        families=families,
        variant_stems=stems,
        docstrings={each: docstrings[stem] for each, stem in stems.items() if stem in docstrings},
        aliases=aliases,
        mentions=tuple(mentions),
        notes={experiment_id: _notes(reader, run) for experiment_id, run in by_id.items()},
        births=find_births(ideas.values(), mentions, checks, aliases),
    )


def _notes(reader: MentionReader, run: Run) -> tuple[Sentence, ...]:
    """The ledger's remarks on a run that name something."""
    texts = (run.ledger.note, run.ledger.purpose) if run.ledger else ()
    sentences = (reader.read_sentence(text[:NOTE_CHARS]) for text in texts if text)
    return tuple(sentence for sentence in sentences if sentence.idea_ids)


def _names(run: Run, variant_stem: str | None) -> tuple[str, ...]:
    """The names of a run that its agent chose: its id, its file, and its logs if called otherwise."""
    names = [parse_run_id(run.run_id).stem]
    if variant_stem:
        names.append(without_prefixes(fold(variant_stem)))
    for log in run.logs:
        stem = log_stem(log.path)
        if stem != run.run_id and not _HEX.fullmatch(stem.lower()):
            names.append(parse_run_id(stem).stem)
    return tuple(dict.fromkeys(names))
