"""A calibration: what it chooses, what it keeps, and what it refuses."""

import json
from pathlib import Path

import pytest

from scorers.calibration.calibrate import Calibration, calibrate
from scorers.calibration.case_files import TABLE_NAME, case_path, write_cases
from scorers.calibration.cases import Case, Kind
from scorers.calibration.plot import check_plot, draw_calibration
from scorers.calibration.results import CaseAnswer, Origin, read_calibration
from scorers.candidates import read_candidate
from scorers.classes import Classification
from scorers.errors import ScoringError
from scorers.llm_judge import LlmJudge
from scorers.pools import Benchmark
from tests.openai_server import FakeOpenAI, purse_for


@pytest.fixture(scope="module")
def calibration(benchmark: Benchmark, cases: tuple[Case, ...]) -> Calibration:
    return calibrate(benchmark, cases, origin=Origin(dataset_sha256="f" * 64, per_kind=2))


def test_the_threshold_has_the_largest_kappa_and_the_judge_is_measured_there(
    calibration: Calibration, cases: tuple[Case, ...]
) -> None:
    result = calibration.result
    kappas = {each.threshold: each.kappa.value or -1 for each in result.sweep}
    assert kappas[result.threshold] == max(kappas.values())
    chosen = next(each for each in result.sweep if each.threshold == result.threshold)
    assert result.judge.everything.kappa == chosen.kappa
    assert result.judge.classes == chosen.classes
    assert result.published.threshold == 0.75
    assert result.threshold_interval is not None
    assert result.threshold_interval.low <= result.threshold <= result.threshold_interval.high
    right = sum(each.found is each.expected for each in calibration.answers)
    assert result.judge.everything.accuracy.value == pytest.approx(right / len(cases))
    assert (result.num_cases, result.num_snapshots) == (len(cases), 16)
    told = {row: sum(found.values()) for row, found in result.judge.confusion.items()}
    assert told[Classification.INVALID] == sum(each.kind is Kind.MALFORMED for each in cases)


def test_a_case_chosen_without_is_not_told_better_than_one_chosen_with(calibration: Calibration) -> None:
    held_out, chosen = calibration.result.held_out, calibration.result.judge.everything
    assert held_out is not None
    assert held_out.kappa.value is not None
    assert chosen.kappa.value is not None
    assert 0 < held_out.kappa.value <= chosen.kappa.value


def test_a_calibration_is_kept_and_read_back(
    calibration: Calibration, benchmark: Benchmark, cases: tuple[Case, ...], tmp_path: Path
) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(calibration.result.model_dump_json())
    assert read_calibration(path) == calibration.result
    again = calibrate(benchmark, cases, origin=calibration.result.origin)
    assert again.result.model_dump_json() == path.read_text()


def test_cases_are_written_as_they_were_judged(
    calibration: Calibration, cases: tuple[Case, ...], tmp_path: Path
) -> None:
    write_cases(cases, calibration.answers, tmp_path / "cases")
    for each in cases:
        read = read_candidate(tmp_path / "cases" / case_path(each))
        assert (read.text, read.is_valid) == (each.candidate.text, each.candidate.is_valid)
    lines = (tmp_path / "cases" / TABLE_NAME).read_text().splitlines()
    assert [CaseAnswer.model_validate_json(line) for line in lines] == list(calibration.answers)
    assert [each.case_id for each in calibration.answers] == [each.case_id for each in cases]
    assert {path.parent.name for path in (tmp_path / "cases").glob("*/*.md")} == {
        "invalid",
        "novel_validated",
        "rediscovery",
        "novel_unvalidated",
    }


