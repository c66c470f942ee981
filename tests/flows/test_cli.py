"""The command line as a user meets it: exit codes, sentences, documentation."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from flows.cli import app
from tests.helpers import log_text, write_scratchpad

ROOT = Path(__file__).parents[2]


def run(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a process of its own, without any Prefect configuration."""
    command = [sys.executable, "-c", "from flows.cli import main; main()", *arguments]
    clean = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PREFECT_HOME": "/nonexistent", **(env or {})}
    return subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, check=False)


def commands() -> dict[str, str]:
    group = get_command(app)
    return {name: command.help or "" for name, command in group.commands.items()}  # type: ignore[attr-defined]


def test_every_command_has_help_and_stands_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, help_text in commands().items():
        assert help_text.strip(), name
        assert f"speedrun-etl {name}" in readme, f"document {name} in the README"


def test_the_readme_names_no_command_that_is_not_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"speedrun-etl ([a-z-]+)", readme)) <= commands().keys()


def test_every_option_has_help() -> None:
    for name in commands():
        result = CliRunner().invoke(app, [name, "--help"], terminal_width=300)
        assert result.exit_code == 0
        options = re.findall(r"^\s+(--[a-z-]+)(.*)$", result.output, flags=re.MULTILINE)
        assert all(len(rest.split()) > 1 for _, rest in options), (name, options)


def test_what_is_no_archive_ends_with_2_and_one_sentence(tmp_path: Path) -> None:
    done = run("build", "--archive", str(tmp_path), "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    assert "v1/claude-code/scratchpad" in last
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_asking_a_model_without_a_key_ends_with_2_before_any_work(tmp_path: Path) -> None:
    write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8))})
    arguments = ("--archive", str(tmp_path / "archive"), "--out", str(tmp_path / "out"), "--engine", "direct")
    done = run("build", *arguments, "--llm-match", "openai")
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "Error: OpenAI was asked for, but the environment holds no key: set OPENAI_API_KEY, "
        "or leave out the options that name openai."
    )
    assert not (tmp_path / "out").exists()


def test_wrong_usage_ends_with_2() -> None:
    assert run("build").returncode == 2
    assert run("nonsense").returncode == 2


def test_a_folder_with_other_things_is_not_replaced(tmp_path: Path) -> None:
    write_scratchpad(tmp_path / "archive")
    (tmp_path / "thesis.txt").write_text("x")
    done = run("build", "--archive", str(tmp_path / "archive"), "--out", str(tmp_path))
    assert (done.returncode, (tmp_path / "thesis.txt").read_text()) == (2, "x")
    done = run("generate", "--out", str(tmp_path))
    assert (done.returncode, (tmp_path / "thesis.txt").read_text()) == (2, "x")


def test_a_build_says_what_it_did_in_dated_lines(tmp_path: Path) -> None:
    write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8)), "runs/b.log": ""})
    done = run("build", "--archive", str(tmp_path / "archive"), "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ", line) for line in lines), lines
    assert sum("PREFECT_API_URL" in line for line in lines) == 1
    assert sum("lacks 7 of 8 scratchpads" in line and "v3/codex/scratchpad" in line for line in lines) == 1
    assert re.search(r"log \(files\)\s.*2\s.*1\s.*1\s", done.stdout)
    assert re.search(r"runs\s.*1\s", done.stdout)
    assert "was built from 3 files in" in done.stdout


def test_the_demo_can_be_made_again_but_replaces_nothing_else(tmp_path: Path) -> None:
    assert run("demo", "--out", str(tmp_path / "demo"), "--quiet").returncode == 0
    again = run("demo", "--out", str(tmp_path / "demo"), "--workers", "1")
    assert again.returncode == 0, again.stderr
    assert "was built from" in again.stdout
    (tmp_path / "mine/archive").mkdir(parents=True)
    (tmp_path / "mine/archive/thesis.txt").write_text("x")
    assert run("demo", "--out", str(tmp_path / "mine")).returncode == 2
    assert (tmp_path / "mine/archive/thesis.txt").read_text() == "x"


def test_a_quiet_build_prints_warnings_alone(tmp_path: Path) -> None:
    write_scratchpad(tmp_path / "archive")
    done = run("build", "--archive", str(tmp_path / "archive"), "--out", str(tmp_path / "out"), "--quiet")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("Warning: the archive lacks 7 of 8 scratchpads")
    assert len(done.stderr.splitlines()) == 1


