"""Whether an API is configured, told without importing Prefect."""

from pathlib import Path

import pytest

from flows.prefect_api import has_api, keep_prefect_quiet
from flows.purse import default_cache
from outputs.spending.errors import SpendingError

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


def test_a_user_without_a_home_gets_a_makeshift_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environment: dict[str, str] = {}
    assert has_api(environment) is False
    keep_prefect_quiet(environment)
    made = Path(environment["PREFECT_HOME"])
    assert made.is_dir()
    assert made.parent == tmp_path
    assert environment["HOME"] == str(made)
    with pytest.raises(SpendingError, match="--cache"):
        default_cache()


def test_a_home_that_may_not_be_written_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").write_text("no folder")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environment: dict[str, str] = {}
    keep_prefect_quiet(environment)
    assert Path(environment["PREFECT_HOME"]).parent == tmp_path
    with pytest.raises(OSError, match="Not a directory"):
        keep_prefect_quiet({"PREFECT_HOME": str(tmp_path / "home" / "chosen")})
