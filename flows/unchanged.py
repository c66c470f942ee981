"""Whether a build would write the dataset that is already there, told from names, sizes and times alone."""

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path

from flows.locks import cache_lock
from flows.settings import BuildSettings
from outputs.manifest import MANIFEST_NAME, PACKAGES, Manifest, read_manifest
from parsers.archive import Archive

_REMEMBERED_BUILDS = 50
_CODE_SUFFIXES = (".py", ".jinja", ".css", ".js")
_CODE_FOLDERS = ("flows", "linkers", "outputs", "parsers")


class BuildMemory:
    """Remembers which input and settings gave which dataset.

    Args:
        folder: The cache folder.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "builds.json"

    def find(self, key: str, out: Path) -> Manifest | None:
        """Return the manifest of the dataset at `out` if a build with this key wrote it and it is whole."""
        manifest_sha256 = self._read().get(key)
        if manifest_sha256 is None or manifest_sha256 != _sha256(out / MANIFEST_NAME):
            return None
        manifest = read_manifest(out)
        hashes = {entry.name: entry.sha256 for entry in manifest.files}
        hashes |= {entry.name: entry.sha256 for entry in manifest.texts}
        is_whole = all(_sha256(out / name) == sha256 for name, sha256 in hashes.items())
        return manifest if is_whole else None

    def remember(self, key: str, out: Path) -> None:
        """Note that a build with this key wrote the dataset at `out`."""
        with cache_lock(self._path.parent):
            builds = self._read()
            builds.pop(key, None)
            builds[key] = _sha256(out / MANIFEST_NAME)
            kept = dict(list(builds.items())[-_REMEMBERED_BUILDS:])
            beside = self._path.with_suffix(".new")
            beside.write_text(json.dumps(kept, indent=1), encoding="utf-8")
            beside.replace(self._path)

    def _read(self) -> dict[str, str]:
        try:
            builds = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return builds if isinstance(builds, dict) else {}


def build_key(archive: Archive, settings: BuildSettings) -> str:
    """Hash everything that decides a dataset: the code, the settings, and path, size and time of each file.

    A file that is changed without changing size and time is not noticed, as with make and rsync.
    """
    digest = hashlib.sha256(code_version().encode())
    digest.update(json.dumps(settings.for_manifest(), sort_keys=True).encode())
    digest.update(str(archive.root).encode("utf-8", errors="surrogateescape"))
    for file in archive.files:
        digest.update(f"{file.path}\t{file.size_bytes}\t{file.mtime_ns}\n".encode())
    for reject in archive.refused:
        digest.update(f"{reject.path}\t{reject.detail}\n".encode())
    return digest.hexdigest()


@cache
def code_version() -> str:
    """Hash the project's own source and the versions of the packages that shape the output."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for folder in _CODE_FOLDERS:
        for path in sorted(each for each in (root / folder).rglob("*") if each.suffix in _CODE_SUFFIXES):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for package in PACKAGES:
        digest.update(f"{package} {version(package)}\n".encode())
    return digest.hexdigest()


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
