"""The public shapes of NoveltyBench's lines: one JSON object a prompt, with more keys from stage to stage."""

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt, model_validator

from scorers.noveltybench.metrics import credit, distinct_k, first_members, utility_k

MAX_QUALITY = 10

Output = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""What a writer wrote; null is what a service gave that answered with nothing."""

Quality = Annotated[int | float, Field(ge=0, le=MAX_QUALITY)]


class Line(BaseModel):
    """What every line has.

    Attributes:
        id: Name of the prompt; a number is taken for its digits.
    """

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: str


class Prompt(Line):
    """A line of a file of prompts; other keys are not read.

    Attributes:
        prompt: The prompt.
    """

    prompt: str


class References(Line):
    """What people wrote to a prompt.

    Attributes:
        references: Their texts.
    """

    references: tuple[str, ...]


class Failure(Prompt):
    """A prompt without answers.

    Attributes:
        model: Who was asked.
        reason: Why there are none.
    """

    model: str
    reason: str


class Generations(Prompt):
    """The outputs of one writer to one prompt.

    Attributes:
        model: The writer.
        generations: The outputs, in the order in which they were sampled.
    """

    model: str
    generations: tuple[Output, ...]

    def to_line(self) -> dict[str, object]:
        """Lay out the line."""
        return self.model_dump(include={"id", "prompt", "model", "generations"})


class Partition(Generations):
    """The same with the class of each output. A stored `distinct` is not read: it is counted.

    Attributes:
        partition: The class of each output.
    """

    partition: tuple[NonNegativeInt, ...]

    @model_validator(mode="after")
    def _one_class_an_output(self) -> Self:
        if len(self.partition) != len(self.generations):
            raise ValueError(f"{len(self.generations)} outputs have {len(self.partition)} classes")
        return self

    def to_line(self) -> dict[str, object]:
        """Lay out the line, with the number of classes."""
        return {
            **super().to_line(),
            "partition": self.partition,
            "distinct": distinct_k(self.partition),
        }


class Score(Line):
    """The measures of one prompt. Stored `distinct`, `partition_scores` and `utility` are not read.

    Published files may lack the outputs themselves, and give each output its own quality, or null to one that
    repeats an earlier one; what counts is the quality of each class's first member.

    Attributes:
        model: The writer.
        partition: The class of each output.
        generation_scores: The quality of each output.
    """

    model: str
    partition: tuple[NonNegativeInt, ...]
    generation_scores: tuple[Quality | None, ...]

    @model_validator(mode="after")
    def _one_quality_a_first_member(self) -> Self:
        credit(self.partition, self.generation_scores)
        return self


def score_line(row: Partition, qualities: Sequence[int | float], patience: float) -> dict[str, object]:
    """Lay out a line of `scores.jsonl`.

    Args:
        row: The partitioned outputs.
        qualities: The quality of each output; those that are no first member count as 0.
        patience: The probability of `metrics.utility_k`.
    """
    heads = dict.fromkeys(first_members(row.partition))
    credited = [quality if each in heads else 0 for each, quality in enumerate(qualities)]
    return {
        **row.to_line(),
        "generation_scores": credited,
        "partition_scores": [credited[each] for each in heads],
        "utility": utility_k(row.partition, credited, patience),
    }
