"""The gold agrees with what a small independent reader finds in the files."""

import ast
import hashlib
import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests.demo.small import Row, SmallArchive

_CHECKPOINT = re.compile(r"step:(\d+)/(\d+) val_loss:([\d.]+|nan|inf) .*step_avg:\S*ms")


def _read_trials(data: bytes) -> list[list[tuple[int, int, float]]]:
    """Read the trials of a log, by the rules of the gold's README and nothing of the project."""
    text = data.decode("utf-8", errors="replace")
    if "=" * 100 in text and "val_loss" in text.split("=" * 100)[0]:
        text = text.split("=" * 100, 1)[1]
    lines = text.split("\n")[:-1]
    seen: set[str] = set()
    trials: list[list[tuple[int, int, float]]] = []
    marker, is_new = "", True
    for line in lines:
        bare = re.sub(r"\x1b\[\d*m|^\[rank\d\]:|\r$", "", line)
        if re.fullmatch(r"seed:\d+", bare):
            seen.clear()
        if match := re.match(r"trial:(\d+)/", bare):
            is_new, marker = is_new or match[1] != marker, match[1]
        match = _CHECKPOINT.match(re.sub(r"^\[rank\d\]:", "", bare))
        if not match or line in seen:
            continue
        seen.add(line)
        point = (int(match[1]), int(match[2]), float(match[3]))
        if is_new or not trials or point[0] <= trials[-1][-1][0]:
            trials.append([])
            is_new = False
        trials[-1].append(point)
    return trials


def test_every_trial_is_found_again_in_the_logs(small: SmallArchive) -> None:
    checked = 0
    for row in small.runs:
        logs = [_read_trials(path.read_bytes()) for path in small.logs(row)]
        fullest = max(logs, key=lambda trials: sum(map(len, trials)), default=[])
        gold = small.trials.get((row["wave"], row["agent"], row["run_id"]), [])
        assert len(fullest) == len(gold) == int(row["n_trials"]), row["run_id"]
        for points, trial in zip(fullest, gold, strict=True):
            hits = [step for step, _, loss in points if loss <= 3.28]
            lows = [loss for _, _, loss in points if not math.isnan(loss)]
            assert trial["n_checkpoints"] == str(len(points)), row["run_id"]
            assert trial["first_step"] == str(points[0][0])
            assert trial["final_step"] == str(points[-1][0])
            assert trial["scheduled_steps"] == str(points[-1][1])
            assert trial["final_val_loss"] == f"{points[-1][2]:.5f}"
            assert trial["min_val_loss"] == f"{min(lows):.5f}"
            assert trial["first_step_le_3_28"] == (str(hits[0]) if hits else "")
            checked += 1
    assert checked == small.summary.trials


def test_a_run_carries_the_outcome_of_its_first_trial(small: SmallArchive) -> None:
    for row in small.runs:
        gold = small.trials.get((row["wave"], row["agent"], row["run_id"]), [])
        if not gold:
            assert row["outcome_source"] != "log"
            continue
        assert row["step_to_3_28"] == gold[0]["first_step_le_3_28"]
        assert row["final_val_loss"] == gold[0]["final_val_loss"]
        assert int(row["n_checkpoints"]) == sum(int(trial["n_checkpoints"]) for trial in gold)


def test_the_eight_verification_runs_have_the_published_losses(small: SmallArchive) -> None:
    rows = [row for row in small.runs if re.search(r"cm0225-attn0625-sig-r[1-8]$", row["run_id"])]
    assert [row["final_step"] for row in rows] == ["3037"] * 8
    mean = sum(float(row["final_val_loss"]) for row in rows) / 8
    assert mean == pytest.approx(3.2783775, abs=1e-9)
    assert (3.28 - mean) * math.sqrt(8) == pytest.approx(0.004589, abs=1e-6)


def _normalised(text: str) -> str:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return hashlib.sha256(("\n".join(lines).rstrip("\n") + "\n").encode()).hexdigest()


