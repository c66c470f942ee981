"""Run ids in words: thirty examples to read, and what holds for any id."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outputs.descriptions.constants_diff import Change, Difference
from outputs.descriptions.decoder import decode
from outputs.descriptions.leaks import find_leak
from parsers.run_ids import parse_run_id
from parsers.scopes import SCOPES, Scope

BLOCKS = (Path(__file__).parent / "decoded.txt").read_text(encoding="utf-8").split("\n\n")
EXAMPLES = [tuple(line.strip() for line in block.strip().split("\n")) for block in BLOCKS]
"""Scope and run id, and the sentence that a researcher would accept for it."""

CODEX_V3 = Scope("codex", "v3")


def sentence(run_id: str, scope: Scope = CODEX_V3, ideas: dict[str, str] | None = None) -> str:
    return decode(parse_run_id(run_id), scope, ideas or {}).sentence()


def test_there_are_thirty_examples() -> None:
    assert len(EXAMPLES) >= 30


@pytest.mark.parametrize(("name", "expected"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_the_examples(name: str, expected: str) -> None:
    folder, run_id = name.split(" ")
    wave, agent = folder.split("/")
    assert sentence(run_id, Scope(agent, wave)) == expected


@pytest.mark.parametrize(
    ("run_id", "quoted"),
    [
        ("frobnicate-qux-s0", "`frobnicate-qux`"),
        ("zebra42-lr3e-2", "`zebra42`"),
        ("lr030-s1", "`lr030`"),
        ("schema-check-s0", "`schema-check`"),
        ("lemma-sanity-s0", "`lemma-sanity`"),
        ("soapbox-s0", "`soapbox`"),
        ("v3k8a010", "`k8`"),
    ],
)
def test_what_nobody_explains_is_quoted(run_id: str, quoted: str) -> None:
    """`ema` is not in `schema`, `soap` not in `soapbox`, and a rate of 0.30 may be one of 0.030."""
    assert quoted in sentence(run_id)


@pytest.mark.parametrize(
    ("run_id", "said"),
    [
        ("xyz001_g070_t3400", "Cross-yaw zeroing"),
        ("cross-yaw-zeroing-lr3e-2-s0", "Cross-yaw zeroing, learning rate 3e-2"),
        ("v3croyawzerb0902905", "Cross-yaw zeroing, beta 0.90; 2905 training steps."),
        ("cyz0045-ts3100", "Cross-yaw zeroing, set to `0045`; 3100 training steps."),
    ],
)
def test_an_idea_is_called_by_what_its_write_up_says(run_id: str, said: str) -> None:
    """By its code, its slug, its words cut short, and its initials."""
    names = ("xyz001", "crossyawzeroing", "croyawzer", "cyz")
    assert said in sentence(run_id, ideas=dict.fromkeys(names, "Cross-yaw zeroing"))


def test_a_changed_constant_explains_the_letter_before_its_value() -> None:
    changes = (Change("ALPHA", "0.15", "0.10"), Change("RANK_K", "6", "8"), Change("ROPE_K", "1", "2"))
    decoded = decode(parse_run_id("contra-a010-k4"), CODEX_V3, {}, Difference("the baseline", changes))
    assert decoded.sentence() == (
        "Contra step, ALPHA 0.10 instead of 0.15, with `k4`. "
        "Against the baseline: RANK_K 8 instead of 6 and ROPE_K 2 instead of 1."
    )


def test_the_schedule_of_the_log_is_named_where_the_name_has_none() -> None:
    name = parse_run_id("baseline-muon-s1")
    assert decode(name, CODEX_V3, {}, None, 3500).sentence() == "Muon baseline; 3500 training steps."
    stopped = parse_run_id("contra-stop3250-seed0")
    assert decode(stopped, CODEX_V3, {}, None, 3500).sentence() == (
        "Contra step; schedule of 3500 steps, stopped at step 3250."
    )


PIECES = (
    "ema",
    "b0999",
    "lr3e-2",
    "h3375",
    "stop3250",
    "no",
    "muwarmup",
    "v12",
    "from",
    "hidden",
    "zzz",
    "s3",
)


@given(st.lists(st.sampled_from(PIECES), max_size=9), st.sampled_from(SCOPES), st.sampled_from("-_."))
def test_any_mixture_of_parts_gives_a_sentence(parts: list[str], scope: Scope, separator: str) -> None:
    text = sentence(separator.join(parts), scope)
    assert text.endswith(".")
    assert len(text) > 1
    assert find_leak(text) is None


@given(st.text(), st.sampled_from(SCOPES))
def test_any_text_gives_one_line(run_id: str, scope: Scope) -> None:
    text = sentence(run_id, scope)
    assert text.strip(" .`")
    assert text.isprintable()


@pytest.mark.parametrize("run_id", ["a" * 100_000, "-".join(["ema"] * 10_000), "1" * 5_000, "b0" * 2_000])
def test_endless_names_end(run_id: str) -> None:
    assert len(sentence(run_id)) < 5_000
