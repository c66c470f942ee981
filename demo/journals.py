"""THREAD.md: the agents' diaries, with dated headings, brace lists, job ids and asides."""

import random
from collections.abc import Callable
from datetime import date

from demo.curves import TARGET
from demo.ledgers import outcome_of
from demo.model import Idea, Run, ScopePlan
from demo.rng import rng

_COPIED_OPENER = (
    "## 2026-04-29\n\n- Baseline Muon at 3500 steps reproduces the published loss. Copied here, "
    "so that the numbers are at hand: `3375 / 3.28912`, `3500=3.27811`.\n\n"
)


def write_journal(plan: ScopePlan, seed: int) -> str:
    """Write the journal of a scope.

    Args:
        plan: What the scope holds.
        seed: Seed of the archive.

    Returns:
        Markdown. Only runs whose evidence says so are named in it.
    """
    source = rng(seed, plan.scope, "thread")
    days: dict[date, list[str]] = {}
    for idea in plan.ideas:
        if idea.dated_by == "journal":
            days.setdefault(idea.created_at.date(), []).append(f"- Wrote up `{idea.slug}`: {idea.mechanism}.")
    for family in _families(plan):
        days.setdefault(family[-1].launched_at.date(), []).extend(_entries(plan, family, source))
    days.setdefault(plan.runs[-1].launched_at.date(), []).append(
        "- The schema of `runs.jsonl` changed once more; the old file is kept as a backup."
    )
    text = f"# THREAD\n\nDiary of {plan.scope.agent}, wave {plan.scope.wave}.\n\n"
    if plan.scope.wave == "v3":
        text += _COPIED_OPENER
    return text + "".join(f"## {day}\n\n" + "\n".join(days[day]) + "\n\n" for day in sorted(days))


def _families(plan: ScopePlan) -> list[list[Run]]:
    """Collect the members of each family that the journal names, in the order of their launch."""
    families: dict[str, list[Run]] = {}
    for run in plan.runs:
        if run.evidence.journal:
            families.setdefault(run.recipe.family, []).append(run)
    return list(families.values())


def _entries(plan: ScopePlan, family: list[Run], source: random.Random) -> list[str]:
    first = family[0]
    if first.evidence.journal == "idea":
        return _idea_entries(plan.idea_by_slug[first.recipe.idea_slug], family, source)
    if first.recipe.idea_slug == "" and source.random() < 0.5:
        return [f"- `{first.run_id}` is a control, there is no idea behind it; {_result(first)}."]
    hit = outcome_of(first)
    if hit and hit.crossing and hit.crossing != hit.final_step:
        return [f"- Hit: `{first.run_id}` ended at `{hit.final_loss}` and crossed at step {hit.crossing}."]
    return [f"- `{first.run_id}` {_result(first)}."]


def _idea_entries(idea: Idea, family: list[Run], source: random.Random) -> list[str]:
    name = source.choice((f"`{idea.slug}`", f"idea `{idea.slug}`", f"the write-up `{idea.slug}`"))
    if len(family) == 1:
        style = source.choice(_SINGLE if family[0].evidence.in_ledger else _SINGLE[1:])
        return [style(family[0], name)]
    if (braced := _braced([run.run_id for run in family])) and source.random() < 0.7:
        return [f"- {braced} all test {name}; best so far {_result(family[0])}."]
    listed = ", ".join(f"`{run.run_id}`" for run in family)
    return [
        f"- Launched {listed} for {name}.",
        "- Queue is short today, so no second batch before the evening.",
    ]


def _by_job(run: Run, name: str) -> str:
    at = f" at step {run.trials[-1][-1][0]}" if run.trials else ""
    return f"- {name} ({run.job_id}){at}: first look at it, the curve is smooth."


def _by_run(run: Run, name: str) -> str:
    return f"- `{run.run_id}` is the first try of {name}; {_result(run)}."


def _over_lines(run: Run, name: str) -> str:
    return f"- Looked into {name} again.\n  Its run is `{run.run_id}`, and it {_result(run)}."


_SINGLE: tuple[Callable[[Run, str], str], ...] = (_by_job, _by_run, _by_run, _over_lines)


def _result(run: Run) -> str:
    outcome = outcome_of(run)
    if outcome is None or outcome.final_loss is None:
        return "gave no usable loss"
    verdict = "below" if outcome.final_loss <= TARGET else "above"
    return f"ended at `{outcome.final_step} / {outcome.final_loss:.5f}`, {verdict} target"


def _braced(names: list[str]) -> str:
    """Write names that differ in one number as a brace list, or nothing.

    >>> _braced(["pmi02-ts3000", "pmi05-ts3000"])
    '`pmi{02,05}-ts3000`'
    """
    head = names[0]
    for other in names[1:]:
        while not other.startswith(head):
            head = head[:-1]
    head = head.rstrip("0123456789")
    rests = [name[len(head) :] for name in names]
    digits = [rest[: len(rest) - len(rest.lstrip("0123456789"))] for rest in rests]
    tails = {rest[len(digit) :] for rest, digit in zip(rests, digits, strict=True)}
    if len(tails) != 1 or not all(digits):
        return ""
    return f"`{head}{{{','.join(digits)}}}{tails.pop()}`"