def _embedded_source(log: bytes) -> str:
    """Cut the source out of a log: from its docstring to the delimiter."""
    text = log.decode("utf-8", errors="replace").replace("\r\n", "\n")
    before = text.split("\n" + "=" * 100, 1)[0]
    return before[before.index('"""') :]


def test_embedded_sources_parse_and_have_the_stated_hash(small: SmallArchive) -> None:
    drifted = 0
    for row in small.runs:
        if not row["source_sha256"]:
            continue
        texts = [
            _embedded_source(path.read_bytes()) for path in small.logs(row) if b'"""' in path.read_bytes()
        ]
        assert row["source_sha256"] in [_normalised(text) for text in texts], row["run_id"]
        ast.parse(texts[0])
        on_disk = _normalised((small.scratchpad(row) / row["variant_path"]).read_text())
        assert (on_disk != row["source_sha256"]) == (row["is_drifted"] == "true")
        drifted += row["is_drifted"] == "true"
    assert drifted >= 8


def test_no_two_variants_of_a_scope_hold_the_same_text(small: SmallArchive) -> None:
    for folder in small.root.glob("*/*/scratchpad/variants"):
        texts = Counter(_normalised(path.read_text()) for path in folder.iterdir())
        assert set(texts.values()) == {1}


def _is_told(small: SmallArchive, row: Row) -> bool:
    stem = Path(row["variant_path"]).stem
    place = row["variant_knowable_by"]
    if place == "ledger":
        stated = [str(entry["variant"]) for entry in small.ledger_rows(row) if "variant" in entry]
        return any(path.endswith(f"{stem}.py") or path in stem.split("_") for path in stated)
    if place == "embedded":
        return bool(row["source_sha256"])
    if place == "recompile":
        return any(
            f"/scratchpad/variants/{stem}.py:".encode() in path.read_bytes() for path in small.logs(row)
        )
    if place == "stub":
        own = small.scratchpad(row) / f"sbatch-stubs/{row['run_id']}.sh"
        shared = list(small.scratchpad(row).glob("run_*.sh"))
        texts = [own.read_text()] if own.exists() else [path.read_text() for path in shared]
        return any(stem in text and row["run_id"] in text for text in texts)
    return place == "name"


def test_the_variant_is_told_where_the_gold_says_so(small: SmallArchive) -> None:
    places = Counter(row["variant_knowable_by"] for row in small.runs)
    assert set(places) == {"ledger", "embedded", "recompile", "stub", "name", ""}
    for row in small.runs:
        assert (small.scratchpad(row) / row["variant_path"]).is_file()
        if row["variant_knowable_by"]:
            assert _is_told(small, row), row["run_id"]


def test_a_run_that_cannot_be_known_leaves_no_trace_of_its_variant(small: SmallArchive) -> None:
    rows = [row for row in small.runs if not row["variant_knowable_by"]]
    assert rows
    for row in rows:
        stem = Path(row["variant_path"]).stem
        assert not any("variant" in entry for entry in small.ledger_rows(row)), row["run_id"]
        assert not any(f"{stem}.py".encode() in path.read_bytes() for path in small.logs(row))


def _entries(thread: str) -> list[str]:
    return re.split(r"\n(?=[-#] ?)", thread)


def test_the_idea_is_told_where_the_gold_says_so(small: SmallArchive) -> None:
    ideas = {(row["wave"], row["agent"], row["slug"]): row for row in small.ideas}
    kinds = Counter(row["idea_knowable_by"] for row in small.runs if row["idea_slug"])
    assert set(kinds) == {"name", "alias", "journal", "family", ""}
    for row in small.runs:
        if not row["idea_slug"]:
            assert not row["idea_knowable_by"]
            continue
        idea = ideas[(row["wave"], row["agent"], row["idea_slug"])]
        spelled = (row["run_id"] + " " + row["variant_path"]).replace("_", "-")
        if row["idea_knowable_by"] == "name":
            assert row["idea_slug"].replace("_", "-") in spelled or idea["token"] in spelled
        elif row["idea_knowable_by"] == "alias":
            assert idea["token"] in row["run_id"]
        elif row["idea_knowable_by"] == "journal":
            assert _is_named_in_journal(small, row), row["run_id"]


