"""The commands of the documentation: each is run against the demo archive, or at least is well-formed."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from flows.cli import app

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
MARK = "not-run"
"""Stands behind the language of a block that needs a network, a key or an archive of one's own."""

_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    page: Path
    line: int
    language: str
    is_run: bool
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks() -> Iterator[Block]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in _BLOCK.finditer(text):
            language, marks, code = match.groups()
            assert marks.strip() in ("", MARK), f"{page.name}: {marks} is no mark"
            yield Block(page, text[: match.start()].count("\n") + 1, language, not marks.strip(), code)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the project whose environment is installed already: this one."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copyfile(ROOT / name, folder / name)
    tools = folder / ".venv" / "bin"
    tools.mkdir(parents=True)
    _script(tools / "python", f'exec {sys.executable} "$@"')
    _script(tools / "python3", f'exec {sys.executable} "$@"')
    _script(tools / "speedrun-etl", f'exec {sys.executable} -c "from flows.cli import main; main()" "$@"')
    _script(tools / "browser", "exit 0")
    (folder / ".venv" / "installed").touch()
    return folder


def _script(path: Path, command: str) -> None:
    path.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
    path.chmod(0o755)


def run(clone: Path, *command: str) -> subprocess.CompletedProcess[str]:
    tools = clone / ".venv" / "bin"
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "MAKE"))},
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "BROWSER": str(tools / "browser"),
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(clone / "hf"),
    }
    return subprocess.run(command, cwd=clone, env=env, capture_output=True, text=True, check=False)


def test_the_blocks_of_the_pages_run_one_after_the_other(clone: Path) -> None:
    """In the order in which people read them, beginning with the README, in one folder."""
    done = 0
    for block in blocks():
        if block.language not in ("sh", "python") or not block.is_run:
            continue
        command = ("sh", "-eu", "-c") if block.language == "sh" else ("python", "-W", "error", "-c")
        result = run(clone, *command, block.text)
        assert result.returncode == 0, f"{block}\n{result.stdout}\n{result.stderr}"
        done += 1
    assert done >= 8
    assert (clone / "build/demo/dataset/report.html").is_file()


@pytest.mark.parametrize("block", [block for block in blocks() if not block.is_run], ids=str)
def test_blocks_that_are_not_run_are_well_formed(block: Block) -> None:
    if block.language == "python":
        ast.parse(block.text)
        return
    assert block.language == "sh"
    checked = subprocess.run(["sh", "-n", "-c", block.text], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_the_readme_starts_with_two_commands_that_run() -> None:
    first = next(block for block in blocks() if block.language == "sh")
    assert first.is_run
    assert len(first.text.splitlines()) == 2


def options_of(words: tuple[str, ...]) -> set[str]:
    """The options of a command, given by its words; those of a group are those of all its commands."""
    command: Any = get_command(app)
    for word in words:
        command = command.commands[word]
    found = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
    return found.union(*(options_of((*words, each)) for each in getattr(command, "commands", {})))


def calls(block: Block) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Every call of the command in a block of shell: the words that name a command, and the options."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if "speedrun-etl" not in words:
            continue
        rest = words[words.index("speedrun-etl") + 1 :]
        named = rest[:2] if rest[0] == "noveltybench" else rest[:1]
        yield tuple(named), {word.partition("=")[0] for word in rest if word.startswith("--")}


@pytest.mark.parametrize("block", [each for each in blocks() if each.language == "sh"], ids=str)
def test_the_pages_call_commands_with_options_that_are_there(block: Block) -> None:
    for named, options in calls(block):
        assert options <= options_of(named), f"{block}: {' '.join(named)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_speak_of_options_that_are_there(page: Path) -> None:
    prose = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    named = {
        option for code in re.findall(r"`([^`]+)`", prose) for option in re.findall(r"--[a-z][a-z-]+", code)
    }
    assert named <= options_of(())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_page_stands_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"docs/{page.name}" in readme for page in PAGES[1:])


def test_the_picture_is_small() -> None:
    assert (ROOT / "docs/report.png").stat().st_size < 300_000
