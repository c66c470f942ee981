"""The archive reader: kinds of source, where the root is, and what must be refused."""

import io
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from parsers.archive import list_archive, open_archive
from parsers.kinds import FileKind
from parsers.quarantine import Reason
from parsers.scopes import SCOPES, Scope
from parsers.unpacking import ArchiveError

LOG = "v2/codex/scratchpad/runs/a.log"


def make_archive(root: Path) -> Path:
    for name, text in {
        LOG: "x",
        "v2/codex/scratchpad/runs.jsonl": '{"run_id": "a"}\n',
        "v2/codex/scratchpad/runs.jsonl.bak-20260504T0155Z": "",
        "v2/codex/scratchpad/THREAD.md": "# t",
        "v2/codex/scratchpad/run_all.sh": "",
        "v2/codex/scratchpad/ideas/b.md": "# b",
        "v2/codex/scratchpad/variants/b.py": "",
        "v2/codex/scratchpad/sbatch-stubs/a.sh": "",
        "v1/claude-code/scratchpad/ideas.md": "1. x",
        "data/runs_self_contained/agents/cc_v1/runs/00001-a-0123456789/metadata.json": "{}",
        "worktrees/x/train.py": "",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def tar_with(path: Path, *members: tarfile.TarInfo, mode: str = "w") -> Path:
    make_archive(path.parent / "tree")
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]  # the mode is one of its literals
        tar.add(path.parent / "tree", arcname="repository-abc123")
        for member in members:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def test_a_folder_lists_every_file_once_with_kind_and_scope(tmp_path: Path) -> None:
    archive = list_archive(make_archive(tmp_path))
    kinds = {file.path: file.kind for file in archive.files}
    assert len(kinds) == len(archive.files) == 11
    assert kinds[LOG] == FileKind.LOG
    assert kinds["v2/codex/scratchpad/runs.jsonl.bak-20260504T0155Z"] == FileKind.OTHER
    assert kinds["v1/claude-code/scratchpad/ideas.md"] == FileKind.IDEA_LIST
    assert kinds["worktrees/x/train.py"] == FileKind.OTHER
    assert {file.scope for file in archive.files if file.path == LOG} == {Scope("codex", "v2")}
    assert [file.path for file in archive.files] == sorted(kinds)


def test_missing_scratchpads_are_named(tmp_path: Path) -> None:
    archive = list_archive(make_archive(tmp_path))
    assert archive.scopes == (Scope("claude-code", "v1"), Scope("codex", "v2"))
    assert len(archive.missing) == len(SCOPES) - 2


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz"])
def test_tars_are_unpacked_and_removed_again(tmp_path: Path, name: str) -> None:
    path = tar_with(tmp_path / name, mode="w:gz" if "gz" in name else "w")
    with open_archive(str(path)) as archive:
        root = archive.root
        assert len(archive.files) == 11
        assert (root / LOG).read_text() == "x"
    assert not root.exists()


def test_a_zstandard_tar_is_unpacked(tmp_path: Path) -> None:
    plain = tar_with(tmp_path / "a.tar")
    packed = tmp_path / "a.tar.zst"
    packed.write_bytes(zstandard.compress(plain.read_bytes()))
    with open_archive(str(packed)) as archive:
        assert len(archive.files) == 11


def test_a_zip_is_unpacked(tmp_path: Path) -> None:
    tree = make_archive(tmp_path / "tree")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        for path in sorted(tree.rglob("*")):
            packed.write(path, path.relative_to(tree.parent))
    with open_archive(str(tmp_path / "a.zip")) as archive:
        assert len(archive.files) == 11


def test_a_git_address_is_cloned(tmp_path: Path) -> None:
    tree = make_archive(tmp_path / "tree")
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", *command], cwd=tree, check=True)
    with open_archive(f"file://{tree}") as archive:
        assert len(archive.files) == 11


def test_a_git_address_that_leads_nowhere(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="could not be cloned"), open_archive(f"file://{tmp_path}/none"):
        pass


@pytest.mark.parametrize("name", ["nowhere", "file.txt", "empty"])
def test_what_is_no_archive(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ArchiveError, match="is not an archive") as error, open_archive(str(tmp_path / name)):
        pass
    assert name in str(error.value)


def test_the_error_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="v1/claude-code/scratchpad") as error:
        list_archive(tmp_path)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def member(name: str, **fields: object) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = 1 if "type" not in fields else 0
    for field, value in fields.items():
        setattr(info, field, value)
    return info


@pytest.mark.parametrize(
    ("bad", "cause"),
    [
        (member("../evil.txt"), "leave the archive's root"),
        (member("/etc/evil.txt"), "leave the archive's root"),
        (member("a/../../evil.txt"), "leave the archive's root"),
        (member("evil-link", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "points out"),
        (member("a/evil-link", type=tarfile.SYMTYPE, linkname="../../x"), "points out"),
        (member("evil-hard", type=tarfile.LNKTYPE, linkname="../x"), "points out"),
        (member("evil-pipe", type=tarfile.FIFOTYPE), "device or pipe"),
        (member("evil-device", type=tarfile.CHRTYPE), "device or pipe"),
    ],
    ids=lambda value: value.name if isinstance(value, tarfile.TarInfo) else "",
)
def test_a_hostile_tar_is_refused_with_the_member_named(
    tmp_path: Path, bad: tarfile.TarInfo, cause: str
) -> None:
    path = tar_with(tmp_path / "a.tar", bad)
    with pytest.raises(ArchiveError, match=cause) as error, open_archive(str(path)):
        pass
    assert bad.name in str(error.value)
    assert not (tmp_path / "evil.txt").exists()


def test_a_hostile_zip_is_refused_with_the_member_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("../evil.txt", "x")
    with pytest.raises(ArchiveError, match=r"evil\.txt"), open_archive(str(tmp_path / "a.zip")):
        pass


def test_a_zip_with_a_link_that_points_out_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("evil-link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(link, "../../etc/passwd")
    with pytest.raises(ArchiveError, match="evil-link"), open_archive(str(tmp_path / "a.zip")):
        pass


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tar.zst", "a.zip"])
def test_a_damaged_archive_is_an_error_of_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04" + b"junk" * 100)
    with pytest.raises(ArchiveError) as error, open_archive(str(tmp_path / name)):
        pass
    assert name in str(error.value)


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    root = make_archive(tmp_path / "tree")
    runs = root / "v2/codex/scratchpad/runs"
    (runs / "out.log").symlink_to(tmp_path / "secret.txt")
    (runs / "twin.log").symlink_to(runs / "a.log")
    archive = list_archive(root)
    assert [file.path for file in archive.files if file.kind == FileKind.LOG] == [LOG]
    (refused,) = archive.refused
    assert (refused.reason, refused.path) == (Reason.UNSAFE_MEMBER, "v2/codex/scratchpad/runs/out.log")
    assert "points out" in refused.detail


def test_pipes_and_unreadable_names_in_a_folder_are_refused(tmp_path: Path) -> None:
    root = make_archive(tmp_path)
    os.mkfifo(root / "v2/codex/scratchpad/runs/pipe.log")
    (root / os.fsdecode(b"v2/codex/scratchpad/runs/\xff.log")).write_text("x")
    refused = list_archive(root).refused
    assert [reject.reason for reject in refused] == [Reason.UNSAFE_MEMBER] * 2
    assert all(reject.path.encode() for reject in refused)
