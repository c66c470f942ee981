"""Publishing to a bucket: a real S3 client against a server on loopback, from the command line."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from flows.settings import BuildSettings
from flows.stages import build_dataset
from outputs.publishing.plan import published_names
from tests.helpers import log_text, quiet_reporter, write_scratchpad

ROOT = Path(__file__).parents[2]
SECRET = "s3cret-of-the-bucket"  # noqa: S105 - of a bucket on loopback
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_DEFAULT_REGION": "us-east-1",
}


def build(root: Path, runs: int = 1) -> Path:
    logs = {f"runs/r{number}.log": log_text((0, 10.8)) for number in range(runs)}
    write_scratchpad(root / "archive", logs)
    build_dataset(BuildSettings(archive=str(root / "archive"), out=str(root / "dataset")), quiet_reporter())
    return root / "dataset"


class Bucket:
    """A bucket on loopback."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client: Any = boto3.client(
            "s3",
            endpoint_url=url,
            aws_access_key_id="testing",
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
        )
        self.client.create_bucket(Bucket="bucket")

    def contents(self) -> dict[str, bytes]:
        """Every file, by its name."""
        listed = self.client.list_objects_v2(Bucket="bucket").get("Contents", [])
        return {
            each["Key"].removeprefix("data/"): self.client.get_object(Bucket="bucket", Key=each["Key"])[
                "Body"
            ].read()
            for each in listed
        }

    def written_at(self) -> dict[str, Any]:
        """When each file was written."""
        listed = self.client.list_objects_v2(Bucket="bucket")["Contents"]
        return {each["Key"].removeprefix("data/"): each["LastModified"] for each in listed}

    def publish(
        self, dataset: Path, *options: str, to: str = "s3://bucket/data", **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Publish from the command line."""
        clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PREFECT_HOME": "/nonexistent"}
        clean |= {"AWS_ENDPOINT_URL": self.url, "AWS_EC2_METADATA_DISABLED": "true", **CREDENTIALS, **more}
        command = [sys.executable, "-m", "flows.cli", "publish", str(dataset), "--to", to, *options]
        return subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    yield f"http://{host}:{port}"
    moto.stop()


@pytest.fixture
def bucket(server: str) -> Iterator[Bucket]:
    made = Bucket(server)
    yield made
    for name in made.contents():
        made.client.delete_object(Bucket="bucket", Key=f"data/{name}")


def whole(dataset: Path) -> dict[str, bytes]:
    return {name: (dataset / name).read_bytes() for name in published_names(dataset)}


def test_a_bucket_gets_what_differs_and_its_manifest_last(bucket: Bucket, tmp_path: Path) -> None:
    dataset = build(tmp_path)
    planned = bucket.publish(dataset, "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert "upload manifest.json" in planned.stdout
    assert bucket.contents() == {}
    done = bucket.publish(dataset)
    assert done.returncode == 0, done.stderr
    assert bucket.contents() == whole(dataset)
    assert "Nothing changed" in bucket.publish(dataset).stdout
    bucket.client.put_object(Bucket="bucket", Key="data/old.parquet", Body=b"x")
    before = bucket.written_at()
    changed = build(tmp_path, runs=2)
    done = bucket.publish(changed)
    assert "| runs | 1 | 2 | 1 | 0 |" in done.stdout
    assert bucket.contents() == whole(changed) | {"old.parquet": b"x"}
    after = bucket.written_at()
    assert after["ideas.parquet"] == before["ideas.parquet"], "it did not differ"
    assert max(after.values()) == after["manifest.json"]
    assert bucket.publish(changed, "--prune").returncode == 0
    assert bucket.contents() == whole(changed)


@pytest.mark.parametrize(
    ("more", "to"),
    [
        ({}, "s3://no-such-bucket/data"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1"}, "s3://bucket/data"),
    ],
)
def test_a_bucket_that_cannot_be_had_is_said_in_a_sentence(
    bucket: Bucket, tmp_path: Path, more: dict[str, str], to: str
) -> None:
    done = bucket.publish(build(tmp_path), to=to, **more)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Error: {to} does not take the dataset")
    assert "Traceback" not in done.stderr
    assert SECRET not in done.stdout + done.stderr
