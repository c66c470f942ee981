"""Idea write-ups, numbered lists, audits and rule checks, in the style of each wave."""

from demo.model import Idea, Reject, ScopePlan
from demo.rng import rng

File = tuple[str, str]
"""Path relative to the scratchpad, and text."""

_ARXIV = ("2409.11321", "2502.16982", "2412.10419", "2305.14342", "2510.05491", "2503.12645")


def write_ideas(plan: ScopePlan) -> list[File]:
    """Write every file that holds ideas or verdicts on them.

    Args:
        plan: What the scope holds.

    Returns:
        Paths with texts.
    """
    files = [(idea.source_path, _writeup(plan, idea)) for idea in plan.ideas if not idea.list_number]
    if listed := [idea for idea in plan.ideas if idea.list_number]:
        files.append(("ideas.md", _idea_list(listed)))
    scope = (plan.scope.agent, plan.scope.wave)
    if scope == ("claude-code", "novelty"):
        files.append(("audits.md", _audits(plan)))
    if scope == ("codex", "novelty"):
        files += _rule_checks(plan)
    return files


def write_empty_idea(plan: ScopePlan) -> tuple[File, Reject]:
    """Write a write-up without a byte."""
    path = "ideas/untitled.md"
    return (path, ""), Reject("idea", f"{plan.scope.folder}/{path}", None, 0, "empty write-up")


def rejected_on(idea: Idea) -> str:
    """Say on which day the archive states that an idea was rejected, or nothing."""
    if not idea.rejection_class:
        return ""
    return f"{idea.created_at:%Y-%m-%d}"


def _writeup(plan: ScopePlan, idea: Idea) -> str:
    if plan.scope.wave == "novelty":
        return _coded(plan, idea) if plan.scope.agent == "codex" else _numbered(idea)
    if plan.scope.wave == "v1":
        return _seven_parts(plan, idea)
    return _prose(plan, idea)


def _sentence(idea: Idea) -> str:
    return idea.mechanism[0].upper() + idea.mechanism[1:]


def _dated(idea: Idea) -> str:
    return f"Date: {idea.created_at:%Y-%m-%d}\n\n" if idea.dated_by == "writeup" else ""


def _alias(idea: Idea) -> str:
    is_spelled = idea.token in (idea.slug, idea.slug.split("_")[0])
    return "" if is_spelled or not idea.is_token_declared else idea.token


def _parent(idea: Idea) -> str:
    return f"Parent: `{idea.parent_slug}`. " if idea.parent_slug else ""


def _cited(idea: Idea) -> str:
    return f"arXiv:{rng(idea.slug, 'cite').choice(_ARXIV)}"


def _seven_parts(plan: ScopePlan, idea: Idea) -> str:
    alias = f"Run token: `{_alias(idea)}`.\n\n" if _alias(idea) else ""
    gate = (
        f"## Rule Gate\n\n{idea.rule_gate}: data, model and batch size stay fixed.\n\n"
        if idea.rule_gate
        else ""
    )
    return (
        f"# {idea.title}\n\n{_dated(idea)}{alias}"
        f"## Proposal\n\n{_parent(idea)}Use {idea.mechanism} so that {idea.explanation}.\n\n"
        "## Mathematics\n\n$U_t = \\mathrm{NS}(\\beta M_{t-1} + (1-\\beta) G_t)$; $U_t$ is changed.\n\n"
        f"## Intuition\n\nOn hidden matrices {idea.explanation}.\n\n"
        f"## References\n\nClosest published work: {_cited(idea)}.\n\n"
        f"## Novelty\n\nNot tried in wave {plan.scope.wave} so far.\n\n"
        "## Ablation plan\n\nOne run at the current horizon, then two seeds, then a shorter stop.\n\n"
        f"## Failure prediction\n\nThe gain vanishes after the cooldown begins.\n\n{gate}"
        "## Kill criterion\n\nStop when two seeds end above 3.285.\n"
    )


