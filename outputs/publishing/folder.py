"""Publish to a folder, which is exchanged as a whole, or through fsspec to a bucket, its manifest last."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fsspec
from fsspec.implementations.local import LocalFileSystem

from outputs.dataset import check_target
from outputs.manifest import MANIFEST_NAME
from outputs.publishing.plan import Plan, PublishError, is_same_but_for_time, local_files, make_plan
from outputs.replacing import clean_up, put_in_place, workplace


class FolderTarget:
    """A folder that fsspec can reach.

    Args:
        address: A path, or an address such as `s3://bucket/dataset`.

    Raises:
        PublishError: If the package for this kind of address is not installed.
        OutputError: If it is a folder of this machine that holds something that is no dataset.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        try:
            self._system, root = fsspec.core.url_to_fs(address)
        except (ImportError, ValueError) as error:
            raise PublishError(f"{address} cannot be reached: {error}.") from None
        self._root = str(root).rstrip("/")
        if self.path is not None:
            check_target(self.path)

    @property
    def path(self) -> Path | None:
        """The folder, where it is one of this machine; whoever publishes to it must hold its lock."""
        return Path(self._root).resolve() if isinstance(self._system, LocalFileSystem) else None

    def plan(self, folder: Path) -> Plan:
        """Compare the dataset with what is there."""
        with self._reaching():
            self._system.invalidate_cache()
            there = {name: self._sha256(name) for name in self._names()}
            is_same = MANIFEST_NAME in there and is_same_but_for_time(
                self._read(MANIFEST_NAME), (folder / MANIFEST_NAME).read_bytes()
            )
        return make_plan(local_files(folder), there, is_same)

    def publish(self, folder: Path, plan: Plan, *, is_pruning: bool) -> None:
        """Write what differs, and delete what is not in the dataset if that was asked for.

        A folder of this machine is exchanged in one step for one that is whole. In a bucket there is no such
        step: the manifest goes last, so that whoever checks its hashes sees what is not there yet.

        Raises:
            PublishError: If it cannot be done. A folder of this machine is as it was then.
        """
        deletes = plan.deletes if is_pruning else ()
        with self._reaching():
            if self.path is not None:
                _exchange(self.path, folder, [each.name for each in plan.uploads], deletes)
                return
            for each in plan.uploads:
                self._system.put_file(str(folder / each.name), f"{self._root}/{each.name}")
            for name in deletes:
                self._system.rm_file(f"{self._root}/{name}")

    def fetch(self, into: Path) -> bool:
        """Copy the tables and the manifest that are there, so that they can be compared."""
        names = [name for name in self._names() if name.endswith(".parquet") or name == MANIFEST_NAME]
        for name in names:
            if "/" not in name:
                (into / name).write_bytes(self._read(name))
        return MANIFEST_NAME in names

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Say in a sentence what goes wrong: every kind of filesystem has errors of its own."""
        try:
            yield
        except Exception as error:
            cause = " ".join(f"{type(error).__name__}: {error}".split())
            raise PublishError(f"{self._address} does not take the dataset ({cause}).") from None

    def _names(self) -> list[str]:
        if not self._system.exists(self._root):
            return []
        paths = self._system.find(self._root)
        return sorted(str(path).removeprefix(self._root).lstrip("/") for path in paths)

    def _read(self, name: str) -> bytes:
        return bytes(self._system.cat_file(f"{self._root}/{name}"))

    def _sha256(self, name: str) -> str:
        return hashlib.sha256(self._read(name)).hexdigest()


def _exchange(place: Path, folder: Path, uploads: list[str], deletes: tuple[str, ...]) -> None:
    """Make the folder anew beside its place, from what stays there and what goes up, and put it in place."""
    place.parent.mkdir(parents=True, exist_ok=True)
    clean_up(place)
    new = workplace(place) / "new"
    try:
        new.parent.mkdir()
        if place.exists():
            shutil.copytree(place, new, symlinks=True, copy_function=_link)
        for name in (*deletes, *uploads):
            # Unlinked before it is written: the name may lead to the very file that readers have open.
            (new / name).unlink(missing_ok=True)
        for name in uploads:
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / name, new / name)
        put_in_place(new, place)
    finally:
        clean_up(place)


def _link(source: str, target: str) -> None:
    """Give a file a second name; where the disk knows no such thing, copy it."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
