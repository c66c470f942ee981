"""The cascade on small archives: which tier answers, what is kept of the others, and what stays empty."""

from pathlib import Path

import pytest

from linkers.runs import join_runs
from linkers.variants.cascade import TIERS, RecoveredVariants, RunVariant, recover_variants
from parsers.embedded_source import source_sha256
from parsers.scopes import SCOPES, Scope
from tests.helpers import SCOPE, log_text, parse_folder, write_scratchpad

DELIMITER = "=" * 100 + "\n"


def script(name: str, lr: float = 0.02, lines: int = 30) -> str:
    body = "".join(f"def f{name}{number}():\n    return {number}\n" for number in range(lines))
    return f'"""{name}: a trainer."""\nimport torch\nMUON_LR = {lr}\n{body}'


def recover(root: Path) -> RecoveredVariants:
    parsed = parse_folder(root)
    return recover_variants(parsed, join_runs(parsed, 2026))


def only(root: Path) -> RunVariant:
    (run,) = recover(root).runs
    return run


def tiers_of(run: RunVariant) -> dict[str, str | None]:
    return {name: answer.stem for name, answer in run.answers}


def test_the_tiers_are_listed_in_the_order_of_the_cascade() -> None:
    assert list(TIERS) == ["ledger", "export", "embedded", "recompile", "stub", "name_stem"]


@pytest.mark.parametrize(
    "stated",
    [
        "/beegfs/u/tree/records/track_3_optimization/ai/scratchpad/variants/aurora_proj.py",
        "records/track_3_optimization/ai/scratchpad/variants/aurora_proj.py",
        "scratchpad/variants/aurora_proj.py",
        "aurora_proj.py",
        "aurora_proj",
        "aurora-proj",
    ],
)
def test_the_ledger_names_a_file_of_any_machine(tmp_path: Path, stated: str) -> None:
    files = {"variants/aurora_proj.py": script("a"), "variants/aurora.py": script("b")}
    write_scratchpad(tmp_path, files, [{"run_id": "x9", "variant": stated}])
    run = only(tmp_path)
    assert (run.stem, run.tier) == ("aurora_proj", "ledger")
    assert run.path == "v1/codex/scratchpad/variants/aurora_proj.py"


def test_a_version_names_a_file_only_if_one_bears_it(tmp_path: Path) -> None:
    names = (
        "train_gpt_simple_v15_soap",
        "train_gpt_simple_v1_muon",
        "train_gpt_simple_v16_a",
        "train_gpt_simple_v16_b",
    )
    write_scratchpad(
        tmp_path,
        {f"variants/{name}.py": script(name) for name in names},
        [
            {"run_id": "p", "variant": "v15"},
            {"run_id": "q", "variant": "v1"},
            {"run_id": "r", "variant": "v16"},
        ],
    )
    stems = {run.experiment_id[-1]: run.stem for run in recover(tmp_path).runs}
    assert stems == {"p": names[0], "q": names[1], "r": None}


def test_the_embedded_text_is_matched_by_hash_and_names_no_drift(tmp_path: Path) -> None:
    text = script("a")
    log = "### NODE=gpu-1\n" + text.replace("\n", "  \r\n") + DELIMITER + log_text((0, 10.8))
    write_scratchpad(tmp_path, {"runs/zz.log": log, "variants/a.py": text, "variants/b.py": script("b")})
    run = only(tmp_path)
    assert (run.stem, run.tier, run.is_drifted, run.source_sha256) == (
        "a",
        "embedded",
        False,
        source_sha256(text),
    )


def test_an_edited_file_is_found_by_its_lines_and_marked_drifted(tmp_path: Path) -> None:
    log = script("a", lr=0.035) + DELIMITER + log_text((0, 10.8))
    files = {"runs/zz.log": log, **{f"variants/{name}.py": script(name) for name in "abc"}}
    write_scratchpad(tmp_path, files)
    recovered = recover(tmp_path)
    (run,) = recovered.runs
    assert (run.stem, run.tier, run.is_drifted) == ("a", "embedded", True)
    assert recovered.texts == {source_sha256(script("a", lr=0.035)): script("a", lr=0.035)}


def test_two_equally_near_files_are_no_answer_but_the_text_is_kept(tmp_path: Path) -> None:
    """Both copies of a template lost the same line since."""
    log = script("a", lr=0.035) + DELIMITER + log_text((0, 10.8))
    files = {"runs/zz.log": log, "variants/one.py": script("a"), "variants/two.py": script("a")}
    write_scratchpad(tmp_path, files)
    run = only(tmp_path)
    assert (run.stem, run.is_drifted) == (None, None)
    assert run.source_sha256 == source_sha256(script("a", lr=0.035))


