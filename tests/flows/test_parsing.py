"""Parsed batches on their way between processes: the same records, and no secret that only one side knows."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from flows import handover
from flows.handover import pack, unpack
from flows.parsing import Done, Work, parse_here
from flows.record_codec import ShardError
from flows.secrecy import holds_any
from parsers.archive import list_archive
from parsers.kinds import PARSED_KINDS
from parsers.parsed_files import parse_batch
from parsers.quarantine import Reason
from tests.helpers import log_text, write_scratchpad

PHRASE = "zebra-crossing-at-noon-4711"
NOTE = "a note that stands here many times over, so that it compresses well. "


@pytest.fixture
def done(tmp_path: Path) -> Done:
    """A batch as a process parses it that does not know the secret, which stands in a ledger and a variant."""
    files = {
        "runs/a.log": log_text((0, 10.8)),
        "variants/a.py": f"# {NOTE * 50}{PHRASE} {NOTE * 50}\na = 1\n",
    }
    ledger = [{"run_id": "a", "note": f"{NOTE * 50}{PHRASE} {NOTE * 50}"}]
    archive = list_archive(write_scratchpad(tmp_path, files, ledger))
    members = tuple(file for file in archive.files if file.kind in PARSED_KINDS)
    work = Work(archive.root, members)
    return Done(work, parse_batch(work.root, members))


def test_a_batch_arrives_as_it_was(done: Done) -> None:
    arrived = pickle.loads(pickle.dumps(done))  # noqa: S301 - our own
    assert arrived.work == done.work
    assert arrived.batch() == done.batch()
    assert PHRASE in repr(arrived.batch().files)
    assert PHRASE in repr(arrived.batch().sources)


@pytest.mark.parametrize("at", [0, 40, -1])
def test_a_batch_that_was_harmed_on_the_way_is_told_where_it_is_read(done: Done, at: int) -> None:
    """Not where it is received: that may be a thread that nobody waits for."""
    harmed = bytearray(pack(done.batch()))
    harmed[at] ^= 1
    arrived = pickle.loads(pickle.dumps(Done(done.work, bytes(harmed))))  # noqa: S301 - our own
    with pytest.raises(ShardError, match="harmed"):
        arrived.batch()


def test_a_batch_of_other_files_or_another_version_is_refused(
    done: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = pack(done.batch())
    assert unpack(packed, done.work.files) == done.batch()
    with pytest.raises(ShardError, match="other files"):
        unpack(packed, done.work.files[1:])
    monkeypatch.setattr(handover, "parser_version", lambda: "another")
    with pytest.raises(ShardError, match="another version"):
        unpack(packed, done.work.files)


def test_a_secret_that_only_the_receiver_knows_is_removed(
    done: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = pickle.dumps(done)
    monkeypatch.setenv("OUR_API_TOKEN", PHRASE)
    arrived = pickle.loads(sent)  # noqa: S301 - our own
    batch = arrived.batch()
    assert PHRASE not in repr(batch)
    assert batch == parse_here(done.work).batch()
    removed = [row for file in batch.files for row in file.quarantined]
    assert [row.reason for row in removed] == [Reason.KEY_REMOVED] * 2


def test_records_and_sources_are_searched_for_secrets(done: Done) -> None:
    secrets = (("OUR_API_TOKEN", PHRASE.encode()),)
    batch = done.batch()
    assert holds_any(pack(replace(batch, sources={})), secrets)
    assert holds_any(pack(replace(batch, files=())), secrets)
    assert not holds_any(pack(replace(batch, files=(), sources={})), secrets)
    assert not holds_any(pack(batch), (("OUR_API_TOKEN", b"some other words"),))
