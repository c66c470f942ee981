"""What the tiers of the variant cascade work on, and what they answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from linkers.runs import Run
from linkers.variants.name_index import NameIndex
from parsers.export import ExportRun
from parsers.scopes import Scope
from parsers.stubs import LaunchCommand
from parsers.variants import Variant


@dataclass(frozen=True, slots=True)
class VariantFile:
    """A variant file of a scope.

    Attributes:
        path: Path relative to the archive's root.
        variant: What it says.
    """

    path: str
    variant: Variant

    @property
    def stem(self) -> str:
        """File name without `.py`."""
        return self.variant.stem


@dataclass(frozen=True, slots=True)
class Answer:
    """What one tier says of one run.

    Attributes:
        stem: Stem of the variant file it ran; None where only the text is known.
        score: 0 to 1: how sure the tier is.
        evidence: One sentence: what was seen and where.
        source_sha256: Hash of the text that ran, where the tier holds it.
        is_drifted: Whether that text differs from today's file; None without a text or a file.
        runner_up: The second best stem, where there is one.
        margin: How far the runner-up is behind.
    """

    stem: str | None
    score: float
    evidence: str
    source_sha256: str | None = None
    is_drifted: bool | None = None
    runner_up: str | None = None
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """What one embedded text is.

    Attributes:
        sha256: Hash of the cleaned text.
        text: The cleaned text.
        stem: The file that it is or drifted from; None where that is ambiguous.
        is_drifted: Whether it differs from that file; None without a file.
        score: 1 for the same text, else the similarity.
        runner_up: The second most similar file.
        margin: How much less similar that one is.
    """

    sha256: str
    text: str
    stem: str | None
    is_drifted: bool | None
    score: float
    runner_up: str | None = None
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class ScopeEvidence:
    """Everything of one scope that can tell which variant a run executed.

    Attributes:
        scope: The scope.
        files: Its variant files by stem.
        by_folded: Stems by their folded form, with and without the known prefixes.
        by_peeled: Stems by their folded form without prefixes, seed and replicate suffixes.
        names: The stems by their words and numbers.
        by_source: Stems by the hash of their normalised text.
        source_matches: What each text that a log embeds is, by the hash of the text.
        commands: Launch commands by the run that they launch.
        exports: Rows of the self-contained export by run, with the hash of their launched script.
    """

    scope: Scope
    files: Mapping[str, VariantFile]
    by_folded: Mapping[str, tuple[str, ...]]
    by_peeled: Mapping[str, tuple[str, ...]]
    names: NameIndex
    by_source: Mapping[str, tuple[str, ...]]
    source_matches: Mapping[str, SourceMatch]
    commands: Mapping[str, Sequence[tuple[str, LaunchCommand]]]
    exports: Mapping[str, Sequence[tuple[ExportRun, str | None]]]

    def stem_of_path(self, path: str) -> str | None:
        """Find the variant file that a path of any machine names, by its last part.

        A template copied to `train_gpt_simple.py` before the launch names nothing.
        """
        name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].split(":", 1)[0]
        stem = name.removesuffix(".py")
        return stem if stem in self.files else None


Tier = Callable[[Run, ScopeEvidence], Answer | None]
"""A tier answers for one run, or not at all; it knows nothing of the other tiers."""
