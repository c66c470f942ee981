"""Where workers on other machines leave their shards: a folder that all of them see, or an object store."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import fsspec
import zstandard

from flows.record_codec import ShardError


@dataclass(frozen=True, slots=True)
class ShardStore:
    """A folder for the shards of one build, which are compressed: sources repeat each other.

    Attributes:
        address: A path, or an fsspec address such as `s3://bucket/folder`.
    """

    address: str

    def write(self, data: bytes) -> str:
        """Write a shard and return its name, which no other attempt uses."""
        system, folder = fsspec.url_to_fs(self.address)
        system.makedirs(folder, exist_ok=True)
        name = uuid.uuid4().hex
        system.pipe_file(f"{folder}/{name}", zstandard.compress(data))
        return name

    def read(self, name: str) -> bytes:
        """Read a shard.

        Raises:
            OSError: If it is not there.
            ShardError: If it is not whole.
        """
        system, folder = fsspec.url_to_fs(self.address)
        try:
            return zstandard.decompress(system.cat_file(f"{folder}/{name}"))
        except zstandard.ZstdError as error:
            raise ShardError(f"Shard {name} in {self.address} cannot be read: {error}.") from None

    def remove(self) -> None:
        """Remove everything that was written."""
        system, folder = fsspec.url_to_fs(self.address)
        if system.exists(folder):
            system.rm(folder, recursive=True)


@contextmanager
def shard_store(address: str) -> Iterator[ShardStore]:
    """Open a store of its own below an address for the length of a `with` block."""
    store = ShardStore(f"{address.rstrip('/')}/speedrun-etl-{uuid.uuid4().hex}")
    try:
        yield store
    finally:
        store.remove()
