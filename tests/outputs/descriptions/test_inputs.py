"""What is gathered of experiments, and how far it reaches on the demo archive."""

from pathlib import Path

import pytest

from benchmarks.descriptions import decoded_sentences, gather, score
from linkers.runs import join_runs
from linkers.variants.cascade import recover_variants
from linkers.write_ups import collect_write_ups
from outputs.descriptions.inputs import gather_inputs
from outputs.descriptions.ladder import describe_by_rules
from outputs.descriptions.leaks import find_leak
from outputs.descriptions.model import DescriptionInput
from tests.helpers import log_text, parse_folder, write_scratchpad

RULE = "=" * 100 + "\n"


def inputs_of(root: Path, ideas: dict[str, str | None] | None = None) -> dict[str, DescriptionInput]:
    parsed = parse_folder(root)
    runs = join_runs(parsed, 2026)
    variants = recover_variants(parsed, runs)
    gathered = gather_inputs(runs, variants, collect_write_ups(parsed).kept, ideas or {})
    return {each.name.run_id: each for each in gathered}


def log(source: str, started: str) -> str:
    """A log that starts with the trainer's own text."""
    head = f"{source}{RULE}### start_iso: {started}\n### NODE=n1\n"
    return log_text((0, 10.8), (3000, 3.3), head=head)


def trainer(alpha: float, docstring: str = "") -> str:
    padding = "".join(f"def helper_{number}():\n    return {number}\n" for number in range(20))
    return f"{docstring}import torch\nALPHA = {alpha}\n{padding}print(open(__file__).read())\n"


def test_a_run_is_compared_with_the_baseline_and_with_what_was_there_before(tmp_path: Path) -> None:
    """The later run of a similar name is nothing that the earlier one changed."""
    files = {
        "runs/baseline-muon-seed0.log": log(trainer(0.1), "2026-05-01T00:00:00Z"),
        "runs/contra-x-seed0.log": log(trainer(0.2), "2026-05-01T01:00:00Z"),
        "runs/contra-y-seed0.log": log(trainer(0.3), "2026-05-01T02:00:00Z"),
    }
    found = inputs_of(write_scratchpad(tmp_path, files))
    labels = {name: [base.label for base in each.bases] for name, each in found.items()}
    assert labels == {
        "baseline-muon-seed0": [],
        "contra-x-seed0": ["the baseline"],
        "contra-y-seed0": ["the baseline", "`contra-x-seed0`"],
    }
    rungs = describe_by_rules(found.values())
    assert rungs["codex--v1--contra-y-seed0"].description.text == (
        "Contra step, with `y`; 3000 training steps. Against the baseline: ALPHA 0.3 instead of 0.1."
    )


def test_the_docstring_is_that_of_the_text_that_ran(tmp_path: Path) -> None:
    files = {
        "runs/contra-seed0.log": log(trainer(0.2, '"""What ran."""\n'), "2026-05-01T01:00:00Z"),
        "variants/contra.py": trainer(0.2, '"""What stands there today."""\n'),
        "variants/aurora.py": trainer(0.4, '"""Aurora."""\n'),
    }
    ledger = [{"run_id": "aurora-seed0", "variant": "variants/aurora.py"}]
    found = inputs_of(write_scratchpad(tmp_path, files, ledger))
    assert found["contra-seed0"].docstring == "What ran."
    assert found["aurora-seed0"].docstring == "Aurora."


def test_the_idea_is_the_one_that_the_link_names(tmp_path: Path) -> None:
    files = {
        "ideas/polar-muon.md": "# Polar Muon\n\n## Proposal\n\nProject it.\n",
        "runs/a.log": log_text((0, 1)),
    }
    root = write_scratchpad(tmp_path, files)
    assert inputs_of(root)["a"].idea is None
    idea = inputs_of(root, {"codex--v1--a": "codex--v1--polar-muon"})["a"].idea
    assert idea is not None
    assert (idea.title, idea.proposal) == ("Polar Muon", "Project it.")


def test_the_beginning_of_the_log_is_kept(tmp_path: Path) -> None:
    found = inputs_of(write_scratchpad(tmp_path, {"runs/a.log": log(trainer(1), "2026-05-01T01:00:00Z")}))
    assert found["a"].preamble.endswith("### start_iso: 2026-05-01T01:00:00Z\n### NODE=n1")


@pytest.fixture(scope="module")
def demo_inputs(demo_archive: Path) -> tuple[DescriptionInput, ...]:
    return gather(demo_archive, workers=1)


def test_no_experiment_of_the_demo_lacks_a_description(demo_inputs: tuple[DescriptionInput, ...]) -> None:
    rungs = describe_by_rules(demo_inputs)
    assert len(rungs) == 610
    assert all(rung.description.text.strip() for rung in rungs.values())


def test_nine_of_ten_decoded_names_name_the_mechanism(
    demo_archive: Path, demo_inputs: tuple[DescriptionInput, ...]
) -> None:
    sentences = decoded_sentences(demo_inputs)
    told, _ = score(demo_archive, sentences)
    assert told.total > 500
    assert told.share >= 0.9, told.missed[:20]


def test_no_decoded_name_tells_an_outcome(demo_inputs: tuple[DescriptionInput, ...]) -> None:
    assert [text for text in decoded_sentences(demo_inputs).values() if find_leak(text)] == []
