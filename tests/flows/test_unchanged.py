"""A build that would change nothing ends early; anything that could change something is noticed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from flows import unchanged
from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import BuildResult, build_dataset
from tests.helpers import log_text, write_scratchpad

LEDGER = "archive/v1/codex/scratchpad/runs.jsonl"


def build(root: Path, **settings: Any) -> BuildResult:
    chosen = BuildSettings(
        archive=str(root / "archive"), out=str(root / "out"), cache=str(root / "cache")
    ).model_copy(update=settings)
    return build_dataset(chosen, QuietReporter(Console(quiet=True)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8))}, [{"run_id": "a"}])
    assert not build(tmp_path).is_unchanged
    return tmp_path


def test_the_second_build_ends_early(root: Path) -> None:
    before = (root / "out/runs.parquet").stat().st_mtime_ns
    result = build(root)
    assert result.is_unchanged
    assert (root / "out/runs.parquet").stat().st_mtime_ns == before
    assert {entry.name: entry.rows for entry in result.manifest.files}["runs.parquet"] == 1


def edit_input(root: Path) -> None:
    with (root / LEDGER).open("a") as file:
        file.write('{"run_id": "b"}\n')


def touch_input(root: Path) -> None:
    os.utime(root / LEDGER, (5, 5))


def add_file(root: Path) -> None:
    (root / "archive/v1/codex/scratchpad/notes.txt").write_text("x")


def harm_table(root: Path) -> None:
    path = root / "out/runs.parquet"
    path.write_bytes(path.read_bytes()[:-9] + b"x" * 9)


def lose_table(root: Path) -> None:
    (root / "out/ideas.parquet").unlink()


def harm_memory(root: Path) -> None:
    (root / "cache/builds.json").write_text("[not json")


@pytest.mark.parametrize("edit", [edit_input, touch_input, add_file, harm_table, lose_table, harm_memory])
def test_what_could_matter_is_noticed(root: Path, edit: Callable[[Path], None]) -> None:
    edit(root)
    assert not build(root).is_unchanged
    assert build(root).is_unchanged


def test_another_setting_is_another_build(root: Path) -> None:
    assert not build(root, year=2031).is_unchanged
    assert build(root, year=2031, workers=2).is_unchanged


def test_other_code_is_another_build(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unchanged, "code_version", lambda: "another")
    assert not build(root).is_unchanged


def test_a_build_that_more_than_the_archive_decides_is_never_skipped(tmp_path: Path) -> None:
    """Corrections may have changed, and questions may have stayed open, without a sign in any file's time."""
    write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8))}, [{"run_id": "a"}])
    overrides = tmp_path / "overrides.csv"
    overrides.write_text("experiment_id,idea_id,expect\n")
    chosen = BuildSettings(
        archive=str(tmp_path / "archive"),
        out=str(tmp_path / "out"),
        cache=str(tmp_path / "cache"),
        overrides=str(overrides),
    )
    for _ in range(2):
        assert not build_dataset(chosen, QuietReporter(Console(quiet=True))).is_unchanged
