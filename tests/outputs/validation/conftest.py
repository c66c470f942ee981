"""The demo dataset, built once, as the good dataset that every mutation starts from."""

from pathlib import Path

import pytest
from rich.console import Console

from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import BuildResult, build_dataset


@pytest.fixture(scope="package")
def built(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> BuildResult:
    out = tmp_path_factory.mktemp("validated") / "dataset"
    return build_dataset(
        BuildSettings(archive=str(demo_archive), out=str(out)), QuietReporter(Console(quiet=True))
    )