def test_another_judge_is_measured_on_the_same_cases_and_its_cost_is_told(
    benchmark: Benchmark, cases: tuple[Case, ...], service: FakeOpenAI, tmp_path: Path
) -> None:
    """It takes every proposal for something new: the 32 other scopes and nothing else but the malformed."""
    service.describe = lambda _: json.dumps(
        {"classification": "novel_unvalidated", "matched_id": None, "confidence": 0.9, "reason": "New."}
    )
    some = [each for each in cases if each.snapshot_id.startswith("snap_codex_v1")]
    purse = purse_for(service, tmp_path)
    found = calibrate(benchmark, some, lambda _: LlmJudge(purse)).result
    assert (found.judge.judge, found.judge.judge_model) == ("llm-hybrid", "gpt-5-mini")
    asked = len([each for each in some if each.kind is not Kind.MALFORMED])
    assert len(service.requests) == asked
    assert found.judge.usage.input_tokens == 100 * asked
    assert found.judge.usage.usd > 0
    right = sum(each.kind in (Kind.MALFORMED, Kind.OTHER_SCOPE) for each in some)
    assert found.judge.everything.accuracy.value == pytest.approx(right / len(some))
    rediscovery = next(
        each for each in found.judge.classes if each.classification is Classification.REDISCOVERY
    )
    assert (rediscovery.precision.value, rediscovery.recall.value, rediscovery.f1.value) == (None, 0.0, 0.0)
    assert found.threshold == calibrate(benchmark, some).result.threshold, "the sweep is by cosine"
    again = calibrate(benchmark, some, lambda _: LlmJudge(purse)).result
    assert (again, len(service.requests)) == (found, asked)


def test_what_a_judge_leaves_open_counts_as_wrong(
    benchmark: Benchmark, cases: tuple[Case, ...], service: FakeOpenAI, tmp_path: Path
) -> None:
    service.describe = lambda _: "no JSON"
    some = [each for each in cases if each.snapshot_id == "snap_codex_v1_k0012"][:2]
    found = calibrate(benchmark, some, lambda _: LlmJudge(purse_for(service, tmp_path))).result
    assert found.judge.everything.accuracy.value == 0.0
    assert found.judge.classes[-1].classification is Classification.UNJUDGED
    assert (found.judge.everything.accuracy.interval, found.held_out) == (None, None)


@pytest.mark.parametrize(("name", "starts"), [("a.svg", b"<svg"), ("a.PNG", b"\x89PNG"), ("a.html", b"<!DOCTYPE")])  # fmt: skip
def test_the_sweep_is_drawn(calibration: Calibration, tmp_path: Path, name: str, starts: bytes) -> None:
    draw_calibration(calibration.result, tmp_path / name)
    data = (tmp_path / name).read_bytes()
    assert data.startswith(starts)
    if name == "a.svg":
        for label in (f"chosen {calibration.result.threshold:g}", "published 0.75", "F1 rediscovery"):
            assert label in data.decode()
        assert "F1 invalid" not in data.decode()
    if name == "a.html":
        assert b"https://cdn" not in data, "it is looked at offline"


def test_a_threshold_that_is_the_published_one_is_marked_once(
    calibration: Calibration, tmp_path: Path
) -> None:
    draw_calibration(calibration.result.model_copy(update={"threshold": 0.75}), tmp_path / "a.svg")
    assert "chosen and published 0.75" in (tmp_path / "a.svg").read_text()


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScoringError, match=r"name a file that ends in \.png, \.svg, \.html"):
        check_plot(tmp_path / "a.gif")


def test_nothing_to_calibrate_on_is_refused(benchmark: Benchmark) -> None:
    with pytest.raises(ScoringError, match="no dev snapshot"):
        calibrate(benchmark, [])


def test_what_is_no_calibration_is_refused(calibration: Calibration, tmp_path: Path) -> None:
    with pytest.raises(ScoringError, match="cannot be read"):
        read_calibration(tmp_path / "none.json")
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ScoringError, match="is no calibration"):
        read_calibration(tmp_path / "other.json")
    later = calibration.result.model_copy(update={"format_version": 2})
    (tmp_path / "later.json").write_text(later.model_dump_json())
    with pytest.raises(ScoringError, match="of another version"):
        read_calibration(tmp_path / "later.json")