def _coded(plan: ScopePlan, idea: Idea) -> str:
    source = rng(plan.scope, idea.slug, "text")
    others = sorted({one.token.upper() for one in plan.ideas if one.created_at < idea.created_at})
    priors = ", ".join(source.sample(others, min(2, len(others)))) or "none"
    heading = "## Novelty Gate" if source.random() < 0.7 else "## NOVELTY gate"
    return (
        f"# {idea.token.upper()}: {idea.title.split(' ', 1)[-1]}\n\n{_dated(idea)}"
        f"## Proposal\n\n{_parent(idea)}{_sentence(idea)}: {idea.explanation}.\n\n"
        f"## Rule Gate\n\n{idea.rule_gate}. The batch, the data order and the model are untouched.\n\n"
        f"{heading}\n\n{idea.novelty_gate}. Closest local priors: {priors}. Outside: {_cited(idea)}.\n"
        + ("\nStatus: killed by existence check.\n" if idea.rejection_class == "existence_killed" else "")
    )


def _numbered(idea: Idea) -> str:
    family = f"**Family slug:** `{_alias(idea)}`\n\n" if _alias(idea) else ""
    killed = "This idea is killed by existence check: the same update was published before.\n\n"
    return (
        f"# {idea.title}\n\n{_dated(idea)}{family}"
        f"## 1. Cross-check existing ideas\n\n{_parent(idea)}No file in `ideas/` covers {idea.mechanism}.\n\n"
        f"## 2. Existence check\n\nSearched for {idea.mechanism}; nearest is {_cited(idea)}. "
        f"Verdict: {idea.novelty_gate}.\n\n"
        + (killed if idea.rejection_class == "existence_killed" else "")
        + f"## 3. Proposal\n\nApply {idea.mechanism}, because {idea.explanation}.\n\n"
        f"## 4. Rule compliance\n\n{idea.rule_gate}.\n"
    )


def _prose(plan: ScopePlan, idea: Idea) -> str:
    source = rng(plan.scope, idea.slug, "text")
    alias = f" Runs are called `{_alias(idea)}...` for short." if _alias(idea) else ""
    gate = ""
    if idea.novelty_gate == "KILL":
        gate = f"\nVerdict on {idea.created_at:%Y-%m-%d}: KILL. It is killed by existence check.\n"
    opener = source.choice(("What if we try", "Next candidate:", "Worth one slot:"))
    return (
        f"# {idea.title}\n\n{_dated(idea)}{opener} {idea.mechanism}. "
        f"The hope is that {idea.explanation}.{alias}\n\n"
        f"{_parent(idea)}It touches the optimizer only. Related reading: {_cited(idea)}.\n{gate}"
    )


def _idea_list(ideas: list[Idea]) -> str:
    entries = [
        f"{idea.list_number}. **{idea.title}** (`{idea.slug}`): {_parent(idea)}"
        f"{_sentence(idea)}; {idea.explanation}." + (f" Run token `{_alias(idea)}`." if _alias(idea) else "")
        for idea in ideas
    ]
    return "# Ideas\n\n" + "\n".join(entries) + "\n"


def _audits(plan: ScopePlan) -> str:
    rows = [
        f"| `{idea.slug}` | audited {idea.created_at:%Y-%m-%d} | {_audit_words(idea)} |"
        for idea in plan.ideas
        if idea.rejection_class != "existence_killed"
    ]
    return "# Audits\n\n| idea | when | finding |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"


def _audit_words(idea: Idea) -> str:
    if idea.rejection_class == "audit_noncompliant":
        return f"{idea.rule_gate}: reads validation batches between steps; its runs do not count"
    return "COMPLIANT" if idea.rule_gate != "PASS CONDITIONAL" else "PASS CONDITIONAL on a fixed batch size"


def _rule_checks(plan: ScopePlan) -> list[File]:
    checked = [idea for idea in plan.ideas if rng(plan.scope, idea.slug, "check").random() < 0.4]
    checked += [
        idea for idea in plan.ideas if idea.rejection_class == "audit_noncompliant" and idea not in checked
    ]
    files = [
        (
            f"rule_checks/{idea.token}_rule_check.md",
            f"# Rule check of {idea.token.upper()}\n\nDate: {idea.created_at:%Y-%m-%d}\n\n"
            f"Idea: `{idea.slug}`\n\nVerdict: {_check_verdict(idea)}\n\n"
            "Data, model, batch size and evaluation were compared with the rules.\n",
        )
        for idea in checked
    ]
    batch = "\n".join(f"- `{idea.token}`: {_check_verdict(idea)}" for idea in checked[:8])
    files.append(
        ("rule_checks/current_batch_rule_audit.md", f"# Rule audit of the current batch\n\n{batch}\n")
    )
    return files


def _check_verdict(idea: Idea) -> str:
    return idea.rule_gate if idea.rejection_class == "audit_noncompliant" else "PASS"
