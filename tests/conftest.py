"""Fixtures that all tests share, and the settings of property tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from pytest_httpserver import HTTPServer

from tests.openai_server import FakeOpenAI
from tests.prefect_server import PrefectServer, run_server

# Read once, when huggingface_hub is first imported by any test: the fake hubs speak no Xet.
os.environ["HF_HUB_DISABLE_XET"] = "1"

settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("ci")

SHARED = Path(__file__).parents[2] / "shared"
"""Genuine data that may lie beside the repository; tests that want it skip where it is absent."""


def _folder(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"{name} is not there")
    return folder


@pytest.fixture(scope="session")
def real_logs() -> Path:
    """Genuine logs of the public benchmark, laid out as an archive, with gold.csv."""
    return _folder("real-logs")


@pytest.fixture(scope="session")
def real_scratchpad() -> Path:
    """One agent's genuine scratchpad, laid out as an archive, with gold.csv."""
    return _folder("real-scratchpad")


@pytest.fixture(scope="session")
def demo_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small demo archive, generated once a session. Read only."""
    from demo import generate_archive

    root = tmp_path_factory.mktemp("demo") / "archive"
    generate_archive(root, scale="small", seed=0)
    return root


@pytest.fixture
def service() -> Iterator[FakeOpenAI]:
    """A service that speaks OpenAI's language on loopback; a slow answer holds no other one up."""
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        yield FakeOpenAI(server)


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    """A real Prefect server on loopback, started once a session."""
    with run_server(tmp_path_factory.mktemp("prefect-server")) as server:
        yield server
