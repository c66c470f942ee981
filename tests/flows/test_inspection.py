"""Looking at one thing of a dataset."""

import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.sparkline import MAX_POINTS, sparkline
from flows.stages import build_dataset
from tests.helpers import log_text, write_scratchpad

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scope of 24 runs, of which the even ones test an idea, one of them with a hostile name of a log line."""
    root = tmp_path_factory.mktemp("inspected")
    files: dict[str, str | bytes] = {
        "ideas/polar-muon.md": "# Polar Muon\n\nDate: 2026-05-01\n\n## Proposal\n\nDo \x1b[31mthis.\n",
        "ideas/wide-muon.md": "# Wide Muon\n\nDate: 2026-05-02\n\nParent: `polar-muon`.\n",
    }
    ledger = []
    for number in range(24):
        name = f"polar-muon-s{number}" if number % 2 == 0 else f"baseline-s{number}"
        files[f"runs/{name}.log"] = log_text(
            (0, 10.8), (1000, 4.0), (3400 - 10 * number, 3.27), scheduled=3400
        )
        ledger.append({"run_id": name, "launched_at": f"2026-05-02T{number:02d}:00:00Z"})
    write_scratchpad(root / "archive", files, ledger)
    settings = BuildSettings(archive=str(root / "archive"), out=str(root / "dataset"))
    build_dataset(settings, QuietReporter(Console(quiet=True)))
    return root / "dataset"


def inspect(*arguments: str) -> "subprocess.CompletedProcess[str]":
    code = "import sys; from flows.cli import main; sys.argv[0] = 'speedrun-etl'; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "inspect", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"COLUMNS": "200", "PATH": "", "PYTHONUTF8": "1"},
    )


def test_without_a_name_it_lists_the_snapshots(dataset: Path) -> None:
    done = inspect(str(dataset))
    assert done.returncode == 0, done.stderr
    assert "snap_codex_v1_k0003" in done.stdout


def test_a_snapshot(dataset: Path) -> None:
    done = inspect(str(dataset), "--snapshot", "snap_codex_v1_k0012")
    assert done.returncode == 0, done.stderr
    for words in ("2026-05-02 11:00:00", "prior_experiment_ids", "Rejected by then", "█"):
        assert words in done.stdout


def test_an_experiment(dataset: Path) -> None:
    done = inspect(str(dataset), "--experiment", "codex--v1--polar-muon-s12")
    assert done.returncode == 0, done.stderr
    for words in (
        "codex--v1--polar-muon",
        "Cohorts that count it",
        "█",
        "at step 3280",
        "codex--v1--baseline-s11",
    ):
        assert words in done.stdout, words


def test_an_idea(dataset: Path) -> None:
    done = inspect(str(dataset), "--idea", "codex--v1--polar-muon")
    assert done.returncode == 0, done.stderr
    for words in ("Polar Muon", "Runs that tested it (12)", "codex--v1--wide-muon", "snap_codex_v1_k0003"):
        assert words in done.stdout, words
    assert "\x1b" not in done.stdout, "a write-up must not drive the terminal"


@pytest.mark.parametrize("option", ["--snapshot", "--experiment", "--idea"])
def test_an_unknown_id_is_one_sentence_that_names_close_ones(dataset: Path, option: str) -> None:
    done = inspect(str(dataset), option, "codex--v1--polar-muom")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "close to it are" in done.stderr
    if option == "--idea":
        assert "codex--v1--polar-muon" in done.stderr


def test_two_names_are_one_too_many(dataset: Path) -> None:
    assert inspect(str(dataset), "--idea", "a", "--snapshot", "b").returncode == 2


def test_a_folder_that_is_no_dataset(tmp_path: Path) -> None:
    done = inspect(str(tmp_path))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "is no dataset" in done.stderr


def test_a_long_row_of_losses_is_thinned() -> None:
    line = sparkline([4.0 - number / 1000 for number in range(500)])
    assert len(line) <= MAX_POINTS + 1
    assert (line[0], line[-1]) == ("█", "▁")


@pytest.mark.parametrize("losses", [[], [3.28], [3.28, 3.28], [float("nan")]])
def test_any_row_can_be_drawn(losses: list[float]) -> None:
    assert len(sparkline(losses)) == len(losses)
