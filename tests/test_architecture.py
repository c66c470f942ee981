"""The arrows between the packages, and what only some of them may import or touch."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BELOW = {
    "parsers": set[str](),
    "linkers": {"parsers"},
    "outputs": {"parsers", "linkers"},
    "scorers": {"parsers", "linkers", "outputs"},
    "demo": {"parsers"},
    "flows": {"parsers", "linkers", "outputs", "scorers", "demo"},
}
"""Each package with the packages that it may import."""

HEAVY = {"torch", "FlagEmbedding", "transformers", "dask", "distributed", "prefect_dask"}
"""Imports of the optional extras, which the base install lacks."""


def modules() -> list[Path]:
    return sorted(path for package in BELOW for path in (ROOT / package).rglob("*.py"))


def imports_of(path: Path, *, is_deep: bool = True) -> set[str]:
    found: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if is_deep else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path} imports relatively: name the package in full"
            found.add(node.module)
    return found


def package_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_arrows_point_one_way(path: Path) -> None:
    package = package_of(path)
    imported = {name.partition(".")[0] for name in imports_of(path)} & BELOW.keys()
    assert imported <= BELOW[package] | {package}
    assert "tests" not in {name.partition(".")[0] for name in imports_of(path)}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_prefect_and_the_environment_stay_in_flows(path: Path) -> None:
    at_import = {name.partition(".")[0] for name in imports_of(path, is_deep=False)}
    assert not at_import & HEAVY, "the extras must be imported where they are used, behind a check"
    imported = {name.partition(".")[0] for name in imports_of(path)}
    if package_of(path) == "flows":
        return
    assert "prefect" not in imported
    text = path.read_text(encoding="utf-8")
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert "print" not in calls
    if path.name != "unpacking.py":
        assert "os.environ" not in text, "settings are arguments; only the command line reads the environment"
        assert "getenv" not in text


def test_parsers_do_without_tables() -> None:
    for path in (ROOT / "parsers").rglob("*.py"):
        assert not {name.partition(".")[0] for name in imports_of(path)} & {"polars", "pyarrow"}, path


def test_linkers_do_without_files() -> None:
    for path in (ROOT / "linkers").rglob("*.py"):
        imported = {name.partition(".")[0] for name in imports_of(path)}
        assert not imported & {"pyarrow", "subprocess", "shutil", "tempfile", "socket"}, path


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_its_one_thing(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring, "a module starts with what it is"
    assert len(docstring.splitlines()[0]) <= 120
