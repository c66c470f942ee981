"""What the matcher says of itself without knowing the truth."""

import itertools
from pathlib import Path

from linkers.ideas.quality import measure, negative_control, tier_agreement, tier_flow, tier_waterfall
from linkers.ideas.tiers import link_ideas
from parsers.scopes import Scope
from tests.linkers.ideas.small import gather

IDEAS = {"lion-clip": "", "sign-wise-clip": "", "slow-warm-cool": ""}
THREAD = "## 2026-05-01\n\n- `try1-s0` tests `lion-clip`.\n- `lion-clip-s1` tests `sign-wise-clip`.\n"
RUNS = ["lion-clip-s0", "lion-clip-s1", "swc-s0", "try1-s0", "try1-s1", "zzz-s0"]


def test_the_flow_by_hand(tmp_path: Path) -> None:
    """Slug and journal disagree on `lion-clip-s1`, two ideas share the initials of `swc-s0`."""
    links = link_ideas([gather(tmp_path, RUNS, IDEAS, THREAD)]).links
    flow = {
        row.tier: (row.eligible, row.proposed, row.accepted, row.ambiguous, row.abstained)
        for row in tier_flow(links.values())
    }
    assert flow["prefix"] == (6, 2, 1, 1, 4)
    assert flow["abbreviation"] == (5, 1, 0, 1, 4)
    assert flow["thread"] == (5, 2, 1, 1, 3)
    assert flow["dedup"] == (4, 2, 1, 1, 2)


def test_the_sums_close(tmp_path: Path) -> None:
    links = link_ideas([gather(tmp_path, RUNS, IDEAS, THREAD)]).links
    rows = tier_flow(links.values())
    for row, below in itertools.pairwise(rows):
        assert row.eligible == row.accepted + row.ambiguous + row.abstained
        assert row.proposed == row.accepted + row.ambiguous
        assert below.eligible == row.eligible - row.accepted


def test_the_waterfall_by_hand(tmp_path: Path) -> None:
    """A tier also answers for runs that an earlier one decided, and for some that stay open."""
    codex = gather(tmp_path / "one", RUNS, IDEAS, THREAD)
    other = gather(tmp_path / "two", ["lion-clip-s0"], IDEAS, scope=Scope("claude-code", "v2"))
    rows = {
        (row.agent, row.wave, row.tier): (row.runs, row.answered, row.added, row.reached)
        for row in tier_waterfall(link_ideas([codex, other]))
    }
    assert rows["codex", "v1", "prefix"] == (6, 2, 1, 1)
    assert rows["codex", "v1", "abbreviation"] == (6, 1, 0, 1)
    assert rows["codex", "v1", "thread"] == (6, 2, 1, 2)
    assert rows["codex", "v1", "dedup"] == (6, 2, 1, 3)
    assert rows["claude-code", "v2", "prefix"] == (1, 1, 1, 1)
    assert rows["claude-code", "v2", "override"] == (1, 0, 0, 1)


def test_tiers_are_compared_on_every_run(tmp_path: Path) -> None:
    links = link_ideas([gather(tmp_path, RUNS, IDEAS, THREAD)]).links
    rows = {(row.tier, row.other_tier): (row.both, row.agreeing) for row in tier_agreement(links.values())}
    assert rows["prefix", "thread"] == (1, 0)


def test_links_that_hang_on_a_threshold_are_counted(tmp_path: Path) -> None:
    """Initials of a run launched a day before its idea: 0.8 * 0.8 = 0.64, which 0.65 would not accept."""
    rows = [{"run_id": "swc-s0", "launched_at": "2026-05-01T12:00:00Z"}]
    evidence = gather(tmp_path, rows, {"slow-warm-cool": "# T\n\nDate: 2026-05-02\n"})
    coverage = measure(link_ideas([evidence]))
    assert {(row.threshold, row.value): row.changed for row in coverage.sensitivity} == {
        ("accept", 0.55): 0,
        ("accept", 0.65): 1,
        ("margin", 0.1): 0,
        ("margin", 0.2): 0,
    }
    assert coverage.conflicts == 1


def test_the_negative_control_crosses_scopes_but_no_shared_names(tmp_path: Path) -> None:
    one = gather(tmp_path / "one", ["lion-clip-s0", "crow-gain-s0"], {"lion-clip": "", "dove-gain": ""})
    two = gather(
        tmp_path / "two", ["dove-gain-s0"], {"lion-clip": "", "crow-gain": ""}, scope=Scope("codex", "v2")
    )
    rows = {row.scope: (row.other_scope, row.runs, row.linked) for row in negative_control([one, two])}
    # `lion-clip` is an idea of both: no run of it is a false link. `crow-gain` is one of the second alone.
    assert rows == {"v1/codex": ("v2/codex", 2, 1), "v2/codex": ("v1/codex", 1, 1)}
