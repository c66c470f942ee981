"""Rejections in words, and from when on they hold."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from linkers.outcomes.idea_index import IdeaIndex
from linkers.outcomes.rejection import Cause, Rejection
from linkers.outcomes.stated_rejection import find_stated
from linkers.write_ups import collect_write_ups
from parsers.audits import Audit
from parsers.rule_checks import RuleCheck
from parsers.scopes import Scope
from tests.helpers import parse_folder, write_scratchpad
from tests.outcome_cases import hour

SCOPE = Scope("codex", "novelty")
END_OF_MAY_2 = hour(48) - timedelta(microseconds=1)


def stated(root: Path, files: Mapping[str, str]) -> dict[str, list[Rejection]]:
    parsed = parse_folder(write_scratchpad(root, files, scope=SCOPE))
    write_ups = collect_write_ups(parsed).kept
    checks: list[tuple[Scope, Audit | RuleCheck]] = [(SCOPE, audit) for _, audit in parsed.records(Audit)]
    checks += [(SCOPE, check) for _, check in parsed.records(RuleCheck)]
    found = find_stated(write_ups, checks, IdeaIndex(write_ups))
    return {idea_id.rsplit("--", 1)[1]: each for idea_id, each in found.items()}


IDEA = "# Idea\n\n## Proposal\n\nDo it.\n"


def test_an_audit_holds_from_the_end_of_the_day_it_states(tmp_path: Path) -> None:
    table = "| idea | when | finding |\n|---|---|---|\n| `acn` | audited 2026-05-02 | NOT COMPLIANT: reads data |\n"
    (rejection,) = stated(tmp_path, {"ideas/acn.md": IDEA, "audits.md": table})["acn"]
    assert (rejection.cause, rejection.at) == (Cause.AUDIT_NONCOMPLIANT, END_OF_MAY_2)
    assert "audits.md, line 3" in rejection.evidence


@pytest.mark.parametrize("verdict", ["PASS", "PASS CONDITIONAL", "COMPLIANT"])
def test_a_passed_audit_rejects_nothing(tmp_path: Path, verdict: str) -> None:
    table = f"| idea | finding |\n|---|---|\n| `acn` | {verdict} |\n"
    assert stated(tmp_path, {"ideas/acn.md": IDEA, "audits.md": table}) == {}


def test_a_rule_check_finds_its_idea_by_the_code(tmp_path: Path) -> None:
    check = "# Rule check of AWR001\n\nDate: 2026-05-02\n\nVerdict: NON-COMPLIANT\n"
    files = {"ideas/awr001_adam_window.md": IDEA, "rule_checks/awr001_rule_check.md": check}
    (rejection,) = stated(tmp_path, files)["awr001_adam_window"]
    assert (rejection.cause, rejection.at) == (Cause.AUDIT_NONCOMPLIANT, END_OF_MAY_2)


def test_a_check_without_a_date_is_undated(tmp_path: Path) -> None:
    files = {"ideas/awr001_x.md": IDEA, "rule_checks/awr001_rule_check.md": "Verdict: FAIL\n"}
    assert [each.at for each in stated(tmp_path, files)["awr001_x"]] == [None]


def test_a_kill_holds_from_the_date_beside_it(tmp_path: Path) -> None:
    """The write-up's own date is older: the check came a day later."""
    text = f"Date: 2026-05-01\n\n{IDEA}\nVerdict on 2026-05-02: KILL. It is killed by existence check.\n"
    (rejection,) = stated(tmp_path, {"ideas/a-b.md": text})["a-b"]
    assert (rejection.cause, rejection.at) == (Cause.EXISTENCE_KILLED, END_OF_MAY_2)


def test_else_it_holds_from_the_write_ups_own_date(tmp_path: Path) -> None:
    text = f"# Idea\n\nDate: 2026-05-02\n\n{IDEA}\nStatus: killed by existence check.\n"
    assert [each.at for each in stated(tmp_path, {"ideas/a-b.md": text})["a-b"]] == [END_OF_MAY_2]


def test_the_journal_dates_the_write_up_but_not_the_kill(tmp_path: Path) -> None:
    """It may have been killed on any later day: undated, so rejected in no snapshot."""
    files = {
        "ideas/a-b.md": f"{IDEA}\nStatus: killed by existence check.\n",
        "THREAD.md": "## 2026-05-02\n\n- Wrote up `a-b`.\n",
    }
    assert [each.at for each in stated(tmp_path, files)["a-b"]] == [None]


def test_a_mere_fail_of_the_novelty_gate_ends_nothing(tmp_path: Path) -> None:
    """Ideas that failed it were run all the same: the two gates of one idea can disagree."""
    text = f"{IDEA}\n## Rule Gate\n\nPASS CONDITIONAL.\n\n## Novelty Gate\n\nFAIL.\n"
    assert stated(tmp_path, {"ideas/a-b.md": text}) == {}
