"""Descriptions must not tell the future."""

import pytest

from outputs.descriptions.leaks import find_hedging, find_leak, without_sample_lines

TELLING = [
    "Reaches 3.28 at step 3025.",
    "It ended with a val_loss of 3.279.",
    "val loss: 3.31",
    "The run failed after 200 steps.",
    "Diverges early.",
    "A successful ablation.",
    "It improved the record.",
    "Crossed the target at step 3020.",
    "Hit the goal loss.",
    "Steps to target fell.",
    "Performs better than the baseline.",
    "No gain over Muon.",
    "The verdict is neutral.",
    "It was cancelled.",
    "This run did not help.",
    "Outperforms Muon.",
    "step:3000/3000",
]
SILENT = [
    "Tail EMA of the weights, decay 0.999, from step 2000; 3025 training steps.",
    "Muon baseline; schedule of 3500 steps, stopped at step 3250.",
    "Learning-rate floor 0.10 with a cooldown fraction of 0.55.",
    "Weights the loss of hard tokens (focal loss).",
    "z-loss with weight 1e-4 keeps the log partition function near zero.",
    "The target network is an EMA of the weights.",
    "Applies a momentum warmup over the first 300 steps.",
]


@pytest.mark.parametrize("text", TELLING)
def test_an_outcome_is_found(text: str) -> None:
    assert find_leak(text)


@pytest.mark.parametrize("text", SILENT)
def test_a_mechanism_is_no_outcome(text: str) -> None:
    assert find_leak(text) is None
    assert find_hedging(text) is None


@pytest.mark.parametrize(
    "text", ["This may help.", "It probably scales.", "Seems to clip.", "Unclear change."]
)
def test_hedging_is_found(text: str) -> None:
    assert find_hedging(text)


def test_a_sample_of_a_log_is_dropped_from_a_docstring() -> None:
    text = "Aurora.\nLines look like this:\nstep:3000/3000 val_loss:3.27512 train_time:1s\nEnd."
    assert without_sample_lines(text) == "Aurora.\nLines look like this:\nEnd."
