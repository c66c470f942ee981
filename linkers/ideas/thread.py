"""Tier 3: an entry of the journal, or a note of the ledger, names a run and an idea together."""

import re
from collections.abc import Iterator, Mapping, Sequence

from linkers.ideas.mentions import Mentions, Sentence
from linkers.ideas.model import Candidate, ScopeEvidence, TierName

ONE_IDEA = 0.92
"""A sentence that names runs and the entry's only idea."""

OTHER_SENTENCE = 0.75
"""The entry's only idea stands in another sentence than the run."""

SAME_SENTENCE = 0.85
"""Several ideas in the entry, but one in the run's own sentence."""

SEVERAL = 0.5
"""Shared by all ideas of an entry where no sentence tells them apart."""

COMPARED = 0.3
"""An idea that the entry only compares with."""

AGAINST = 0.9
"""The entry says that no idea stands behind the run."""

NOTE = 0.85
"""The ledger's note on the run names a single idea."""

_QUOTE_CHARS = 160
_NO_IDEA = re.compile(
    r"\b(?:is|are|was|were|as|its?)\s+(?:\w+\s+){0,3}controls?\b(?!\s+(?:of|for|over|on)\b)"
    r"|\bno\s+(?:formal\s+)?(?:idea|write-?up)s?\b|\bcontrols?\s+(?:runs?|only)\b|\bwithout (?:an )?idea\b",
    re.IGNORECASE,
)


def propose_by_thread(evidence: ScopeEvidence) -> list[Candidate]:
    """Propose what the entries say, the best entry of each run and idea."""
    best: dict[tuple[str, str | None], Candidate] = {}
    for candidate in (*_from_journal(evidence), *_from_notes(evidence)):
        key = (candidate.experiment_id, candidate.idea_id)
        if key not in best or candidate.score > best[key].score:
            best[key] = candidate
    return [best[key] for key in sorted(best, key=lambda key: (key[0], key[1] or ""))]


def _from_journal(evidence: ScopeEvidence) -> Iterator[Candidate]:
    for mentions in evidence.mentions:
        if not mentions.entry.is_copied_opener:
            yield from _of_entry(mentions)


def _of_entry(mentions: Mentions) -> Iterator[Candidate]:
    entry = mentions.entry
    place = f"{entry.path}:{entry.line_start}"
    about = mentions.idea_ids
    compared = {idea_id for each in mentions.sentences for idea_id in each.compared_ids} - set(about)
    for sentence in mentions.sentences:
        evidence = f"{place}: {_quote(sentence.text if len(mentions.sentences) > 2 else entry.text)}"
        if sentence.run_ids and not sentence.idea_ids and _NO_IDEA.search(sentence.text):
            for run_id in sentence.run_ids:
                yield Candidate(run_id, None, TierName.THREAD, AGAINST, evidence, is_against=True)
            continue
        scores = {**dict.fromkeys(sorted(compared), COMPARED), **_scores(sentence, about)}
        for run_id in sentence.run_ids:
            for idea_id, score in scores.items():
                yield Candidate(run_id, idea_id, TierName.THREAD, score, evidence)


def _scores(sentence: Sentence, about: Sequence[str]) -> Mapping[str, float]:
    """How much a sentence of an entry proves for each of the entry's ideas."""
    here = [idea_id for idea_id in sentence.idea_ids if idea_id not in sentence.compared_ids]
    if len(about) == 1:
        return {about[0]: ONE_IDEA if here else OTHER_SENTENCE}
    if len(here) == 1:
        return {here[0]: SAME_SENTENCE}
    return dict.fromkeys(here or about, round(SEVERAL / max(1, len(here or about)), 4))


def _from_notes(evidence: ScopeEvidence) -> Iterator[Candidate]:
    for experiment_id, sentences in evidence.notes.items():
        lines = ", ".join(map(str, evidence.runs[experiment_id].ledger_lines))
        for sentence in sentences:
            if len(sentence.idea_ids) == 1 and not sentence.compared_ids:
                shown = f"ledger line {lines}: {_quote(sentence.text)}"
                yield Candidate(experiment_id, sentence.idea_ids[0], TierName.THREAD, NOTE, shown)


def _quote(text: str) -> str:
    return " ".join(text.split())[:_QUOTE_CHARS]
