"""Gathers, for every experiment, what the archive says of what it does."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from linkers.names import tokens
from linkers.runs import Run
from linkers.variants.cascade import RecoveredVariants, RunVariant
from linkers.variants.model import ScopeEvidence
from linkers.write_ups import WriteUp
from outputs.descriptions.idea_names import idea_names
from outputs.descriptions.model import DescriptionInput, IdeaText, SourceText
from parsers.scopes import Scope
from parsers.variants import header_docstring

BASELINE_WORDS = frozenset({"baseline", "reference"})
"""Words by which a run is its scope's starting point."""

MAX_RELATIVES = 3
"""Sources of other families that one is compared with, besides the baseline."""


def gather_inputs(
    runs: Sequence[Run],
    variants: RecoveredVariants,
    write_ups: Iterable[WriteUp],
    idea_of: Mapping[str, str | None],
) -> Iterator[DescriptionInput]:
    """Gather what is known of each experiment.

    Args:
        runs: The runs.
        variants: What they executed, in the same order.
        write_ups: The ideas.
        idea_of: Id of the idea that an experiment tested, where that is known.
    """
    write_ups = list(write_ups)
    ideas = {
        each.idea_id: IdeaText(each.idea_id, each.idea.title, each.idea.proposal_text) for each in write_ups
    }
    names = idea_names(write_ups)
    evidence = {each.scope: each for each in variants.evidence}
    relatives = _Relatives.of(runs, variants)
    for run, variant in zip(runs, variants.runs, strict=True):
        idea = ideas.get(idea_of.get(run.experiment_id) or "")
        docstring = _docstring(variant, variants.texts, evidence[run.scope])
        is_decoded = idea is None and not (docstring and docstring.strip())
        source = relatives.source_of(run, variant) if is_decoded else None
        yield DescriptionInput(
            experiment_id=run.experiment_id,
            scope=run.scope,
            name=run.name,
            family=run.name.family,
            idea=idea,
            docstring=docstring,
            source=source,
            bases=tuple(relatives.near(run, source)) if source else (),
            scheduled_steps=run.outcome.scheduled_steps,
            preamble=next((log.preamble.head for log in run.logs if log.preamble.head), ""),
            idea_names=names.get(run.scope, {}),
        )


def _docstring(variant: RunVariant, texts: Mapping[str, str], evidence: ScopeEvidence) -> str | None:
    """Read the docstring of the text that ran; only where that is not known, of today's file."""
    if variant.source_sha256 is not None:
        return header_docstring(texts[variant.source_sha256])
    return evidence.files[variant.stem].variant.docstring if variant.stem is not None else None


@dataclass(frozen=True, slots=True)
class _Relatives:
    """The sources of every scope, by family.

    Attributes:
        texts: Texts that ran, by hash.
        firsts: For each scope the first run of each family whose source is known, with its hash.
        baselines: Families that are their scope's starting point.
    """

    texts: Mapping[str, str]
    firsts: Mapping[Scope, Mapping[str, tuple[Run, str]]]
    baselines: Mapping[Scope, Sequence[str]]

    @classmethod
    def of(cls, runs: Sequence[Run], variants: RecoveredVariants) -> "_Relatives":
        firsts: dict[Scope, dict[str, tuple[Run, str]]] = defaultdict(dict)
        known = [
            (run, each.source_sha256)
            for run, each in zip(runs, variants.runs, strict=True)
            if each.source_sha256 is not None and run.launch is not None
        ]
        for run, sha256 in sorted(known, key=lambda pair: _launch_order(pair[0])):
            firsts[run.scope].setdefault(run.name.family, (run, sha256))
        baselines = {
            scope: [family for family in families if BASELINE_WORDS & set(tokens(family))]
            for scope, families in firsts.items()
        }
        return cls(variants.texts, firsts, baselines)

    def source_of(self, run: Run, variant: RunVariant) -> SourceText | None:
        if variant.source_sha256 is None:
            return None
        return SourceText(variant.source_sha256, self.texts[variant.source_sha256], f"`{run.run_id}`")

    def near(self, run: Run, source: SourceText) -> Iterator[SourceText]:
        """List the scope's baseline and the families with the most similar names that were there before."""
        families = self.firsts.get(run.scope, {})
        baselines = self.baselines.get(run.scope, ())
        for family in baselines[:1]:
            _, sha256 = families[family]
            if sha256 != source.sha256:
                yield SourceText(sha256, self.texts[sha256], "the baseline")
        if run.launch is None:
            return
        earlier = {
            family: first
            for family, first in families.items()
            if family not in (run.name.family, *baselines) and _launch_order(first[0]) < _launch_order(run)
        }
        found = process.extract(run.name.family, sorted(earlier), scorer=fuzz.ratio, limit=MAX_RELATIVES)
        for family, _, _ in found:
            relative, sha256 = earlier[family]
            yield SourceText(sha256, self.texts[sha256], f"`{relative.run_id}`")


def _launch_order(run: Run) -> tuple[float, str]:
    return (run.launch.at.timestamp() if run.launch else float("inf")), run.experiment_id