def _is_named_in_journal(small: SmallArchive, row: Row) -> bool:
    parts = _entries((small.scratchpad(row) / "THREAD.md").read_text())
    about = [part for part in parts if f"`{row['idea_slug']}`" in part]
    digits = re.search(r"\d+", row["run_id"])
    return any(
        f"`{row['run_id']}`" in part
        or f"({row['slurm_job']})" in part
        or ("{" in part and digits is not None and row["run_id"][: digits.start()] in part)
        for part in about
    )


def test_declared_tokens_stand_in_the_write_up(small: SmallArchive) -> None:
    for row in small.ideas:
        text = (small.root / row["wave"] / row["agent"] / "scratchpad" / row["source_path"]).read_text()
        is_declared = row["is_token_declared"].startswith("t")
        assert not is_declared or row["token"].lower() in text.lower() or row["token"] in row["slug"]


def test_the_stated_times_stand_in_the_files(small: SmallArchive) -> None:
    sources = Counter(row["launched_at_source"] for row in small.runs)
    assert {"log_header", "log_torch", "ledger", "ledger_date", "none"} <= set(sources)
    for row in small.runs:
        day, _, clock = row["launched_at"].rstrip("Z").partition("T")
        texts = b"".join(path.read_bytes()[:120_000] for path in small.logs(row)).decode("utf-8", "replace")
        ledger = json.dumps(small.ledger_rows(row))
        if row["launched_at_source"] == "log_torch":
            assert f"{day[5:7].lstrip('0')}{day[8:]} {clock[:8]}" in texts, row["run_id"]
        elif row["launched_at_source"] == "ledger":
            assert row["launched_at"] in ledger
        elif row["launched_at_source"] == "ledger_date":
            assert f'"{day}"' in ledger
        elif row["launched_at_source"] == "none":
            assert not re.search(r"2026-\d\d-\d\d|W0?[45]\d\d \d\d:", ledger + texts), row["run_id"]


def test_runs_come_in_their_wave_and_after_their_idea_but_for_planted_anomalies(small: SmallArchive) -> None:
    first: dict[tuple[str, str, str], str] = {}
    for row in small.runs:
        key = (row["wave"], row["agent"], row["idea_slug"])
        if row["launched_at"]:
            first[key] = min(first.get(key, "9"), row["launched_at"][:10])
    windows = {
        "v1": ("04-29", "05-04"),
        "novelty": ("05-02", "05-04"),
        "v2": ("05-04", "05-11"),
        "v3": ("05-12", "05-14"),
    }
    for (wave, _, _), day in first.items():
        assert windows[wave][0] <= day[5:] <= windows[wave][1]
    late = 0
    for idea in small.ideas:
        day = first.get((idea["wave"], idea["agent"], idea["slug"]), "9")
        if idea["is_written_after_first_run"] == "true":
            late += 1
        elif idea["first_seen_at"]:
            assert idea["first_seen_at"] <= day, idea["slug"]
    assert 1 <= late <= 8


def test_the_frontier_advances_in_every_long_wave(small: SmallArchive) -> None:
    hits: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for row in small.runs:
        if row["step_to_3_28"] and row["launched_at"]:
            hits[(row["wave"], row["agent"])].append((row["launched_at"], int(row["step_to_3_28"])))
    for (wave, agent), found in hits.items():
        found.sort()
        half = len(found) // 2
        if wave in ("v1", "v2"):
            assert min(step for _, step in found[half:]) < min(step for _, step in found[:half]), (
                wave,
                agent,
            )
