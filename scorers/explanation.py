"""A scoring result in words: what each candidate matched, how near, when that was tried and what came of it.

What is quoted was written by others. It is printed without control characters, cut, and in quotation marks.
"""

from collections.abc import Iterator
from datetime import datetime
from textwrap import fill
from typing import TYPE_CHECKING

from scorers.classes import IMPACTS, NOT_REJECTED, Classification, Impact
from scorers.thresholds import ThresholdSource

if TYPE_CHECKING:
    from scorers.results import CandidateResult, Neighbour, ScoringResult

WIDTH = 110
QUOTE_CHARS = 240

_IMPACTS = {
    Impact.FRONTIER_IDEA: "its idea moved the frontier later",
    Impact.IMPROVED_IDEA: "its idea improved on the baseline later",
    Impact.FRONTIER_EXPERIMENT: "it moved the frontier",
    Impact.IMPROVED_EXPERIMENT: "it improved on the baseline",
}

_SOURCES = {
    ThresholdSource.PUBLISHED: ", as published",
    ThresholdSource.CALIBRATION: ", as calibrated",
    ThresholdSource.NAMED: ", as named",
    None: "",
}


def explain(result: "ScoringResult") -> str:
    """Explain a set: its score and what it is made of, then each candidate."""
    blocks = ["\n".join(_summary(result))]
    blocks += ["\n".join(_candidate(number, each)) for number, each in enumerate(result.candidates, start=1)]
    return "\n\n".join(blocks)


def _summary(result: "ScoringResult") -> Iterator[str]:
    yield f"{result.snapshot_id}, as of {_time(result.wall_clock)}: set score {result.set_score:+.3f}"
    if not result.candidates:
        yield "  There are no candidates."
        return
    yield (
        f"  candidates {result.sum_of_scores:+.3f}, diversity {result.diversity:.3f} x "
        f"{result.diversity_weight:g}, well-formed {result.valid_fraction:.3f} x {result.validity_weight:g}"
    )
    model = f" ({_line(result.judge_model)})" if result.judge_model else ""
    source = _SOURCES[result.threshold_source]
    rule = f" at {result.threshold:g}{source}" if result.threshold is not None else ""
    yield (
        f"  judged by {result.judge}{model}{rule}, embedding {result.embedding}, against "
        f"{result.num_priors:,} priors ({result.priors}) and {result.num_futures:,} futures"
    )
    if result.usage.usd or result.usage.input_tokens:
        tokens = result.usage.input_tokens + result.usage.output_tokens
        yield f"  the judge took {tokens:,} tokens, ${result.usage.usd:.4f}"
    if result.is_compat:
        yield "  scored as the reference client does"
    if result.num_unjudged:
        yield (
            f"  {result.num_unjudged} of {len(result.candidates)} candidates were not judged and count as 0: "
            "this score does not compare with others"
        )


def _candidate(number: int, each: "CandidateResult") -> Iterator[str]:
    yield f"{number}. {_line(each.title) or 'no title'} ({_line(each.path) or 'no file'})"
    confidence = f", confidence {each.confidence:.2f}" if 0 < each.confidence < 1 else ""
    yield f"   {each.classification.value} {each.score:+.3f}{confidence}"
    sentences = {
        Classification.NOVEL_VALIDATED: _anticipation,
        Classification.REDISCOVERY: _repetition,
    }.get(each.classification, _no_match)(each)
    for sentence in sentences:
        yield fill(sentence, WIDTH, initial_indent="   ", subsequent_indent="   ", break_on_hyphens=False)


def _anticipation(each: "CandidateResult") -> Iterator[str]:
    assert each.impact is not None, "what is validated has an impact"
    yield (
        f"It anticipates {_match(each)}. It was tried only after the snapshot, on {_time(each.matched_at)}: "
        f"{each.matched_outcome}. A match is worth {IMPACTS[each.impact]:g}, as {_IMPACTS[each.impact]}."
    )
    yield _quote(each.matched_text)
    if each.nearest_prior is not None:
        yield f"The nearest that had been tried: {_neighbour(each.nearest_prior)}"
    yield from _why(each)


def _repetition(each: "CandidateResult") -> Iterator[str]:
    yield f"It repeats {_match(each)}, tried on {_time(each.matched_at)}: {each.matched_outcome}."
    yield _quote(each.matched_text)
    if each.rejection_class not in (None, NOT_REJECTED):
        since = f" on {_time(each.rejected_at)}" if each.rejected_at else ""
        evidence = f": {_quote(each.matched_rejection)}" if each.matched_rejection else "."
        yield (
            f"That idea was rejected as {each.rejection_class}{since}, which multiplies the loss by "
            f"{each.multiplier:g}{evidence}"
        )
    else:
        yield "Its idea had not been rejected by then."
    if each.nearest_future is not None:
        yield f"The nearest that was still ahead: {_neighbour(each.nearest_future)}"
    yield from _why(each)


def _no_match(each: "CandidateResult") -> Iterator[str]:
    yield from _why(each)
    if each.nearest_prior is not None:
        yield f"The nearest that had been tried: {_neighbour(each.nearest_prior)}"
    if each.nearest_future is not None:
        yield f"The nearest that was still ahead: {_neighbour(each.nearest_future)}"


def _match(each: "CandidateResult") -> str:
    idea = f" of the idea {_line(each.matched_idea_id)}" if each.matched_idea_id else ""
    return f"{_line(each.matched_id)}{idea} (cosine {each.similarity or 0:.3f})"


def _neighbour(near: "Neighbour") -> str:
    return (
        f"{_line(near.experiment_id)} (cosine {near.similarity:.3f}, {_time(near.launched_at)}, "
        f"{near.outcome}): {_quote(near.text)}"
    )


def _why(each: "CandidateResult") -> Iterator[str]:
    if each.reason:
        yield _line(each.reason)


def _quote(text: str | None) -> str:
    line = _line(text)
    return f'"{line if len(line) <= QUOTE_CHARS else line[: QUOTE_CHARS - 1].rstrip() + "…"}"'


def _line(text: str | None) -> str:
    r"""Lay untrusted text out on one line, with blanks for all that is not printable.

    >>> _line("a\x1b[2Jb\n\u202ec")
    'a [2Jb c'
    """
    return " ".join("".join(char if char.isprintable() else " " for char in text or "").split())


def _time(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC" if at else "an unknown day"
