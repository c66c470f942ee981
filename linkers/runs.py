"""Runs: what the ledger, the logs and the export say of one launch, joined by stated rules.

The log wins for what it shows, the ledger fills what the log lacks, the export what both lack. Where ledger
and log disagree, both values stay and the run says so. A run with several trials carries the outcome of the
first; a ledger agrees with its log when any trial bears it out.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from linkers.launch_times import LaunchTime, YearEvidence, pick_launch
from linkers.run_conflicts import find_conflicts
from linkers.run_outcomes import Outcome, outcome_of_facts, outcome_of_trial
from parsers.archive import ArchiveFile
from parsers.elsewhere import Mapper
from parsers.export import ExportRun
from parsers.ledger import LedgerEntry, LedgerRun, merge_entries
from parsers.ledger_fields import LedgerFields, Status, log_stem, status_of_word
from parsers.logs import EndNote, Log, run_id_of_log
from parsers.parsed_files import ParsedArchive
from parsers.run_ids import RunName, parse_run_id
from parsers.scopes import WAVES, Scope

UNFORWARDED_SEEDS = frozenset({*(Scope("claude-code", wave) for wave in WAVES), Scope("codex", "v2")})
"""Scopes whose launchers never passed the seed of the run's name to the trainer: all draws of one seed."""


class SeedSource(StrEnum):
    """Where a run's seed is known from, the best evidence first."""

    LOG = "log"
    LEDGER = "ledger"
    RUN_ID = "run_id"
    RUN_ID_NOT_FORWARDED = "run_id_not_forwarded"


@dataclass(frozen=True, slots=True)
class Run:
    """One launch.

    Attributes:
        scope: Its scope.
        run_id: Its id inside the scope.
        name: The parts of the id.
        launch: When it was launched and how one knows; None where nothing tells.
        outcome: How its first trial went.
        status: How it ended.
        seed: Its seed.
        seed_source: Where the seed is known from.
        num_trials: Trials in its log, or as the ledger counts them.
        logs: Its log files, the one that is published first.
        ledger: The merged statements of the ledger, or None.
        ledger_lines: Lines of the ledger that speak of it.
        export_ids: Ids under which the self-contained export holds it.
        conflicts: One sentence for each disagreement between ledger and log.
        same_log_as: The run id under which the log that this ledger row names lies in the archive.
    """

    scope: Scope
    run_id: str
    name: RunName
    launch: LaunchTime | None
    outcome: Outcome
    status: Status
    seed: int | None
    seed_source: SeedSource | None
    num_trials: int
    logs: tuple[Log, ...]
    ledger: LedgerFields | None
    ledger_lines: tuple[int, ...]
    export_ids: tuple[str, ...]
    conflicts: tuple[str, ...]
    same_log_as: str | None

    @property
    def experiment_id(self) -> str:
        """The id that is unique across scopes."""
        return self.scope.qualify(self.run_id)


T = TypeVar("T")


def join_runs(parsed: ParsedArchive, default_year: int, mapper: Mapper = map) -> tuple[Run, ...]:
    """Join ledger, logs and export of every scope into runs.

    Args:
        parsed: The parsed archive.
        default_year: Year of stamps without one, where the archive states no date.
        mapper: Who joins each scope.

    Returns:
        The runs, sorted by scope (earliest wave first) and run id.
    """
    logs = _by_scope(parsed.records(Log))
    entries = _by_scope(parsed.records(LedgerEntry))
    exports: dict[Scope, list[ExportRun]] = defaultdict(list)
    for _, export in parsed.records(ExportRun):
        if export.scope is not None:
            exports[export.scope].append(export)
    years = YearEvidence.of(parsed, default_year)
    sources = [
        _ScopeSources(scope, logs[scope], entries[scope], exports[scope], years)
        for scope in parsed.archive.scopes
    ]
    return tuple(run for joined in mapper(_join_scope, sources) for run in joined)


def _by_scope(records: Iterable[tuple[ArchiveFile, T]]) -> dict[Scope, list[T]]:
    grouped: dict[Scope, list[T]] = defaultdict(list)
    for file, record in records:
        if file.scope is not None:
            grouped[file.scope].append(record)
    return grouped


@dataclass(frozen=True, slots=True)
class _ScopeSources:
    """Everything that speaks of the runs of one scope."""

    scope: Scope
    logs: Sequence[Log]
    entries: Sequence[LedgerEntry]
    exports: Sequence[ExportRun]
    years: YearEvidence


def _join_scope(given: _ScopeSources) -> list[Run]:
    ledger_of = {run.run_id: run for run in merge_entries(given.entries)}
    logs_of = _assign_logs(given.logs, ledger_of)
    exports_of: dict[str, list[ExportRun]] = defaultdict(list)
    for export in given.exports:
        if export.run_id is not None:
            exports_of[export.run_id].append(export)
    owner_of_log_id = _owners_of_log_ids(logs_of)
    runs = []
    for run_id in sorted(ledger_of.keys() | logs_of.keys() | exports_of.keys()):
        sources = _Sources(logs_of.get(run_id, []), ledger_of.get(run_id), exports_of[run_id])
        launch = pick_launch(given.scope, sources.logs, sources.facts, sources.exports, given.years)
        runs.append(_join_run(given.scope, run_id, sources, launch, owner_of_log_id))
    return runs


