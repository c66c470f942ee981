"""The rules by which checkpoint lines become trials."""

from demo.tally import Tally

_ZERO = "step:0/500 val_loss:10.82584 train_time:0.000s step_avg:nanms"


def _line(step: int, loss: float) -> str:
    return f"step:{step}/500 val_loss:{loss:.5f} train_time:{step / 10:.3f}s step_avg:100.00ms"


def test_a_repeated_line_is_neither_a_checkpoint_nor_a_trial() -> None:
    tally = Tally()
    for step, loss in ((125, 4.0), (250, 3.5), (125, 4.0), (250, 3.5)):
        tally.checkpoint(_line(step, loss), (step, loss))
    assert [outcome.points for outcome in tally.outcomes()] == [((125, 4.0), (250, 3.5))]


def test_the_identical_line_of_step_zero_counts_in_the_first_trial_alone() -> None:
    tally = Tally()
    for loss in (4.0, 4.1):
        tally.checkpoint(_ZERO, (0, 10.82584))
        tally.checkpoint(_line(125, loss), (125, loss))
    assert [outcome.points[0][0] for outcome in tally.outcomes()] == [0, 125]


def test_a_seed_header_lets_lines_count_again() -> None:
    tally = Tally()
    for loss in (4.0, 4.1):
        tally.seed_header()
        tally.checkpoint(_ZERO, (0, 10.82584))
        tally.checkpoint(_line(125, loss), (125, loss))
    assert [len(outcome.points) for outcome in tally.outcomes()] == [2, 2]


def test_a_trial_marker_with_another_number_begins_a_trial() -> None:
    tally = Tally()
    tally.trial_marker(1)
    tally.checkpoint(_line(125, 4.0), (125, 4.0))
    tally.trial_marker(1)
    tally.checkpoint(_line(250, 3.9), (250, 3.9))
    tally.trial_marker(2)
    tally.checkpoint(_line(375, 3.8), (375, 3.8))
    assert [len(outcome.points) for outcome in tally.outcomes()] == [2, 1]


def test_nan_is_never_a_minimum_and_exactly_the_target_is_a_hit() -> None:
    tally = Tally()
    for step, loss in ((125, float("nan")), (250, 3.28), (375, float("inf"))):
        tally.checkpoint(_line(step, loss), (step, loss))
    (outcome,) = tally.outcomes()
    assert outcome.min_loss == 3.28
    assert outcome.step_to_target == 250
