"""Schedules on a real Prefect server: a cron, one build at a time, early ends, and word of failures."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from pytest_httpserver import HTTPServer

from tests.helpers import log_text, write_scratchpad

ROOT = Path(__file__).parents[2]
PATIENCE_S = 150


def environment(home: Path, port: int) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PREFECT_HOME": str(home / "prefect"),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_RUNNER_POLL_FREQUENCY": "1",
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "SPEEDRUN_ETL_RETRY_S": "0",
    }


def wait_for(client: httpx2.Client, method: str, path: str, body: object, until: Any) -> Any:
    """Ask until the answer is the wanted one."""
    deadline = time.monotonic() + PATIENCE_S
    answer: Any = None
    while time.monotonic() < deadline:
        try:
            response = client.request(method, path, json=body)
            answer = response.json() if response.is_success else None
        except httpx2.TransportError:
            answer = None
        if answer is not None and until(answer):
            return answer
        time.sleep(0.5)
    raise AssertionError(f"{path} never answered as wanted: {answer}")


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def client(tmp_path: Path, port: int) -> Iterator[httpx2.Client]:
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    with (tmp_path / "server.log").open("wb") as log:
        server = subprocess.Popen(command, env=environment(tmp_path, port), stdout=log, stderr=log)
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}/api", timeout=30) as client:
            wait_for(client, "GET", "/health", None, lambda answer: answer is True)
            yield client
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.mark.timeout(600)
def test_a_schedule_on_a_real_server(
    client: httpx2.Client, port: int, tmp_path: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/hook", method="POST").respond_with_data("")
    write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8))}, [{"run_id": "a"}])
    arguments = ["serve", "--archive", str(tmp_path / "archive"), "--out", str(tmp_path / "out")]
    serving = subprocess.Popen(
        [sys.executable, "-c", "from flows.cli import main; main()", *arguments, "--cron", "0 3 * * *"],
        cwd=ROOT,
        env=environment(tmp_path, port) | {"SPEEDRUN_ETL_WEBHOOK": httpserver.url_for("/hook")},
    )
    try:
        path = "/deployments/name/scheduled-build/scheduled"
        deployment = wait_for(client, "GET", path, None, lambda answer: answer["schedules"])
        assert deployment["schedules"][0]["schedule"]["cron"] == "0 3 * * *"
        assert deployment["global_concurrency_limit"]["limit"] == 1

        def run() -> dict[str, Any]:
            path = f"/deployments/{deployment['id']}/create_flow_run"
            made = wait_for(client, "POST", path, {}, lambda answer: "id" in answer)
            ended = ("COMPLETED", "FAILED", "CRASHED")
            found = wait_for(
                client, "GET", f"/flow_runs/{made['id']}", None, lambda answer: answer["state_type"] in ended
            )
            state: dict[str, Any] = found["state"]
            return state

        first = run()
        assert first["name"] == "Completed", first
        assert json.loads((tmp_path / "out/manifest.json").read_text())["num_files"] == 2
        second = run()
        assert second["name"] == "Unchanged", second
        assert "Nothing changed" in second["message"]
        publish = ["publish", str(tmp_path / "out"), "--to", str(tmp_path / "published")]
        subprocess.run(
            [sys.executable, "-c", "from flows.cli import main; main()", *publish],
            cwd=ROOT,
            env=environment(tmp_path, port),
            check=True,
        )
        assert (tmp_path / "published/manifest.json").is_file()
        artifacts = client.post("/artifacts/latest/filter", json={}).json()
        assert {"rows", "gates", "variant-coverage", "publication"} <= {each["key"] for each in artifacts}
        assert httpserver.log == []
        (tmp_path / "archive/v1/codex/scratchpad").rename(tmp_path / "elsewhere")
        assert run()["type"] == "FAILED"
        told = json.loads(httpserver.log[-1][0].get_data())
        assert (told["flow"], told["state"]) == ("scheduled-build", "Failed")
    finally:
        serving.terminate()
        serving.wait(timeout=60)


def test_a_schedule_needs_a_server(tmp_path: Path) -> None:
    arguments = ["serve", "--archive", "a", "--out", "b", "--cron", "0 3 * * *"]
    done = subprocess.run(
        [sys.executable, "-c", "from flows.cli import main; main()", *arguments],
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
    from flows.settings import BuildSettings

    assert BuildSettings.model_validate(deployment["parameters"]["settings"]).cache
