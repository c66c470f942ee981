"""Tier `recompile`: the variant file that torch's recompile warnings name in the log."""

from collections import Counter

from linkers.runs import Run
from linkers.variants.model import Answer, ScopeEvidence


def answer(run: Run, scope: ScopeEvidence) -> Answer | None:
    """Take the most named file. Ranks, repeats and copies of the log count once; a tie is no answer."""
    counts: dict[str, int] = {}
    places: dict[str, str] = {}
    for log in run.logs:
        in_log: Counter[str] = Counter()
        for mention in log.variant_mentions:
            if (stem := scope.stem_of_path(mention.path)) is not None:
                in_log[stem] += mention.num_mentions
                places.setdefault(stem, log.path)
        for stem, count in in_log.items():
            counts[stem] = max(counts.get(stem, 0), count)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    stem, count = ranked[0]
    runner_up = ranked[1][0] if len(ranked) > 1 else None
    share = count / sum(counts.values())
    margin = (count - ranked[1][1]) / count if len(ranked) > 1 else None
    evidence = f"{places[stem]} names the file at {count} place{'s' if count > 1 else ''}."
    return Answer(stem, share, evidence, runner_up=runner_up, margin=margin)
