"""Which kind of file a path of the archive is, by where it lies and what it is called."""

import re
from enum import StrEnum


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

_LOG_SUFFIXES: tuple[str, ...] = (".log", ".out", ".txt", ".err")
_BATCH_STUB = re.compile(r"run_[^/]*\.sh")
_TOP_LEVEL = {
    "runs.jsonl": FileKind.LEDGER,
    "THREAD.md": FileKind.JOURNAL,
    "audits.md": FileKind.AUDIT,
    "ideas.md": FileKind.IDEA_LIST,
}
_IN_FOLDER: dict[str, tuple[tuple[str, ...], FileKind]] = {
    "variants": ((".py",), FileKind.VARIANT),
    "ideas": ((".md",), FileKind.IDEA),
    "rule_checks": ((".md",), FileKind.RULE_CHECK),
    "sbatch-stubs": ((".sh",), FileKind.STUB),
    "runs": (_LOG_SUFFIXES, FileKind.LOG),
}
_IN_EXPORTED_RUN = {
    "metadata.json": FileKind.EXPORT_METADATA,
    "launched_script.py": FileKind.EXPORT_SCRIPT,
    "train.log": FileKind.EXPORT_LOG,
    "console.log": FileKind.EXPORT_LOG,
}


def kind_in_scratchpad(path: str) -> FileKind:
    """Classify a file by its POSIX path relative to a scratchpad.

    >>> kind_in_scratchpad("runs/muonh-r0.console.log").value
    'log'
    >>> kind_in_scratchpad("runs.jsonl.bak-20260504T0155Z").value
    'other'
    """
    folder, slash, _ = path.partition("/")
    if not slash:
        return FileKind.STUB if _BATCH_STUB.fullmatch(path) else _TOP_LEVEL.get(path, FileKind.OTHER)
    endings, kind = _IN_FOLDER.get(folder, ((), FileKind.OTHER))
    return kind if path.endswith(endings) else FileKind.OTHER


def kind_in_export(path: str) -> FileKind:
    """Classify a file by its POSIX path relative to `data/runs_self_contained`.

    >>> kind_in_export("agents/cc_v1/runs/00001-a-0123456789/metadata.json").value
    'export_metadata'
    """
    if path == "runs.jsonl":
        return FileKind.EXPORT_LEDGER
    parts = path.split("/")
    if len(parts) == 5 and parts[0] == "agents" and parts[2] == "runs":
        return _IN_EXPORTED_RUN.get(parts[4], FileKind.OTHER)
    return FileKind.OTHER
