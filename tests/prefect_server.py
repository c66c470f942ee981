"""A real Prefect server on loopback, started once for all tests that want one."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

PATIENCE_S = 150
"""A loaded machine takes its time; no test depends on how long."""


@dataclass(frozen=True)
class PrefectServer:
    """A server that runs.

    Attributes:
        home: Its folder: database, logs and results.
        url: Address of its API.
        client: Asks it.
    """

    home: Path
    url: str
    client: httpx2.Client

    def environment(self) -> dict[str, str]:
        """What a process needs to find the server, and nothing else."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PREFECT_HOME": str(self.home / "prefect"),
            "PREFECT_API_URL": self.url,
            "PREFECT_RUNNER_POLL_FREQUENCY": "1",
            "DO_NOT_TRACK": "1",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "SPEEDRUN_ETL_RETRY_S": "0",
        }

    def wait_for(
        self,
        method: str,
        path: str,
        body: object,
        until: Callable[[Any], object],
        process: "subprocess.Popen[bytes] | None" = None,
    ) -> Any:
        """Ask until the answer is the wanted one."""
        return wait_for(self.client, method, path, body, until, process)

    def ask(self, path: str, body: object) -> Any:
        """Ask with a body, and again while the server is too busy.

        Where its database is locked by another writer, the server keeps nothing of the request, answers 503 and counts
        on its client to ask again, as Prefect's own does.
        """
        answer = httpx2.Response(httpx2.codes.SERVICE_UNAVAILABLE)

        def is_answered() -> bool:
            nonlocal answer
            answer = self.client.post(path, json=body)
            return answer.status_code != httpx2.codes.SERVICE_UNAVAILABLE

        wait_until(is_answered, lambda: f"{path} stayed too busy")
        answer.raise_for_status()
        return answer.json()


def wait_for(
    client: httpx2.Client,
    method: str,
    path: str,
    body: object,
    until: Callable[[Any], object],
    process: "subprocess.Popen[bytes] | None" = None,
) -> Any:
    """Ask until the answer is the wanted one, or a process that should bring it about has died."""
    answer: Any = None

    def is_wanted() -> bool:
        nonlocal answer
        assert process is None or process.poll() is None, f"{process} ended before {path} was there"
        try:
            response = client.request(method, path, json=body)
            answer = response.json() if response.is_success else None
        except httpx2.TransportError:
            answer = None
        return answer is not None and bool(until(answer))

    wait_until(is_wanted, lambda: f"{path} never answered as wanted: {answer}")
    return answer


def wait_until(is_so: Callable[[], object], complaint: Callable[[], str] = lambda: "it never was so") -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(complaint())
        time.sleep(0.2)


@contextmanager
def run_server(home: Path) -> Iterator[PrefectServer]:
    """Run a server for the length of a `with` block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/api"
    with httpx2.Client(base_url=url, timeout=30) as client:
        server = PrefectServer(home, url, client)
        command = [
            sys.executable,
            "-m",
            "prefect",
            "server",
            "start",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        with (home / "server.log").open("wb") as log:
            process = subprocess.Popen(command, env=server.environment(), stdout=log, stderr=log)
        try:
            wait_for(client, "GET", "/health", None, lambda answer: answer is True, process)
            yield server
        finally:
            end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a process that a test started, if need be by force, so that none outlives its test."""
    process.terminate()
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
