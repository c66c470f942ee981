"""Every planted trap can be found in the files."""

import json
import re
from collections import Counter, defaultdict

import pytest

from tests.demo.small import Row, SmallArchive

_QUIRKS = {
    "echo": rb"==== last checkpoints",
    "nan": rb"val_loss:nan",
    "inf": rb"val_loss:inf",
    "exact_target": rb"val_loss:3\.28000 ",
    "tail_probe": rb"\ntailavg step:\d+ start:\d+ val_loss:",
    "ms_time": rb"train_time:\d+ms",
    "ansi": rb"\x1b\[32mstep:",
    "crlf": rb"\r\nstep:",
    "bad_utf8": rb"\xff\xfe\x80",
    "rank_prefix": rb"\n\[rank0\]:step:",
    "val_ema": rb"val_loss:\S+ val_ema_loss:",
    "ema_val": rb"val_loss:\S+ ema_val_loss:",
    "fwa": rb"val_loss:\S+ fwa_val_loss:",
    "val_avg": rb"val_loss:\S+ val_avg_loss:",
    "ema_beta": rb"ms ema_beta:",
    "nul": rb"\0\0\0",
    "bom": rb"\A\xef\xbb\xbf",
    "marked_trials": rb"\ntrial:2/\d+ seed:1\n",
    "seeded_trials": rb"\nseed:12648431\n",
    "requeued": rb"CANCELLED DUE TO PREEMPTION",
    "truncated": rb"step:\d+/[^\n]*\Z",
    "huge": rb"debug grad_norm",
}


@pytest.mark.parametrize("quirk", sorted(_QUIRKS))
def test_each_log_quirk_is_planted(small: SmallArchive, quirk: str) -> None:
    rows = [row for row in small.runs if row["quirk"] == quirk]
    assert len(rows) >= 8
    for row in rows:
        texts = [path.read_bytes() for path in small.logs(row)]
        assert any(re.search(_QUIRKS[quirk], text) for text in texts), row["run_id"]


def _rows_of(small: SmallArchive, quirk: str) -> list[Row]:
    return [row for row in small.runs if row["quirk"] == quirk]


def test_resumed_logs_start_late_and_empty_logs_are_empty(small: SmallArchive) -> None:
    assert {row["first_step"] for row in _rows_of(small, "resumed")} == {"2375"}
    assert all(path.stat().st_size == 0 for row in _rows_of(small, "empty_log") for path in small.logs(row))


def test_a_log_may_hold_nothing_but_source(small: SmallArchive) -> None:
    for row in _rows_of(small, "source_only"):
        log = (small.scratchpad(row) / f"runs/{row['run_id']}.log").read_text()
        assert log.rstrip().endswith("=" * 100)
        assert int(row["n_checkpoints"]) > 0


def test_sample_checkpoints_stand_inside_embedded_docstrings(small: SmallArchive) -> None:
    texts = [path.read_bytes() for path in sorted(small.root.glob("*/*/scratchpad/runs/*.log"))]
    sample = re.compile(rb"val_loss:3\.27512 train_time:612\.044s")
    assert sum(bool(sample.search(text)) for text in texts) >= 8


def test_the_heads_of_logs_state_the_time_in_every_form(small: SmallArchive) -> None:
    heads = b"".join(
        path.read_bytes()[:400] + b"\n" for path in sorted(small.root.glob("*/*/scratchpad/runs/*"))
    )
    everything = b"".join(path.read_bytes() for path in sorted(small.root.glob("v3/codex/scratchpad/runs/*")))
    for form in (
        rb"^### start_iso: 2026-\S+Z", rb"^### START_ISO=2026-\S+Z", rb"^### START_ISO=2026-\S+\+02:00",
        rb"^W0[45]\d\d \d\d:\d\d:\d\d\.\d{6} \d+ torch/distributed/run\.py:852\]",
        rb"^\[rank\d\]:W0[45]\d\d ",
        rb"^\[W5\d\d \d\d:\d\d:\d\d\.\d{9} ",
    ):  # fmt: skip
        assert re.search(form, heads, re.M), form
    assert re.search(rb"^Run UTC timestamp=2026-\S+Z", everything, re.M)
    assert re.search(rb"^indexed_run \{.*\}$", everything, re.M)


def test_run_ids_repeat_between_scopes(small: SmallArchive) -> None:
    scopes = defaultdict(set)
    for row in small.runs:
        scopes[row["run_id"]].add((row["wave"], row["agent"], row["variant_path"]))
    assert len(scopes["baseline-muon-s0"]) == 6
    assert len(scopes["v12-ts3000"]) == 3
    codes = {row["run_id"][:6] for row in small.runs if row["wave"] == "novelty"}
    assert "ngi001" in codes
    assert any(row["run_id"].startswith("ngi001") and row["wave"] == "v2" for row in small.runs)


def test_decoys_stand_beside_the_ideas_they_resemble(small: SmallArchive) -> None:
    ideas = {(row["wave"], row["agent"], row["slug"]) for row in small.ideas}
    for wave, agent, slug, decoy in (
        ("v1", "codex", "ema", "schema-check"),
        ("v3", "claude-code", "ema", "lemma-sanity"),
        ("v2", "codex", "v1", "v12-ts2999"),
        ("v2", "claude-code", "soap", "soapbox-queue-probe"),
    ):
        assert (wave, agent, slug) in ideas
        rows = [row for row in small.runs if (row["wave"], row["agent"]) == (wave, agent)]
        decoys = [row for row in rows if row["run_id"].startswith(decoy)]
        assert decoys
        assert not any(row["idea_slug"] for row in decoys)


