"""When an idea was first seen, by each kind of evidence."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from linkers.outcomes.first_seen import FirstSeen, SeenIn, date_ideas
from linkers.outcomes.idea_index import IdeaIndex
from linkers.outcomes.timed_runs import TimedRun
from linkers.write_ups import collect_write_ups
from parsers.audits import Audit
from parsers.journal import JournalEntry
from tests.helpers import parse_folder, write_scratchpad
from tests.outcome_cases import SCOPE, hour, timed


def seen(root: Path, files: Mapping[str, str], *runs: TimedRun) -> FirstSeen | None:
    parsed = parse_folder(
        write_scratchpad(root, {"ideas/polar-muon.md": "# Polar Muon (PMU)\n\nx\n", **files})
    )
    write_ups = collect_write_ups(parsed).kept
    entries = [(SCOPE, entry) for _, entry in parsed.records(JournalEntry)]
    checks = [(SCOPE, audit) for _, audit in parsed.records(Audit)]
    found = date_ideas(write_ups, entries, checks, runs, IdeaIndex(write_ups))
    return found.get("codex--v1--polar-muon")


def end_of_day(number: int) -> datetime:
    return hour(24 * number) - timedelta(microseconds=1)


def test_nothing_dates_it(tmp_path: Path) -> None:
    assert seen(tmp_path, {"THREAD.md": "- `polar-muon`, undated\n"}) is None


def test_the_write_up_states_a_day(tmp_path: Path) -> None:
    files = {"ideas/polar-muon.md": "# Polar Muon\n\nDate: 2026-05-02\n\nx\n"}
    assert seen(tmp_path, files) == FirstSeen(end_of_day(2), SeenIn.WRITE_UP, True)


def test_the_earliest_evidence_counts(tmp_path: Path) -> None:
    files = {
        "ideas/polar-muon.md": "# Polar Muon\n\nDate: 2026-05-04\n\nx\n",
        "THREAD.md": "## 2026-05-03\n\n- Wrote up `polar-muon`.\n\n## 2026-05-02\n\n- Thought about polar-muon.\n",
        "audits.md": "| idea | when |\n|---|---|\n| `polar-muon` | 2026-05-05 PASS |\n",
    }
    assert seen(tmp_path, files) == FirstSeen(end_of_day(2), SeenIn.JOURNAL, True)


def test_a_run_shows_that_its_idea_was_there(tmp_path: Path) -> None:
    """The write-up's day had begun when the run was launched: so had the idea."""
    files = {"ideas/polar-muon.md": "# Polar Muon\n\nDate: 2026-05-02\n\nx\n"}
    run = timed("a", 30, 31, idea="polar-muon")
    assert seen(tmp_path, files, run) == FirstSeen(hour(30), SeenIn.RUN)


def test_an_audit_shows_it_as_well(tmp_path: Path) -> None:
    files = {"audits.md": "| idea | when |\n|---|---|\n| `polar-muon` | 2026-05-05 PASS |\n"}
    assert seen(tmp_path, files) == FirstSeen(end_of_day(5), SeenIn.AUDIT, True)


def test_a_copied_opener_dates_nothing(tmp_path: Path) -> None:
    """v3's journal opens with an entry that was copied from weeks before."""
    thread = "## 2026-04-10\n\n- On `polar-muon`.\n\n## 2026-05-12\n\n- Start.\n"
    assert seen(tmp_path, {"THREAD.md": thread}) is None


def test_a_run_that_is_named_after_an_idea_does_not_name_it(tmp_path: Path) -> None:
    thread = "## 2026-05-02\n\n- `polar-muon-lr3-s0` ended at 3.29.\n"
    assert seen(tmp_path, {"THREAD.md": thread}) is None
