"""Questions about ideas to a model: answered from a file of saved answers, the cache, or the service."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from linkers.ideas.llm import PROMPT_VERSION, SYSTEM, Answer, Question
from outputs.spending.budget import Usage
from outputs.spending.errors import SpendingError
from outputs.spending.questions import Panel, Purse, ask
from outputs.spending.questions import Question as PaidQuestion

PURPOSE = "idea links"
MAX_ANSWER_TOKENS = 400


class LlmError(SpendingError):
    """The saved answers cannot be read. The message is one sentence."""


class IdeaChoice(BaseModel):
    """What the model must answer.

    Attributes:
        idea_id: One of the offered ids, or null for none of them.
        confidence: 0 to 1.
        reason: One line.
    """

    model_config = ConfigDict(extra="forbid")

    idea_id: str | None = Field(description="One of the offered idea ids, or null for none of them.")
    confidence: float = Field(description="Between 0 and 1.")
    reason: str = Field(description="One line.")


class SavedAnswer(BaseModel):
    """One answer in a file of saved answers.

    Attributes:
        key: Names the question by model, prompt version and full prompt; empty for an answer by hand, which
            then answers every question about its run.
        experiment_id: The run.
        offered: What there was to choose from.
        idea_id: The chosen idea, or None.
        confidence: 0 to 1.
        reason: One line.
        model: Who answered.
    """

    model_config = ConfigDict(frozen=True)

    key: str = ""
    experiment_id: str
    offered: tuple[str, ...] = ()
    idea_id: str | None
    confidence: float = 1.0
    reason: str = ""
    model: str = "by hand"

    def to_answer(self) -> Answer:
        """Forget where it was saved."""
        return Answer(self.idea_id, self.confidence, self.reason, self.model)


@dataclass(slots=True)
class Spend:
    """What was asked, and what became of it.

    Attributes:
        requests: Questions that the service answered in this build.
        from_cache: Questions that the cache or the saved answers answered.
        failed: Questions that no attempt could get an answer to.
        left: Questions that the budget left unasked.
        cost: What the answers cost when they were paid for.
    """

    requests: int = 0
    from_cache: int = 0
    failed: int = 0
    left: int = 0
    cost: Usage = field(default_factory=Usage)


class Asker:
    """Asks questions and remembers the answers."""

    def __init__(self, model: str, purse: Purse | None, saved: Sequence[SavedAnswer] = ()) -> None:
        """Prepare to ask.

        Args:
            model: Name of the model.
            purse: What is needed to ask; None where only saved answers count.
            saved: Answers from a file.
        """
        self.spend = Spend()
        self.used: dict[str, SavedAnswer] = {each.key or f"hand:{each.experiment_id}": each for each in saved}
        self._model = model
        self._purse = purse

    def __call__(self, questions: Sequence[Question]) -> dict[Question, Answer]:
        """Answer a batch. A question that failed or that the budget left out is missing in the result.

        Raises:
            SpendingError: If the service refuses the key or does not know the model.
        """
        answers = {question: saved.to_answer() for question in questions if (saved := self._saved(question))}
        self.spend.from_cache += len(answers)
        if self._purse is not None:
            self._ask([question for question in questions if question not in answers], answers, self._purse)
        return answers

    def _saved(self, question: Question) -> SavedAnswer | None:
        by_hand = self.used.get(f"hand:{question.experiment_id}")
        return self.used.get(question.key(self._model)) or by_hand

    def _ask(self, questions: Sequence[Question], answers: dict[Question, Answer], purse: Purse) -> None:
        panel = Panel(PURPOSE, self._model, str(PROMPT_VERSION), MAX_ANSWER_TOKENS)
        paid = [PaidQuestion(each.key(self._model), SYSTEM, each.prompt, IdeaChoice) for each in questions]
        found = ask(panel, paid, purse)
        for question in questions:
            choice = found.given.get(question.key(self._model))
            if choice is not None:
                answers[question] = self._note(question, choice)
        self.spend.from_cache += found.cached
        self.spend.requests += len(found.given) - found.cached
        self.spend.left += found.unaffordable
        self.spend.failed += len(found.failed) - found.unaffordable
        self.spend.cost += found.cost

    def _note(self, question: Question, choice: IdeaChoice) -> Answer:
        idea_id = (choice.idea_id or "").strip()
        saved = SavedAnswer(
            key=question.key(self._model),
            experiment_id=question.experiment_id,
            offered=question.offered,
            idea_id=None if idea_id.lower() in {"", "none", "null"} else idea_id,
            confidence=choice.confidence,
            reason=choice.reason[:500],
            model=self._model,
        )
        self.used[saved.key] = saved
        return saved.to_answer()


def read_answers(path: Path) -> tuple[SavedAnswer, ...]:
    """Read a file of saved answers, one JSON object a line; none if the file is not there.

    Raises:
        LlmError: If a line is no answer.
    """
    if not path.exists():
        return ()
    answers = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            answers.append(SavedAnswer.model_validate_json(line))
        except ValidationError as error:
            fields = ", ".join(str(each["loc"][0]) if each["loc"] else "JSON" for each in error.errors())
            raise LlmError(
                f"Line {number} of {path} is no saved answer ({fields}): correct or delete it."
            ) from None
    return tuple(answers)


def write_answers(path: Path, answers: Sequence[SavedAnswer]) -> None:
    """Write all answers that a build knew, sorted, in place of the file as a whole."""
    lines = sorted(answer.model_dump_json() for answer in answers)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    beside.replace(path)
