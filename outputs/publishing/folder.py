"""Publish to a folder or a bucket, through fsspec: the manifest is written last."""

import hashlib
from pathlib import Path

import fsspec

from outputs.manifest import MANIFEST_NAME
from outputs.publishing.plan import Plan, PublishError, is_same_but_for_time, local_files, make_plan


class FolderTarget:
    """A folder that fsspec can reach.

    Args:
        address: A path, or an address such as `s3://bucket/dataset`.

    Raises:
        PublishError: If the package for this kind of address is not installed.
    """

    def __init__(self, address: str) -> None:
        try:
            self._system, root = fsspec.core.url_to_fs(address)
        except (ImportError, ValueError) as error:
            raise PublishError(f"{address} cannot be reached: {error}.") from None
        self._root = str(root).rstrip("/")

    def plan(self, folder: Path) -> Plan:
        """Compare the dataset with what is there."""
        there = {name: self._sha256(name) for name in self._names()}
        is_same = MANIFEST_NAME in there and is_same_but_for_time(
            self._read(MANIFEST_NAME), (folder / MANIFEST_NAME).read_bytes()
        )
        return make_plan(local_files(folder), there, is_same)

    def publish(self, folder: Path, plan: Plan, *, is_pruning: bool) -> None:
        """Write what differs, and delete what is not in the dataset if that was asked for."""
        for each in plan.uploads:
            path = f"{self._root}/{each.name}"
            self._system.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._system.put_file(str(folder / each.name), path)
        for name in plan.deletes if is_pruning else ():
            self._system.rm_file(f"{self._root}/{name}")

    def fetch(self, into: Path) -> bool:
        """Copy the tables and the manifest that are there, so that they can be compared."""
        names = [name for name in self._names() if name.endswith(".parquet") or name == MANIFEST_NAME]
        for name in names:
            if "/" not in name:
                (into / name).write_bytes(self._read(name))
        return MANIFEST_NAME in names

    def _names(self) -> list[str]:
        if not self._system.exists(self._root):
            return []
        paths = self._system.find(self._root)
        return sorted(str(path).removeprefix(self._root).lstrip("/") for path in paths)

    def _read(self, name: str) -> bytes:
        return bytes(self._system.cat_file(f"{self._root}/{name}"))

    def _sha256(self, name: str) -> str:
        return hashlib.sha256(self._read(name)).hexdigest()
