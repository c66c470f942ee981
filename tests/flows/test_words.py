"""Builds that ask a model: from the command line to the dataset, against a service on loopback."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from outputs.manifest import read_manifest
from outputs.schemas import EMBEDDING_TABLES
from tests.helpers import log_text, write_scratchpad
from tests.openai_server import KEY, Body, FakeOpenAI, error, sha256, vector_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Four runs of two families that nothing but their names describes, and one with a docstring."""
    runs = ("contra-b090-stop3000-seed0", "contra-b090-stop3000-seed1", "aurora-stop3000-seed0")
    files: dict[str, str | bytes] = {f"runs/{name}.log": log_text((0, 10.8), (3000, 3.3)) for name in runs}
    files["runs/told-seed0.log"] = log_text((0, 10.8))
    files["variants/told_seed0.py"] = '"""A told thing."""\n'
    return write_scratchpad(tmp_path / "archive", files)


def build(archive: Path, out: Path, *options: str, key: str | None = KEY) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from flows.cli import main; main()", "build", "--archive", str(archive)]
    command += ["--out", str(out), "--engine", "direct", "--cache", str(out.parent / "cache"), *options]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "SOURCE_DATE_EPOCH": "0"}
    environment |= {"OPENAI_API_KEY": key} if key is not None else {}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def asking(service: FakeOpenAI, *options: str) -> list[str]:
    return ["--describe", "openai", "--embed", "openai", "--base-url", service.base_url, *options]


def rows(out: Path, table: str) -> dict[str, dict[str, Any]]:
    return {row["experiment_id"]: row for row in pl.read_parquet(out / f"{table}.parquet").to_dicts()}


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("key", [None, "", "  "])
@pytest.mark.parametrize("options", [("--describe", "openai"), ("--embed", "openai")])
def test_without_a_key_the_build_ends_with_2_before_any_work(
    archive: Path, tmp_path: Path, key: str | None, options: tuple[str, ...]
) -> None:
    done = build(archive, tmp_path / "out", *options, key=key)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "Error: OpenAI was asked for, but the environment holds no key"
    )
    assert "Traceback" not in done.stderr
    assert "parse" not in done.stderr
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "cache").exists()


def test_a_build_without_models_asks_nobody(archive: Path, tmp_path: Path) -> None:
    done = build(archive, tmp_path / "out", key=None)
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / "out").glob("experiment_embeddings_*"))
    assert read_manifest(tmp_path / "out").spending == ()
    told = rows(tmp_path / "out", "experiments")["codex--v1--contra-b090-stop3000-seed0"]
    assert told["description_text"] == "Contra step, beta 0.90; 3000 training steps."


