"""Schedules on a real Prefect server: a cron, one build at a time, early ends, and word of failures."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from pytest_httpserver import HTTPServer

from flows.settings import BuildSettings
from flows.stages import build_dataset
from tests.helpers import log_text, quiet_reporter, write_scratchpad
from tests.prefect_server import PrefectServer, wait_until

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from flows.cli import main; main()")


@pytest.fixture
def hook(httpserver: HTTPServer) -> HTTPServer:
    """A webhook that remembers what it was told."""
    httpserver.expect_request("/hook", method="POST").respond_with_data("")
    return httpserver


@contextmanager
def serving(server: PrefectServer, *options: str, **more: str) -> Iterator[dict[str, Any]]:
    """Serve builds for the length of a `with` block, and give the deployment."""
    process = subprocess.Popen(
        [*COMMAND, "serve", *options], cwd=ROOT, env=server.environment() | more, start_new_session=True
    )
    try:
        path = "/deployments/name/scheduled-build/scheduled"
        yield server.wait_for("GET", path, None, lambda answer: answer["schedules"])
    finally:
        process.terminate()
        process.wait(timeout=60)


def run(server: PrefectServer, deployment: Mapping[str, Any]) -> dict[str, Any]:
    """Run a deployment now, and give the flow run when it has ended."""
    made = server.ask(f"/deployments/{deployment['id']}/create_flow_run", {})
    ended = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
    path = f"/flow_runs/{made['id']}"
    found: dict[str, Any] = server.wait_for("GET", path, None, lambda answer: answer["state_type"] in ended)
    return found


@pytest.mark.timeout(600)
def test_a_schedule_on_a_real_server(prefect_server: PrefectServer, tmp_path: Path, hook: HTTPServer) -> None:
    write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8))}, [{"run_id": "a"}])
    arguments = [
        "--archive",
        str(tmp_path / "archive"),
        "--out",
        str(tmp_path / "out"),
        "--cron",
        "0 3 * * *",
    ]
    with serving(prefect_server, *arguments, SPEEDRUN_ETL_WEBHOOK=hook.url_for("/hook")) as deployment:
        assert deployment["schedules"][0]["schedule"]["cron"] == "0 3 * * *"
        assert deployment["global_concurrency_limit"]["limit"] == 1
        first = run(prefect_server, deployment)["state"]
        assert first["name"] == "Completed", first
        assert json.loads((tmp_path / "out/manifest.json").read_text())["num_files"] == 2
        second = run(prefect_server, deployment)["state"]
        assert second["name"] == "Unchanged", second
        assert "Nothing changed" in second["message"]
        assert hook.log == []
        (tmp_path / "archive/v1/codex/scratchpad").rename(tmp_path / "elsewhere")
        assert run(prefect_server, deployment)["state"]["type"] == "FAILED"
        # A state is known before those who wait for it are told.
        wait_until(lambda: hook.log)
        told = json.loads(hook.log[-1][0].get_data())
        assert (told["flow"], told["state"]) == ("scheduled-build", "Failed")


@pytest.mark.timeout(600)
def test_a_publication_is_recorded(prefect_server: PrefectServer, tmp_path: Path) -> None:
    archive = write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8))})
    build_dataset(BuildSettings(archive=str(archive), out=str(tmp_path / "out")), quiet_reporter())
    publish = ["publish", str(tmp_path / "out"), "--to", str(tmp_path / "published")]
    subprocess.run([*COMMAND, *publish], cwd=ROOT, env=prefect_server.environment(), check=True)
    assert (tmp_path / "published/manifest.json").is_file()
    found = prefect_server.ask("/artifacts/latest/filter", {"artifacts": {"key": {"any_": ["publication"]}}})
    assert f"Published to {tmp_path / 'published'}." in found[0]["data"]


def test_a_schedule_needs_a_server(tmp_path: Path) -> None:
    arguments = ["serve", "--archive", "a", "--out", "b", "--cron", "0 3 * * *"]
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "PREFECT_API_URL" in done.stderr


def test_the_deployment_file_names_a_flow_that_is_there() -> None:
    deployment = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"][0]
    path, _, name = deployment["entrypoint"].partition(":")
    assert f"def {name}(" in (ROOT / path).read_text()
    assert deployment["concurrency_limit"] == 1
    assert BuildSettings.model_validate(deployment["parameters"]["settings"]).cache
