"""`parsed + quarantined = seen`, on archives that were damaged on purpose."""

import random
from pathlib import Path

import pytest

from linkers.runs import join_runs
from linkers.variants.cascade import recover_variants
from outputs.conservation import Balance, balance_inputs, sum_by_kind
from outputs.tables import build_quarantine
from parsers.kinds import PARSED_KINDS, FileKind
from parsers.quarantine import Reason
from parsers.scopes import Scope
from tests.helpers import log_text, parse_folder, write_scratchpad


def balances(root: Path) -> dict[str, Balance]:
    return {balance.kind: balance for balance in balance_inputs(parse_folder(root))}


def test_lines_of_the_ledger_are_counted(tmp_path: Path) -> None:
    write_scratchpad(
        tmp_path, {"runs.jsonl": '{"run_id": "a"}\n\n{"run_id": "b", "st{"run_id": "c"}\nhalf {\n'}
    )
    ledger = balances(tmp_path)["ledger"]
    assert (ledger.unit, ledger.seen, ledger.parsed, ledger.quarantined) == ("lines", 3, 1, 2)


def test_files_are_counted_whole(tmp_path: Path) -> None:
    cut = log_text((0, 10.8)) + "step:125/3000 val_loss:3."
    write_scratchpad(tmp_path, {"runs/a.log": log_text((0, 10.8)), "runs/b.log": "", "runs/c.log": cut})
    log = balances(tmp_path)["log"]
    assert (log.unit, log.seen, log.parsed, log.quarantined) == ("files", 3, 2, 1)
    quarantine = build_quarantine(parse_folder(tmp_path), ())
    assert quarantine["reason"].to_list() == ["empty_file", "damaged_checkpoint"]
    assert quarantine["line"].to_list() == [None, 2]


def test_an_unreadable_file_is_set_aside(tmp_path: Path) -> None:
    root = write_scratchpad(tmp_path, {"runs/a.log": log_text((0, 10.8))})
    parsed = parse_folder(root)
    (root / "v1/codex/scratchpad/runs/a.log").unlink()
    from parsers.parsed_files import merge_batches, parse_batch, plan_batches

    again = merge_batches(
        parsed.archive, [parse_batch(root, batch) for batch in plan_batches(parsed.archive.files)]
    )
    (reject,) = [reject for _, reject in again.quarantined()]
    assert reject.reason == Reason.UNREADABLE
    assert all(balance.is_balanced for balance in balance_inputs(again))


def test_a_balance_can_fail() -> None:
    lost = Balance(kind="log", agent="codex", wave="v1", unit="files", seen=3, parsed=1, quarantined=1)
    assert not lost.is_balanced


def test_balances_of_a_kind_add_up_over_the_scopes(tmp_path: Path) -> None:
    """One log of two in one scope, one of one in the other; each has a ledger of a line."""
    write_scratchpad(tmp_path, {"runs/a.log": log_text((0, 10.8)), "runs/b.log": ""}, [{"run_id": "a"}])
    write_scratchpad(tmp_path, {"runs/a.log": log_text((0, 10.8))}, [{"run_id": "a"}], Scope("codex", "v2"))
    counts = [
        (each.kind, each.unit, each.seen, each.parsed, each.quarantined)
        for each in sum_by_kind(balance_inputs(parse_folder(tmp_path)))
    ]
    assert counts == [("ledger", "lines", 2, 2, 0), ("log", "files", 3, 2, 1)]


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_on_a_vandalised_demo_archive(demo_archive: Path, tmp_path: Path, seed: int) -> None:
    """Cut, flip, empty or duplicate pieces of every fifth file; also the files that were fine stay fine."""
    source = parse_folder(demo_archive)
    chance = random.Random(seed)  # noqa: S311 - no secret
    for file in source.archive.files:
        if file.kind not in PARSED_KINDS:
            continue
        data = (demo_archive / file.path).read_bytes()
        if chance.random() < 0.2:
            data = vandalise(data, chance)
        target = tmp_path / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    parsed = parse_folder(tmp_path)
    found = balance_inputs(parsed)
    assert {balance.kind for balance in found} >= {FileKind.LEDGER, FileKind.LOG, FileKind.IDEA}
    assert [balance for balance in found if not balance.is_balanced] == []
    assert sum(balance.quarantined for balance in found) > 0
    assert Reason.PARSER_FAULT not in {reject.reason for _, reject in parsed.quarantined()}
    runs = join_runs(parsed, 2026)
    assert len(recover_variants(parsed, runs).runs) == len(runs) > 400


def vandalise(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return chance.choice(
        [
            data[:at],
            data[at:],
            data[:at] + chance.randbytes(40) + data[at:],
            data[:at] + data[:at],
            data.replace(b"\n", b"\r\n"),
            data.replace(b"{", b""),
            b"",
        ]
    )


def test_nothing_is_lost_on_the_demo_archive(demo_archive: Path) -> None:
    found = balance_inputs(parse_folder(demo_archive))
    assert [balance for balance in found if not balance.is_balanced] == []
