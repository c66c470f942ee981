"""Candidates whose right answer is known, made from the dev snapshots of a dataset.

The label of a case follows from how it is made; nobody has read it. What would make a label doubtful is left
out:

- `verbatim_prior`, `paraphrased_prior`: the text of a prior experiment that no future one of the snapshot
  shares, neither as text nor as title of the idea. Expected: `rediscovery`.
- `verbatim_future`, `paraphrased_future`: the text of a future experiment that improved or moved the
  frontier. Expected: `novel_validated`; also where a prior shares its text, as futures come first.
- `other_scope`: the text of an experiment of another wave that nobody in the snapshot's pools shares, neither
  as text nor as title of the idea. Expected: `novel_unvalidated`. Against the field's priors these are what
  other waves tried later, as what they had tried by then is a prior.
- `malformed`: texts that are no proposal. Expected: `invalid`.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from scorers.candidates import Candidate, parse_candidate
from scorers.catalogue import Experiment
from scorers.classes import Classification
from scorers.pools import Benchmark, Pool, Priors, SnapshotPools

CASES_A_KIND = 5
"""Cases of a kind in a snapshot, at most; fewer where fewer texts qualify."""

SOURCES_A_CASE = 8
"""Texts that are looked at for each case, at most, as some cannot be paraphrased."""

TITLE_WORDS = 8

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
        scope: Agent and wave of the snapshot; the snapshots of a scope share experiments.
        kind: How it was made.
        source_id: The experiment whose text it is made of; None for a malformed one.
        markdown: What a proposer would have written.
        candidate: The same as read, which is what is judged.
    """

    case_id: str
    snapshot_id: str
    scope: str
    kind: Kind
    source_id: str | None
    markdown: str
    candidate: Candidate

    @property
    def expected(self) -> Classification:
        """The right answer."""
        return EXPECTED[self.kind]


def make_cases(
    benchmark: Benchmark, rewrite: Rewriter, per_kind: int = CASES_A_KIND, priors: Priors = "scope"
) -> tuple[Case, ...]:
    """Make the cases of every dev snapshot, from experiments that are in the pools of some dev snapshot.

    Args:
        benchmark: The dataset.
        rewrite: Who paraphrases.
        per_kind: Cases of a kind in a snapshot, at most.
        priors: Whose experiments count as priors.

    Returns:
        In the order of snapshots and kinds. Which texts are taken is decided by a hash of their ids alone.
    """
    pools = [benchmark.pools(each, priors) for each in sorted(benchmark.snapshot_ids("dev"))]
    tried: dict[str, dict[str, Experiment]] = {}
    for each in pools:
        of_scope = each if priors == "scope" else benchmark.pools(each.snapshot_id)
        members = {**_members(of_scope.priors), **_members(of_scope.futures)}
        tried.setdefault(each.wave, {}).update(members)
    return tuple(case for each in pools for case in _cases_of(each, tried, rewrite, per_kind))


def as_candidate(text: str) -> str:
    r"""Write a description as the Markdown file of a candidate.

    >>> as_candidate("Slow decay\n\nDecay slowly.")
    '# Slow decay\n\n## Proposal\n\nDecay slowly.\n'
    """
    head, _, body = text.partition("\n\n")
    title = " ".join(head.split())
    if not body:
        title, body = " ".join(title.split()[:TITLE_WORDS]), text
    return f"# {title}\n\n## Proposal\n\n{body.strip()}\n"


_Made = tuple[Kind, str | None, str]
"""Kind, source and Markdown of a case."""


def _cases_of(
    pools: SnapshotPools, tried: Mapping[str, Mapping[str, Experiment]], rewrite: Rewriter, per_kind: int
) -> Iterator[Case]:
    priors, futures = _members(pools.priors).values(), _members(pools.futures).values()
    ahead = {name for each in futures for name in _names(each)}
    around = {name for each in (*priors, *futures) for name in _names(each)}
    others = [each for wave, some in sorted(tried.items()) if wave != pools.wave for each in some.values()]
    salt, count = pools.snapshot_id, SOURCES_A_CASE * per_kind
    old = _choose((each for each in priors if not _names(each) & ahead), salt, count)
    new = _choose(futures, salt, count)
    foreign = _choose((each for each in others if not _names(each) & around), salt, per_kind)
    made: list[_Made] = [
        *_verbatim(Kind.VERBATIM_PRIOR, old[:per_kind]),
        *_paraphrased(Kind.PARAPHRASED_PRIOR, old, rewrite, per_kind),
        *_verbatim(Kind.VERBATIM_FUTURE, new[:per_kind]),
        *_paraphrased(Kind.PARAPHRASED_FUTURE, new, rewrite, per_kind),
        *_verbatim(Kind.OTHER_SCOPE, foreign),
        *((Kind.MALFORMED, None, text) for text in MALFORMED[:per_kind]),
    ]
    numbers = dict.fromkeys(Kind, 0)
    for kind, source_id, markdown in made:
        case_id = f"{pools.snapshot_id}/{kind.value}/{numbers[kind]}"
        numbers[kind] += 1
        candidate = parse_candidate(markdown, case_id)
        scope = f"{pools.agent}/{pools.wave}"
        yield Case(case_id, pools.snapshot_id, scope, kind, source_id, markdown, candidate)


def _verbatim(kind: Kind, sources: Sequence[Experiment]) -> Iterator[_Made]:
    return ((kind, each.experiment_id, as_candidate(each.text)) for each in sources)


def _paraphrased(kind: Kind, sources: Sequence[Experiment], rewrite: Rewriter, count: int) -> list[_Made]:
    """Paraphrase some texts, those first that no verbatim case is made of."""
    return list(islice(_rewritten(kind, [*sources[count:], *sources[:count]], rewrite, count), count))


def _rewritten(kind: Kind, sources: Sequence[Experiment], rewrite: Rewriter, at_once: int) -> Iterator[_Made]:
    for start in range(0, len(sources), at_once):
        some = sources[start : start + at_once]
        for each, text in zip(some, rewrite([each.text for each in some]), strict=True):
            if text is not None and _is_valid(text):
                yield kind, each.experiment_id, as_candidate(text)


def _members(pool: Pool) -> dict[str, Experiment]:
    return {name: pool[place] for place, name in enumerate(pool.ids)}


def _names(experiment: Experiment) -> set[str]:
    """What tells that two experiments are of one idea, whichever scope they are of."""
    titles = {experiment.idea_title.casefold()} if experiment.idea_title else set()
    return {experiment.text.casefold()} | titles


def _is_valid(text: str) -> bool:
    return parse_candidate(as_candidate(text)).is_valid


def _choose(experiments: Iterable[Experiment], salt: str, count: int) -> list[Experiment]:
    """Take experiments of different texts that make valid candidates, in the order of a hash of their ids."""
    of_text: dict[str, Experiment] = {}
    for each in sorted(experiments, key=lambda each: _hash(salt, each.experiment_id)):
        of_text.setdefault(each.text, each)
    return list(islice((each for each in of_text.values() if _is_valid(each.text)), count))


def _hash(salt: str, name: str) -> str:
    return hashlib.sha256(f"{salt}\0{name}".encode()).hexdigest()
