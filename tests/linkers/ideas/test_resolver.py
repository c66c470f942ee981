"""How candidates are weighed, and what time has to say."""

from pathlib import Path

import pytest

from linkers.ideas.model import Candidate, TierName
from linkers.ideas.resolver import Thresholds, resolve
from tests.linkers.ideas.small import decide, gather

RUN, ONE, TWO = "codex--v1--x", "codex--v1--one-idea", "codex--v1--two-idea"


def candidate(idea: str | None, tier: TierName, score: float, *, against: bool = False) -> Candidate:
    return Candidate(RUN, idea, tier, score, "seen", is_against=against)


@pytest.mark.parametrize(
    ("candidates", "idea", "tier", "score", "margin"),
    [
        ([], None, None, 0.0, None),
        ([(ONE, TierName.PREFIX, 0.7)], ONE, TierName.PREFIX, 0.7, None),
        # 1 - 0.5 * 0.6: two kinds of evidence that each prove too little prove enough together.
        ([(ONE, TierName.PREFIX, 0.5), (ONE, TierName.THREAD, 0.4)], ONE, TierName.PREFIX, 0.7, None),
        # Within a tier the best counts.
        ([(ONE, TierName.THREAD, 0.5), (ONE, TierName.THREAD, 0.4)], None, None, 0.5, None),
        # What a family hands down adds nothing to what the run itself shows.
        ([(ONE, TierName.THREAD, 0.5), (ONE, TierName.DEDUP, 0.55)], None, None, 0.55, None),
        ([(ONE, TierName.DEDUP, 0.75)], ONE, TierName.DEDUP, 0.75, None),
        ([(ONE, TierName.PREFIX, 0.9), (TWO, TierName.THREAD, 0.8)], None, None, 0.9, 0.1),
        ([(ONE, TierName.PREFIX, 0.9), (TWO, TierName.THREAD, 0.7)], ONE, TierName.PREFIX, 0.9, 0.2),
    ],
)
def test_scores_by_hand(
    tmp_path: Path,
    candidates: list[tuple[str, TierName, float]],
    idea: str | None,
    tier: TierName | None,
    score: float,
    margin: float | None,
) -> None:
    evidence = gather(tmp_path, ["x"], {"one-idea": "", "two-idea": ""})
    link = resolve(evidence, [candidate(*each) for each in candidates])[RUN]
    assert (link.idea_id, link.tier) == (idea, tier)
    assert link.score == pytest.approx(score)
    assert link.margin == (pytest.approx(margin) if margin else None)


def test_evidence_against_weakens_every_idea(tmp_path: Path) -> None:
    evidence = gather(tmp_path, ["x"], {"one-idea": ""})
    found = [candidate(ONE, TierName.PREFIX, 0.9), candidate(None, TierName.THREAD, 0.9, against=True)]
    link = resolve(evidence, found)[RUN]
    assert (link.idea_id, link.is_conflict) == (None, True)
    assert link.score == pytest.approx(0.09)


def test_thresholds_decide(tmp_path: Path) -> None:
    evidence = gather(tmp_path, ["x"], {"one-idea": ""})
    found = [candidate(ONE, TierName.PREFIX, 0.62)]
    assert resolve(evidence, found, Thresholds(accept=0.6))[RUN].idea_id == ONE
    assert resolve(evidence, found, Thresholds(accept=0.65))[RUN].idea_id is None


def ledger(launched: str) -> list[dict[str, object]]:
    return [{"run_id": "lion-clip-s0", "launched_at": launched}]


DATED = {"lion-clip": "# Lion clip\n\nDate: 2026-05-02\n\nWords.\n"}


@pytest.mark.parametrize(
    ("launched", "is_conflict"),
    [
        ("2026-05-01T23:59:00Z", True),
        ("2026-05-02T00:00:00Z", False),  # The day of writing counts from its start.
        ("2026-05-01", True),
        ("2026-05-02", False),  # A launch on the same day, whose hour is unknown.
    ],
)
def test_a_run_before_its_idea_is_a_conflict(tmp_path: Path, launched: str, is_conflict: bool) -> None:
    link = decide(gather(tmp_path, ledger(launched), DATED))["lion-clip-s0"]
    assert link.idea_id == "codex--v1--lion-clip"
    assert link.is_conflict == is_conflict
    assert any("before the idea's earliest evidence" in reason for reason in link.reasons) == is_conflict


def test_an_earlier_entry_dates_the_idea_before_its_write_up(tmp_path: Path) -> None:
    text = "## 2026-05-01\n\n- Wrote up `lion-clip`.\n"
    link = decide(gather(tmp_path, ledger("2026-05-01T12:00:00Z"), DATED, text))["lion-clip-s0"]
    assert not link.is_conflict


def test_a_report_on_a_run_does_not_date_the_idea_after_it(tmp_path: Path) -> None:
    """The diary tells of a run the day after: that its idea existed only then would be absurd."""
    text = "## 2026-05-03\n\n- `lion-clip-s0` is the first try of `lion-clip`.\n"
    link = decide(gather(tmp_path, ledger("2026-05-02T12:00:00Z"), {"lion-clip": ""}, text))["lion-clip-s0"]
    assert not link.is_conflict


def test_initials_long_before_the_idea_mean_something_else(tmp_path: Path) -> None:
    ideas = {"sign-wise-clip": "# T\n\nDate: 2026-05-09\n"}
    rows = [
        {"run_id": "swc-b095-s0", "launched_at": "2026-05-01T00:00:00Z"},
        {"run_id": "swc-b090-s0", "launched_at": "2026-05-08T12:00:00Z"},
        {"run_id": "swc-b099-s0", "launched_at": "2026-05-09T12:00:00Z"},
    ]
    links = decide(gather(tmp_path, rows, ideas))
    assert links["swc-b095-s0"].idea_id is None
    assert links["swc-b090-s0"].idea_id == links["swc-b099-s0"].idea_id == "codex--v1--sign-wise-clip"
    assert [links[str(row["run_id"])].is_conflict for row in rows] == [True, True, False]


def test_an_audit_dates_an_idea(tmp_path: Path) -> None:
    audits = "| idea | when | finding |\n|---|---|---|\n| `lion-clip` | audited 2026-05-01 | COMPLIANT |\n"
    evidence = gather(tmp_path, ledger("2026-05-01T12:00:00Z"), DATED, files={"audits.md": audits})
    assert not decide(evidence)["lion-clip-s0"].is_conflict
