"""The cache of parsed files: what it saves, and that it never changes what comes out."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from flows import shards
from flows.parse_cache import ParseCache
from flows.record_codec import parser_version
from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import build_dataset, parse_archive
from parsers.archive import list_archive
from parsers.parsed_files import ParsedArchive, ParsedFile
from tests.helpers import log_text, parse_folder, write_scratchpad

LOG = "v2/codex/scratchpad/runs"


@pytest.fixture
def archive(demo_archive: Path, tmp_path: Path) -> Path:
    return shutil.copytree(demo_archive, tmp_path / "archive")


def parse(archive: Path, cache: Path | None) -> ParsedArchive:
    settings = BuildSettings(archive=str(archive), out="unused", cache=str(cache) if cache else None)
    return parse_archive(list_archive(archive), settings, QuietReporter(Console(quiet=True)))


def known(archive: Path, cache: Path) -> dict[str, ParsedFile]:
    listed = list_archive(archive)
    files = [each.file for each in parse_folder(archive).files]
    return ParseCache(cache / "parsed").load(listed.root, files)[0]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def some_log(archive: Path) -> Path:
    return max((archive / LOG).glob("*.log"), key=lambda path: path.stat().st_size)


def test_everything_is_known_after_a_build(archive: Path, tmp_path: Path) -> None:
    first = parse(archive, tmp_path / "cache")
    assert known(archive, tmp_path / "cache").keys() == {each.file.path for each in first.files}


def test_a_build_from_the_cache_gives_the_same_bytes(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1777777777")
    built = []
    for number, cache in enumerate([None, "cache", "cache"]):
        settings = BuildSettings(
            archive=str(archive),
            out=str(tmp_path / f"out{number}"),
            cache=str(tmp_path / cache) if cache else None,
        )
        build_dataset(settings, QuietReporter(Console(quiet=True)))
        built.append(contents(tmp_path / f"out{number}"))
    assert built[0] == built[1] == built[2]


def touch(path: Path) -> None:
    os.utime(path, (1, 1))


def change(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"val_loss:3.", b"val_loss:4."))


def grow(path: Path) -> None:
    path.write_text(path.read_text(errors="replace") + log_text((9000, 3.1)))


@pytest.mark.parametrize(("edit", "is_known"), [(touch, True), (change, False), (grow, False)])
def test_only_what_changed_is_parsed_again(
    archive: Path, tmp_path: Path, edit: Callable[[Path], None], is_known: bool
) -> None:
    first = parse(archive, tmp_path / "cache")
    log = some_log(archive)
    edit(log)
    found = known(archive, tmp_path / "cache")
    missing = {each.file.path for each in first.files} - found.keys()
    assert missing == (set() if is_known else {log.relative_to(archive).as_posix()})
    again, cold = parse(archive, tmp_path / "cache"), parse(archive, None)
    assert again.sources == cold.sources
    assert [repr(each) for each in again.files] == [repr(each) for each in cold.files]
    assert known(archive, tmp_path / "cache").keys() == {each.file.path for each in first.files}


def test_what_is_gone_from_the_archive_is_gone_from_the_result(archive: Path, tmp_path: Path) -> None:
    parse(archive, tmp_path / "cache")
    shutil.rmtree(archive / "v1/codex/scratchpad/variants")
    again, cold = parse(archive, tmp_path / "cache"), parse(archive, None)
    assert again.sources == cold.sources
    assert [each.file.path for each in again.files] == [each.file.path for each in cold.files]


@pytest.mark.parametrize("what", ["files", "sources"])
@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "text"])
def test_a_damaged_shard_is_noticed_and_rebuilt(
    archive: Path, tmp_path: Path, what: str, damage: str
) -> None:
    cold = parse(archive, tmp_path / "cache")
    for shard in (tmp_path / "cache/parsed").glob(f"*.{what}.arrow"):
        data = bytearray(shard.read_bytes())
        if damage == "truncate":
            del data[len(data) // 2 :]
        elif damage == "flip":
            for at in range(200, len(data), max(1, len(data) // 50)):
                data[at] ^= 0xFF
        elif damage == "empty":
            data.clear()
        else:
            data[:] = b"this is no shard"
        shard.write_bytes(bytes(data))
    again = parse(archive, tmp_path / "cache")
    assert again.sources == cold.sources
    assert [repr(each) for each in again.files] == [repr(each) for each in cold.files]


def test_another_parser_version_believes_nothing(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse(archive, tmp_path / "cache")
    assert known(archive, tmp_path / "cache")
    monkeypatch.setattr(shards, "parser_version", lambda: "another")
    assert known(archive, tmp_path / "cache") == {}


def test_the_version_is_the_hash_of_the_parsers() -> None:
    assert len(parser_version()) == 64


def test_a_file_with_a_secret_of_this_environment_is_parsed_afresh_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept before it was known to be a secret, it is not believed; parsed without it, it is no one else's."""
    files = {"ideas/a.md": "# Idea\n\nWith plain-value-1.\n", "ideas/b.md": "# Other\n\nWithout.\n"}
    archive = write_scratchpad(tmp_path / "archive", files)
    cache = tmp_path / "cache"
    assert "plain-value-1" in repr(parse(archive, cache).files)
    monkeypatch.setenv("SOME_API_KEY", "plain-value-1")
    left = parse(archive, cache)
    assert "plain-value-1" not in repr(left.files)
    assert "value of SOME_API_KEY" in repr(left.files)
    (archive / "v1/codex/scratchpad/ideas/b.md").write_text("# Other\n\nChanged.\n")
    parse(archive, cache)
    kept = {path.rpartition("/")[2] for path in known(archive, cache)}
    assert kept == {"b.md", "runs.jsonl"}
    monkeypatch.delenv("SOME_API_KEY")
    assert "plain-value-1" in repr(parse(archive, cache).files)
