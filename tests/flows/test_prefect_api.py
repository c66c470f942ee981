"""Whether an API is configured, told without importing Prefect."""

from pathlib import Path

import pytest

from flows.prefect_api import has_api

PROFILES = """
active = "mine"
[profiles.mine]
PREFECT_API_URL = "http://127.0.0.1:4200/api"
[profiles.none]
"""


@pytest.mark.parametrize(
    ("variables", "profiles", "expected"),
    [
        ({}, None, False),
        ({"PREFECT_API_URL": "http://127.0.0.1:4200/api"}, None, True),
        ({"PREFECT_API_URL": ""}, None, False),
        ({}, PROFILES, True),
        ({"PREFECT_PROFILE": "none"}, PROFILES, False),
        ({"PREFECT_PROFILE": "unknown"}, PROFILES, False),
        ({}, "not toml [", False),
        ({}, 'active = "a"\nprofiles = 3', False),
    ],
)
def test_has_api(tmp_path: Path, variables: dict[str, str], profiles: str | None, expected: bool) -> None:
    if profiles is not None:
        (tmp_path / "profiles.toml").write_text(profiles)
    assert has_api({"PREFECT_HOME": str(tmp_path), **variables}) is expected