def test_a_build_whose_gates_fail_ends_with_3_and_can_be_looked_at(tmp_path: Path) -> None:
    """Seven scopes are missing, which is a warning, and with --strict warnings fail."""
    write_scratchpad(tmp_path / "archive")
    arguments = ("build", "--archive", str(tmp_path / "archive"), "--out", str(tmp_path / "out"), "--strict")
    done = run(*arguments, "--quiet")
    assert done.returncode == 3
    assert "Warning scopes: 7 in archive:" in done.stderr
    assert "scope=v3/codex" in done.stderr
    assert "Traceback" not in done.stderr
    assert run("validate", str(tmp_path / "out")).returncode == 0
    assert run("validate", str(tmp_path / "out"), "--strict").returncode == 3


def test_validate_shows_the_failing_rows(tmp_path: Path) -> None:
    write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8))})
    assert (
        run("build", "--archive", str(tmp_path / "archive"), "--out", str(tmp_path / "out")).returncode == 0
    )
    (tmp_path / "out/ideas.parquet").unlink()
    done = run("validate", str(tmp_path / "out"))
    assert done.returncode == 3
    assert "Error files: 1 in files:" in done.stdout
    assert "file=ideas.parquet" in done.stdout
    told = json.loads(run("validate", str(tmp_path / "out"), "--json").stdout)
    assert {each["check"] for each in told if each["failing"] and each["severity"] == "error"} >= {
        "files",
        "types",
    }
    proposed = tomllib.loads(run("validate", str(tmp_path / "out"), "--propose", "tiny").stdout)
    assert proposed["tiny"]["rows"]["runs"] == 1
    assert run("validate", str(tmp_path)).returncode == 2


def test_a_build_is_held_against_the_section_that_was_named(tmp_path: Path) -> None:
    """When it is built, when it is validated, and when it is published; another name can be given later."""
    archive, out = (
        write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8))}),
        tmp_path / "out",
    )
    build = ["build", "--archive", str(archive), "--out", str(out), "--workers", "1", "--quiet", "--expect"]
    refused = run(*build, "mine")
    assert refused.returncode == 2
    assert refused.stderr.endswith("is called mine: name any, public, demo-small or demo-full.\n")
    assert not out.exists()
    built = run(*build, "public")
    assert built.returncode == 3
    assert "what=rows of runs, expected=9861 to 10949, found=1" in built.stderr
    assert json.loads((out / "manifest.json").read_text())["settings"]["expect"] == "public"
    assert run("validate", str(out)).returncode == 3
    told = run("publish", str(out), "--to", str(tmp_path / "to"))
    assert told.returncode == 3
    assert "expected_numbers" in told.stderr
    shown = run("validate", str(out), "--expect", "demo-small")
    assert "what=rows of runs, expected=610, found=1" in shown.stdout
    assert run("validate", str(out), "--expect", "mine").returncode == 2


def test_publish_refuses_what_is_not_fit_and_wrong_usage(tmp_path: Path) -> None:
    write_scratchpad(tmp_path / "archive", {"runs/a.log": log_text((0, 10.8))})
    assert (
        run("build", "--archive", str(tmp_path / "archive"), "--out", str(tmp_path / "out")).returncode == 0
    )
    target = ("--to", str(tmp_path / "published"))
    key = {"A_SECRET": "codex--v1--a"}
    done = run("publish", str(tmp_path / "out"), *target, env=key)
    assert done.returncode == 3
    assert "value of A_SECRET in" in done.stderr
    assert "codex--v1--a" not in done.stderr
    assert not (tmp_path / "published").exists()
    assert run("publish", str(tmp_path / "out"), *target).returncode == 0
    assert run("publish", str(tmp_path / "out")).returncode == 2
    assert run("publish", str(tmp_path / "out"), *target, "--repo", "a/b").returncode == 2


def test_the_command_starts_without_prefect_and_openai() -> None:
    code = "import sys, flows.cli; print(sorted({'prefect', 'openai', 'torch', 'dask'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("epoch", ["0", "1777777777"])
def test_source_date_epoch_sets_the_only_timestamp(tmp_path: Path, epoch: str) -> None:
    write_scratchpad(tmp_path / "archive")
    arguments = ("build", "--archive", str(tmp_path / "archive"), "--out", str(tmp_path / "out"), "--quiet")
    assert run(*arguments, env={"SOURCE_DATE_EPOCH": epoch}).returncode == 0
    first = (tmp_path / "out/manifest.json").read_bytes()
    assert run(*arguments, env={"SOURCE_DATE_EPOCH": epoch, "TZ": "Asia/Tokyo"}).returncode == 0
    assert (tmp_path / "out/manifest.json").read_bytes() == first
