"""Candidates whose right answer is known, made from the dev snapshots of a dataset.

The label of a case follows from how it is made; nobody has read it. What would make a label doubtful is left
out:

- `verbatim_prior`, `paraphrased_prior`: the text of a prior experiment that no future one of the snapshot
  shares, neither as text nor as idea. Expected: `rediscovery`.
- `verbatim_future`, `paraphrased_future`: the text of a future experiment that improved or moved the
  frontier. Expected: `novel_validated`; also where a prior shares its text, as futures come first.
- `other_scope`: the text of an experiment of another wave whose idea's title and text nobody in the
  snapshot's pools shares. Expected: `novel_unvalidated`.
- `malformed`: texts that are no proposal. Expected: `invalid`.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from scorers.candidates import Candidate, parse_candidate
from scorers.catalogue import Experiment
from scorers.classes import Classification
from scorers.pools import Benchmark, Pool, SnapshotPools

CASES_A_KIND = 5
"""Cases of a kind in a snapshot, at most; fewer where fewer texts qualify."""

Rewriter = Callable[[Sequence[str]], Sequence[str | None]]
"""Says texts in other words; None where it cannot."""


class Kind(StrEnum):
    """How a case is made."""

    VERBATIM_PRIOR = "verbatim_prior"
    PARAPHRASED_PRIOR = "paraphrased_prior"
    VERBATIM_FUTURE = "verbatim_future"
    PARAPHRASED_FUTURE = "paraphrased_future"
    OTHER_SCOPE = "other_scope"
    MALFORMED = "malformed"


EXPECTED = {
    Kind.VERBATIM_PRIOR: Classification.REDISCOVERY,
    Kind.PARAPHRASED_PRIOR: Classification.REDISCOVERY,
    Kind.VERBATIM_FUTURE: Classification.NOVEL_VALIDATED,
    Kind.PARAPHRASED_FUTURE: Classification.NOVEL_VALIDATED,
    Kind.OTHER_SCOPE: Classification.NOVEL_UNVALIDATED,
    Kind.MALFORMED: Classification.INVALID,
}

MALFORMED = (
    "",
    "## Proposal\n\nA proposal of more than fifty characters that stands below no title at all.\n",
    "# A title alone\n\nText below the title, but no section that is called a proposal, long as it is.\n",
    "# Too short\n\n## Proposal\n\nTry it.\n",
    "```\n# In a fence\n\n## Proposal\n\nNothing in a fence is a heading, however much there is.\n```\n",
)
"""What is no proposal, each for another reason."""


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate with its right answer.

    Attributes:
        case_id: Snapshot, kind and number.
        snapshot_id: The dev snapshot.
        kind: How it was made.
        source_id: The experiment whose text it is made of; None for a malformed one.
        candidate: What is judged.
    """

    case_id: str
    snapshot_id: str
    kind: Kind
    source_id: str | None
    candidate: Candidate

    @property
    def expected(self) -> Classification:
        """The right answer."""
        return EXPECTED[self.kind]


def make_cases(benchmark: Benchmark, rewrite: Rewriter, per_kind: int = CASES_A_KIND) -> tuple[Case, ...]:
    """Make the cases of every dev snapshot.

    Args:
        benchmark: The dataset.
        rewrite: Who paraphrases.
        per_kind: Cases of a kind in a snapshot, at most.

    Returns:
        In the order of snapshots and kinds. Which texts are taken is decided by a hash of their ids alone.
    """
    everything = Pool(benchmark.catalogue, benchmark.catalogue.rows(_ids(benchmark)))
    experiments = [everything[place] for place in range(len(everything))]
    cases: list[Case] = []
    for snapshot_id in sorted(benchmark.snapshot_ids("dev")):
        cases += _cases_of(benchmark.pools(snapshot_id), experiments, rewrite, per_kind)
    return tuple(cases)


def _ids(benchmark: Benchmark) -> list[str]:
    found: list[str] = benchmark.catalogue.experiments["experiment_id"].to_list()
    return found