def test_what_is_no_python_is_no_source(tmp_path: Path) -> None:
    log = "import this is\nnot python at all (\n" * 3 + DELIMITER + log_text((0, 10.8))
    write_scratchpad(tmp_path, {"runs/zz.log": log, "variants/a.py": script("a")})
    run = only(tmp_path)
    assert (run.stem, run.source_sha256) == (None, None)


def warning(path: str, place: int, rank: int = 0) -> str:
    return f"[rank{rank}]:W0512 11:01:12.000 function: 'f' ({path}:{place})\n"


def test_recompile_warnings_name_the_most_named_file(tmp_path: Path) -> None:
    ranks = "".join(warning("/b/scratchpad/variants/one.py", 10, rank) for rank in range(8))
    twice = warning("/b/scratchpad/variants/two.py", 10) + warning("/b/scratchpad/variants/two.py", 20)
    files = {"runs/zz.log": log_text((0, 10.8)) + ranks + twice, "runs/zz.console.log": ranks}
    write_scratchpad(tmp_path, files | {"variants/one.py": script("a"), "variants/two.py": script("b")})
    assert tiers_of(only(tmp_path)) == {"recompile": "two"}


def test_a_tie_of_recompile_warnings_is_no_answer(tmp_path: Path) -> None:
    both = warning("/b/scratchpad/variants/one.py", 10) + warning("/b/scratchpad/variants/two.py", 20)
    files = {"runs/zz.log": log_text((0, 10.8)) + both}
    write_scratchpad(tmp_path, files | {"variants/one.py": script("a"), "variants/two.py": script("b")})
    assert only(tmp_path).stem is None


def test_the_trainers_own_name_says_nothing(tmp_path: Path) -> None:
    """The launcher copied the variant to `train_gpt_simple.py` first."""
    place = warning("/b/scratchpad/variants/train_gpt_simple.py", 10)
    files = {"runs/zz.log": log_text((0, 10.8)) + place, "variants/train_gpt_simple.py": script("a")}
    write_scratchpad(
        tmp_path, files, [{"run_id": "zz", "variant": "scratchpad/variants/train_gpt_simple.py"}]
    )
    assert only(tmp_path).answers == ()


def test_a_stub_names_the_file_and_a_commented_line_does_not(tmp_path: Path) -> None:
    stub = (
        "#!/bin/bash\nBASE=/b/scratchpad\n# python parse_and_index.py --variant $BASE/variants/two.py\n"
        'python parse_and_index.py \\\n  --variant "$BASE/variants/one.py"\n'
    )
    files = {"runs/zz.log": log_text((0, 10.8)), "sbatch-stubs/zz.sh": stub}
    write_scratchpad(tmp_path, files | {"variants/one.py": script("a"), "variants/two.py": script("b")})
    assert tiers_of(only(tmp_path)) == {"stub": "one"}


def test_sources_that_disagree_are_flagged_and_the_first_is_published(tmp_path: Path) -> None:
    files = {"variants/one.py": script("a"), "variants/two.py": script("b")}
    stub = "python parse_and_index.py --variant scratchpad/variants/two.py\n"
    write_scratchpad(
        tmp_path,
        files | {"sbatch-stubs/two-s1.sh": stub},
        [{"run_id": "two-s1", "variant": "variants/one.py"}],
    )
    run = only(tmp_path)
    assert (run.stem, run.tier, run.is_conflict) == ("one", "ledger", True)
    assert run.dissenting_tiers == ("stub", "name_stem")


def test_a_run_that_cannot_be_known_stays_empty(tmp_path: Path) -> None:
    write_scratchpad(tmp_path, {"runs/zz.log": log_text((0, 10.8)), "variants/one.py": script("a")})
    run = only(tmp_path)
    assert (run.stem, run.path, run.tier, run.source_sha256) == (None, None, None, None)
    assert (run.is_conflict, run.answers) == (False, ())


def test_the_same_run_id_in_six_scopes_gets_six_answers(tmp_path: Path) -> None:
    for number, scope in enumerate(SCOPES[:6]):
        text = script(f"n{number}")
        log = text + DELIMITER + log_text((0, 10.8))
        files = {"runs/baseline-muon-s0.log": log, f"variants/file_{number}.py": text}
        write_scratchpad(tmp_path, files, scope=scope)
    found = {run.scope: (run.stem, run.source_sha256) for run in recover(tmp_path).runs}
    assert found == {
        scope: (f"file_{number}", source_sha256(script(f"n{number}")))
        for number, scope in enumerate(SCOPES[:6])
    }


def test_a_variant_of_another_scope_is_no_answer(tmp_path: Path) -> None:
    write_scratchpad(tmp_path, {"variants/aurora.py": script("a")}, scope=Scope("codex", "v2"))
    write_scratchpad(tmp_path, {"runs/aurora-s0.log": log_text((0, 10.8))}, scope=SCOPE)
    assert only(tmp_path).stem is None
