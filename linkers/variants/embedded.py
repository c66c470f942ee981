"""Tier `embedded`: the source text that the log itself holds, matched with the files of the scope."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from linkers.runs import Run
from linkers.variants.model import Answer, ScopeEvidence, SourceMatch, VariantFile
from linkers.variants.similarity import Nearest, find_nearest
from parsers.embedded_source import source_sha256
from parsers.source_text import clean_source


def answer(run: Run, scope: ScopeEvidence) -> Answer | None:
    """Take the text of the run's fullest log that embeds one."""
    for log in run.logs:
        match = scope.source_matches.get(log.source_sha256 or "")
        if match is not None:
            told = "is the text of" if match.is_drifted is False else "differs least from"
            evidence = f"{log.path} embeds the source"
            evidence += f", which {told} {match.stem}.py." if match.stem else "."
            return Answer(
                match.stem,
                match.score,
                evidence,
                match.sha256,
                match.is_drifted,
                match.runner_up,
                match.margin,
            )
    return None


@dataclass(frozen=True, slots=True)
class EditedSources:
    """The embedded texts of a scope that no file of the scope holds as they are.

    Attributes:
        texts: Normalised texts by their hash.
        originals: The texts of the scope's variant files by stem; none where there is nothing to match.
        by_source: Their stems by the hash of their text.
    """

    texts: Mapping[str, str]
    originals: Mapping[str, str]
    by_source: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(
        cls,
        hashes: Iterable[str],
        texts: Mapping[str, str],
        files: Mapping[str, VariantFile],
        by_source: Mapping[str, tuple[str, ...]],
    ) -> "EditedSources":
        """Gather what has to be matched.

        Args:
            hashes: Hashes of the texts that the scope's logs embed.
            texts: Normalised texts by hash.
            files: The scope's variant files by stem.
            by_source: Their stems by the hash of their text.
        """
        edited = {sha256: texts[sha256] for sha256 in sorted(set(hashes)) if sha256 not in by_source}
        originals = {stem: texts[file.variant.source_sha256] for stem, file in files.items()}
        return cls(edited, originals if edited else {}, by_source)


def match_same(
    hashes: Iterable[str], texts: Mapping[str, str], by_source: Mapping[str, tuple[str, ...]]
) -> dict[str, SourceMatch]:
    """Match the embedded texts that a file of the scope holds as they are, by their hashes."""
    return {
        sha256: _same_text(sha256, texts[sha256], by_source[sha256])
        for sha256 in sorted(set(hashes))
        if sha256 in by_source
    }


def match_edited(sources: EditedSources) -> dict[str, SourceMatch]:
    """Clean and compare each of the other texts once.

    Returns:
        A match by the hash of the embedded text; none for what is no Python.
    """
    matches: dict[str, SourceMatch] = {}
    edited: dict[str, str] = {}
    accepted: set[str] = set()
    for raw_sha256, text in sources.texts.items():
        cleaned = clean_source(text, accepted)
        if cleaned is None:
            continue
        sha256 = source_sha256(cleaned)
        if sha256 in sources.by_source:
            matches[raw_sha256] = _same_text(sha256, cleaned, sources.by_source[sha256])
        else:
            edited[raw_sha256] = cleaned
    for raw_sha256, nearest in find_nearest(edited, sources.originals if edited else {}).items():
        matches[raw_sha256] = _edited_text(edited[raw_sha256], nearest)
    return matches


def _edited_text(text: str, nearest: Nearest | None) -> SourceMatch:
    sha256 = source_sha256(text)
    if nearest is None:
        return SourceMatch(sha256, text, None, None, 1.0, None, None)
    return SourceMatch(
        sha256, text, nearest.name, True, nearest.similarity, nearest.runner_up, nearest.margin
    )


def _same_text(sha256: str, text: str, stems: tuple[str, ...]) -> SourceMatch:
    """Name the file with the same text, unless several files share it."""
    if len(stems) == 1:
        return SourceMatch(sha256, text, stems[0], False, 1.0)
    return SourceMatch(sha256, text, None, None, 1.0, stems[0], 0.0)
