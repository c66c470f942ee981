"""Keys in texts: what counts as one, what does not, and what is left of a file when they are gone."""

import ast
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.kinds import FileKind
from parsers.parsed_files import parse_batch
from parsers.quarantine import Reason
from parsers.secrets import MAX_ROWS, find_keys, hide_keys, remove_keys, secrets_among, write_over
from tests.helpers import log_text, parse_folder, write_scratchpad
from tests.seeded_keys import ANNOUNCED, INNOCENT, KEYS

SECRETS = (("SOME_KEY", b"plain-value-1"),)


def found_in(text: str) -> list[str]:
    data = text.encode()
    return [data[key.start : key.stop].decode() for key in find_keys(data)]


@pytest.mark.parametrize(
    "around", [("I used ", " today"), ('{"note": "', '"}'), ("", ""), ("key=", "\n"), ("(", ").")]
)
@pytest.mark.parametrize("name", KEYS)
def test_keys_that_show_what_they_are(name: str, around: tuple[str, str]) -> None:
    before, behind = around
    found = "".join(found_in(before + KEYS[name] + behind))
    assert found.strip() == KEYS[name], name


@pytest.mark.parametrize("name", ANNOUNCED)
def test_keys_that_are_announced(name: str) -> None:
    before, key, behind = ANNOUNCED[name]
    assert found_in(f"see {before}{key}{behind} there") == [key]


@pytest.mark.parametrize("name", [*KEYS, *ANNOUNCED])
def test_keys_behind_the_escapes_of_json(name: str) -> None:
    """A text of a ledger may quote JSON, so that there are escapes of escapes."""
    text = KEYS[name] if name in KEYS else "".join(ANNOUNCED[name])
    for row in (json.dumps({"note": text}), json.dumps({"note": json.dumps({"inner": text})})):
        left = hide_keys(row)
        assert find_keys(json.loads(left)["note"].encode()) == []
        assert not [key for key in found_in(text) if key in left]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_a_key_stays(text: str) -> None:
    assert found_in(text) == []
    assert hide_keys(text) == text


def test_a_known_value_counts_whatever_it_looks_like() -> None:
    (key,) = find_keys(b"it was plain-value-1!", SECRETS)
    assert (key.kind, key.start, key.stop) == ("value of SOME_KEY", 7, 20)
    assert find_keys(b"it was plain-value-1!") == []


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("OPENAI_API_KEY", "whatever-1", True),
        ("db_password", "0ther-word", True),
        ("SPEEDRUN_ETL_WEBHOOK", "http://127.0.0.1/hook", True),
        ("PREFECT_API_AUTH_STRING", "admin:pass", True),
        ("OPENAI_API_KEY", "short", False),
        ("DB_PASSWORD", "password", False),
        ("TOKENIZER", "gpt2-medium", False),
        ("SSH_AUTH_SOCK", "/run/agent.123", False),
        ("GOOGLE_APPLICATION_CREDENTIALS_FILE", "/root/key.json", False),
        ("KEYBOARD", "us-international", False),
    ],
)
def test_which_variables_hold_secrets(name: str, value: str, is_secret: bool) -> None:
    assert bool(secrets_among({name: value})) is is_secret


def test_nothing_moves_when_keys_go() -> None:
    text = 'KEY = "' + KEYS["OpenAI"] + '"  # old\nPEM = """' + KEYS["PEM"] + '"""\r\nx = 1\n'
    left = hide_keys(text)
    assert len(left) == len(text)
    assert [len(line) for line in left.splitlines()] == [len(line) for line in text.splitlines()]
    assert ast.parse(left)
    assert not any(part in left for part in [KEYS["OpenAI"], *KEYS["PEM"].split("\n")])
    assert left.count("[key removed") == 5
    assert hide_keys(left) == left


@pytest.mark.parametrize("name", KEYS)
def test_json_stays_json(name: str) -> None:
    row = json.dumps({"note": f"with {KEYS[name]} in it", "loss": 3.3})
    left = json.loads(hide_keys(row))
    assert left["loss"] == 3.3
    assert "removed" in left["note"]
    assert KEYS[name] not in left["note"]


def test_where_a_key_stood_is_told_without_it() -> None:
    data = ("first\n" * 2 + f"note: {KEYS['AWS']}, and ghp_ is none\n").encode()
    clean, (row,) = remove_keys(data, FileKind.IDEA, "v1/codex/scratchpad/ideas/a.md")
    assert len(clean) == len(data)
    assert (row.line, row.byte_offset, row.reason) == (3, 18, Reason.KEY_REMOVED)
    assert row.detail == "AWS access key, removed before the text was read: revoke it."
    assert row.excerpt == "note: [key removed*******], and ghp_ is none"
    assert remove_keys(b"fine", FileKind.IDEA, "a.md") == (b"fine", ())