def test_descriptions_and_vectors_reach_the_dataset(
    archive: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    """One request a family, one for all distinct texts; the estimate stands in the log before them."""
    service.describe = lambda body: json.dumps(
        {"description": "A contra step." if "contra" in body["messages"][1]["content"] else "Aurora."}
    )
    out = tmp_path / "out"
    done = build(archive, out, *asking(service))
    assert done.returncode == 0, done.stderr
    assert service.paths().count("/v1/chat/completions") == 2
    assert service.inputs() == [["A contra step.", "A told thing.", "Aurora."]]
    experiments = rows(out, "experiments")
    first = experiments["codex--v1--contra-b090-stop3000-seed0"]
    assert (first["description_text"], first["description_source"]) == ("A contra step.", "llm_generated")
    assert first["description_evidence"] == "gpt-4.1-mini on the family contra-b090"
    assert experiments["codex--v1--told-seed0"]["description_source"] == "variant_docstring"
    vectors = rows(out, "experiment_embeddings_openai")
    assert vectors.keys() == experiments.keys()
    for name, row in vectors.items():
        text = experiments[name]["description_text"]
        assert row["text_sha256"] == sha256(text)
        assert row["embedding"] == pytest.approx([value / 2 for value in vector_of(text)], abs=1e-6)
        assert (row["embedding_model"], row["is_text_cut"]) == ("text-embedding-3-large", False)
    described, embedded = read_manifest(out).spending
    assert (described.answers, described.input_tokens, described.output_tokens) == (2, 200, 40)
    assert described.usd == pytest.approx(2 * (100 * 0.4 + 20 * 1.6) / 1e6)
    assert (embedded.answers, embedded.input_tokens, embedded.failures) == (3, 7, ())
    assert "descriptions by gpt-4.1-mini: 2 to ask, 0 in the cache; at most" in done.stderr


def test_the_tables_keep_their_declared_types(archive: Path, tmp_path: Path, service: FakeOpenAI) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    assert build(archive, tmp_path / "out", *asking(service)).returncode == 0
    schema = pq.read_schema(tmp_path / "out/experiment_embeddings_openai.parquet")
    assert schema.remove_metadata() == EMBEDDING_TABLES["openai"].arrow_schema.remove_metadata()
    assert schema.field("embedding").type == pa.list_(pa.float32())


def test_a_repeated_build_pays_nothing_and_writes_the_same(
    archive: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert build(archive, first, *asking(service)).returncode == 0
    asked = len(service.requests)
    again = build(archive, second, *asking(service))
    assert again.returncode == 0
    assert len(service.requests) == asked
    for path in sorted(first.iterdir()):
        if path.is_file():
            assert path.read_bytes() == (second / path.name).read_bytes(), path.name
    assert "all 2 answers are in the cache" in again.stderr
    assert "Asking models has cost $0.0000 in this build." in again.stderr


def test_the_key_is_in_no_file_and_in_no_line(archive: Path, tmp_path: Path, service: FakeOpenAI) -> None:
    service.faults = [error(429), error(500), error(400), error(400)]
    done = build(archive, tmp_path / "out", *asking(service))
    assert KEY not in done.stdout + done.stderr
    assert KEY.encode() not in everything(tmp_path)


def test_a_refused_key_ends_with_one_sentence(archive: Path, tmp_path: Path, service: FakeOpenAI) -> None:
    service.faults = [error(401)] * 9
    done = build(archive, tmp_path / "out", *asking(service))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("Error: OpenAI refused the key (HTTP 401)")
    assert "Traceback" not in done.stderr
    assert KEY not in done.stderr
    assert not (tmp_path / "out").exists()


def test_what_may_cost_too_much_is_not_begun(archive: Path, tmp_path: Path, service: FakeOpenAI) -> None:
    done = build(archive, tmp_path / "out", *asking(service, "--max-usd", "0.0001"))
    assert done.returncode == 2
    assert "--max-usd" in done.stderr.splitlines()[-1]
    assert service.requests == []
    assert not (tmp_path / "out").exists()


def test_an_unknown_model_needs_a_price(archive: Path, tmp_path: Path, service: FakeOpenAI) -> None:
    options = asking(service, "--describe-model", "local")
    assert build(archive, tmp_path / "out", *options).returncode == 2
    assert service.requests == []
    assert build(archive, tmp_path / "out", *options, "--price", "local=0,0").returncode == 0


def test_what_cannot_be_had_is_null_with_a_reason_and_the_build_ends_with_3(
    archive: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    """The model insists on telling the outcome of one family. The next build asks for that family alone."""

    def leaky(body: Body) -> str:
        is_contra = "contra" in body["messages"][1]["content"]
        return json.dumps({"description": "It reached the target." if is_contra else "Aurora."})

    service.describe = leaky
    out = tmp_path / "out"
    done = build(archive, out, *asking(service))
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("Incomplete: 3 descriptions or embeddings")
    row = rows(out, "experiments")["codex--v1--contra-b090-stop3000-seed1"]
    assert (row["description_text"], row["description_source"]) == (None, None)
    assert rows(out, "experiment_embeddings_openai")[row["experiment_id"]]["embedding"] is None
    described, embedded = read_manifest(out).spending
    assert [failure.item for failure in described.failures] == ["codex--v1--contra-b090"]
    assert "'reached the target' tell an outcome" in described.failures[0].reason
    assert {failure.reason for failure in embedded.failures} == {"It has no description."}
    asked = len(service.requests)
    service.describe = lambda _: json.dumps({"description": "A contra step."})
    assert build(archive, out, *asking(service)).returncode == 0, "an incomplete build is not taken for done"
    assert service.paths()[asked:] == ["/v1/chat/completions", "/v1/embeddings"]
    assert service.inputs()[-1] == ["A contra step."]


def test_descriptions_may_go_through_the_batch_api(
    archive: Path, tmp_path: Path, service: FakeOpenAI
) -> None:
    done = build(archive, tmp_path / "out", *asking(service, "--batch"))
    assert done.returncode == 0, done.stderr
    assert len(service.batches) == 1
    assert "/v1/chat/completions" not in service.paths()


def test_bge_without_its_extra_ends_with_2_before_any_work(archive: Path, tmp_path: Path) -> None:
    import importlib.util

    if importlib.util.find_spec("FlagEmbedding"):
        pytest.skip("the extra is installed")
    done = build(archive, tmp_path / "out", "--embed", "bge", key=None)
    assert done.returncode == 2
    assert "make bge" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "out").exists()
