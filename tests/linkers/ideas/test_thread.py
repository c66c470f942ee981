"""What the journal says of runs and ideas."""

from pathlib import Path

import pytest

from tests.linkers.ideas.small import chosen, decide, gather

IDEAS = {"lion-clip": "", "tail-mean": "# Tail mean (TMX)\n\nWords.\n"}
JOBS: list[dict[str, object]] = [
    {"run_id": "try1-s0", "slurm_job": 8720},
    {"run_id": "try1-s1", "slurm_job": 8721},
    {"run_id": "try2-s0", "slurm_job": 8722},
]


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        ("- `try2-s0` is the first try of `lion-clip`; ended at `3300 / 3.28`.", "lion-clip"),
        ("- Looked into `lion-clip` again.\n  Its run is `try2-s0`, and it ended.", "lion-clip"),
        ("- `lion-clip` (8722) at step 2000: smooth.", "lion-clip"),
        ("- TMX (8722) at step 2000.", "tail-mean"),
        ("- Launched `try{1,2}-s0` for idea `lion-clip`.", "lion-clip"),
        ("| `try2-s0` | `ideas/lion-clip.md` | 3.28 |", "lion-clip"),
        ("- Unlike `tail-mean`, run `try2-s0` tests `lion-clip`.", "lion-clip"),
        ("- `try2-s0` ended at 3.28. Next up: `lion-clip`.", None),
        ("- `try2-s0` is better than `lion-clip`.", None),
        ("- `try2-s0` and both `lion-clip` and `tail-mean`.", None),
        ("- The `lion-clip-b095-s0` run beat `try2-s0`.", None),
        ("- `lion-clip` (3300) ended well.", None),
    ],
)
def test_an_entry(tmp_path: Path, entry: str, wanted: str | None) -> None:
    text = f"# THREAD\n\n## 2026-04-30\n\n{entry}\n"
    assert chosen(gather(tmp_path, JOBS, IDEAS, text))["try2-s0"] == wanted


def test_an_ambiguous_entry_leaves_low_candidates(tmp_path: Path) -> None:
    text = "## 2026-04-30\n\n- `try2-s0` and both `lion-clip` and `tail-mean`.\n"
    link = decide(gather(tmp_path, JOBS, IDEAS, text))["try2-s0"]
    assert [candidate.score for candidate in link.candidates] == [0.25, 0.25]


def test_evidence_names_file_line_and_quote(tmp_path: Path) -> None:
    text = "# THREAD\n\n## 2026-04-30\n\n- `try2-s0` tests `lion-clip`.\n"
    link = decide(gather(tmp_path, JOBS, IDEAS, text))["try2-s0"]
    assert link.candidates[0].evidence == "v1/codex/scratchpad/THREAD.md:5: - `try2-s0` tests `lion-clip`."


def test_a_control_is_evidence_against_the_name(tmp_path: Path) -> None:
    text = "## 2026-04-30\n\n- `lion-clip-s0` is a control, there is no idea behind it; ended.\n"
    link = decide(gather(tmp_path, ["lion-clip-s0", "lion-clip-s1"], IDEAS, text))["lion-clip-s0"]
    assert (link.idea_id, link.is_conflict) == (None, True)


def test_variance_control_is_no_control(tmp_path: Path) -> None:
    text = "## 2026-04-30\n\n- `lion-clip-s0` is a better control of variance.\n"
    assert chosen(gather(tmp_path, ["lion-clip-s0"], IDEAS, text)) == {"lion-clip-s0": "lion-clip"}


def test_a_copied_opener_says_nothing(tmp_path: Path) -> None:
    """A later wave's journal opens with an entry of the first wave, whose run ids come again."""
    text = "## 2026-04-29\n\n- `try2-s0` tests `lion-clip`.\n\n## 2026-05-12\n\n- Began.\n"
    assert chosen(gather(tmp_path, JOBS, IDEAS, text))["try2-s0"] is None


def test_the_ledgers_note_counts(tmp_path: Path) -> None:
    rows = [{"run_id": "try9", "notes": "first run of `lion-clip`"}]
    assert chosen(gather(tmp_path, rows, IDEAS)) == {"try9": "lion-clip"}


def test_a_quoted_family_stands_for_its_runs(tmp_path: Path) -> None:
    runs = ["cand7-ts3000", "cand7-ts3025-r1", "cand77-ts3000"]
    text = "## 2026-05-05\n\n- Family `cand7` is for `lion-clip`.\n"
    assert chosen(gather(tmp_path, runs, IDEAS, text)) == {
        "cand7-ts3000": "lion-clip",
        "cand7-ts3025-r1": "lion-clip",
        "cand77-ts3000": None,
    }
