"""Whether a Prefect API is configured, found out without the second that importing Prefect takes."""

import os
import tempfile
import tomllib
from collections.abc import Mapping, MutableMapping
from pathlib import Path

SETUP_HINT = (
    "No Prefect API is configured, so the stages run in this process; for recorded runs start "
    "`prefect server start` and set PREFECT_API_URL=http://127.0.0.1:4200/api."
)


def has_api(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether Prefect would talk to a server that is already there.

    Args:
        environment: Environment variables; the active profile is looked up where they do not decide.
    """
    if environment.get("PREFECT_API_URL"):
        return True
    try:
        stored = tomllib.loads((_home(environment) / "profiles.toml").read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False
    active = environment.get("PREFECT_PROFILE") or stored.get("active")
    profiles = stored.get("profiles")
    profile = profiles.get(active) if isinstance(profiles, dict) else None
    return isinstance(profile, dict) and bool(profile.get("PREFECT_API_URL"))


def keep_prefect_quiet(environment: MutableMapping[str, str] = os.environ) -> None:
    """Turn off telemetry and chatter, and make Prefect's folder; must be called before Prefect is imported.

    Settings of the user win.
    """
    for name, value in {
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_LOGGING_LEVEL": "WARNING",
        "PREFECT_CLI_PROMPT": "false",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    }.items():
        environment.setdefault(name, value)
    home = _home(environment)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError:
        if environment.get("PREFECT_HOME"):
            raise
        home = _makeshift_home()
        home.mkdir(parents=True, exist_ok=True)
    environment["PREFECT_HOME"] = str(home)
    if not _has_home():
        environment["HOME"] = str(home)


def _home(environment: Mapping[str, str]) -> Path:
    """Where Prefect keeps its things. Users of containers may have no home, or one that is not theirs."""
    if chosen := environment.get("PREFECT_HOME"):
        return Path(chosen)
    return Path.home() / ".prefect" if _has_home() else _makeshift_home()


def _has_home() -> bool:
    try:
        Path.home()
    except RuntimeError:
        return False
    return True


def _makeshift_home() -> Path:
    return Path(tempfile.gettempdir()) / f"prefect-{os.getuid()}"
