"""Publishing a dataset: gates, a search for keys, a plan, a diff, then one commit; also as a Prefect flow."""

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.locks import output_lock
from flows.secrecy import known_secrets, no_secret_escapes, read_key
from outputs.publishing.folder import FolderTarget
from outputs.publishing.leaks import find_leaks, find_removed
from outputs.publishing.plan import Plan, PublishError, UnfitError, published_names
from outputs.release_diff import compare_datasets
from outputs.release_notes import to_markdown
from outputs.validation.checks import validate

if TYPE_CHECKING:
    from outputs.publishing.hub import HubTarget

MAX_PLANS = 3
"""How often a plan is made anew when others commit in between."""

SHOWN_PLACES = 10


@dataclass(frozen=True, slots=True)
class PublishSettings:
    """What to publish where.

    Attributes:
        dataset: Folder of the dataset.
        repo: `OWNER/NAME` on a Hub, or None.
        to: A folder or bucket, or None.
        tag: Tag of the version, or None.
        is_private: Whether a new repository is private.
        is_dry_run: Whether to say what would be done, and do nothing.
        is_pruning: Whether files that are not in the dataset are deleted.
        accepted: The word that accepts the keys which a build removed, or None.
    """

    dataset: Path
    repo: str | None = None
    to: str | None = None
    tag: str | None = None
    is_private: bool = False
    is_dry_run: bool = False
    is_pruning: bool = False
    accepted: str | None = None


def publish_dataset(settings: PublishSettings, say: Callable[[str], None]) -> bool:
    """Publish a dataset.

    Args:
        settings: What to publish where. The token is taken from `HF_TOKEN`, the Hub from `HF_ENDPOINT`.
        say: Told what is done.

    Returns:
        Whether anything was changed.

    Raises:
        OutputError: If the folder holds no dataset.
        UnfitError: If it fails validation, or it or its archive holds something like a key.
        PublishError: If the target refuses.
    """
    with no_secret_escapes():
        check_fit(settings.dataset, settings.accepted)
        if settings.to is not None:
            target = FolderTarget(settings.to)
            with output_lock(target.path) if target.path and not settings.is_dry_run else nullcontext():
                return _to_folder(settings, target, say)
        if settings.repo is None:
            raise PublishError("Nothing says where to: name a Hub repository or a folder.")
        return _to_hub(settings, open_hub(settings.repo), say)


def check_fit(dataset: Path, accepted: str | None = None) -> None:
    """Refuse a dataset that fails validation, holds something like a key, or was made from texts that do.

    Args:
        dataset: Folder of the dataset.
        accepted: The word that accepts the keys which the build removed.

    Raises:
        UnfitError: If it does; the message names the places, never the key.
    """
    if not (validation := validate(dataset)).is_passed():
        failing = ", ".join(each.check.name for each in validation.results if each.num_offenders)
        raise UnfitError(f"{dataset} fails validation ({failing}): `speedrun-etl validate` shows the rows.")
    if leaks := find_leaks(dataset, published_names(dataset), known_secrets()):
        shown = _shown([f"{each.kind} in {each.file}, {each.place}" for each in leaks])
        raise UnfitError(f"{dataset} holds something like a key in {len(leaks)} places: {shown}.")
    removed = find_removed(dataset)
    if removed and accepted != removed.acceptance:
        raise UnfitError(
            f"The archive of {dataset} holds something like a key in {len(removed.places)} places: "
            f"{_shown(removed.places)}. They were removed from the dataset "
            f"({_shown(removed.traces) or 'no table shows it'}): revoke them, look at what is left, and "
            f"publish with --accept {removed.acceptance}."
        )


def _shown(places: Sequence[str]) -> str:
    more = [f"and {len(places) - SHOWN_PLACES} more"] if len(places) > SHOWN_PLACES else []
    return "; ".join([*places[:SHOWN_PLACES], *more])


def open_hub(repo: str) -> "HubTarget":
    """Open a repository, with the token of `HF_TOKEN` alone."""
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    from outputs.publishing.hub import HubTarget

    token = read_key("HF_TOKEN") or None
    wait_s = float(os.environ.get("SPEEDRUN_ETL_RETRY_S", "1"))
    return HubTarget(repo, token, os.environ.get("HF_ENDPOINT") or None, wait_s)


def _to_folder(settings: PublishSettings, target: FolderTarget, say: Callable[[str], None]) -> bool:
    plan = target.plan(settings.dataset)
    if not _has_work(plan, settings, say):
        return False
    say(_release_notes(target.fetch, settings.dataset))
    if not settings.is_dry_run:
        target.publish(settings.dataset, plan, is_pruning=settings.is_pruning)
        say(f"Published to {settings.to}.")
    return not settings.is_dry_run


def _to_hub(settings: PublishSettings, target: "HubTarget", say: Callable[[str], None]) -> bool:
    from outputs.publishing.hub import OvertakenError

    for _ in range(MAX_PLANS):
        plan = target.plan(settings.dataset)
        has_work = _has_work(plan, settings, say)
        is_tag_new = settings.tag is not None and target.check_tag(settings.tag, is_commit_coming=has_work)
        try:
            commit = _commit(settings, target, plan, say) if has_work else None
        except OvertakenError:
            say("Somebody else committed in between: planning anew.")
            continue
        if settings.tag and is_tag_new and not settings.is_dry_run:
            target.tag(settings.tag, commit)
            say(f"Tagged as {settings.tag}.")
        return commit is not None
    raise PublishError(f"{settings.repo} was changed by others {MAX_PLANS} times in a row: try later.")


def _commit(
    settings: PublishSettings, target: "HubTarget", plan: Plan, say: Callable[[str], None]
) -> str | None:
    notes = _release_notes(target.fetch, settings.dataset)
    say(notes)
    if settings.is_dry_run:
        return None
    target.create(is_private=settings.is_private)
    commit = target.publish(settings.dataset, plan, notes, is_pruning=settings.is_pruning)
    say(f"Published to {settings.repo} as commit {commit}.")
    return commit


def _has_work(plan: Plan, settings: PublishSettings, say: Callable[[str], None]) -> bool:
    has_work = bool(plan.uploads or (settings.is_pruning and plan.deletes))
    for line in plan.lines(is_pruning=settings.is_pruning):
        say(line)
    if not has_work:
        say("Nothing changed: no commit is made.")
    return has_work


def _release_notes(fetch: Callable[[Path], bool], dataset: Path) -> str:
    """Compare with what was published before, where that can be had."""
    with tempfile.TemporaryDirectory() as name:
        try:
            has_old = fetch(Path(name))
            return to_markdown(compare_datasets(Path(name), dataset)) if has_old else "First release."
        except Exception as error:  # whatever is published there, it must not stop a release
            return f"What was published before cannot be compared ({type(error).__name__})."


def publish_as_flow(settings: PublishSettings, say: Callable[[str], None]) -> bool:
    """Publish as a recorded flow run of Prefect, with what was done as an artifact."""
    from flows.prefect_api import keep_prefect_quiet

    keep_prefect_quiet()
    from prefect import flow
    from prefect.artifacts import create_markdown_artifact

    told: list[str] = []

    def tell(sentence: str) -> None:
        told.append(sentence)
        say(sentence)

    @flow(name="publish", persist_result=False)
    def publish() -> bool:
        is_changed = publish_dataset(settings, tell)
        create_markdown_artifact("\n\n".join(told), key="publication", description="What was published.")
        return is_changed

    return publish()
