"""Cases: made from dev snapshots alone, labelled by what they are made of, the same every time."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from scorers.calibration.cases import MALFORMED, Case, Kind, as_candidate, make_cases
from scorers.calibration.rewriting import rewrite_by_rules
from scorers.candidates import parse_candidate
from scorers.pools import Benchmark
from tests.scorers.small import SNAPSHOT, Tried, hour, write_dataset


@pytest.mark.parametrize("priors", ["scope", "field"])
def test_cases_come_from_dev_snapshots_and_are_what_their_label_says(
    benchmark: Benchmark, priors: str
) -> None:
    assert priors in ("scope", "field")
    is_field = priors == "field"
    cases = make_cases(benchmark, rewrite_by_rules, 2, "field" if is_field else "scope")
    assert {each.snapshot_id for each in cases} == set(benchmark.snapshot_ids("dev"))
    assert set(Counter(each.kind for each in cases)) == set(Kind)
    assert max(Counter((each.snapshot_id, each.kind) for each in cases).values()) == 2
    for each in cases:
        pools = benchmark.pools(each.snapshot_id, "field" if is_field else "scope")
        assert each.scope == f"{pools.agent}/{pools.wave}"
        assert each.candidate.is_valid == (each.kind is not Kind.MALFORMED), each.case_id
        assert each.candidate == parse_candidate(each.markdown, each.case_id)
        if each.kind in (Kind.VERBATIM_PRIOR, Kind.PARAPHRASED_PRIOR):
            assert each.source_id in pools.priors.ids
            assert each.source_id not in pools.futures.ids
        elif each.kind in (Kind.VERBATIM_FUTURE, Kind.PARAPHRASED_FUTURE):
            assert each.source_id in pools.futures.ids
        elif each.kind is Kind.OTHER_SCOPE:
            assert f"--{pools.wave}--" not in (each.source_id or "")
            assert each.source_id not in [*pools.priors.ids, *pools.futures.ids]


def test_cases_are_the_same_every_time_and_named_once(benchmark: Benchmark) -> None:
    cases = make_cases(benchmark, rewrite_by_rules)
    assert cases == make_cases(benchmark, rewrite_by_rules)
    assert len({each.case_id for each in cases}) == len(cases)


def test_a_text_that_nobody_can_paraphrase_makes_no_case(benchmark: Benchmark) -> None:
    cases = make_cases(benchmark, lambda texts: [None] * len(texts))
    assert not {Kind.PARAPHRASED_PRIOR, Kind.PARAPHRASED_FUTURE} & {each.kind for each in cases}


def write_two_waves(folder: Path) -> Benchmark:
    """Three snapshots: two dev ones of the waves v1 and v2, and a test one of v2 with a prior of its own.

    `copied` is a prior with the text of a future; `shared` is one of v2 with the text of a prior of v1.
    """
    dataset = write_dataset(
        folder,
        [
            *(Tried(f"old-{n}", [1.0], text=_text(f"old {n}")) for n in range(6)),
            Tried("copied", [1.0], text=_text("ahead")),
            Tried("short", [1.0], text="Too short\n\nNo proposal."),
            Tried("ahead", [1.0], text=_text("ahead"), verdict="improved"),
            Tried("other", [1.0], text=_text("other")),
            Tried("shared", [1.0], text=_text("old 3").upper()),
            Tried("canary", [1.0], text=_text("canary")),
        ],
        split="dev",
        prior_experiment_ids=[*(f"old-{n}" for n in range(6)), "copied", "short"],
        future_improved_experiment_ids=["ahead"],
    )
    first = pl.read_parquet(dataset / "snapshots.parquet")
    second = _snapshot(first, "snap_codex_v2_k0002", "dev", ["other", "shared"])
    unseen = _snapshot(first, "snap_codex_v2_k0004", "test", ["canary", "other", "shared"])
    pl.concat([first, second, unseen]).write_parquet(dataset / "snapshots.parquet")
    return Benchmark.load(dataset, "lexical")


def _text(name: str) -> str:
    return f"Title of {name}\n\nKeep the loss of {name} low because the {name} momentum never grows at all."


def _snapshot(first: pl.DataFrame, name: str, split: str, priors: Sequence[str]) -> pl.DataFrame:
    return first.with_columns(
        snapshot_id=pl.lit(name),
        wave=pl.lit("v2"),
        split=pl.lit(split),
        wall_clock=pl.lit(hour(20)).cast(first.schema["wall_clock"]),
        prior_experiment_ids=pl.lit(list(priors)),
        future_improved_experiment_ids=pl.lit([], pl.List(pl.String)),
    )


def sources(cases: Sequence[Case], kind: Kind, snapshot_id: str = SNAPSHOT) -> set[str | None]:
    return {each.source_id for each in cases if (each.kind, each.snapshot_id) == (kind, snapshot_id)}


def test_what_would_make_a_label_doubtful_is_left_out(tmp_path: Path) -> None:
    cases = make_cases(write_two_waves(tmp_path), rewrite_by_rules)
    olds = {f"old-{n}" for n in range(6)}
    verbatim = sources(cases, Kind.VERBATIM_PRIOR)
    assert len(verbatim) == 5
    assert verbatim < olds, "not what shares a text with a future, nor what makes no valid candidate"
    paraphrased = sources(cases, Kind.PARAPHRASED_PRIOR)
    assert len(paraphrased) == 5
    assert olds - verbatim < paraphrased <= olds, "those first that are in no other case"
    assert sources(cases, Kind.VERBATIM_FUTURE) == sources(cases, Kind.PARAPHRASED_FUTURE) == {"ahead"}
    assert sources(cases, Kind.OTHER_SCOPE) == {"other"}, "nor what a prior of this wave says, in any case"


def test_nothing_is_made_of_what_test_snapshots_alone_know(tmp_path: Path) -> None:
    benchmark = write_two_waves(tmp_path)
    assert "canary" in benchmark.pools("snap_codex_v2_k0004").priors.ids
    cases = make_cases(benchmark, rewrite_by_rules, per_kind=100)
    assert {each.snapshot_id for each in cases} == {SNAPSHOT, "snap_codex_v2_k0002"}
    assert "canary" not in {each.source_id for each in cases}
    assert not any("canary" in each.markdown for each in cases)


def test_paraphrases_are_asked_for_until_there_are_enough(tmp_path: Path) -> None:
    asked: list[str] = []

    def rewrite(texts: Sequence[str]) -> list[str | None]:
        asked.extend(texts)
        return [None if len(asked) <= 2 or "ahead" in text else rewrite_by_rules([text])[0] for text in texts]

    cases = make_cases(write_two_waves(tmp_path), rewrite, per_kind=2)
    assert len(sources(cases, Kind.PARAPHRASED_PRIOR)) == 2
    assert sources(cases, Kind.PARAPHRASED_FUTURE) == set()


def test_a_paraphrase_that_makes_no_valid_candidate_is_left_out(tmp_path: Path) -> None:
    cases = make_cases(write_two_waves(tmp_path), lambda texts: ["Short\n\nToo short."] * len(texts))
    assert sources(cases, Kind.PARAPHRASED_PRIOR) == set()


@pytest.mark.parametrize("text", MALFORMED)
def test_what_is_malformed_is_invalid(text: str) -> None:
    assert not parse_candidate(text).is_valid


def test_what_is_malformed_is_so_each_for_another_reason() -> None:
    reasons = [parse_candidate(text).invalid_reason for text in MALFORMED]
    assert len({MALFORMED[n] for n in range(len(MALFORMED))}) == len(reasons)
    assert any("no title" in (reason or "") for reason in reasons)
    assert any("no section" in (reason or "") for reason in reasons)
    assert any("needs at least" in (reason or "") for reason in reasons)


def test_a_description_of_one_paragraph_gets_its_first_words_as_title() -> None:
    candidate = parse_candidate(
        as_candidate("Run the baseline with a longer warmup of five hundred steps, nothing else.")
    )
    assert (candidate.title, candidate.is_valid) == ("Run the baseline with a longer warmup of", True)
