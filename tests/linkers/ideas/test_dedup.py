"""What the runs of one family hand down."""

from pathlib import Path

from linkers.ideas.model import TierName
from tests.linkers.ideas.small import chosen, decide, gather

IDEAS = {"lion-clip": "", "tail-mean": ""}


def thread(*entries: str) -> str:
    return "## 2026-05-05\n\n" + "".join(f"- {entry}\n" for entry in entries)


def test_seeds_and_rungs_inherit_with_a_lower_score_and_say_so(tmp_path: Path) -> None:
    runs = ["cand7-ts3000", "cand7-ts3000-r1", "cand7-ts2950-r3-repro", "cand8-ts3000"]
    links = decide(gather(tmp_path, runs, IDEAS, thread("`cand7-ts3000` tests `lion-clip`.")))
    assert links["cand7-ts3000"].tier is TierName.THREAD
    for run in runs[1:3]:
        assert links[run].idea_id == "codex--v1--lion-clip"
        assert links[run].tier is TierName.DEDUP
        assert links[run].score < links["cand7-ts3000"].score
        assert "run family cand7: 1 for codex--v1--lion-clip" in links[run].candidates[0].evidence
    assert links["cand8-ts3000"].idea_id is None


def test_glued_steps_are_no_part_of_a_family(tmp_path: Path) -> None:
    runs = ["v3u2900-worker2833030", "v3u2900-worker2833020-r1", "v3u2900-worker2843030"]
    found = chosen(gather(tmp_path, runs, IDEAS, thread("`v3u2900-worker2833030` tests `lion-clip`.")))
    assert found == {runs[0]: "lion-clip", runs[1]: "lion-clip", runs[2]: None}


def test_a_family_that_disagrees_is_left_open_but_keeps_its_direct_links(tmp_path: Path) -> None:
    runs = ["cand7-ts3000", "cand7-ts3000-r1", "cand7-ts3000-r2"]
    text = thread("`cand7-ts3000` tests `lion-clip`.", "`cand7-ts3000-r1` tests `tail-mean`.")
    links = decide(gather(tmp_path, runs, IDEAS, text))
    assert links["cand7-ts3000"].idea_id == "codex--v1--lion-clip"
    assert links["cand7-ts3000-r1"].idea_id == "codex--v1--tail-mean"
    assert links["cand7-ts3000-r2"].idea_id is None
    assert len(links["cand7-ts3000-r2"].candidates) == 2


def test_a_clear_majority_wins_over_a_stray_voice(tmp_path: Path) -> None:
    runs = [f"cand7-ts3000-r{number}" for number in range(6)]
    text = thread(*(f"`{run}` tests `lion-clip`." for run in runs[:4]), f"`{runs[4]}` tests `tail-mean`.")
    assert chosen(gather(tmp_path, runs, IDEAS, text))[runs[5]] == "lion-clip"


def test_runs_of_one_variant_file_are_kin_whatever_their_ids(tmp_path: Path) -> None:
    evidence = gather(
        tmp_path,
        ["one-s0", "two-s0"],
        IDEAS,
        thread("`one-s0` tests `lion-clip`."),
        variants={"one-s0": "shared_ts3000", "two-s0": "shared_ts2950"},
    )
    assert chosen(evidence) == {"one-s0": "lion-clip", "two-s0": "lion-clip"}


def test_a_template_that_many_families_execute_hands_nothing_down(tmp_path: Path) -> None:
    runs = [f"{word}-s0" for word in ("one", "two", "six", "ten")]
    evidence = gather(
        tmp_path, runs, IDEAS, thread("`one-s0` tests `lion-clip`."), variants=dict.fromkeys(runs, "template")
    )
    assert [run for run, slug in chosen(evidence).items() if slug] == ["one-s0"]


def test_a_family_of_a_control_has_evidence_against_it(tmp_path: Path) -> None:
    text = thread("`cand7-ts3000` is a control, there is no idea behind it.")
    links = decide(gather(tmp_path, ["cand7-ts3000", "cand7-ts3000-r1"], IDEAS, text))
    assert [c.is_against for c in links["cand7-ts3000-r1"].candidates] == [True]
