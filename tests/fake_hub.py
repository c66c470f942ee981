"""A Hub on loopback that knows just what a dataset repository needs, and can be told to fail."""

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

LARGE_BYTES = 8_000
"""Files of this size go by LFS."""


@dataclass
class FakeHub:
    """State of the one repository `owner/name`.

    Attributes:
        server: The server that answers.
        commits: Files after each commit.
        messages: Message of each commit.
        tags: Commit of each tag.
        is_there: Whether the repository exists.
        fails: Statuses that the next requests with this path ending are answered with.
        seen: Method and path of every request.
        tokens: Authorization headers seen.
    """

    server: HTTPServer
    commits: list[dict[str, bytes]] = field(default_factory=list)
    messages: list[dict[str, str]] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    is_there: bool = False
    fails: list[tuple[str, int]] = field(default_factory=list)
    seen: list[tuple[str, str]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    before_commit: list[Callable[[], None]] = field(default_factory=list)
    _large: dict[str, bytes] = field(default_factory=dict)

    @property
    def files(self) -> dict[str, bytes]:
        """Files of the head."""
        return self.commits[-1] if self.commits else {}

    @property
    def head(self) -> str:
        """Id of the head."""
        return hashlib.sha1(f"{len(self.commits)}".encode(), usedforsecurity=False).hexdigest()

    def overtake(self) -> None:
        """Commit as somebody else."""
        self.commits.append({**self.files, "other.txt": b"x"})
        self.messages.append({"summary": "other"})

    def answer(self, request: Request) -> Response:
        """Answer any request."""
        path = request.path
        self.seen.append((request.method, path))
        self.tokens.add(request.headers.get("Authorization", ""))
        for number, (ending, status) in enumerate(self.fails):
            if f"{request.method} {path}".find(ending) >= 0:
                del self.fails[number]
                return Response(json.dumps({"error": "not now"}), status, content_type="application/json")
        if path == "/api/repos/create":
            self.is_there = True
            return _json({"url": f"{self.server.url_for('')}datasets/owner/name"})
        if path == "/api/validate-yaml":
            return _json({"errors": [], "warnings": []})
        if path.startswith("/lfs/"):
            self._large[path.removeprefix("/lfs/")] = request.get_data()
            return Response("", 200)
        if not self.is_there:
            return Response("", 404, {"X-Error-Code": "RepoNotFound"})
        return self._answer_repo(request, path)

    def _answer_repo(self, request: Request, path: str) -> Response:
        handlers: dict[str, Callable[[Request, str], Response]] = {
            "/api/datasets/owner/name/revision/": self._info,
            "/api/datasets/owner/name/tree/": self._tree,
            "/api/datasets/owner/name/refs": self._refs,
            "/api/datasets/owner/name/tag/": self._tag,
            "/api/datasets/owner/name/preupload/": self._preupload,
            "/datasets/owner/name.git/info/lfs/objects/batch": self._batch,
            "/api/datasets/owner/name/commit/": self._commit,
            "/datasets/owner/name/resolve/": self._resolve,
        }
        for start, handler in handlers.items():
            if path.startswith(start):
                return handler(request, path.removeprefix(start))
        return Response(f"what is {path}?", 501)

    def _info(self, request: Request, rest: str) -> Response:
        return _json({"id": "owner/name", "sha": self.head, "siblings": [], "tags": [], "private": False})

    def _tree(self, request: Request, rest: str) -> Response:
        rows = []
        for name, data in self.files.items():
            row = {"type": "file", "path": name, "size": len(data), "oid": _blob_id(data)}
            if len(data) >= LARGE_BYTES:
                row["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 100}
            rows.append(row)
        return _json(rows)

    def _refs(self, request: Request, rest: str) -> Response:
        tags = [
            {"name": name, "ref": f"refs/tags/{name}", "targetCommit": sha} for name, sha in self.tags.items()
        ]
        return _json({"branches": [], "converts": [], "tags": tags})

    def _tag(self, request: Request, rest: str) -> Response:
        self.tags[request.get_json()["tag"]] = rest
        return _json({})

    def _preupload(self, request: Request, rest: str) -> Response:
        files = [
            {
                "path": each["path"],
                "uploadMode": "lfs" if each["size"] >= LARGE_BYTES else "regular",
                "shouldIgnore": False,
            }
            for each in request.get_json()["files"]
        ]
        return _json({"files": files})

    def _batch(self, request: Request, rest: str) -> Response:
        objects = []
        for each in request.get_json()["objects"]:
            href = self.server.url_for(f"/lfs/{each['oid']}")
            actions = {} if each["oid"] in self._large else {"actions": {"upload": {"href": href}}}
            objects.append({"oid": each["oid"], "size": each["size"], **actions})
        return _json({"transfer": "basic", "objects": objects})

    def _commit(self, request: Request, rest: str) -> Response:
        for act in self.before_commit[:1]:
            self.before_commit.pop(0)
            act()
        lines = [json.loads(line) for line in request.get_data().splitlines()]
        header = lines[0]["value"]
        if header.get("parentCommit") not in (None, self.head):
            return Response(json.dumps({"error": "the head moved"}), 412, content_type="application/json")
        files = dict(self.files)
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self._large[value["oid"]]
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        self.commits.append(files)
        self.messages.append(header)
        url = f"{self.server.url_for('')}datasets/owner/name/commit/{self.head}"
        return _json({"commitUrl": url, "commitOid": self.head, "success": True})

    def _resolve(self, request: Request, rest: str) -> Response:
        data = self.files.get(rest.partition("/")[2])
        if data is None:
            return Response("", 404, {"X-Error-Code": "EntryNotFound"})
        headers = {
            "X-Repo-Commit": self.head,
            "ETag": f'"{_blob_id(data)}"',
            "Content-Length": str(len(data)),
        }
        return Response(data, 200, headers)


def _json(value: object) -> Response:
    return Response(json.dumps(value), 200, content_type="application/json")


def _blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