def _cases_of(
    pools: SnapshotPools, experiments: Sequence[Experiment], rewrite: Rewriter, per_kind: int
) -> list[Case]:
    priors, futures = _members(pools.priors), _members(pools.futures)
    ahead = {name for each in futures for name in _names(each)}
    around = {name for each in (*priors, *futures) for name in _names(each)}
    others = [each for each in experiments if not _is_of_wave(each, pools.wave)]
    old = _choose((each for each in priors if not _names(each) & ahead), pools.snapshot_id, 2 * per_kind)
    new = _choose(futures, pools.snapshot_id, 2 * per_kind)
    foreign = _choose((each for each in others if not _names(each) & around), pools.snapshot_id, per_kind)
    made = [
        *_verbatim(Kind.VERBATIM_PRIOR, old[:per_kind]),
        *_paraphrased(Kind.PARAPHRASED_PRIOR, old[per_kind:] or old, rewrite, per_kind),
        *_verbatim(Kind.VERBATIM_FUTURE, new[:per_kind]),
        *_paraphrased(Kind.PARAPHRASED_FUTURE, new[per_kind:] or new, rewrite, per_kind),
        *_verbatim(Kind.OTHER_SCOPE, foreign),
        *((Kind.MALFORMED, None, text) for text in MALFORMED[:per_kind]),
    ]
    numbers = dict.fromkeys(Kind, 0)
    cases = []
    for kind, source_id, text in made:
        case_id = f"{pools.snapshot_id}/{kind.value}/{numbers[kind]}"
        numbers[kind] += 1
        cases.append(Case(case_id, pools.snapshot_id, kind, source_id, parse_candidate(text, case_id)))
    return cases


_Made = tuple[Kind, str | None, str]


def _verbatim(kind: Kind, sources: Sequence[Experiment]) -> list[_Made]:
    return [(kind, each.experiment_id, as_candidate(each.text)) for each in sources]


def _paraphrased(kind: Kind, sources: Sequence[Experiment], rewrite: Rewriter, per_kind: int) -> list[_Made]:
    chosen = sources[:per_kind]
    rewritten = rewrite([each.text for each in chosen])
    return [
        (kind, each.experiment_id, as_candidate(text))
        for each, text in zip(chosen, rewritten, strict=True)
        if text is not None and parse_candidate(as_candidate(text)).is_valid
    ]


def as_candidate(text: str) -> str:
    r"""Write a description as the Markdown file of a candidate.

    >>> as_candidate("Slow decay\n\nDecay slowly.")
    '# Slow decay\n\n## Proposal\n\nDecay slowly.\n'
    """
    head, _, body = text.partition("\n\n")
    title = " ".join(head.split())
    if not body:
        title, body = " ".join(title.split()[:8]), text
    return f"# {title}\n\n## Proposal\n\n{body.strip()}\n"


def _members(pool: Pool) -> list[Experiment]:
    return [pool[place] for place in range(len(pool))]


def _names(experiment: Experiment) -> set[str]:
    """What tells that two experiments are of one idea, whichever scope they are of."""
    titles = {experiment.idea_title.casefold()} if experiment.idea_title else set()
    return {experiment.text.casefold()} | titles


def _is_of_wave(experiment: Experiment, wave: str) -> bool:
    return experiment.experiment_id.split("--")[1] == wave


def _choose(experiments: Iterable[Experiment], salt: str, count: int) -> list[Experiment]:
    """Take experiments of different texts that make valid candidates, in the order of a hash of their ids."""
    chosen: dict[str, Experiment] = {}
    for each in sorted(experiments, key=lambda each: _hash(salt, each.experiment_id)):
        if len(chosen) == count:
            break
        if each.text not in chosen and parse_candidate(as_candidate(each.text)).is_valid:
            chosen[each.text] = each
    return list(chosen.values())


def _hash(salt: str, name: str) -> str:
    return hashlib.sha256(f"{salt}\0{name}".encode()).hexdigest()
