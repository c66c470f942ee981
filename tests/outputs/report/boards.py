"""A leaderboard for the report, by hand, one of whose proposers attacks it."""

from outputs.report.leaderboard import LeaderboardSection, Metric, Missing, Number, ProposerRow

HOSTILE_NAME = "<script>window.attacked = 6</script>"
HOSTILE_REASON = "It printed <img src=x onerror='window.attacked = 7'> {{ 7 * 191 }}"


def hostile_board() -> LeaderboardSection:
    """Three proposers on two snapshots: one plain, one hostile, one that was never scored."""
    metrics = [Metric("Set score", 0.0, 2.0), Metric("Predicted win rate", 0.0, 1.0, is_share=True)]
    nothing = [Number(None), Number(None)]
    plain = ProposerRow(
        1, "plain", [Number(1.5, (1.0, 2.0)), Number(0.75, (0.5, 1.0))], ["1.000", "2.000"], 2, []
    )
    hostile = ProposerRow(
        2,
        HOSTILE_NAME,
        [Number(0.5), Number(0.25)],
        ["0.500", "failed"],
        1,
        [Missing("snap_b", "failed", HOSTILE_REASON)],
    )
    missing = [Missing("snap_a", "failed", None), Missing("snap_b", "not run", None)]
    never = ProposerRow(None, "never", nothing, ["failed", "not run"], 0, missing)
    return LeaderboardSection(
        split="test",
        notes=[f"{HOSTILE_NAME} was not scored on every snapshot."],
        facts=[("judge", "cosine"), ("threshold", "0.75")],
        metrics=metrics,
        snapshot_ids=["snap_a", "snap_b"],
        rows=[plain, hostile, never],
    )
