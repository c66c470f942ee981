"""The stage that finds the idea of each run: evidence, tiers, a model if wanted, corrections by hand."""

from dataclasses import replace
from pathlib import Path

from flows.llm_client import PURPOSE, Asker, Spend, read_answers, write_answers
from flows.reporting import Reporter
from flows.runners import make_linker
from flows.settings import BuildSettings
from linkers.ideas.evidence import gather_evidence
from linkers.ideas.llm import LlmTally
from linkers.ideas.model import ScopeEvidence
from linkers.ideas.overrides import OverrideError, apply_overrides, parse_overrides
from linkers.ideas.tiers import IdeaLinks, link_ideas
from linkers.runs import Run
from linkers.variants.cascade import RecoveredVariants
from linkers.write_ups import WriteUps
from outputs.spending.questions import Purse
from outputs.spending.report import Spending, make_spending
from parsers.parsed_files import ParsedArchive


def check_idea_settings(settings: BuildSettings) -> None:
    """Refuse before any work what would only fail after it.

    Raises:
        LlmError: If the saved answers cannot be read.
        OverrideError: If the corrections cannot be read.
    """
    if settings.llm_answers is not None:
        read_answers(Path(settings.llm_answers))
    if settings.overrides is not None:
        parse_overrides(_read_overrides(settings.overrides), settings.overrides)


def match_ideas(
    parsed: ParsedArchive,
    runs: tuple[Run, ...],
    variants: RecoveredVariants,
    write_ups: WriteUps,
    settings: BuildSettings,
    purse: Purse | None,
    reporter: Reporter,
) -> tuple[IdeaLinks, tuple[Spending, ...]]:
    """Stage 4: find the idea that each run tested. Also says what a model was asked for it."""
    with reporter.stage("ideas"):
        stems = {each.experiment_id: each.stem for each in variants.runs if each.stem is not None}
        scopes = gather_evidence(parsed, runs, write_ups.kept, stems, make_linker(settings).map)
        found, spending = _linked(scopes, settings, purse, reporter)
        if settings.overrides is None:
            return found, spending
        overrides = parse_overrides(_read_overrides(settings.overrides), settings.overrides)
        idea_ids = (each.idea_id for each in write_ups.kept)
        links = apply_overrides(found.links, overrides, idea_ids, Path(settings.overrides).name)
        return replace(found, links=links), spending


def _linked(
    scopes: tuple[ScopeEvidence, ...], settings: BuildSettings, purse: Purse | None, reporter: Reporter
) -> tuple[IdeaLinks, tuple[Spending, ...]]:
    if settings.llm_match == "off" and settings.llm_answers is None:
        return link_ideas(scopes), ()
    answers = Path(settings.llm_answers) if settings.llm_answers is not None else None
    asker = Asker(
        settings.llm_model,
        purse if settings.llm_match == "openai" else None,
        read_answers(answers) if answers else (),
    )
    try:
        found = link_ideas(scopes, asker)
    finally:
        if answers is not None and asker.used:
            write_answers(answers, tuple(asker.used.values()))
    if found.tally is not None:
        reporter.say(describe(found.tally, asker.spend))
    if settings.llm_match == "off":
        return found, ()
    answered = asker.spend.from_cache + asker.spend.requests
    return found, (make_spending(PURPOSE, "openai", settings.llm_model, answered, asker.spend.cost, {}),)


def describe(tally: LlmTally, spend: Spend) -> str:
    """Say in a sentence what was asked, what came of it and what is left."""
    left = f"; {spend.left} questions are left, as the budget is used up" if spend.left else ""
    failed = f"; {spend.failed} found no answer" if spend.failed else ""
    return (
        f"Asked about {tally.families} open families: {tally.asked} questions, {spend.from_cache} answered "
        f"from memory and {spend.requests} by the model; the answers cost ${spend.cost.usd:.4f}; "
        f"{tally.refused} answers refused, as they name an idea that was not offered; "
        f"{tally.agreed} families linked{failed}{left}."
    )


def _read_overrides(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OverrideError(f"The corrections in {path} cannot be read: {type(error).__name__}.") from None
