"""The archive itself: a folder, a tar, a zip or a git address, listed file by file and safe to read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from parsers.kinds import FileKind, kind_in_export, kind_in_scratchpad
from parsers.quarantine import Quarantined, Reason
from parsers.scopes import SCOPES, Scope
from parsers.secrets import find_keys, hide_keys
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
        mtime_ns: When it was last written, for caches alone: it says when somebody cloned the archive.
    """

    path: str
    kind: FileKind
    scope: Scope | None
    size_bytes: int
    mtime_ns: int = 0


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
    _walk(root, "", root, files, refused)
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


def _walk(
    folder: Path, prefix: str, root: Path, files: list[ArchiveFile], refused: list[Quarantined]
) -> None:
    try:
        with os.scandir(folder) as entries:
            listed = list(entries)
    except OSError as error:
        refused.append(_refuse(prefix, Reason.UNREADABLE, f"it cannot be listed ({error.strerror})"))
        return
    for entry in listed:
        path = prefix + entry.name
        if cause := _cause_to_refuse(entry, root):
            refused.append(_refuse(path, Reason.UNSAFE_MEMBER, cause))
        elif entry.is_symlink():
            continue
        elif entry.is_dir(follow_symlinks=False):
            if entry.name != ".git":
                _walk(folder / entry.name, path + "/", root, files, refused)
        else:
            status = entry.stat(follow_symlinks=False)
            files.append(_describe(path, status.st_size, status.st_mtime_ns))


def _cause_to_refuse(entry: "os.DirEntry[str]", root: Path) -> str | None:
    if not _is_utf8(entry.name):
        return "its name is not valid UTF-8"
    if find_keys(entry.name.encode()):
        return "its name holds something like a key"
    if entry.is_symlink():
        is_inside = Path(entry.path).resolve().is_relative_to(root)
        return None if is_inside else "it is a link that points out of the archive"
    if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False):
        return None
    return "it is neither a file nor a folder"


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse(path: str, reason: Reason, cause: str) -> Quarantined:
    shown = hide_keys(path.encode("utf-8", errors="replace").decode())
    detail = f"The member {shown} was refused: {cause}."
    return Quarantined(FileKind.OTHER, shown, None, 0, reason, detail, "")


_SCOPE_OF_FOLDER = {scope.folder: scope for scope in SCOPES}


def _describe(path: str, size_bytes: int, mtime_ns: int) -> ArchiveFile:
    *folder, rest = path.split("/", 3)
    scope = _SCOPE_OF_FOLDER.get("/".join(folder))
    if scope is not None:
        return ArchiveFile(path, kind_in_scratchpad(rest), scope, size_bytes, mtime_ns)
    in_export = path.removeprefix(EXPORT_FOLDER + "/")
    kind = kind_in_export(in_export) if in_export != path else FileKind.OTHER
    return ArchiveFile(path, kind, None, size_bytes, mtime_ns)
