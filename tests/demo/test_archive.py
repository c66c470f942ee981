"""The archive as a whole: reproducible, of the promised size, in the real layout."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from demo import generate_archive
from demo.plan import plan_archive
from flows.runners import Processes
from parsers.scopes import SCOPES
from tests.demo.small import SmallArchive


def _hashes(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_same_seed_gives_the_same_bytes_with_two_processes(small: SmallArchive, tmp_path: Path) -> None:
    summary = generate_archive(tmp_path, scale="small", seed=0, mapper=Processes(2).map)
    assert summary == small.summary
    assert _hashes(tmp_path) == _hashes(small.root)


def test_the_hash_seed_of_the_interpreter_changes_no_byte(small: SmallArchive, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from demo import generate_archive; "
        "generate_archive(Path(sys.argv[1]), scale='small')"
    )
    environment = os.environ | {"PYTHONHASHSEED": "4711"}
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, cwd=root, env=environment)
    assert _hashes(tmp_path) == _hashes(small.root)


def test_another_seed_gives_other_runs(small: SmallArchive) -> None:
    other = {run.run_id for plan in plan_archive("small", 1) for run in plan.runs}
    ours = {row["run_id"] for row in small.runs}
    assert len(other - ours) > len(other) / 2


def test_every_scope_has_its_share_of_runs_ideas_and_variants(small: SmallArchive) -> None:
    runs = Counter((row["wave"], row["agent"]) for row in small.runs)
    ideas = Counter((row["wave"], row["agent"]) for row in small.ideas)
    assert len(runs) == len(ideas) == len(SCOPES)
    assert min(runs.values()) >= 24
    assert min(ideas.values()) >= 12
    assert 560 <= sum(runs.values()) <= 640
    on_disk = len(list(small.root.glob("*/*/scratchpad/variants/*.py")))
    assert on_disk == small.summary.variants


def test_the_full_plan_has_the_size_of_the_real_archive() -> None:
    plans = plan_archive("full", 0)
    assert sum(len(plan.runs) for plan in plans) == 10_380
    assert sum(len(plan.ideas) for plan in plans) == 646
    assert sum(len(plan.variants) for plan in plans) == 3_249
    for plan in plans:
        assert len({run.run_id for run in plan.runs}) == len(plan.runs)
        assert len({idea.slug for idea in plan.ideas}) == len(plan.ideas)


def test_the_summary_counts_what_lies_on_disk(small: SmallArchive) -> None:
    files = [path for path in small.root.rglob("*") if path.is_file()]
    assert small.summary.files == len(files)
    assert small.summary.total_bytes == sum(path.stat().st_size for path in files)
    assert small.summary.total_bytes < 25_000_000


def test_the_layout_has_every_kind_of_file(small: SmallArchive) -> None:
    for pattern in (
        "*/*/goal.md", "*/*/scratchpad/runs.jsonl", "*/*/scratchpad/THREAD.md",
        "*/*/scratchpad/runs/*.console.log",
        "*/*/scratchpad/sbatch-stubs/*.sh", "*/codex/scratchpad/run_*.sh", "v1/*/scratchpad/ideas.md",
        "novelty/claude-code/scratchpad/audits.md", "novelty/codex/scratchpad/rule_checks/*.md",
        "*/*/scratchpad/runs.jsonl.bak-*", "data/runs_self_contained/agents/*/runs/*/metadata.json",
        "data/runs_self_contained/dropped_runs.jsonl",
    ):  # fmt: skip
        assert list(small.root.glob(pattern)), pattern
    assert len(list((small.root / "v1/claude-code/scratchpad/ideas").glob("*.md"))) <= 2
