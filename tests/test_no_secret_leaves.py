"""Keys in the environment and in every kind of file of an archive: whatever is run, none of them comes out."""

import json
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl
import pyarrow.ipc
import pytest
from pytest_httpserver import HTTPServer

from flows.secrecy import SecretError, no_secret_escapes
from outputs.manifest import read_manifest
from tests.fake_hub import FakeHub
from tests.helpers import log_text, write_scratchpad
from tests.openai_server import KEY, FakeOpenAI
from tests.prefect_server import PrefectServer
from tests.seeded_keys import ANNOUNCED, HEX40, KEYS, fake

ROOT = Path(__file__).parents[1]

ENVIRONMENT = {
    "OPENAI_API_KEY": KEY,
    "HF_TOKEN": "hf_" + fake(34),
    "GITHUB_TOKEN": "ghp_" + fake(36),
    "AWS_ACCESS_KEY_ID": "AKIA" + fake(16).upper(),
    "AWS_SECRET_ACCESS_KEY": fake(40),
    "WANDB_API_KEY": fake(40, "0123456789abcdef"),
    "SLACK_WEBHOOK": "https://hooks.slack.com/services/T0A1B2C3D/B0A1B2C3D/" + fake(24),
    "DATABASE_PASSWORD": "correct-horse-7",
    "DEPLOY_KEY": KEYS["PEM"].replace("A", "B"),
}
"""What lies in the environment; two of these values lie in the archive as well."""

PUBLIC = ("-----", "hooks.slack.com")
"""What keys of a kind have in common is no secret."""

SEEDED = [*KEYS.values(), *(key for _, key, _ in ANNOUNCED.values())]


def fragments(keys: Iterable[str]) -> Iterator[str]:
    """Pieces that only a key has, so that a part of one, or one in other letters, is found as well."""
    for key in keys:
        for line in re.split(r"\n|\\n|\\/|/", key):
            if len(line) >= 12 and len(set(line)) > 4 and not line.startswith(PUBLIC):
                middle = len(line) // 2
                yield line[middle - 6 : middle + 6].lower()


FRAGMENTS = sorted({*fragments(ENVIRONMENT.values()), *fragments(SEEDED)})


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Every key in a write-up, a journal, a check, a ledger, a log, a source, a script and an export."""
    seeds = [*KEYS.values(), *("".join(each) for each in ANNOUNCED.values())]
    seeds += [f"the password correct-horse-7, and {ENVIRONMENT['AWS_SECRET_ACCESS_KEY']} alone"]
    prose = "\n\n".join(f"We logged in with {seed} here." for seed in seeds)
    source = "'''Lion, from a note.\n\n" + prose + "\n'''\nimport torch\nNOTES = '''" + prose + "'''\n"
    runs = ("lion-lr1-s0", "lion-lr2-s0", "contra-b090-stop3000-seed0")
    log = f"export {prose}\n{source}{'=' * 100}\n{log_text((0, 10.8), (1500, 3.3), (3000, 3.27))}{prose}\n"
    files: dict[str, str | bytes] = {
        f"runs/{name}.log": f"### start_iso: 2026-05-0{day}T10:00:00Z\n{log}"
        for day, name in enumerate(runs, 1)
    }
    files |= {
        "runs/aurora-b090-stop3000-seed0.log": f"{prose}\n{log_text((0, 10.8), (3000, 3.3))}",
        "variants/lion_lr1.py": source,
        "ideas/lion.md": f"# Lion for all {KEYS['AWS']}\n\nDate: 2026-04-30\n\n## Proposal\n\n{prose}\n\n## Rule Gate\n\nPASS {KEYS['Google']}\n",
        "ideas/empty.md": f"{KEYS['GitHub']}\n",
        "THREAD.md": f"# 2026-05-01\n\n- `lion-lr1-s0` tested `lion` with {KEYS['Slack']}.\n\n{prose}\n",
        "rule_checks/lion_rule_check.md": f"# Lion\n\n{prose}\n\nVerdict: PASS\n",
        "audits.md": f"| idea | verdict |\n| --- | --- |\n| `lion` {KEYS['GitLab']} | COMPLIANT |\n",
        "ideas.md": f"1. **other** {KEYS['npm']}: {KEYS['JWT']}\n",
        "sbatch-stubs/lion-lr1-s0.sh": f"export WANDB_API_KEY={HEX40}\n# {prose}\ntorchrun scratchpad/variants/lion_lr1.py\n",
        f"runs/{KEYS['Hugging Face']}.log": log_text((0, 10.8)),
    }  # fmt: skip
    ledger = [
        {"run_id": name, "note": prose, "purpose": seed} for name, seed in zip(runs, seeds, strict=False)
    ]
    broken = f'{{"run_id": "lion-lr1-s0", "note": "{KEYS["OpenAI"]}"\n'
    root = write_scratchpad(tmp_path / "archive", files, [*ledger, {"note": prose}])
    with (root / "v1/codex/scratchpad/runs.jsonl").open("a") as file:
        file.write(broken)
    exported = root / "data/runs_self_contained/agents/codex_v1/runs/00001-lion-lr1-s0-0123456789"
    exported.mkdir(parents=True)
    (exported / "metadata.json").write_text(json.dumps({"run_id": "lion-lr1-s0", "repo_path": prose}))
    (exported / "launched_script.py").write_text(source)
    return root


MANY = """
import json, sys
from flows.cli import main
for arguments, wanted in json.loads(sys.argv.pop()):
    sys.argv[1:] = arguments
    try:
        main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    assert code == wanted, (arguments, code)
