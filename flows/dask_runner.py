"""Parsing on a Dask cluster that is there already, through Prefect; needs the extra `dask`.

Import this module only where Dask is wanted: the import takes seconds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.task_runners import TaskRunner
from prefect_dask.task_runners import DaskTaskRunner

from flows.shard_store import ShardStore, shard_store
from flows.shards import pack, unpack
from parsers.archive import ArchiveFile
from parsers.parsed_files import Batch, parse_batch


@dataclass(frozen=True, slots=True)
class Dask:
    """The workers of a Dask cluster, which must see the archive under the same path.

    Attributes:
        scheduler: Address of the scheduler, `tcp://host:8786`.
        shards: Folder or fsspec address that workers write their shards to and this process reads them from.
    """

    scheduler: str
    shards: str

    def parse(
        self, root: Path, batches: Sequence[Sequence[ArchiveFile]], advance: Callable[[int], None]
    ) -> list[Batch]:
        """Parse batches; see `Runner`. Only names of shards pass through the scheduler."""
        with shard_store(self.shards) as store:
            cluster = cast("TaskRunner[Any]", DaskTaskRunner(address=self.scheduler))
            on_cluster = parse_on_dask.with_options(task_runner=cluster)
            names = on_cluster(str(root.resolve()), [tuple(files) for files in batches], store.address)
            done = []
            for shard, files in zip(names, batches, strict=True):
                done.append(unpack(store.read(shard), files))
                advance(len(files))
        return done


@flow(persist_result=False, validate_parameters=False)
def parse_on_dask(
    root: str, batches: Sequence[tuple[ArchiveFile, ...]], address: str
) -> list[tuple[str, str]]:
    """Have the workers parse, a task a batch; return the names of the shards in the order of the batches."""
    futures = [parse_shard.submit(root, files, address) for files in batches]
    return [future.result() for future in futures]


@task(cache_policy=NO_CACHE, persist_result=False, retries=2)
def parse_shard(root: str, files: tuple[ArchiveFile, ...], address: str) -> tuple[str, str]:
    """Parse some files of an archive on a worker, leave them in the store and return the shard's names."""
    return ShardStore(address).write(pack(parse_batch(Path(root), files)))