def test_journals_have_braces_jobs_controls_dates_and_the_copied_opener(small: SmallArchive) -> None:
    threads = {path.parent.parent: path.read_text() for path in small.root.glob("*/*/scratchpad/THREAD.md")}
    joined = "\n".join(threads.values())
    assert re.search(r"\((\d{4,5})\)", joined)
    assert "there is no idea behind it" in joined
    assert all(re.search(r"^## 2026-0[45]-\d\d$", text, re.M) for text in threads.values())
    for folder, text in threads.items():
        assert ("## 2026-04-29" in text) == (folder.parent.name in ("v1", "v3"))


def test_ledgers_speak_their_dialects(small: SmallArchive) -> None:
    rejected = {(row["path"], row["line"]) for row in small.rejects if row["kind"] == "ledger"}

    def fields(scope: str) -> Counter[str]:
        name = f"{scope}/scratchpad/runs.jsonl"
        lines = enumerate((small.root / name).read_text().splitlines(), 1)
        rows = [json.loads(line) for number, line in lines if (name, str(number)) not in rejected]
        return Counter(key for row in rows for key in row)

    assert {"step_to_3.28", "step_to_target", "best_val_loss", "jobid"} <= set(fields("v1/codex"))
    assert {"final", "time_utc", "stdout_log", "total_steps"} <= set(fields("novelty/codex"))
    assert {"first_step_le_3p28", "source_log", "slurm_job", "uuid"} <= set(fields("v2/codex"))
    assert {"script", "launched", "purpose"} <= set(fields("v3/claude-code"))
    assert "final_val_loss" not in fields("v3/claude-code") or fields("v3/claude-code")["final_val_loss"] < 5
    text = (small.root / "novelty/codex/scratchpad/runs.jsonl").read_text()
    assert '"status": "0"' in text
    assert '"status": "1"' in text


def test_statuses_lie_and_seeds_are_not_forwarded(small: SmallArchive) -> None:
    lies = [row for row in small.runs if row["is_status_misreported"] == "true"]
    assert len(lies) >= 8
    for row in small.runs:
        if row["is_seed_forwarded"] == "true":
            assert row["agent"] == "codex"
            assert row["wave"] != "v2"


def test_stubs_come_in_every_form(small: SmallArchive) -> None:
    stubs = "\n".join(
        path.read_text() for path in sorted(small.root.glob("*/*/scratchpad/sbatch-stubs/*.sh"))
    )
    for form in (
        r'--variant "/beegfs/', r"--variant '/beegfs/", r'--variant "\$VARIANT"', r"^torchrun .*\.py$",
        r"torchrun --standalone \\$", r"^# torchrun ", r'"\$SCRATCH/variants/',
    ):  # fmt: skip
        assert re.search(form, stubs, re.M), form
    shared = list(small.root.glob("*/codex/scratchpad/run_*.sh"))
    assert any('local variant="$2"' in path.read_text() for path in shared)


def test_rejects_lie_where_the_gold_says(small: SmallArchive) -> None:
    kinds = {row["what"] for row in small.rejects}
    assert len(kinds) >= 10
    for row in small.rejects:
        data = (small.root / row["path"]).read_bytes()
        offset = int(row["byte_offset"])
        assert data[:offset].count(b"\n") + 1 == int(row["line"] or 1), row
        assert offset == 0 or data[offset - 1 : offset] == b"\n"
        if row["kind"] == "ledger" and row["what"] not in ("not an object", "no run id"):
            with pytest.raises(json.JSONDecodeError):
                json.loads(data[offset:].split(b"\n", 1)[0])


def test_every_other_ledger_line_is_an_object_with_a_run(small: SmallArchive) -> None:
    rejected = {(row["path"], row["line"]) for row in small.rejects}
    for path in small.root.glob("*/*/scratchpad/runs.jsonl"):
        name = path.relative_to(small.root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if (name, str(number)) not in rejected:
                assert {"run_id", "uuid", "log"} & json.loads(line).keys()


def test_rejected_ideas_have_their_verdict_in_the_archive(small: SmallArchive) -> None:
    audits = (small.root / "novelty/claude-code/scratchpad/audits.md").read_text()
    for row in small.ideas:
        scratchpad = small.root / row["wave"] / row["agent"] / "scratchpad"
        if row["rejection_class"] == "existence_killed":
            text = (scratchpad / row["source_path"]).read_text()
            assert "killed by existence check" in text
        elif row["rejection_class"] == "audit_noncompliant" and row["agent"] == "claude-code":
            line = next(line for line in audits.splitlines() if line.startswith(f"| `{row['slug']}`"))
            assert re.search(r"NON-?COMPLIANT|NOT COMPLIANT", line)
        elif row["rejection_class"] == "audit_noncompliant":
            text = (scratchpad / f"rule_checks/{row['token']}_rule_check.md").read_text()
            assert re.search(r"^Verdict: N(?:ON-?|OT )COMPLIANT$", text, re.M)
    assert {row["rejection_class"] for row in small.ideas} == {"", "existence_killed", "audit_noncompliant"}
