"""An environment of its own for the reference client, made once and kept beside the project."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSION = "0.1.1"
REQUIREMENT = f"evo-autoresearch-novelty-bench[openai]=={VERSION}"

_UNREACHABLE = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError|Read timed out|"
    r"Network is unreachable|Temporary failure in name resolution|Connection (?:refused|reset|broken|aborted)|"
    r"from versions: none"
)
"""What pip says where it does not reach a registry that has the package."""


def reference_python() -> Path:
    """Give the interpreter that has the reference client, and install it where it is not there yet."""
    name = f"{VERSION}-python{sys.version_info.major}.{sys.version_info.minor}"
    folder = ROOT / ".venv-reference" / name
    python = folder / "bin" / "python"
    if (folder / "installed").is_file():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", REQUIREMENT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(folder)
        if _UNREACHABLE.search(done.stderr):
            pytest.skip("the package registry cannot be reached")
        pytest.fail(f"{REQUIREMENT} cannot be installed:\n{done.stderr}")
    (folder / "installed").touch()
    return python
