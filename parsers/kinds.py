"""Which kind of file a path of the archive is, by where it lies and what it is called."""

import re
from enum import StrEnum
from pathlib import PurePosixPath


class FileKind(StrEnum):
    """The kinds of file that an archive holds. Each is parsed by the module of the same name."""

    LEDGER = "ledger"
    LOG = "log"
    VARIANT = "variant"
    IDEA = "idea"
    IDEA_LIST = "idea_list"
    JOURNAL = "journal"
    AUDIT = "audit"
    RULE_CHECK = "rule_check"
    STUB = "stub"
    EXPORT_LEDGER = "export_ledger"
    EXPORT_METADATA = "export_metadata"
    EXPORT_SCRIPT = "export_script"
    EXPORT_LOG = "export_log"
    OTHER = "other"


PARSED_KINDS = tuple(kind for kind in FileKind if kind not in {FileKind.OTHER, FileKind.EXPORT_LOG})
"""Kinds whose every file ends as a record or in quarantine. The export's logs copy the scratchpads'."""

_LOG_SUFFIXES = (".log", ".out", ".txt", ".err")
_BATCH_STUB = re.compile(r"run_[^/]*\.sh")


def kind_in_scratchpad(path: PurePosixPath) -> FileKind:
    """Classify a file by its path relative to a scratchpad.

    >>> kind_in_scratchpad(PurePosixPath("runs/muonh-r0.console.log")).value
    'log'
    >>> kind_in_scratchpad(PurePosixPath("runs.jsonl.bak-20260504T0155Z")).value
    'other'
    """
    parts = path.parts
    name = path.name
    if len(parts) == 1:
        return _top_level_kind(name)
    folder = parts[0]
    if folder == "runs" and name.endswith(_LOG_SUFFIXES):
        return FileKind.LOG
    in_folder = {
        ("variants", ".py"): FileKind.VARIANT,
        ("ideas", ".md"): FileKind.IDEA,
        ("rule_checks", ".md"): FileKind.RULE_CHECK,
        ("sbatch-stubs", ".sh"): FileKind.STUB,
    }
    return in_folder.get((folder, path.suffix), FileKind.OTHER)


def _top_level_kind(name: str) -> FileKind:
    if _BATCH_STUB.fullmatch(name):
        return FileKind.STUB
    return {
        "runs.jsonl": FileKind.LEDGER,
        "THREAD.md": FileKind.JOURNAL,
        "audits.md": FileKind.AUDIT,
        "ideas.md": FileKind.IDEA_LIST,
    }.get(name, FileKind.OTHER)


def kind_in_export(path: PurePosixPath) -> FileKind:
    """Classify a file by its path relative to `data/runs_self_contained`.

    >>> kind_in_export(PurePosixPath("agents/cc_v1/runs/00001-a-0123456789/metadata.json")).value
    'export_metadata'
    """
    if path.as_posix() == "runs.jsonl":
        return FileKind.EXPORT_LEDGER
    if len(path.parts) == 5 and path.parts[0] == "agents" and path.parts[2] == "runs":
        return {
            "metadata.json": FileKind.EXPORT_METADATA,
            "launched_script.py": FileKind.EXPORT_SCRIPT,
            "train.log": FileKind.EXPORT_LOG,
            "console.log": FileKind.EXPORT_LOG,
        }.get(path.name, FileKind.OTHER)
    return FileKind.OTHER
