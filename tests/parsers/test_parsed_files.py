"""Batches of files, and the records of an archive by their type."""

from pathlib import Path

from parsers.archive import ArchiveFile
from parsers.audits import Audit
from parsers.kinds import FileKind
from parsers.ledger import LedgerEntry
from parsers.logs import Log
from parsers.parsed_files import plan_batches
from parsers.scopes import Scope
from parsers.variants import Variant
from tests.helpers import log_text, parse_folder, write_scratchpad

CLAUDE, CODEX = Scope("claude-code", "v1"), Scope("codex", "v1")


def file(path: str, scope: Scope | None, size_bytes: int = 10, kind: FileKind = FileKind.LOG) -> ArchiveFile:
    return ArchiveFile(path, kind, scope, size_bytes)


def test_a_batch_holds_files_of_one_scope_in_the_order_given() -> None:
    files = [file("a", CLAUDE), file("b", CLAUDE), file("c", CODEX), file("d", None), file("e", CODEX)]
    assert plan_batches(files) == [tuple(files[:2]), (files[2],), (files[3],), (files[4],)]


def test_batches_are_of_bounded_size() -> None:
    """A file that is larger than a batch may be stands alone."""
    sizes = [9_000_000, 7_000_000, 1, 40_000_000, 5]
    files = [file(str(number), CODEX, size) for number, size in enumerate(sizes)]
    assert [[each.size_bytes for each in batch] for batch in plan_batches(files)] == [
        [9_000_000, 7_000_000],
        [1],
        [40_000_000],
        [5],
    ]
    assert [len(batch) for batch in plan_batches(file(str(number), CODEX) for number in range(1200))] == [
        512,
        512,
        176,
    ]


def test_files_without_a_parser_are_in_no_batch() -> None:
    assert plan_batches([file("a.png", CODEX, kind=FileKind.OTHER)]) == []


def test_records_come_by_type_in_the_order_of_paths(tmp_path: Path) -> None:
    files = {"runs/b.log": log_text((0, 10.8)), "runs/a.log": log_text((0, 10.8)), "variants/c.py": "a = 1\n"}
    ledger = [{"run_id": "b", "status": "completed"}, {"run_id": "a", "status": "failed"}]
    parsed = parse_folder(write_scratchpad(tmp_path, files, ledger))
    folder = "v1/codex/scratchpad"
    assert [(each.path, log.path) for each, log in parsed.records(Log)] == [
        (f"{folder}/runs/a.log", f"{folder}/runs/a.log"),
        (f"{folder}/runs/b.log", f"{folder}/runs/b.log"),
    ]
    assert [entry.run_id for _, entry in parsed.records(LedgerEntry)] == ["b", "a"]
    assert [variant.stem for _, variant in parsed.records(Variant)] == ["c"]
    assert list(parsed.records(Audit)) == []
