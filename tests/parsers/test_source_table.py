"""Source texts kept once: by their normal form, whatever their bytes were."""

import hashlib

import pytest

from parsers.source_table import SourceTable


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_copies_of_a_text_are_kept_once() -> None:
    texts = SourceTable()
    hashes = [texts.add(data) for data in (b"a = 1\n", b"a = 1  \r\n\r\n", b"a = 1\n", b"a = 2")]
    assert hashes == [sha256("a = 1\n")] * 3 + [sha256("a = 2\n")]
    assert texts.texts == {sha256("a = 1\n"): "a = 1\n", sha256("a = 2\n"): "a = 2\n"}


def test_undecodable_bytes_are_replaced() -> None:
    texts = SourceTable()
    assert texts.texts == {} and texts.add(b"# \xff") == sha256("# \ufffd\n")
    assert list(texts.texts.values()) == ["# \ufffd\n"]


def test_texts_that_share_the_fast_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast hash only says where to look: the bytes are compared."""
    monkeypatch.setattr("stringzilla.hash", lambda _: 7)
    texts = SourceTable()
    added = [texts.add(data) for data in (b"a = 1\n", b"a = 2\n", b"a = 1\n")]
    assert added == [sha256("a = 1\n"), sha256("a = 2\n"), sha256("a = 1\n")]
    assert len(texts.texts) == 2
