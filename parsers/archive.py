"""The archive itself: a folder, a tar, a zip or a git address, listed file by file and safe to read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from parsers.kinds import FileKind, kind_in_export, kind_in_scratchpad
from parsers.quarantine import Quarantined, Reason
from parsers.scopes import SCOPES, Scope
from parsers.unpacking import ArchiveError, fetch

EXPORT_FOLDER = "data/runs_self_contained"
"""Where the self-contained export lies, relative to the archive's root."""

_SEARCH_DEPTH = 3


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One file of the archive.

    Attributes:
        path: POSIX path relative to the archive's root.
        kind: What kind of file it is.
        scope: The scope whose scratchpad it lies in; None outside the scratchpads.
        size_bytes: Its size.
    """

    path: str
    kind: FileKind
    scope: Scope | None
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that can be read.

    Attributes:
        root: The folder that holds the waves' folders.
        files: Every file once, sorted by path. Links are not followed: a target stands at its own place.
        scopes: The scopes whose scratchpads are there.
        missing: The scopes whose scratchpads are not there.
        refused: Links that point out of the root, device files and unreadable names, by name.
    """

    root: Path
    files: tuple[ArchiveFile, ...]
    scopes: tuple[Scope, ...]
    missing: tuple[Scope, ...]
    refused: tuple[Quarantined, ...]


@contextmanager
def open_archive(source: str) -> Iterator[Archive]:
    """Open an archive for the length of a `with` block.

    Args:
        source: A folder, a `.tar`, `.tar.gz`, `.tar.zst` or `.zip` file, or a git address, which is cloned
            shallow. Whatever is unpacked or cloned is removed at the end of the block.

    Raises:
        ArchiveError: If it is none of these, holds no scratchpad, or has a member that must be refused.
    """
    path = Path(source)
    if path.is_dir():
        yield list_archive(path)
        return
    with tempfile.TemporaryDirectory(prefix="speedrun-etl-") as folder:
        fetch(source, Path(folder))
        yield list_archive(Path(folder), name=source)


def list_archive(folder: Path, name: str | None = None) -> Archive:
    """List the archive that lies in a folder or up to three folders below it.

    Args:
        folder: Where to look.
        name: What to call it in an error.

    Raises:
        ArchiveError: If no scratchpad is there.
    """
    root = _find_root(folder.resolve())
    if root is None:
        wanted = ", ".join(scope.folder for scope in SCOPES)
        raise ArchiveError(
            f"{name or folder} is not an archive: none of {wanted} was found in it "
            f"or up to {_SEARCH_DEPTH} folders below."
        )
    files: list[ArchiveFile] = []
    refused: list[Quarantined] = []
    _walk(root, root, files, refused)
    present = tuple(scope for scope in SCOPES if (root / scope.folder).is_dir())
    return Archive(
        root=root,
        files=tuple(sorted(files, key=lambda file: file.path)),
        scopes=present,
        missing=tuple(scope for scope in SCOPES if scope not in present),
        refused=tuple(sorted(refused, key=lambda reject: reject.path)),
    )


def _find_root(folder: Path) -> Path | None:
    level = [folder]
    for _ in range(_SEARCH_DEPTH + 1):
        counted = [(sum((each / scope.folder).is_dir() for scope in SCOPES), each) for each in level]
        best = max(counted, key=lambda pair: pair[0], default=(0, folder))
        if best[0]:
            return best[1]
        level = [below for each in level for below in _folders_in(each)]
    return None


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.is_dir() and not each.is_symlink())
    except OSError:
        return []


def _walk(root: Path, folder: Path, files: list[ArchiveFile], refused: list[Quarantined]) -> None:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        refused.append(
            _refuse(_relative(root, folder), Reason.UNREADABLE, f"cannot be listed: {error.strerror}")
        )
        return
    for entry in entries:
        path = _relative(root, Path(entry.path))
        if not _is_utf8(path):
            refused.append(_refuse(path, Reason.UNSAFE_MEMBER, "its name is not valid UTF-8"))
        elif entry.is_symlink():
            if not Path(entry.path).resolve().is_relative_to(root):
                refused.append(
                    _refuse(path, Reason.UNSAFE_MEMBER, "it is a link that points out of the archive")
                )
        elif entry.is_dir():
            if entry.name != ".git":
                _walk(root, Path(entry.path), files, refused)
        elif not entry.is_file():
            refused.append(_refuse(path, Reason.UNSAFE_MEMBER, "it is neither a file nor a folder"))
        else:
            files.append(_describe(path, entry.stat().st_size))


def _relative(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse(path: str, reason: Reason, cause: str) -> Quarantined:
    shown = path.encode("utf-8", errors="replace").decode()
    return Quarantined(
        FileKind.OTHER, shown, None, 0, reason, f"The member {shown} was refused: {cause}.", ""
    )


def _describe(path: str, size_bytes: int) -> ArchiveFile:
    pure = PurePosixPath(path)
    for scope in SCOPES:
        if pure.is_relative_to(scope.folder):
            kind = kind_in_scratchpad(pure.relative_to(scope.folder))
            return ArchiveFile(path, kind, scope, size_bytes)
    if pure.is_relative_to(EXPORT_FOLDER):
        return ArchiveFile(path, kind_in_export(pure.relative_to(EXPORT_FOLDER)), None, size_bytes)
    return ArchiveFile(path, FileKind.OTHER, None, size_bytes)
