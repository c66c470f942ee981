"""A dataset that was really built."""

from pathlib import Path

import pytest

from flows.settings import BuildSettings
from flows.stages import build_dataset
from tests.helpers import quiet_reporter

collect_ignore = ["reference_script.py"]
"""Only the environment of the reference client can import it."""


@pytest.fixture(scope="package")
def built_dataset(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset of the small demo archive. Read only."""
    out = tmp_path_factory.mktemp("scored") / "dataset"
    build_dataset(BuildSettings(archive=str(demo_archive), out=str(out)), quiet_reporter())
    return out
