"""Which runs and which ideas a journal entry names, sentence by sentence."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from linkers.ideas.aliases import AliasIndex, AliasKind
from linkers.ideas.tokens import compact, family_of, words
from linkers.names import fold
from linkers.runs import Run
from parsers.journal import JournalEntry

MAX_RUNS = 512
"""Runs of one entry that are followed."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What one sentence of an entry names.

    Attributes:
        text: The sentence.
        run_ids: Experiment ids of the runs, in order.
        idea_ids: The ideas, in order.
        compared_ids: Those of them that it only compares with, or puts off.
    """

    text: str
    run_ids: tuple[str, ...]
    idea_ids: tuple[str, ...]
    compared_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mentions:
    """What an entry names.

    Attributes:
        entry: The entry.
        sentences: Its sentences, in order.
    """

    entry: JournalEntry
    sentences: tuple[Sentence, ...]

    @property
    def idea_ids(self) -> tuple[str, ...]:
        """The ideas that the entry is about: those it only compares with are left out."""
        return tuple(
            dict.fromkeys(
                idea_id
                for each in self.sentences
                for idea_id in each.idea_ids
                if idea_id not in each.compared_ids
            )
        )

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs that the entry names."""
        return tuple(dict.fromkeys(run_id for each in self.sentences for run_id in each.run_ids))


_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+(?=\S)")
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_WORD = re.compile(r"(?<![\w`./{},-])[A-Za-z][\w.+-]{2,150}(?![\w`/{])")
_JOBS = re.compile(r"\((?:jobs?|slurm)?[\s#:]{0,3}(\d{4,6}(?:[\s,/;&]{1,3}\d{4,6}){0,30})\)", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?:unlike|versus|vs\.?|than|instead of|rather than|compared (?:to|with)|not|against|after|before|"
    r"replaces?|next(?: up)?(?: is)?:?|then|later|plan(?:s|ned)?:?|queue[sd]?:?|todo:?)"
    r"\s+(?:for\s+|to try\s+|try\s+)?(?:the\s+)?(?:idea\s+|write-?up\s+)?`?$",
    re.IGNORECASE,
)
_FILE_END = re.compile(r"\.(?:py|md|console\.log|sbatch\.log|log|out|txt|sh)$")
_SENTENCE_CHARS = 20_000


class MentionReader:
    """Reads entries of one scope."""

    def __init__(
        self, runs: Mapping[str, Run], variant_stems: Mapping[str, str], aliases: AliasIndex
    ) -> None:
        """Index the names that entries may use.

        Args:
            runs: The scope's runs by experiment id.
            variant_stems: The variant file that each run executed.
            aliases: The names of the scope's ideas.
        """
        self._aliases = aliases
        self._by_name: dict[str, set[str]] = defaultdict(set)
        self._by_job: dict[str, set[str]] = defaultdict(set)
        self._by_family: dict[str, set[str]] = defaultdict(set)
        self._by_variant: dict[str, set[str]] = defaultdict(set)
        for experiment_id, run in runs.items():
            self._by_name[fold(run.run_id)].add(experiment_id)
            self._by_family[family_of(run.run_id)].add(experiment_id)
            if run.ledger and run.ledger.slurm_job_id:
                self._by_job[run.ledger.slurm_job_id].add(experiment_id)
        for experiment_id, stem in variant_stems.items():
            self._by_variant[fold(stem)].add(experiment_id)

    def read(self, entry: JournalEntry) -> Mentions:
        """Find what an entry names. A brace list belongs to the sentence that holds it."""
        sentences = _SENTENCE_END.split(entry.text[:_SENTENCE_CHARS])
        return Mentions(entry, tuple(self.read_sentence(each, entry) for each in sentences))

    def read_sentence(self, text: str, entry: JournalEntry | None = None) -> Sentence:
        """Find what a sentence names.

        Args:
            text: The sentence.
            entry: The entry that it stands in, whose brace lists are already spelled out.
        """
        runs: dict[str, None] = {}
        ideas: dict[str, bool] = {}
        for name, start in _names(text):
            is_quoted = text[start - 1 : start] == "`"
            if found := self._runs_called(name, is_quoted):
                runs.update(dict.fromkeys(found))
            elif idea_id := self._idea_called(name, is_quoted):
                is_compared = _COMPARED.search(text[max(0, start - 40) : start]) is not None
                ideas[idea_id] = ideas.get(idea_id, True) and is_compared
        if entry is not None and "{" in text:
            for name in entry.expanded_names:
                runs.update(dict.fromkeys(self._runs_called(name, is_quoted=True)))
        for group in _JOBS.findall(text):
            for job in re.findall(r"\d+", group):
                owners = self._by_job.get(job, set())
                runs.update(dict.fromkeys(owners if len(owners) == 1 else ()))
        compared = tuple(idea_id for idea_id, is_compared in ideas.items() if is_compared)
        return Sentence(text, tuple(runs)[:MAX_RUNS], tuple(ideas), compared)

    def _runs_called(self, name: str, is_quoted: bool) -> Sequence[str]:
        """The runs that a name stands for: a run id, a family, a variant file or a `prefix*`."""
        bare = _FILE_END.sub("", name)
        if found := self._by_name.get(fold(bare)):
            return sorted(found) if is_quoted or re.search(r"[\d_-]", bare) else ()
        if not is_quoted or self._idea_called(name, is_quoted):
            return ()
        if name.endswith("*") and len(compact(name)) >= 4:
            start = fold(name)
            return sorted(e for key, found in self._by_name.items() if key.startswith(start) for e in found)
        found = self._by_variant.get(fold(bare)) or self._by_family.get(bare.lower().replace("_", "-"))
        return sorted(found) if found else ()

    def _idea_called(self, name: str, is_quoted: bool) -> str | None:
        """The one idea that a whole word names; outside of backticks only what is no common word."""
        bare = _FILE_END.sub("", name.rsplit("/", 1)[-1]).rstrip(".*")
        group = self._aliases.by_text.get(compact(bare), ())
        if len(group) != 1:
            return None
        is_telling = (
            len(words(bare)) > 1 or group[0].kind is AliasKind.CODE or (bare.isupper() and len(bare) > 2)
        )
        return group[0].idea_id if is_quoted or is_telling else None


def _names(text: str) -> Iterator[tuple[str, int]]:
    for match in _QUOTED.finditer(text):
        yield match[1].strip(), match.start(1)
    unquoted = _QUOTED.sub(lambda match: " " * len(match[0]), text)
    for match in _WORD.finditer(unquoted):
        yield match[0].rstrip(".+-"), match.start()
