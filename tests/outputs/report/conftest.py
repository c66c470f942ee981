"""A dataset whose texts attack its report."""

import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import build_dataset

ATTACK = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 2'>"
BREAKOUT = "</script><script>window.attacked = 3</script>"
LINK = "[press](javascript:window.attacked=4) <a href='javascript:window.attacked=5'>press</a>"

HOSTILE_IDEA = f"""# Hostile {ATTACK} {BREAKOUT} title

## Proposal

{BREAKOUT} {LINK} {{{{ 7 * 191 }}}} <!-- unclosed
"""


@pytest.fixture(scope="session")
def hostile_dataset(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo archive with an idea, a ledger line and a broken file that hold markup and scripts."""
    root = tmp_path_factory.mktemp("hostile")
    shutil.copytree(demo_archive, root / "archive")
    scratchpad = root / "archive" / "v1" / "codex" / "scratchpad"
    (scratchpad / "ideas" / "hostile-idea.md").write_text(HOSTILE_IDEA, encoding="utf-8")
    with (scratchpad / "runs.jsonl").open("a", encoding="utf-8") as ledger:
        ledger.write(json.dumps({"run_id": "hostile-idea-s0", "note": ATTACK}) + "\n")
        ledger.write(f'{{"run_id": {BREAKOUT} {ATTACK}\n')
    reporter = QuietReporter(Console(file=None, quiet=True))
    build_dataset(BuildSettings(archive=str(root / "archive"), out=str(root / "dataset")), reporter)
    return root / "dataset"
