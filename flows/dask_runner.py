"""Work on a Dask cluster that is there already, through Prefect; needs the extra `dask`.

Import this module only where Dask is wanted: the import takes seconds.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.task_runners import TaskRunner

from flows.shard_store import ShardStore, shard_store

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Dask:
    """The workers of a Dask cluster, which must see the archive under the same path.

    Attributes:
        scheduler: Address of the scheduler, `tcp://host:8786`.
        shards: Folder or fsspec address through which items and results go; the scheduler sees their names.
    """

    scheduler: str
    shards: str

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Call a function on each item; see `Runner`. Work that a worker takes to its grave is done again."""
        with shard_store(self.shards) as store:
            from prefect_dask.task_runners import DaskTaskRunner

            cluster = cast("TaskRunner[Any]", DaskTaskRunner(address=self.scheduler))
            names = [store.write(pickle.dumps((function, item))) for item in items]
            with temporary_settings({PREFECT_API_URL: _api_url()}):
                results = work_on_dask.with_options(task_runner=cluster)(store.address, names)
            for name in results:
                yield pickle.loads(store.read(name))  # noqa: S301 - written by our own workers


def _api_url() -> str:
    """The API of this flow: without its address, each worker would start a server of its own."""
    with get_client(sync_client=True) as client:
        return str(client.api_url)


@flow(name="work-on-dask", persist_result=False, validate_parameters=False)
def work_on_dask(address: str, names: Sequence[str]) -> list[str]:
    """Have the workers do one task an item, and return the names of the results in the order of the items."""
    futures = [work_on_shard.submit(address, name) for name in names]
    return [future.result() for future in futures]


@task(cache_policy=NO_CACHE, persist_result=False, retries=2)
def work_on_shard(address: str, name: str) -> str:
    """Take an item from the store, call its function, leave the result in the store and return its name."""
    store = ShardStore(address)
    function, item = pickle.loads(store.read(name))  # noqa: S301 - written by the build that sent the task
    return store.write(pickle.dumps(function(item)))