def test_a_flood_of_keys_is_counted_not_listed() -> None:
    data = f"{KEYS['AWS']}\n".encode() * (MAX_ROWS + 5)
    clean, rows = remove_keys(data, FileKind.IDEA, "a.md")
    assert len(rows) == MAX_ROWS
    assert "and 5 more behind it" in rows[-1].detail
    assert find_keys(clean) == []


@pytest.mark.parametrize(
    "text",
    [
        "xoxa-" * 200_000,
        "sk-" * 300_000,
        "api_key=" * 100_000,
        "secret_" * 100_000 + "=" + "a" * 100_000,
        "://a:" * 200_000,
        "eyJ" * 300_000,
        "wandb" * 200_000,
        "-----BEGIN " + "PRIVATE KEY-----" * 50_000,
        "Bearer " * 100_000,
        "Authorization" * 50_000,
        "hooks.slack.com/services/" * 40_000,
    ],
    ids=lambda text: text[:12],
)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    find_keys(text.encode())


_PIECES = st.sampled_from(
    [*KEYS.values(), *map("".join, ANNOUNCED.values()), *INNOCENT, "\n", " ", "\r\n", '"', "\\", "-", "a"]
)


@given(st.lists(_PIECES | st.text(max_size=5), max_size=8))
def test_what_is_left_has_no_key_and_the_same_lines(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    keys = find_keys(data)
    left = write_over(data, keys)
    assert len(left) == len(data)
    assert [at for at, byte in enumerate(left) if byte in b"\r\n"] == [
        at for at, byte in enumerate(data) if byte in b"\r\n"
    ]
    assert all(one.stop <= other.start for one, other in pairwise(keys))
    assert find_keys(left) == []


def test_no_parser_sees_a_key(tmp_path: Path) -> None:
    """Every kind of file is parsed from its text without keys, and nothing is lost by that."""
    key = KEYS["Hugging Face"]
    archive = write_scratchpad(
        tmp_path,
        {
            "runs/a.log": f"token {key}\nimport os\nTOKEN = '{key}'\n{'=' * 100}\n{log_text((0, 10.8))}late {key}\n",
            "variants/a.py": f"'''Uses {key}.'''\nTOKEN = '{key}'\n",
            "ideas/a.md": f"# Idea\n\n## Proposal\n\nLog in with {key}.\n",
            "THREAD.md": f"- 2026-05-04: `a` ran with {key}.\n",
        },
        [{"run_id": "a", "note": f"with {key}"}, {"run_id": "b"}],
    )
    parsed = parse_folder(archive)
    assert key not in repr(parsed)
    rows = [reject for _, reject in parsed.quarantined()]
    assert {row.reason for row in rows} == {Reason.KEY_REMOVED}
    assert [(row.path.rpartition("/")[2], row.line) for row in rows] == [
        ("THREAD.md", 1), ("a.md", 5), ("runs.jsonl", 1), ("a.log", 1), ("a.log", 3), ("a.log", 6), ("a.py", 1), ("a.py", 2)
    ]  # fmt: skip
    ledger = next(each for each in parsed.files if each.file.kind == FileKind.LEDGER)
    assert (ledger.num_seen, ledger.num_parsed, len(ledger.records)) == (2, 2, 2)


def test_a_name_that_holds_a_key_is_refused_without_it(tmp_path: Path) -> None:
    archive = write_scratchpad(tmp_path, {f"runs/{KEYS['AWS']}.log": log_text((0, 10.8))})
    parsed = parse_folder(archive)
    ((_, row),) = parsed.quarantined()
    assert row.reason == Reason.UNSAFE_MEMBER
    assert row.path == "v1/codex/scratchpad/runs/[key removed*******].log"
    assert KEYS["AWS"] not in repr(parsed)


def test_known_values_reach_every_batch(tmp_path: Path) -> None:
    archive = write_scratchpad(tmp_path, {"ideas/a.md": "# Idea\n\nWith plain-value-1.\n"})
    file = next(file for file in parse_folder(archive).files if file.file.kind == FileKind.IDEA)
    batch = parse_batch(archive, [file.file], SECRETS)
    assert "plain-value-1" not in repr(batch)
    assert batch.files[0].content_hash == file.content_hash