def _assign_logs(logs: Sequence[Log], ledger_of: Mapping[str, LedgerRun]) -> dict[str, list[Log]]:
    """Give each log to the run of its name, else to the one ledger row that states it as its log."""
    claims: dict[str, list[str]] = defaultdict(list)
    for run in ledger_of.values():
        if run.facts.log_path is not None:
            claims[log_stem(run.facts.log_path)].append(run.run_id)
    assigned: dict[str, list[Log]] = defaultdict(list)
    for log in logs:
        name = run_id_of_log(log.path)
        claimants = claims.get(name, [])
        is_claimed = name not in ledger_of and len(claimants) == 1
        assigned[claimants[0] if is_claimed else name].append(log)
    return {run_id: sorted(each, key=_fullness) for run_id, each in assigned.items()}


def _fullness(log: Log) -> tuple[int, int, str]:
    """Order the logs of a run: most checkpoints first, then the longest, then by name."""
    return -len(log.checkpoints), -log.size_bytes, log.path


def _owners_of_log_ids(logs_of: Mapping[str, Sequence[Log]]) -> dict[str, str]:
    """Map the uuid that a log prints of itself to its run, where only one run's logs print it."""
    owners: dict[str, set[str]] = defaultdict(set)
    for run_id, logs in logs_of.items():
        for log in logs:
            if log.preamble.log_id is not None:
                owners[log.preamble.log_id].add(run_id)
    return {log_id: min(names) for log_id, names in owners.items() if len(names) == 1}


@dataclass(frozen=True, slots=True)
class _Sources:
    """Everything that speaks of one run."""

    logs: Sequence[Log]
    ledger: LedgerRun | None
    exports: Sequence[ExportRun]

    @property
    def facts(self) -> LedgerFields | None:
        return self.ledger.facts if self.ledger else None


def _join_run(
    scope: Scope,
    run_id: str,
    sources: _Sources,
    launch: LaunchTime | None,
    owner_of_log_id: Mapping[str, str],
) -> Run:
    facts = sources.facts
    name = parse_run_id(run_id)
    trials = _trials(sources.logs[0]) if sources.logs else ()
    stated: list[LedgerFields | ExportRun] = [facts] if facts else []
    stated += [log.indexed_run for log in sources.logs if log.indexed_run is not None]
    stated += sources.exports
    outcome = (trials[0] if trials else Outcome()).filled_from(outcome_of_facts(each) for each in stated)
    status = _status(name, sources, trials)
    seed, seed_source = _seed(scope, name, sources)
    printed_seed = seed if seed_source == SeedSource.LOG else None
    owner = owner_of_log_id.get(log_stem(facts.log_path)) if facts and facts.log_path else None
    return Run(
        scope=scope,
        run_id=run_id,
        name=name,
        launch=launch,
        outcome=outcome,
        status=status,
        seed=seed,
        seed_source=seed_source,
        num_trials=len(trials) or (facts.num_trials or 0 if facts else 0),
        logs=tuple(sources.logs),
        ledger=facts,
        ledger_lines=sources.ledger.lines if sources.ledger else (),
        export_ids=tuple(sorted({each.export_id for each in sources.exports if each.export_id})),
        conflicts=find_conflicts(trials, facts, printed_seed, launch, status) if trials and facts else (),
        same_log_as=owner if not sources.logs and owner != run_id else None,
    )


def _trials(log: Log) -> tuple[Outcome, ...]:
    return tuple(outcome_of_trial(log.checkpoints, trial) for trial in range(len(log.trial_seeds)))


def _seed(scope: Scope, name: RunName, sources: _Sources) -> tuple[int | None, SeedSource | None]:
    """Publish the seed that the trainer printed, else the ledger's, else the one in the name."""
    printed = next((log.seed for log in sources.logs if log.seed is not None), None)
    if printed is not None:
        return printed, SeedSource.LOG
    if sources.facts is not None and sources.facts.seed is not None:
        return sources.facts.seed, SeedSource.LEDGER
    if name.seed is None:
        return None, None
    is_forwarded = scope not in UNFORWARDED_SEEDS
    return name.seed, SeedSource.RUN_ID if is_forwarded else SeedSource.RUN_ID_NOT_FORWARDED


def _status(name: RunName, sources: _Sources, trials: Iterable[Outcome]) -> Status:
    """Trust the last checkpoint of the log before any word.

    A log of which a trial reaches its schedule, or the stop step that the log or the name declares, is
    completed whatever the ledger says. Otherwise counts what the scheduler wrote at the log's end, then the
    ledger's word, then a traceback at the end, which a job that is cancelled leaves as well, then the
    export's word.
    """
    declared = [name.stop_step, *(log.preamble.stop_step for log in sources.logs)]
    if any(trial.final_step in (trial.scheduled_steps, *declared) for trial in trials):
        return Status.COMPLETED
    ends = {each.end_note for each in sources.logs}
    words = [status for note, status in _STATUS_OF_END.items() if note in ends]
    words += [sources.facts.status] if sources.facts and sources.facts.status else []
    words += [Status.FAILED] if EndNote.TRACEBACK in ends else []
    words += [word for each in sources.exports if (word := status_of_word(each.status)) is not None]
    return words[0] if words else Status.INCOMPLETE


_STATUS_OF_END = {
    EndNote.PREEMPTED: Status.PREEMPTED,
    EndNote.TIMEOUT: Status.TIMEOUT,
    EndNote.CANCELED: Status.CANCELED,
}
