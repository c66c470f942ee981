"""Files that lie around in a real scratchpad and belong to no kind that is parsed."""

from demo.export import ROOT as EXPORT_ROOT
from demo.model import Reject, ScopePlan


def junk_files(plan: ScopePlan, ledger: bytes) -> list[tuple[str, bytes]]:
    """Write the files of a scope that a reader has to list and leave alone.

    Args:
        plan: What the scope holds.
        ledger: Its ledger, for the backup of it.

    Returns:
        Paths relative to the agent's folder, with bytes.
    """
    agent, wave = plan.scope.agent, plan.scope.wave
    files = [
        ("goal.md", f"# Goal\n\nReach validation loss 3.28 in fewer steps. Wave {wave}.\n"),
        ("scratchpad/runs.jsonl.bak-20260504T0155Z", ledger.decode()[: len(ledger) // 3]),
        ("scratchpad/picklist.md", "# Picklist\n\n- cheapest candidates first\n- then seeds of the best\n"),
        (
            "scratchpad/tools/summarise.py",
            '"""Print the best run of the ledger."""\n\nprint("see runs.jsonl")\n',
        ),
        ("scratchpad/papers/muon.md", "# Muon\n\nNotes on orthogonalised momentum, arXiv:2502.16982.\n"),
        ("scratchpad/assets/curve.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>\n"),
        ("scratchpad/candidates/next.txt", "lr 0.035\nwd 0.02\n"),
        ("scratchpad/plan_next_batch.md", "# Next batch\n\nTwo seeds of the best stop.\n"),
        ("scratchpad/sweeps/first/summary.txt", "batch done: 6 of 6\n"),
    ]
    if not (agent == "codex" and wave in ("v2", "v3")):
        files += [
            ("AGENTS.md", "# Rules\n\nThe data, the model and the batch size are fixed.\n"),
            ("plan.md", "# Plan\n\nSearch, screen, verify.\n"),
        ]
    if agent == "codex":
        files += [
            ("scratchpad/worktrees/w1/README.md", "worktree of the launcher\n"),
            ("scratchpad/submission/report.md", "# Report\n\nSee THREAD.md.\n"),
        ]
    return [(path, text.encode()) for path, text in files]


def broken_files() -> list[tuple[str, bytes, Reject]]:
    """Write files of known kinds that hold nothing a parser could use.

    Returns:
        Paths relative to the archive's root, with bytes and the reject that each must become.
    """
    files = {
        f"{EXPORT_ROOT}/agents/cc_v1/runs/99999-broken-0123456789/metadata.json": (
            "export_metadata", b'{"export_id": "99999-broken-01234', "half of a JSON object",
        ),
        "v2/claude-code/scratchpad/sbatch-stubs/notes-only.sh": (
            "stub", b"#!/bin/bash\n# torchrun --standalone variants/later.py\ntrue\n", "no command",
        ),
        "novelty/codex/scratchpad/rule_checks/zzz001_rule_check.md": (
            "rule_check", b"# Rule check of ZZZ001\n\nStill to be written.\n", "no verdict",
        ),
    }  # fmt: skip
    return [(path, data, Reject(kind, path, None, 0, what)) for path, (kind, data, what) in files.items()]
