"""How fast experiments are described, and how often a decoded run id names the mechanism that the gold names.

    python -m benchmarks.descriptions ARCHIVE...

The rule: of a gold mechanism count its words of three letters or more and its numbers, without words of place
and time such as `on`, `all`, `first`. A sentence names the mechanism if it has at least two thirds of them;
two words are the same if their first five letters are. A sentence is decoded for every run, also for those
that a write-up or a docstring describes. Reported are all runs, and apart those whose names tell their
mechanism: the gold says that the idea is knowable by name or alias, or the run has no idea behind it.
"""

import csv
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flows.parsing import parse_batches
from flows.runners import Processes
from linkers.runs import join_runs
from linkers.variants.cascade import recover_variants
from linkers.write_ups import collect_write_ups
from outputs.descriptions.inputs import gather_inputs
from outputs.descriptions.ladder import describe_by_rules
from outputs.descriptions.model import DescriptionInput
from parsers.archive import list_archive
from parsers.parsed_files import merge_batches, plan_batches
from parsers.times import DEFAULT_YEAR

IGNORED = frozenset("all and behind first from half last only per the with".split())  # noqa: SIM905 - words
SAME_LETTERS = 5


@dataclass(frozen=True, slots=True)
class Score:
    """How often sentences name mechanisms.

    Attributes:
        named: Sentences that do.
        total: All.
        missed: Run, mechanism and sentence of those that do not.
    """

    named: int
    total: int
    missed: tuple[tuple[str, str, str], ...]

    @property
    def share(self) -> float:
        """The share of sentences that do."""
        return self.named / self.total if self.total else 1.0


def names_mechanism(sentence: str, mechanism: str) -> bool:
    """Say whether a sentence names a mechanism.

    >>> names_mechanism("Tail EMA of the weights, decay 0.999.", "tail EMA of the weights")
    True
    >>> names_mechanism("Recipe `v12`.", "dual-rate momentum")
    False
    """
    wanted = [word for word in _words(mechanism) if (len(word) > 2 and word not in IGNORED) or word.isdigit()]
    heads = {word[:SAME_LETTERS] for word in _words(sentence)}
    found = sum(word[:SAME_LETTERS] in heads for word in wanted)
    return 3 * found >= 2 * len(wanted)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def decoded_sentences(inputs: Sequence[DescriptionInput]) -> dict[str, str]:
    """Decode every run id, with nothing but the scope's write-ups to help."""
    bare = [replace(each, idea=None, docstring=None, source=None) for each in inputs]
    return {name: rung.description.text for name, rung in describe_by_rules(bare).items()}


def score(root: Path, sentences: Mapping[str, str]) -> tuple[Score, Score]:
    """Score sentences against an archive's gold.

    Returns:
        The score of the runs whose names tell their mechanism, and of all runs.
    """
    with (root / "gold/runs.csv").open(newline="", encoding="utf-8") as file:
        gold = {f"{row['agent']}--{row['wave']}--{row['run_id']}": row for row in csv.DictReader(file)}
    told = [
        name
        for name, row in gold.items()
        if not row["idea_slug"] or row["idea_knowable_by"] in ("name", "alias")
    ]
    return _score(told, gold, sentences), _score(list(gold), gold, sentences)


def _score(ids: Sequence[str], gold: Mapping[str, Mapping[str, str]], sentences: Mapping[str, str]) -> Score:
    ids = [name for name in ids if name in sentences]
    missed = tuple(
        (name, gold[name]["mechanism"], sentences[name])
        for name in ids
        if not names_mechanism(sentences[name], gold[name]["mechanism"])
    )
    return Score(len(ids) - len(missed), len(ids), missed)


def gather(root: Path, workers: int) -> tuple[DescriptionInput, ...]:
    """Read an archive as far as descriptions need it."""
    archive = list_archive(root)
    batches = plan_batches(archive.files)
    parsed = merge_batches(archive, parse_batches(Processes(workers), archive.root, batches, lambda _: None))
    runs = join_runs(parsed, DEFAULT_YEAR)
    variants = recover_variants(parsed, runs)
    started_s = time.perf_counter()
    inputs = tuple(gather_inputs(runs, variants, collect_write_ups(parsed).kept, {}))
    print(f"{root}: gathered {len(inputs):,} experiments in {time.perf_counter() - started_s:.2f} s")
    return inputs


def main(roots: Sequence[str]) -> None:
    """Measure each archive."""
    for root in map(Path, roots):
        inputs = gather(root, workers=2)
        started_s = time.perf_counter()
        rungs = describe_by_rules(inputs)
        ladder_s = time.perf_counter() - started_s
        started_s = time.perf_counter()
        sentences = decoded_sentences(inputs)
        print(f"  ladder {ladder_s:.2f} s, decoding every run id {time.perf_counter() - started_s:.2f} s")
        assert all(rung.description.text for rung in rungs.values()), "no description is empty"
        told, everything = score(root, sentences)
        print(f"  named: {told.named:,} of {told.total:,} told by name ({told.share:.1%}), ", end="")
        print(f"{everything.named:,} of all {everything.total:,} ({everything.share:.1%})")
        for name, mechanism, sentence in told.missed[:: max(1, len(told.missed) // 5)][:5]:
            print(f"    missed {name}: {mechanism!r} is not in {sentence!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
