"""Parsed batches on their way between processes: to pickle their records takes ten times as long as this."""

from collections.abc import Sequence

import msgspec
from blake3 import blake3

from flows.record_codec import ShardError, decode_records, encode_records, parser_version
from parsers.archive import ArchiveFile
from parsers.parsed_files import Batch, ParsedFile

_File = tuple[str, str, int, int, msgspec.Raw]
_Content = tuple[str, list[_File], dict[str, str]]
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_Content)
_DIGEST_BYTES = 32


def pack(batch: Batch) -> bytes:
    """Turn a batch into bytes that begin with their own hash.

    They are not compressed: whoever looks for a word in them finds it.
    """
    files = [
        (
            each.file.path,
            each.content_hash,
            each.num_seen,
            each.num_parsed,
            msgspec.Raw(encode_records(each)),
        )
        for each in batch.files
    ]
    content = _ENCODER.encode((parser_version(), files, batch.sources))
    return blake3(content).digest() + content


def unpack(packed: bytes, files: Sequence[ArchiveFile]) -> Batch:
    """Read a batch back.

    Args:
        packed: What `pack` returned.
        files: The files of the batch.

    Raises:
        ShardError: If it is not what was written, or not of these files.
    """
    content = memoryview(packed)[_DIGEST_BYTES:]
    if blake3(content).digest() != packed[:_DIGEST_BYTES]:
        raise ShardError("A parsed batch was harmed on its way between processes.")
    version, rows, sources = _DECODER.decode(content)
    if version != parser_version():
        raise ShardError("A batch was parsed by a worker that has another version of the parsers.")
    if [path for path, *_ in rows] != [file.path for file in files]:
        raise ShardError("A parsed batch holds other files than were to be parsed.")
    parsed = (
        ParsedFile(file, content_hash, *decode_records(file.kind, payload), num_seen, num_parsed)
        for file, (_, content_hash, num_seen, num_parsed, payload) in zip(files, rows, strict=True)
    )
    return Batch(tuple(parsed), sources)
