"""Stage one: the outputs of one writer to every prompt, taken up again where an earlier run ended."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from scorers.noveltybench.errors import NoveltyBenchError, RowError
from scorers.noveltybench.files import (
    FAILURES,
    GENERATIONS,
    Lines,
    line_of,
    read_lines,
    write_lines,
)
from scorers.noveltybench.rows import Failure, Generations, Prompt, References

Writer = Callable[[Prompt, Sequence[str]], Sequence[str]]
"""Gives k outputs to a prompt; those that are there already come first. Raises `RowError` where it cannot."""

_NOT_YET = "It was not asked yet when the run ended."


@dataclass(frozen=True, slots=True)
class Inferred:
    """What came of the prompts.

    Attributes:
        written: Prompts that have got their outputs now.
        kept: Prompts that had them before.
        num_empty: Outputs without a letter, of all.
        failed: Prompts without their outputs, in the order of the prompts.
        is_torn: Whether an earlier run was killed in the middle of a line; its prompt was asked again.
    """

    written: int
    kept: int
    num_empty: int
    failed: tuple[Failure, ...]
    is_torn: bool


def infer(
    folder: Path,
    prompts: Sequence[Prompt],
    model: str,
    num_generations: int,
    writer: Writer,
    *,
    workers: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> Inferred:
    """Get k outputs to every prompt into `generations.jsonl`; the prompts without stand in `failures.jsonl`.

    A line is appended as soon as its prompt is done, so that a run that is killed loses only prompts at work;
    the next one begins with what is missing. In the end the lines stand in the order of the prompts.

    Args:
        folder: Where the files are; nobody else may write there meanwhile.
        prompts: The prompts.
        model: Name of the writer.
        num_generations: k.
        writer: Gives the outputs; called from several threads.
        workers: Prompts at work at a time.
        advance: Told how many more prompts are over.

    Raises:
        NoveltyBenchError: If the folder holds outputs of another writer or to other prompts, or a line that
            cannot be read and is not a killed run's last.
        SpendingError: If no further prompt can succeed; what was done is in the file.
    """
    run = _Run.take_up(folder, prompts, model, num_generations)
    kept = len(run.done)
    advance(kept)
    run.write()
    try:
        with (folder / GENERATIONS).open("a", encoding="utf-8") as file:
            for prompt, outcome in _outcomes(run.todo(), writer, run.given, workers):
                advance(1)
                if isinstance(outcome, RowError):
                    run.reasons[prompt.id] = str(outcome)
                    continue
                file.write(line_of(run.note(prompt, outcome).to_line()))
                file.flush()
    finally:
        run.write()
    num_empty = sum(not text.strip() for row in run.rows.values() for text in row.generations)
    return Inferred(len(run.done) - kept, kept, num_empty, tuple(run.failures()), run.is_torn)


def from_references(references: Mapping[str, References], num_generations: int) -> Writer:
    """Make a writer of texts by people, who stand in as one more writer.

    Args:
        references: The texts by the prompt's id.
        num_generations: How many count; the first ones are taken.
    """

    def write(prompt: Prompt, given: Sequence[str]) -> Sequence[str]:
        texts = references[prompt.id].references if prompt.id in references else ()
        if len(texts) < num_generations:
            raise RowError(f"There are {len(texts)} references, of {num_generations} asked for.")
        return texts[:num_generations]

    return write


@dataclass(slots=True)
class _Run:
    """The state of a folder."""

    folder: Path
    prompts: Sequence[Prompt]
    model: str
    num_generations: int
    rows: dict[str, Generations]
    is_torn: bool
    reasons: dict[str, str] = field(default_factory=dict)

    @classmethod
    def take_up(cls, folder: Path, prompts: Sequence[Prompt], model: str, num_generations: int) -> "_Run":
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / GENERATIONS
        earlier: Lines[Generations] = read_lines(path, Generations) if path.exists() else Lines(())
        unreadable = earlier.rejected[: -1 if earlier.is_torn else None]
        if unreadable:
            raise NoveltyBenchError(f"{unreadable[0]}: correct or delete the line, or name another folder.")
        texts = {prompt.id: prompt.prompt for prompt in prompts}
        for row in earlier.rows:
            if row.model != model:
                wrong = f"outputs of {row.model}, not of {model}"
            elif texts.get(row.id) != row.prompt:
                wrong = f"outputs to another prompt {row.id}"
            elif len(row.generations) > num_generations:
                wrong = f"{len(row.generations)} outputs to the prompt {row.id}, more than {num_generations}"
            else:
                continue
            raise NoveltyBenchError(f"{path} holds {wrong}: name another folder.")
        return cls(
            folder, prompts, model, num_generations, {row.id: row for row in earlier.rows}, earlier.is_torn
        )

    @property
    def done(self) -> set[str]:
        return {name for name, row in self.rows.items() if len(row.generations) == self.num_generations}

    def todo(self) -> list[Prompt]:
        done = self.done
        return [prompt for prompt in self.prompts if prompt.id not in done]

    def given(self, prompt: Prompt) -> Sequence[str]:
        return self.rows[prompt.id].generations if prompt.id in self.rows else ()

    def note(self, prompt: Prompt, outputs: Sequence[str]) -> Generations:
        row = Generations(id=prompt.id, prompt=prompt.prompt, model=self.model, generations=tuple(outputs))
        self.rows[prompt.id] = row
        return row

    def failures(self) -> list[Failure]:
        return [
            Failure(
                id=each.id,
                prompt=each.prompt,
                model=self.model,
                reason=self.reasons.get(each.id, _NOT_YET),
            )
            for each in self.todo()
        ]

    def write(self) -> None:
        """Bring both files in order. Outputs that are fewer than k are kept: they were paid for."""
        rows = [self.rows[each.id] for each in self.prompts if self.given(each)]
        write_lines(self.folder / GENERATIONS, (row.to_line() for row in rows))
        write_lines(self.folder / FAILURES, (each.model_dump() for each in self.failures()))


def _outcomes(
    prompts: Sequence[Prompt],
    writer: Writer,
    given: Callable[[Prompt], Sequence[str]],
    workers: int,
) -> Iterator[tuple[Prompt, Sequence[str] | RowError]]:
    """Give what came of each prompt, as soon as it is known.

    Raises:
        Exception: What a writer raises that concerns all prompts; outputs at hand by then are given before.
    """
    is_over = threading.Event()
    fatal: BaseException | None = None

    def work(prompt: Prompt) -> Sequence[str] | None:
        return None if is_over.is_set() else writer(prompt, given(prompt))

    with ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(work, prompt): prompt for prompt in prompts}
        try:
            for future in as_completed(futures):
                outcome: Sequence[str] | RowError | None = None
                try:
                    outcome = future.result()
                except RowError as error:
                    outcome = error
                except BaseException as error:
                    is_over.set()
                    fatal = fatal or error
                if outcome is not None:
                    yield futures[future], outcome
        finally:
            is_over.set()
    if fatal is not None:
        raise fatal
