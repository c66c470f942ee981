"""What a publication would do: which files go up, which are there already, which would be deleted."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from outputs.manifest import MANIFEST_NAME, read_manifest

KEPT = (".gitattributes",)
"""Files of a Hub repository that are never ours to delete."""


class PublishError(Exception):
    """The dataset cannot be published. The message is one sentence that holds no secret."""


class UnfitError(PublishError):
    """The dataset does not keep its promises, or holds something like a key."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file of the dataset.

    Attributes:
        name: Path inside the dataset.
        size_bytes: Its size.
        sha256: Hash of its bytes, by which large files are known.
        blob_id: Hash of its bytes as git makes it, by which small files are known.
    """

    name: str
    size_bytes: int
    sha256: str
    blob_id: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done.

    Attributes:
        uploads: Files that are new or differ, the manifest last.
        deletes: Files that are there and not in the dataset; deleted only when asked for.
        unchanged: Files that are there as they are.
        message: The first line of the commit.
    """

    uploads: tuple[LocalFile, ...]
    deletes: tuple[str, ...]
    unchanged: tuple[str, ...]
    message: str

    def lines(self, *, is_pruning: bool) -> list[str]:
        """Say exactly what goes up and what is or would be deleted."""
        size_bytes = sum(each.size_bytes for each in self.uploads)
        lines = [f"{len(self.uploads)} files go up, {size_bytes:,} bytes; {len(self.unchanged)} are there."]
        lines += [f"  upload {each.name} ({each.size_bytes:,} bytes)" for each in self.uploads]
        verb = "delete" if is_pruning else "keep, as --prune is not given:"
        return lines + [f"  {verb} {name}" for name in self.deletes]


def published_names(folder: Path) -> tuple[str, ...]:
    """List the files that a manifest names, the manifest itself last."""
    manifest = read_manifest(folder)
    names = [*(entry.name for entry in manifest.files), *(entry.name for entry in manifest.texts)]
    return (*sorted(names), MANIFEST_NAME)


def local_files(folder: Path) -> tuple[LocalFile, ...]:
    """Describe the files that are to be published."""
    return tuple(_describe(folder, name) for name in published_names(folder))


def _describe(folder: Path, name: str) -> LocalFile:
    data = (folder / name).read_bytes()
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
    return LocalFile(name, len(data), hashlib.sha256(data).hexdigest(), blob.hexdigest())


def make_plan(files: tuple[LocalFile, ...], there: Mapping[str, str], is_same_manifest: bool) -> Plan:
    """Compare the dataset with what is there.

    Args:
        files: The dataset's files.
        there: Hash of each file that is there: sha256 or git's.
        is_same_manifest: Whether the manifests differ in nothing but the time of the build.
    """
    names = {each.name for each in files}
    uploads = [each for each in files if there.get(each.name) not in (each.sha256, each.blob_id)]
    if is_same_manifest and [each.name for each in uploads] == [MANIFEST_NAME]:
        uploads = []
    going_up = {each.name for each in uploads}
    sha256 = next(each.sha256 for each in files if each.name == MANIFEST_NAME)
    return Plan(
        uploads=tuple(uploads),
        deletes=tuple(sorted(there.keys() - names - {*KEPT})),
        unchanged=tuple(sorted(names - going_up)),
        message=f"Publish the dataset with manifest {sha256}",
    )


def is_same_but_for_time(one: bytes, other: bytes) -> bool:
    """Whether two manifests differ in nothing but the time of the build."""
    try:
        found = [json.loads(text) for text in (one, other)]
        return bool(found[0] | {"created_at": ""} == found[1] | {"created_at": ""})
    except (ValueError, TypeError):
        return False
