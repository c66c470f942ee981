"""Schedules on a real Prefect server: a cron, one build at a time, early ends, and word of failures."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from pytest_httpserver import HTTPServer

from flows.settings import BuildSettings
from flows.stages import build_dataset
from linkers.variants.cascade import TIERS
from tests.helpers import log_text, quiet_reporter, write_scratchpad
from tests.prefect_server import PrefectServer, end, wait_until

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
        yield server.wait_for("GET", path, None, lambda answer: answer["schedules"], process)
    finally:
        end(process)


def run(server: PrefectServer, deployment: Mapping[str, Any]) -> dict[str, Any]:
    """Run a deployment now, and give the flow run when it has ended."""
    made = server.ask(f"/deployments/{deployment['id']}/create_flow_run", {})
    ended = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
    path = f"/flow_runs/{made['id']}"
    found: dict[str, Any] = server.wait_for("GET", path, None, lambda answer: answer["state_type"] in ended)
    return found


def artifacts(server: PrefectServer, scheduled: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Read back what the build inside a scheduled run left on the server, by key."""
    of_parent = {"flow_runs": {"parent_flow_run_id": {"any_": [scheduled["id"]]}}}
    builds = server.wait_for("POST", "/flow_runs/filter", of_parent, lambda answer: answer)
    of_builds = {"artifacts": {"flow_run_id": {"any_": [each["id"] for each in builds]}}}
    left = server.wait_for("POST", "/artifacts/filter", of_builds, lambda answer: answer)
    return {each["key"]: each for each in left}


@pytest.mark.timeout(600)
def test_a_schedule_on_a_real_server(prefect_server: PrefectServer, tmp_path: Path, hook: HTTPServer) -> None:
    files = {
        "runs/lion-clip-s0.log": log_text((0, 10.8)),
        "ideas/lion-clip.md": "# Lion, clipped\n\nClip it.\n",
    }
    ledger = [{"run_id": "lion-clip-s0"}, {"run_id": "zzz-s0"}]
    write_scratchpad(tmp_path / "archive", files, ledger)
    out = tmp_path / "a place (new)"
    arguments = ["--archive", str(tmp_path / "archive"), "--out", str(out), "--cron", "0 3 * * *"]
    with serving(prefect_server, *arguments, SPEEDRUN_ETL_WEBHOOK=hook.url_for("/hook")) as deployment:
        assert deployment["schedules"][0]["schedule"]["cron"] == "0 3 * * *"
        assert deployment["global_concurrency_limit"]["limit"] == 1
        first = run(prefect_server, deployment)
        assert first["state"]["name"] == "Completed", first["state"]
        assert json.loads((out / "manifest.json").read_text())["num_files"] == 3
        second = run(prefect_server, deployment)
        assert second["state"]["name"] == "Unchanged", second["state"]
        assert "Nothing changed" in second["state"]["message"]
        assert hook.log == []
        for each in (first, second):
            assert_tells_of(out, artifacts(prefect_server, each))
        (tmp_path / "archive/v1/codex/scratchpad").rename(tmp_path / "elsewhere")
        assert run(prefect_server, deployment)["state"]["type"] == "FAILED"
        # A state is known before those who wait for it are told.
        wait_until(lambda: hook.log)
        told = json.loads(hook.log[-1][0].get_data())
        assert (told["flow"], told["state"]) == ("scheduled-build", "Failed")


def assert_tells_of(out: Path, found: Mapping[str, Mapping[str, Any]]) -> None:
    """What was left tells the rows, who found what, which checks ran, and where the report really is."""
    rows = {row["table"]: row["rows"] for row in json.loads(found["rows"]["data"])}
    assert (rows["runs"], rows["ideas"]) == (2, 1)
    tiers = {row["tier"]: row for row in json.loads(found["idea-coverage"]["data"])}
    assert tiers["prefix"] == {
        "tier": "prefix",
        "answers": 1,
        "added": 1,
        "reached": 1,
        "share": 0.5,
        "in conflict": 0,
    }
    assert tiers["thread"]["added"] == 0
    by_scope = json.loads(found["idea-coverage-by-scope"]["data"])
    assert [(row["scope"], row["runs"], row["prefix"], row["share"]) for row in by_scope] == [
        ("v1/codex", 2, 1, 0.5)
    ]
    assert {row["tier"] for row in json.loads(found["variant-coverage"]["data"])} == {*TIERS}
    failing = {row["check"] for row in json.loads(found["gates"]["data"]) if row["failing"]}
    assert "scopes" in failing
    link = re.fullmatch(r"\[report\.html\]\((file://\S+)\)", found["report"]["data"])
    assert link, found["report"]
    assert unquote(urlsplit(link[1]).path) == str(out / "report.html")
    assert str(out / "report.html") in found["report"]["description"]
    assert Path(unquote(urlsplit(link[1]).path)).is_file()


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


@pytest.mark.timeout(600)
def test_the_deployment_file_deploys(prefect_server: PrefectServer) -> None:
    prefect_server.ask("/work_pools/", {"name": "speedrun", "type": "process"})
    deploy = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--name", "nightly"]
    done = subprocess.run(
        deploy, cwd=ROOT, env=prefect_server.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    path = "/deployments/name/scheduled-build/nightly"
    found = prefect_server.wait_for("GET", path, None, lambda answer: answer["schedules"])
    assert found["entrypoint"] == "flows/serve.py:scheduled_build"
    assert found["work_pool_name"] == "speedrun"
    assert [each["schedule"]["cron"] for each in found["schedules"]] == ["0 3 * * *"]
    assert found["global_concurrency_limit"]["limit"] == 1
    assert found["parameters"]["settings"]["cache"] == "/data/cache"


def test_the_deployment_file_names_a_flow_that_is_there() -> None:
    deployment = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"][0]
    path, _, name = deployment["entrypoint"].partition(":")
    assert f"def {name}(" in (ROOT / path).read_text()
    assert deployment["concurrency_limit"] == 1
    assert BuildSettings.model_validate(deployment["parameters"]["settings"]).cache
