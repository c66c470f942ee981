"""Packed and remote archives, unpacked into a folder without trusting a single member."""

import io
import os
import shutil
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

import zstandard

MAX_UNPACKED_BYTES = 64 * 1024**3
"""A packed archive that unpacks to more is refused; the real one unpacks to 4.2 GB."""

_CLONE_TIMEOUT_S = 1800
_GIT_PREFIXES = ("https://", "http://", "ssh://", "git://", "git@", "file://")
_TAR_NAMES = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst", ".tar.bz2", ".tar.xz")


class ArchiveError(Exception):
    """The source is no archive, or one that must not be unpacked. The message is one sentence."""


def fetch(source: str, into: Path) -> None:
    """Unpack a tar or zip, or clone a git address shallow, into an empty folder.

    Links are checked and then left out: what they point to is in the archive under its own name.

    Raises:
        ArchiveError: If the source is none of these or cannot be read, or if a member is a device, has a
            name that leaves the root, or is a link that points out of it. The message names the member.
    """
    path = Path(source)
    if path.is_file():
        if zipfile.is_zipfile(path):
            _unpack_zip(path, into)
        elif path.name.endswith(_TAR_NAMES):
            _unpack_tar(path, into)
        else:
            raise ArchiveError(
                f"{source} is not an archive: it is neither a folder, a tar, a zip nor a git address."
            )
    elif source.startswith(_GIT_PREFIXES) or source.endswith(".git"):
        _clone(source, into)
    else:
        raise ArchiveError(f"{source} is not an archive: there is no such folder, tar, zip or git address.")


def _clone(address: str, into: Path) -> None:
    git = shutil.which("git")
    if git is None:
        raise ArchiveError(f"{address} cannot be cloned: git is not installed.")
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
    command = [git, "clone", "--quiet", "--depth", "1", "--", address, str(into / "clone")]
    try:
        done = subprocess.run(  # noqa: S603 - the address stands behind `--` and no shell is involved
            command, env=environment, capture_output=True, text=True, timeout=_CLONE_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ArchiveError(f"{address} was not cloned within {_CLONE_TIMEOUT_S} s.") from error
    if done.returncode:
        cause = (done.stderr.strip().splitlines() or ["git gave no reason"])[-1]
        raise ArchiveError(f"{address} could not be cloned: {cause}")


@contextmanager
def _open_tar(path: Path) -> Iterator[tarfile.TarFile]:
    if path.name.endswith((".tar.zst", ".tzst")):
        with (
            path.open("rb") as packed,
            zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream,
            tarfile.open(fileobj=io.BufferedReader(stream, 1 << 20), mode="r|") as tar,
        ):
            yield tar
    else:
        with tarfile.open(path, mode="r:*") as tar:
            yield tar


def _unpack_tar(path: Path, into: Path) -> None:
    total = 0
    try:
        with _open_tar(path) as tar:
            for member in tar:
                _check_name(path, member.name)
                if member.issym() or member.islnk():
                    _check_link(path, member)
                elif member.isfile():
                    total = _check_total(path, total + member.size)
                    content = tar.extractfile(member)
                    if content is not None:
                        _write(into / member.name, content)
                elif not member.isdir():
                    raise _refused(path, member.name, "is a device or pipe")
    except (tarfile.TarError, EOFError, zstandard.ZstdError, OSError) as error:
        raise ArchiveError(f"{path} cannot be unpacked: {error}") from error


def _unpack_zip(path: Path, into: Path) -> None:
    total = 0
    try:
        with zipfile.ZipFile(path) as packed:
            for member in packed.infolist():
                _check_name(path, member.filename)
                mode = member.external_attr >> 16
                if stat.S_ISLNK(mode):
                    target = packed.read(member).decode("utf-8", errors="replace")
                    _check_target(path, member.filename, PurePosixPath(member.filename).parent / target)
                elif stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise ArchiveError(
                        f"{path} was refused: its member {member.filename} is a device or pipe."
                    )
                elif not member.is_dir():
                    total = _check_total(path, total + member.file_size)
                    with packed.open(member) as content:
                        _write(into / member.filename, content)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise ArchiveError(f"{path} cannot be unpacked: {error}") from error


def _refused(path: Path, member: str, cause: str) -> ArchiveError:
    shown = "".join(char if char.isprintable() else "?" for char in member)
    return ArchiveError(f"{path} was refused: its member {shown} {cause}.")


def _check_name(path: Path, name: str) -> None:
    pure = PurePosixPath(name.replace("\\", "/"))
    if pure.is_absolute() or ".." in pure.parts or (pure.parts and ":" in pure.parts[0]) or "\0" in name:
        raise _refused(path, name, "would leave the archive's root")


def _check_link(path: Path, member: tarfile.TarInfo) -> None:
    parent = PurePosixPath(member.name).parent if member.issym() else PurePosixPath()
    _check_target(path, member.name, parent / member.linkname)


def _check_target(path: Path, name: str, target: PurePosixPath) -> None:
    depth = 0
    for part in target.parts:
        depth += -1 if part == ".." else 1
        if depth < 0 or target.is_absolute():
            raise ArchiveError(
                f"{path} was refused: its member {name} is a link that points out of the archive."
            )


def _check_total(path: Path, total: int) -> int:
    if total > MAX_UNPACKED_BYTES:
        raise ArchiveError(f"{path} was refused: it unpacks to more than {MAX_UNPACKED_BYTES} bytes.")
    return total


def _write(target: Path, content: IO[bytes]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as out:
        shutil.copyfileobj(content, out, 1 << 20)
