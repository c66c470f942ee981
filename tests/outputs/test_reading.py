"""The readers: every table, every kind of filter, a folder or a hub."""

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from outputs import reading
from outputs.dataset import write_table
from outputs.reading import USUAL_HUB, Hub, ReadingError, load_experiments, load_proposals, load_table
from outputs.schemas import EMBEDDING_TABLES, TABLES, Table

ALL_TABLES = (*TABLES, *EMBEDDING_TABLES.values())

FIRST, SECOND = (
    {"agent": "codex", "wave": "v1", "verdict": "improved", "step_to_3_28": 3300, "hit_target": True},
    {"agent": "claude-code", "wave": "v2", "verdict": "inconclusive", "hit_target": False},
)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Every table empty, but for two experiments and two proposals."""
    folder = tmp_path / "dataset"
    folder.mkdir()
    for table in ALL_TABLES:
        write_table(table, table.empty(), folder)
    rows = [
        {
            **row,
            "experiment_id": f"{row['agent']}--{row['wave']}--a",
            "run_id": "a",
            "recipe": "a",
            "final_val_loss": 3.25,
            "first_seen_at": datetime(2026, 5, number, tzinfo=UTC),
        }
        for number, row in enumerate((FIRST, SECOND), start=1)
    ]
    _write(folder, "experiments", rows)
    _write(
        folder,
        "proposals",
        [{"proposal_id": "p", "run_ids": ["a", "b"]}, {"proposal_id": "q", "run_ids": []}],
    )
    return folder


def _write(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    table = next(table for table in TABLES if table.name == name)
    blank = {"text": "", "int": 0, "float": 0.0, "bool": False, "texts": [], "ints": []}
    filled = [
        {
            column.name: row.get(column.name, None if column.is_nullable else blank.get(column.kind.value))
            for column in table.columns
        }
        for row in rows
    ]
    write_table(table, pl.DataFrame(filled, schema=table.polars_schema), folder)


def found(source: str | Path, **filters: reading.Filter) -> list[str]:
    return load_experiments(source, hub=USUAL_HUB, **filters)["agent"].to_list()


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
def test_every_table_has_a_reader(dataset: Path, table: Table) -> None:
    frame = getattr(reading, f"load_{table.name}")(dataset)
    assert frame.schema == table.polars_schema
    assert frame.equals(load_table(table.name, str(dataset)))
    parameters = inspect.signature(load_table).parameters
    assert not parameters.keys() & {column.name for column in table.columns}, (
        "a filter of that name is not reachable"
    )


def test_filters_narrow_together(dataset: Path) -> None:
    assert found(dataset) == ["codex", "claude-code"]
    assert found(dataset, agent="codex", wave="v1", verdict="improved") == ["codex"]
    assert found(dataset, agent="codex", wave="v2") == []


def test_a_filter_may_be_a_list_a_number_a_flag_a_time_or_none(dataset: Path) -> None:
    assert found(dataset, wave=["v1", "v3"]) == ["codex"]
    assert found(dataset, wave=[]) == []
    assert found(dataset, step_to_3_28=3300) == ["codex"]
    assert found(dataset, final_val_loss=3.25, hit_target=False) == ["claude-code"]
    assert found(dataset, step_to_3_28=None) == ["claude-code"]
    assert found(dataset, first_seen_at=datetime(2026, 5, 2, tzinfo=UTC)) == ["claude-code"]


def test_a_list_column_must_hold_the_value(dataset: Path) -> None:
    assert load_proposals(dataset, run_ids="b")["proposal_id"].to_list() == ["p"]
    assert load_proposals(dataset, run_ids=["c", "a"])["proposal_id"].to_list() == ["p"]
    assert load_proposals(dataset, run_ids=[])["proposal_id"].to_list() == []


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"agnet": "codex"}, "experiments has no column agnet: did you mean agent?"),
        ({"verdct": "x", "agent": "codex"}, "did you mean verdict?"),
        ({"zzzz": 1}, "experiments has no column zzzz: there are experiment_id, run_id,"),
        ({"verdict": "improvd"}, "verdict is never 'improvd': did you mean improved?"),
        ({"wave": ["v1", "v9"]}, "wave is never 'v9': there are v1, novelty, v2, v3."),
        ({"step_to_3_28": "3300"}, "step_to_3_28 is a column of kind int, and '3300' is none."),
        ({"step_to_3_28": True}, "and True is none."),
        ({"hit_target": 1}, "hit_target is a column of kind bool"),
    ],
)
def test_what_is_unknown_is_refused_by_name(
    dataset: Path, filters: dict[str, reading.Filter], message: str
) -> None:
    with pytest.raises(ReadingError) as error:
        load_experiments(dataset, hub=USUAL_HUB, **filters)
    assert message in str(error.value)


def test_an_unknown_table_or_source_is_refused(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match=r"no table experiment: did you mean experiments\?"):
        load_table("experiment", dataset)
    with pytest.raises(ReadingError, match=r"holds no experiments\.parquet"):
        load_experiments(tmp_path)
    with pytest.raises(ReadingError, match="is no folder"):
        load_experiments(tmp_path / "missing" / "deep")
    with pytest.raises(ReadingError, match="is no folder"):
        load_experiments("not a name")


@pytest.fixture
def hub(dataset: Path, tmp_path: Path) -> Iterator["FakeHub"]:
    with HTTPServer(host="127.0.0.1") as server:
        yield FakeHub(server, dataset, tmp_path / "cache")


class FakeHub:
    """Answers what a client asks of a dataset on the Hub, on loopback."""

    commit = "c" * 40

    def __init__(self, server: HTTPServer, dataset: Path, cache: Path) -> None:
        self.server, self._dataset = server, dataset
        self.options = Hub(endpoint=server.url_for("").rstrip("/"), cache=cache)
        self.asked: list[str] = []
        server.expect_request(_Any()).respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        self.asked.append(request.path)
        _, owner, name, _, revision, *rest = request.path.strip("/").split("/")
        if (owner, name) != ("lab", "speedrun"):
            return Response(status=404, headers={"X-Error-Code": "RepoNotFound"})
        path = self._dataset / "/".join(rest)
        if not path.is_file():
            return Response(
                status=404, headers={"X-Error-Code": "EntryNotFound", "X-Repo-Commit": self.commit}
            )
        data = path.read_bytes()
        headers = {
            "X-Repo-Commit": self.commit,
            "ETag": f'"{len(data)}-{revision}"',
            "Content-Length": str(len(data)),
        }
        return Response(data, headers=headers)


class _Any(str):
    """Matches every path."""

    def __new__(cls) -> "_Any":
        return super().__new__(cls, "/")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str)

    __hash__ = str.__hash__


def test_a_dataset_is_read_from_a_hub(hub: FakeHub, dataset: Path) -> None:
    frame = load_experiments("lab/speedrun", hub=hub.options, agent="codex")
    assert frame.equals(load_experiments(dataset, agent="codex"))
    assert {path.rpartition("/")[2] for path in hub.asked} == {"experiments.parquet"}, (
        "only what is read is fetched"
    )


def test_a_revision_can_be_named(hub: FakeHub) -> None:
    load_experiments("lab/speedrun", hub=Hub("v1.0", hub.options.endpoint, hub.options.cache))
    assert all("/resolve/v1.0/" in path for path in hub.asked)


def test_what_the_hub_lacks_is_named(hub: FakeHub, dataset: Path) -> None:
    (dataset / "ideas.parquet").unlink()
    with pytest.raises(ReadingError, match=r"lab/speedrun on the Hub holds no ideas\.parquet"):
        load_table("ideas", "lab/speedrun", hub=hub.options)
    with pytest.raises(ReadingError, match="lab/other is neither a folder here nor a dataset on the Hub"):
        load_table("ideas", "lab/other", hub=hub.options)


def test_a_hub_that_does_not_answer_is_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", waits.append)
    nobody = Hub(endpoint="http://127.0.0.1:9", cache=tmp_path)
    with pytest.raises(ReadingError, match="lab/speedrun cannot be"):
        load_experiments("lab/speedrun", hub=nobody)
    assert waits, "the client asks again before it gives up"
