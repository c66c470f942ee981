"""Put a new folder in the place of an old one, so that whoever looks sees one of them whole."""

import ctypes
import os
import shutil
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def workplace(out: Path) -> Path:
    """Name the folder beside `out` in which its successor is written: always the same, on the same disk."""
    return out.parent / f".{out.name}.building"


def clean_up(out: Path) -> None:
    """Remove what a killed build left beside `out`; if it was killed between two renames, undo the first.

    Only whoever holds the folder's lock may call this.
    """
    beside = workplace(out)
    if (beside / "old").is_dir() and not out.exists():
        (beside / "old").replace(out)
    shutil.rmtree(beside, ignore_errors=True)


def put_in_place(new: Path, out: Path) -> None:
    """Put a finished folder at `out`; an earlier one there ends up in the workplace.

    Where the system can exchange two names in one step it does; elsewhere there is a moment without a folder
    at `out`, which `clean_up` mends if the process is killed just then.

    Raises:
        OSError: If it cannot be done; the earlier folder is at `out` then.
    """
    _flush(new)
    if not out.exists():
        new.replace(out)
    elif not _exchange(new, out):
        old = workplace(out) / "old"
        out.replace(old)
        try:
            new.replace(out)
        except OSError:
            old.replace(out)
            raise
    _flush_one(out.parent)


def _flush(folder: Path) -> None:
    """Bring a folder and all that is in it to the disk, so that no power cut leaves names without content."""
    for parent, _, names in os.walk(folder):
        for name in names:
            _flush_one(Path(parent) / name)
        _flush_one(Path(parent))


def _flush_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step, if the system can."""
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    names = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other))
    return int(renameat2(*names, _RENAME_EXCHANGE)) == 0
