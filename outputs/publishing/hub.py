"""Publish to a Hub: one commit with the manifest's hash in its message, and a tag a version.

The caller sets `HF_HUB_DISABLE_XET` before this module is imported: large files go by LFS.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import httpx2
from huggingface_hub import CommitOperationAdd, CommitOperationCopy, CommitOperationDelete, HfApi
from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from outputs.manifest import MANIFEST_NAME
from outputs.publishing.plan import Plan, PublishError, is_same_but_for_time, local_files, make_plan

T = TypeVar("T")

RETRIED = frozenset({429, 500, 502, 503, 504})
"""Answers after which the same question is asked again."""

OVERTAKEN = frozenset({409, 412})
"""Answers that say that somebody else committed in between: the plan must be made anew."""

FAILURES = (HfHubHTTPError, httpx2.TransportError, OSError)
"""What the client raises where the Hub refuses or cannot be reached."""

ATTEMPTS = 5
BRANCH = "main"


class OvertakenError(Exception):
    """Somebody else committed since the plan was made."""


class HubTarget:
    """A dataset repository on a Hub.

    Args:
        repo: `OWNER/NAME`.
        token: The token, or None.
        endpoint: Address of the Hub, or None for the public one.
        first_wait_s: Wait before the second attempt; it doubles with each further one.
    """

    def __init__(
        self, repo: str, token: str | None, endpoint: str | None = None, first_wait_s: float = 1.0
    ) -> None:
        self._repo = repo
        self._token = token
        self._api = HfApi(endpoint=endpoint, token=token or False)
        self._first_wait_s = first_wait_s
        self._head: str | None = None

    def plan(self, folder: Path) -> Plan:
        """Compare the dataset with the head of the repository, which need not exist."""
        there = self._ask(self._list)
        is_same = MANIFEST_NAME in there and is_same_but_for_time(
            self._download(MANIFEST_NAME), (folder / MANIFEST_NAME).read_bytes()
        )
        return make_plan(local_files(folder), there, is_same)

    def create(self, *, is_private: bool) -> None:
        """Make the repository unless it is there."""
        self._ask(
            lambda: self._api.create_repo(self._repo, repo_type="dataset", private=is_private, exist_ok=True)
        )

    def publish(self, folder: Path, plan: Plan, description: str, *, is_pruning: bool) -> str:
        """Commit the plan on top of the head that it was made for, and return the commit.

        Raises:
            OvertakenError: If the head is another one by now.
        """
        operations: list[CommitOperationAdd | CommitOperationCopy | CommitOperationDelete] = [
            *(CommitOperationAdd(each.name, str(folder / each.name)) for each in plan.uploads),
            *(CommitOperationDelete(name) for name in (plan.deletes if is_pruning else ())),
        ]
        done = self._ask(
            lambda: self._api.create_commit(
                self._repo,
                operations=operations,
                commit_message=plan.message,
                commit_description=description,
                repo_type="dataset",
                revision=BRANCH,
                parent_commit=self._head,
            )
        )
        return str(done.oid)

    def check_tag(self, name: str, *, is_commit_coming: bool) -> bool:
        """Return whether a tag is to be made.

        Raises:
            PublishError: If the tag is at another commit: a version is never moved.
        """
        if self._head is None:
            return True
        refs = self._ask(lambda: self._api.list_repo_refs(self._repo, repo_type="dataset"))
        found = {ref.name: ref.target_commit for ref in refs.tags}
        if name in found and (is_commit_coming or found[name] != self._head):
            raise PublishError(f"The tag {name} is at another commit already: name a new version.")
        return name not in found

    def tag(self, name: str, commit: str | None) -> None:
        """Tag a commit, or the head."""
        revision = commit or self._head or BRANCH
        try:
            self._ask(
                lambda: self._api.create_tag(self._repo, tag=name, revision=revision, repo_type="dataset")
            )
        except OvertakenError:
            raise PublishError(f"The tag {name} was made by somebody else just now.") from None

    def fetch(self, into: Path) -> bool:
        """Copy the tables and the manifest of the head, so that they can be compared."""
        names = [name for name in self._ask(self._list) if "/" not in name]
        wanted = [name for name in names if name.endswith(".parquet") or name == MANIFEST_NAME]
        for name in wanted:
            (into / name).write_bytes(self._download(name))
        return MANIFEST_NAME in wanted

    def _list(self) -> dict[str, str]:
        try:
            self._head = self._api.repo_info(self._repo, repo_type="dataset", revision=BRANCH).sha
            tree = self._api.list_repo_tree(
                self._repo, recursive=True, repo_type="dataset", revision=self._head or BRANCH
            )
            files = [each for each in tree if isinstance(each, RepoFile)]
        except (RepositoryNotFoundError, EntryNotFoundError):
            self._head = None
            return {}
        return {each.path: each.lfs.sha256 if each.lfs else each.blob_id for each in files}

    def _download(self, name: str) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = self._ask(
                lambda: self._api.hf_hub_download(
                    self._repo,
                    name,
                    repo_type="dataset",
                    revision=self._head or BRANCH,
                    local_dir=folder,
                )
            )
            return Path(path).read_bytes()

    def _ask(self, question: Callable[[], T]) -> T:
        """Ask the Hub, again where it is busy.

        Raises:
            OvertakenError: If somebody else committed in between.
            PublishError: If it refuses, or stays busy.
        """
        for attempt in range(ATTEMPTS):
            is_last = attempt == ATTEMPTS - 1
            try:
                return question()
            except (*FAILURES, RuntimeError) as error:
                # An upload of a large file hides what failed behind a RuntimeError.
                cause = error.__cause__ if isinstance(error, RuntimeError) else error
                if not isinstance(cause, FAILURES):
                    raise
                self._check_failure(cause, is_last=is_last)
            time.sleep(self._first_wait_s * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _check_failure(self, error: Exception, *, is_last: bool) -> None:
        """Return if the question is worth asking again."""
        if not isinstance(error, HfHubHTTPError):
            if is_last:
                told = self._told(f"The Hub cannot be reached ({error}): check the network and HF_ENDPOINT.")
                raise PublishError(told) from None
            return
        status = error.response.status_code
        if status in OVERTAKEN:
            raise OvertakenError from None
        if status not in RETRIED or is_last:
            raise PublishError(self._told(f"The Hub answers {status}: {error}")) from None

    def _told(self, text: str) -> str:
        line = " ".join(text.split())
        return line.replace(self._token, "***") if self._token else line
