"""Records as bytes: one MessagePack payload a file, and which version of the parsers made them."""

import hashlib
from array import array
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

import parsers
from parsers.audits import Audit
from parsers.export import ExportRun
from parsers.ideas import Idea
from parsers.journal import JournalEntry
from parsers.kinds import FileKind
from parsers.ledger import LedgerEntry
from parsers.logs import Log
from parsers.parsed_files import ParsedFile
from parsers.quarantine import Quarantined
from parsers.rule_checks import RuleCheck
from parsers.stubs import LaunchCommand
from parsers.variants import Variant

_RECORD_OF_KIND: Mapping[FileKind, type] = {
    FileKind.LEDGER: LedgerEntry,
    FileKind.LOG: Log,
    FileKind.VARIANT: Variant,
    FileKind.IDEA: Idea,
    FileKind.IDEA_LIST: Idea,
    FileKind.JOURNAL: JournalEntry,
    FileKind.AUDIT: Audit,
    FileKind.RULE_CHECK: RuleCheck,
    FileKind.STUB: LaunchCommand,
    FileKind.EXPORT_LEDGER: ExportRun,
    FileKind.EXPORT_METADATA: ExportRun,
    FileKind.EXPORT_SCRIPT: Variant,
}
Records = tuple[tuple[object, ...], tuple[Quarantined, ...]]
"""The records of a file and what was set aside of it."""


class ShardError(ValueError):
    """Bytes that are not what this parser version wrote. The message is one sentence."""


@cache
def parser_version() -> str:
    """Hash the source of every parser: whatever is changed there, nothing parsed before is believed."""
    digest = hashlib.sha256()
    for path in sorted(Path(parsers.__path__[0]).glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def encode_records(parsed: ParsedFile) -> bytes:
    """Write the records and rejects of a file."""
    return _ENCODER.encode((parsed.records, parsed.quarantined))


def decode_records(kind: FileKind, payload: bytes | msgspec.Raw) -> Records:
    """Read the records and rejects of a file.

    Raises:
        ShardError: If they are not those of a file of this kind.
    """
    try:
        return _decoder(kind).decode(payload)
    except msgspec.MsgspecError as error:
        raise ShardError(f"Records of a {kind} file cannot be read: {error}.") from None


def _encode(value: object) -> object:
    """Write an array as its bytes, behind the letter of its type."""
    if isinstance(value, array):
        return value.typecode.encode() + value.tobytes()
    raise NotImplementedError


def _decode(_wanted: type, value: bytes) -> object:
    return array(chr(value[0]), value[1:])


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_encode)


@cache
def _decoder(kind: FileKind) -> "msgspec.msgpack.Decoder[Records]":
    record = _RECORD_OF_KIND[kind]
    return msgspec.msgpack.Decoder(tuple[tuple[record, ...], tuple[Quarantined, ...]], dec_hook=_decode)  # type: ignore[valid-type]  # mypy wants types it can see
