"""A proposer's command as a real process: started without a shell, watched, ended with all that it started."""

import os
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from scorers.proposer_command import (
    MAX_LOG_BYTES,
    CommandError,
    ProposerCommand,
    ProposerFailedError,
    StoppedError,
    environment_without,
    run_command,
    split_command,
)


def command(code: str, *arguments: str, timeout_s: float = 60.0) -> ProposerCommand:
    return ProposerCommand(
        (sys.executable, "-c", code, *arguments), timeout_s, {"WORD": "in the environment"}
    )


def run(folder: Path, code: str, *arguments: str, timeout_s: float = 60.0) -> str:
    """Run Python code as a proposer, and give what it printed."""
    log = folder.parent / "output.log"
    run_command(command(code, *arguments, timeout_s=timeout_s), folder, log, threading.Event())
    return log.read_text(encoding="utf-8")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "a workspace; with 'odd' $NAMES"
    folder.mkdir()
    return folder


def gone(pid: int) -> bool:
    """Whether a process has ended, within a few seconds; one that nobody waits for has ended too."""
    for _ in range(100):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def test_it_runs_in_the_workspace_and_no_shell_reads_it(workspace: Path) -> None:
    code = "import os, sys; print(os.getcwd(), os.environ['PWD'], sys.argv[1:], sys.stdin.read(), sep='|')"
    printed = run(workspace, code, "--in={workspace}/x", "$HOME", "; touch here")
    arguments = [f"--in={workspace}/x", "$HOME", "; touch here"]
    assert printed == f"{workspace}|{workspace}|{arguments!r}|\n"
    assert list(workspace.iterdir()) == []


def test_it_has_the_environment_that_it_is_given_and_no_other(workspace: Path) -> None:
    printed = run(workspace, "import os; print(sorted(set(os.environ) - {'LC_CTYPE'}), os.environ['WORD'])")
    assert printed == "['PWD', 'WORD'] in the environment\n"


def test_output_and_errors_are_kept_in_order(workspace: Path) -> None:
    code = "import os; os.write(1, b'one '); os.write(2, b'two '); os.write(1, b'three')"
    assert run(workspace, code) == "one two three"


def test_of_long_output_the_beginning_and_the_end_are_kept(workspace: Path) -> None:
    """Ten million bytes: half a million from each end stay, nine million are left out."""
    code = "import sys; sys.stdout.write('first' + 'x' * 9_999_991 + 'last')"
    printed = run(workspace, code)
    half = MAX_LOG_BYTES // 2
    assert printed[:half] == "first" + "x" * (half - 5)
    assert printed[half:-half] == "\n[9000000 bytes are left out here]\n"
    assert printed[-half:] == "x" * (half - 4) + "last"


def test_output_of_just_the_limit_is_whole(workspace: Path) -> None:
    assert run(workspace, f"import sys; sys.stdout.write('y' * {MAX_LOG_BYTES})") == "y" * MAX_LOG_BYTES


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit(3)", "ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "ended by signal 9"),
    ],
)
def test_a_command_that_fails_says_how(workspace: Path, code: str, reason: str) -> None:
    with pytest.raises(ProposerFailedError, match=reason):
        run(workspace, code)


def test_a_command_that_is_not_there(workspace: Path) -> None:
    absent = ProposerCommand(("no-such-program-anywhere",), 1.0, {"PATH": os.environ["PATH"]})
    with pytest.raises(ProposerFailedError, match="could not be started"):
        run_command(absent, workspace, workspace / "log", threading.Event())


CHILD = "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); print(p.pid, flush=True);"


def test_a_command_that_takes_too_long_ends_with_its_children(workspace: Path) -> None:
    with pytest.raises(ProposerFailedError, match=r"longer than 2 s"):
        run(workspace, CHILD + "time.sleep(600)", timeout_s=2.0)
    assert gone(int((workspace.parent / "output.log").read_text()))


def test_what_a_command_leaves_behind_is_ended_too(workspace: Path) -> None:
    """The child holds the pipe open, which must not hold up anybody either."""
    assert gone(int(run(workspace, CHILD)))


def test_a_process_that_leaves_the_group_holds_nobody_up(workspace: Path) -> None:
    code = CHILD.replace("])", "], start_new_session=True)")
    pid = int(run(workspace, code))
    process = psutil.Process(pid)
    assert process.is_running(), "it is not followed, as the documentation says"
    process.kill()


def test_a_command_that_closes_its_output_is_still_waited_for(workspace: Path) -> None:
    run(workspace, "import os, time; os.close(1); os.close(2); time.sleep(0.5); open('done', 'w')")
    assert (workspace / "done").is_file()
    with pytest.raises(ProposerFailedError, match="longer than"):
        run(workspace, "import os, time; os.close(1); os.close(2); time.sleep(600)", timeout_s=0.5)


def test_work_that_is_called_off_ends(workspace: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    with pytest.raises(StoppedError):
        run_command(command(CHILD + "time.sleep(600)"), workspace, workspace / "log", stop)


@pytest.mark.parametrize("text", ["", "   ", "agent 'open", "./agent {workspace}", "bin/agent"])
def test_what_is_no_command_is_refused(text: str) -> None:
    with pytest.raises(CommandError):
        split_command(text)


def test_what_tells_of_the_dataset_leaves_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = tmp_path / "data" / "set"
    dataset.mkdir(parents=True)
    (tmp_path / "link").symlink_to(dataset)
    monkeypatch.chdir(tmp_path)
    told = {
        "A": str(dataset),
        "B": f"--data={dataset}/runs.parquet",
        "C": "data/set",
        "D": f"/bin{os.pathsep}data/set/current_recipes",
        "E": "link/ideas.parquet",
        "PWD": str(tmp_path),
        "OLDPWD": "/",
    }
    kept = {
        "PATH": "/bin",
        "HOME": str(tmp_path),
        "KEY": "sk-x",
        "EMPTY": "",
        "ODD": "\0" * 3,
        "DATA": "data/settings",
    }
    assert environment_without({**told, **kept}, Path("data/set")) == kept
    assert environment_without({**told, **kept}, tmp_path / "link").keys() == kept.keys()