"""
"""Runs commands one after the other, each with the exit code that it must have."""


def run(*commands: tuple[list[str], int], **more: str) -> str:
    """Run commands in a process of their own, and give all that they print."""
    clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PREFECT_HOME": "/nonexistent"}
    clean |= {"SPEEDRUN_ETL_RETRY_S": "0", "SOURCE_DATE_EPOCH": "0", **ENVIRONMENT, **more}
    command = [sys.executable, "-c", MANY, json.dumps(commands)]
    done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout + done.stderr


def readable(path: Path) -> str:
    """Everything that a file says, unpacked."""
    data = path.read_bytes()
    if path.suffix == ".parquet":
        return json.dumps(pl.read_parquet(path).to_dicts(), default=str, ensure_ascii=False)
    if path.suffix == ".arrow":
        with pyarrow.OSFile(str(path), "rb") as file:
            rows = pyarrow.ipc.open_file(file).read_all().to_pylist()
        data = b"\n".join(
            each if isinstance(each, bytes) else str(each).encode() for row in rows for each in row.values()
        )
    return data.decode("utf-8", errors="replace")


def assert_nothing_in(what: str, text: str) -> None:
    low = text.lower()
    for fragment in FRAGMENTS:
        at = low.find(fragment)
        assert at < 0, f"{what} holds a key: {text[max(0, at - 80) : at + 80]!r}"


def assert_nothing_below(folder: Path) -> None:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    assert files
    for path in files:
        assert_nothing_in(f"{path}", f"{path}\n{readable(path)}")


def asking(service: FakeOpenAI) -> list[str]:
    """Ask for all that can be asked; the service answers in the shape that it is asked for."""
    answers = {
        "IdeaChoice": {"idea_id": None, "confidence": 0.9, "reason": "x"},
        "FamilyDescription": {"description": "Changes a thing."},
    }
    service.describe = lambda body: json.dumps(answers[body["response_format"]["json_schema"]["name"]])
    return [
        "--describe",
        "openai",
        "--embed",
        "openai",
        "--llm-match",
        "openai",
        "--base-url",
        service.base_url,
    ]


@pytest.fixture
def hub(httpserver: HTTPServer) -> FakeHub:
    fake_hub = FakeHub(httpserver)
    httpserver.expect_request(re.compile(".*")).respond_with_handler(fake_hub.answer)
    return fake_hub


def test_every_key_is_found_by_these_pieces(archive: Path) -> None:
    """The search that the other tests rely on sees every key where it is."""
    texts = [path.read_text().lower() for path in archive.rglob("*") if path.is_file()]
    assert all(any(each in text for text in texts) for each in fragments(SEEDED))
    assert len(set(fragments(SEEDED))) > 30
    with pytest.raises(AssertionError, match="holds a key"):
        assert_nothing_in("a file", f"xx {KEYS['OpenAI'].upper()} yy")


@pytest.mark.timeout(600)
def test_no_key_leaves_whatever_is_run(
    archive: Path, tmp_path: Path, service: FakeOpenAI, hub: FakeHub
) -> None:
    out, cache, work = tmp_path / "out", tmp_path / "cache", tmp_path / "work"
    work.mkdir()
    where = {"HF_ENDPOINT": hub.server.url_for("").rstrip("/")}
    build = ["build", "--archive", str(archive), "--out", str(out), "--cache", str(cache)]
    to_hub = ["publish", str(out), "--repo", "owner/name"]
    told = [
        run(
            ([*build, *asking(service), "--llm-answers", str(work / "answers.jsonl")], 0),
            ([*build, "--quiet"], 0),
            (["build", "--archive", str(archive), "--out", str(work / "other"), "--workers", "2"], 0),
            (["validate", str(out)], 0),
            (["validate", str(out), "--json"], 0),
            (["validate", str(out), "--propose", "x"], 0),
            (["quality", str(out), "--review", str(work / "review.csv")], 0),
            (["report", str(out)], 0),
            (["diff", str(out), str(work / "other")], 0),
            (["diff", str(out), str(work / "other"), "--json"], 0),
            (["sources", str(out), "--to", str(work / "sources")], 0),
            (["inspect", str(out)], 0),
            (["inspect", str(out), "--experiment", "codex--v1--lion-lr1-s0"], 0),
            (["inspect", str(out), "--idea", "codex--v1--lion"], 0),
            ([*to_hub, "--dry-run"], 3),
            **where,
        )
    ]
    warned = r"Warning: \d+ texts that look like keys or passwords were removed, the first from \S+, line \d"
    assert re.search(warned, told[0])
    assert read_manifest(out).removed_keys > 300
    assert re.search(r"data/runs_self_contained/\S+, line \d+ \([A-Za-z ]+\)", told[0])
    assert re.search(r"\w+\.parquet, column \w+, row \d+", told[0])
    accepting = ["--accept", told[0].strip().rpartition("--accept ")[2].rstrip(".")]
    told.append(
        run(
            ([*to_hub, *accepting, "--dry-run"], 0),
            ([*to_hub, *accepting], 0),
            (["publish", str(out), "--to", str(work / "published"), *accepting], 0),
            (
                ["build", "--archive", f"https://me:{fake(20)}@127.0.0.1:9/x.git", "--out", str(work / "no")],
                2,
            ),
            ([*build, "--base-url", "http://me:correct-horse-7@127.0.0.1:9/v1"], 2),
            (["publish", str(out), "--to", f"s3://key:{ENVIRONMENT['AWS_SECRET_ACCESS_KEY']}@bucket/x"], 2),
            **where,
        )
    )
    assert hub.commits
    twice = {name: "\n".join([ENVIRONMENT[name]] * 2) for name in ("HF_TOKEN", "OPENAI_API_KEY")}
    told.append(run(([*to_hub, *accepting], 2), ([*build, *asking(service)], 2), **where, **twice))

    for each in told:
        assert_nothing_in("what a command printed", each)
    for folder in (out, cache, work):
        assert_nothing_below(folder)
    assert_nothing_in("what a model was asked", json.dumps(service.requests))
    assert_nothing_in("what a Hub was told", json.dumps(hub.messages))
    assert {"/v1/chat/completions", "/v1/embeddings"} <= set(service.paths())


@pytest.mark.timeout(600)
def test_no_key_reaches_a_prefect_server(
    archive: Path, tmp_path: Path, prefect_server: PrefectServer, service: FakeOpenAI
) -> None:
    """Not its database, its logs, its artifacts, nor what a flow that fails leaves there."""
    out, cache = tmp_path / "out", tmp_path / "cache"
    server = {**prefect_server.environment(), "PREFECT_LOGGING_LEVEL": "DEBUG"}
    build = [
        "build",
        "--archive",
        str(archive),
        "--out",
        str(out),
        "--engine",
        "prefect",
        "--cache",
        str(cache),
    ]
    to_folder = ["publish", str(out), "--to", str(tmp_path / "published")]
    told = [run(([*build, *asking(service)], 0), (to_folder, 3), **server)]
    accepting = ["--accept", told[0].strip().rpartition("--accept ")[2].rstrip(".")]
    told.append(run(([*to_folder, *accepting], 0), **server))
    twice = "\n".join([ENVIRONMENT["HF_TOKEN"]] * 2)
    told.append(run((["publish", str(out), "--repo", "a/b", *accepting], 2), **server | {"HF_TOKEN": twice}))
    told.append(json.dumps(prefect_server.ask("/artifacts/filter", {})))
    assert "variant-coverage" in told[-1]
    told.append(json.dumps(prefect_server.ask("/logs/filter", {})))
    assert "UnfitError" in told[-1]
    for each in told:
        assert_nothing_in("what was told", each)
    for folder in (prefect_server.home, cache, out):
        assert_nothing_below(folder)


def test_an_error_that_quotes_a_secret_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "plain-value-1")
    with pytest.raises(SecretError) as caught, no_secret_escapes():
        raise ValueError("bad header: plain-value-1")
    told = "".join(traceback.format_exception(caught.value))
    assert "ValueError: bad header: " in told
    assert "plain-value-1" not in told
    with pytest.raises(ValueError, match="bad header"), no_secret_escapes():
        raise ValueError("bad header")
