"""Builds by users without rights, from an archive that is read-only, as real processes."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers import log_text, write_scratchpad
from tests.test_killed_builds import contents

ROOT = Path(__file__).parents[1]

STRANGER = 64_321
"""A user whom no machine knows: without a name, a home or a file."""

AS_STRANGER = ("setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups")
NO_RIGHTS = ("--inh-caps=-all", "--bounding-set=-all")
MAY_READ_ALL = tuple(
    f"--{which}=-all,+dac_read_search" for which in ("inh-caps", "ambient-caps", "bounding-set")
)
"""Where the interpreter lies in a folder that is closed to strangers; it opens no file for writing."""

STRANGERS = ((*AS_STRANGER, *NO_RIGHTS), (*AS_STRANGER, *MAY_READ_ALL))
"""What root puts before a command so that a stranger runs it: the first that gets to the interpreter is taken."""

POWERLESS_ROOT = ("setpriv", *NO_RIGHTS)
"""The last resort: root, whom file modes bind as well when it has given up its rights."""

PROBE = f"import sys, flows.cli, prefect; assert sys.base_prefix == {sys.base_prefix!r}"


@dataclass(frozen=True)
class Place:
    """Folders that any user can get to.

    Attributes:
        archive: An archive that nobody may write to.
        cwd: A folder that nobody may write to.
        own: A folder of the user's own.
    """

    archive: Path
    cwd: Path
    own: Path

    def run(
        self, user: tuple[str, ...], *arguments: str, home: str | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run a Python command as a user."""
        clean = {"PATH": os.environ["PATH"], "TMPDIR": str(self.own / "tmp"), "PYTHONPATH": str(ROOT)}
        clean |= {"SOURCE_DATE_EPOCH": "0"} | ({"HOME": home} if home else {})
        command = [*user, sys.executable, *arguments]
        return subprocess.run(command, cwd=self.cwd, env=clean, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def stranger() -> tuple[str, ...] | None:
    """How a stranger runs the interpreter here, if there is a way."""
    for prefix in STRANGERS:
        clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONPATH": str(ROOT)}
        probe = [*prefix, sys.executable, "-c", PROBE]
        if subprocess.run(probe, cwd="/", env=clean, capture_output=True, check=False).returncode == 0:
            return prefix
    return None


@pytest.fixture
def place() -> Iterator[Place]:
    """Outside pytest's own folder, which is closed to others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        logs = {f"runs/{letter}.log": log_text((0, 10.8)) for letter in "abc"}
        made = Place(write_scratchpad(folder / "archive", logs), folder / "cwd", folder / "own")
        made.cwd.mkdir()
        (made.own / "tmp").mkdir(parents=True)
        if os.geteuid() == 0:
            for path in (made.own, made.own / "tmp"):
                os.chown(path, STRANGER, STRANGER)
                path.chmod(0o777)
        closed = [made.cwd, made.archive, *made.archive.rglob("*")]
        for path in closed:
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield made
        for path in closed:
            path.chmod(path.stat().st_mode | stat.S_IWUSR)


USERS = ["a stranger", "a root without rights"] if os.geteuid() == 0 else ["the user of the tests"]


@pytest.fixture(params=USERS)
def user(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """What stands before a command of a user without rights."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root has no way to give up its rights here")
    if request.param == "a root without rights":
        return POWERLESS_ROOT
    found: tuple[str, ...] | None = request.getfixturevalue("stranger")
    if found is None:
        pytest.skip("no stranger gets to the interpreter, which lies in a folder that is closed to others")
    return found


def build(place: Place, *more: str) -> list[str]:
    return [
        "-m",
        "flows.cli",
        "build",
        "--archive",
        str(place.archive),
        "--out",
        str(place.own / "out"),
        *more,
    ]


@pytest.mark.parametrize("home", [None, "/nonexistent"])
def test_a_build_from_a_read_only_archive(user: tuple[str, ...], place: Place, home: str | None) -> None:
    """Without a home, in a folder that may not be written to, by two processes, and from the cache again."""
    archive = contents(place.archive)
    options = ("--workers", "2", "--cache", str(place.own / "cache"))
    done = place.run(user, *build(place, *options), home=home)
    assert done.returncode == 0, done.stderr
    assert "Nothing changed" in place.run(user, *build(place, *options), home=home).stdout
    manifest = json.loads((place.own / "out/manifest.json").read_bytes())
    logs = next(balance for balance in manifest["balances"] if balance["kind"] == "log")
    assert (logs["seen"], logs["parsed"]) == (3, 3)
    assert {path.name for path in place.own.iterdir()} == {"out", "cache", "tmp"}
    assert list((place.own / "tmp").iterdir()) == []
    assert list(place.cwd.iterdir()) == []
    assert contents(place.archive) == archive


def test_a_packed_archive_is_unpacked_where_the_user_may_write(user: tuple[str, ...], place: Place) -> None:
    packed = shutil.make_archive(str(place.own / "packed"), "zip", place.archive)
    done = place.run(user, "-m", "flows.cli", "build", "--archive", packed, "--out", str(place.own / "out"))
    assert done.returncode == 0, done.stderr
    assert list((place.own / "tmp").iterdir()) == []


@pytest.mark.timeout(600)
@pytest.mark.parametrize("user", USERS[:1], indirect=True)
def test_a_recorded_build_of_a_user_without_a_home(user: tuple[str, ...], place: Place) -> None:
    """Prefect starts a server of its own, which needs a folder."""
    done = place.run(user, *build(place, "--engine", "prefect", "--quiet"))
    assert done.returncode == 0, done.stderr
    assert (place.own / "out/manifest.json").is_file()


def test_a_place_that_may_not_be_written_is_said_in_a_sentence(user: tuple[str, ...], place: Place) -> None:
    for out in (place.archive / "out", place.cwd / "out"):
        done = place.run(user, "-m", "flows.cli", "build", "--archive", str(place.archive), "--out", str(out))
        assert done.returncode == 1
        assert "Permission denied" in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr


def test_some_user_without_rights_was_there(place: Place) -> None:
    """However closed the machine: one of these users builds, and is not skipped."""
    if os.geteuid() == 0:
        assert shutil.which("setpriv"), "Debian's util-linux has it; without it nothing above was tested"
        assert place.run(POWERLESS_ROOT, *build(place, "--quiet")).returncode == 0
