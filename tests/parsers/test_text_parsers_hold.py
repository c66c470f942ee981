"""No text parser raises or hangs, whatever the bytes: mutated documents, noise and hostile shapes."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.audits import Audit, parse_audits
from parsers.export import ExportRun, parse_export_ledger, parse_export_metadata
from parsers.idea_list import parse_idea_list
from parsers.ideas import Idea, parse_idea
from parsers.journal import JournalEntry, parse_journal
from parsers.quarantine import Quarantined
from parsers.records import Parsed
from parsers.rule_checks import RuleCheck, parse_rule_check
from parsers.stubs import LaunchCommand, parse_stub

Result = (
    Parsed[Idea]
    | Parsed[JournalEntry]
    | Parsed[Audit]
    | Parsed[RuleCheck]
    | Parsed[LaunchCommand]
    | Parsed[ExportRun]
    | Idea
    | ExportRun
    | Quarantined
)
Parser = Callable[[bytes, str], Result]

PARSERS: list[tuple[Parser, str]] = [
    (parse_idea, "novelty/codex/scratchpad/ideas/abp001_polar.md"),
    (parse_idea_list, "v1/codex/scratchpad/ideas.md"),
    (parse_journal, "v3/codex/scratchpad/THREAD.md"),
    (parse_audits, "novelty/claude-code/scratchpad/audits.md"),
    (parse_rule_check, "novelty/codex/scratchpad/rule_checks/awr001_rule_check.md"),
    (parse_rule_check, "novelty/codex/scratchpad/rule_checks/current_batch_rule_audit.md"),
    (parse_stub, "v2/codex/scratchpad/sbatch-stubs/v12-ts3000.sh"),
    (parse_stub, "v2/codex/scratchpad/run_all.sh"),
    (parse_export_metadata, "data/runs_self_contained/agents/cc_v1/runs/00001-a-0123456789/metadata.json"),
    (parse_export_ledger, "data/runs_self_contained/runs.jsonl"),
]

DOCUMENTS = [
    b"---\naliases: [a, b]\ndate: 2026-05-03\n---\n# T (ABP001)\n\n## 1. Proposal\n\n"
    b"Parent: `x-y`. Priors: ADV001.\n\n"
    b"**Rule Gate:** NOT **COMPLIANT**\n\n```\n# code\n```\n\n| `a` | PASS |\n|---|---|\n| `b` | FAIL |\n",
    b"# 2026-04-29\n\n- copied\n\n## 2026-05-12 10:00Z\n\n- `pmi{02,05}_ts3000` (8720) 3200 / 3.27953\n"
    b"  - nested\n\n1. `a`: text\n2. **B** - text\n",
    b'#!/bin/bash\n#SBATCH -p x --time=1:00\nV="${1:-a}"\n'
    b'f() { torchrun "$V" $(basename $1 .py) | tee x.log; }\n'
    b"for v in a {1..3}; do f $v; done\ncase $V in a|b) cp x.py y.py ;; esac\n"
    b"sbatch <<EOF\ntorchrun y.py\nEOF\n",
    b'{"run_id": "a", "final_val_loss": "3.2", "artifacts": {"a": {"bytes": 1}}}\n{"export_id": NaN}\n',
]
FRAGMENTS = [
    *(
        b"`",
        b"**",
        b"|",
        b"\n",
        b"\r",
        b"\x00",
        b"\xff",
        b"#",
        b">",
        b"- ",
        b"1. ",
        b"```\n",
        b"<!--",
        b"---\n",
    ),
    *(
        b"${",
        b"$(",
        b'"',
        b"'",
        b"\\",
        b"; ",
        b"do ",
        b"done",
        b"if ",
        b"fi",
        b"case ",
        b"esac",
        b"{a,b}",
        b"}",
    ),
    *(
        b"2026-05-03",
        b"PASS",
        b"not ",
        b"Verdict: ",
        b"torchrun ",
        b"x.py ",
        b"<<E\n",
        b"\xe2\x80\xa8",
        b"[",
        b"{",
    ),
]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A document with pieces cut out, doubled, or replaced by what parsers stumble over."""
    data = draw(st.sampled_from(DOCUMENTS))
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 30)))
        piece = draw(st.sampled_from([*FRAGMENTS, data[start:end] * 3]) | st.binary(max_size=4))
        data = data[:start] + piece * draw(st.integers(1, 3)) + data[end:]
    return data


def check(result: Result, data: bytes, path: str) -> None:
    """Everything that a result says of its place lies in the file."""
    rejected = result.quarantined if isinstance(result, Parsed) else ()
    rejected = (result,) if isinstance(result, Quarantined) else rejected
    assert all(q.path == path and 0 <= q.byte_offset <= len(data) and q.detail for q in rejected)
    records = result.records if isinstance(result, Parsed) else ()
    assert not isinstance(result, Parsed) or records or rejected
    n_lines = data.count(b"\n") + data.count(b"\r") + 1
    for record in records:
        first = record.line_start if isinstance(record, Idea | JournalEntry) else record.line
        assert 1 <= first <= n_lines


@pytest.mark.parametrize(("parser", "path"), PARSERS)
@given(data=mutated() | st.binary(max_size=300) | st.lists(st.sampled_from(FRAGMENTS)).map(b"".join))
@settings(max_examples=120, deadline=None)
def test_any_bytes_end_as_records_or_in_quarantine(parser: Parser, path: str, data: bytes) -> None:
    check(parser(data, path), data, path)


HOSTILE = {
    "brackets": b"[" * 100_000,
    "quotes": b"> " * 100_000,
    "nested lists": b"".join(b"  " * depth + b"- a\n" for depth in range(400)),
    "one line": b"word " * 1_000_000,
    "braces": b"{a,b}" * 5_000 + b" x{" * 5_000,
    "ranges": b"x{1..99999999999}{1..9}{1..9}{1..9} " * 500,
    "lazy quotes": b">" * 20 + b"a\n" + b"b\n" * 3_000,
    "wide table": b"|a" * 2_000 + b"\n" + b"|-" * 2_000 + b"\n" + b"|`a`|PASS|\n" * 2_000,
    "substitutions": b"$(" * 50_000,
    "backticks": b"`" * 100_000,
    "dates": b"2026-05-03 " * 50_000,
    "verdicts": b"Verdict: not PASS or FAIL " * 10_000,
    "emphasis": b"**" * 100_000,
    "spaces": b" " * 500_000 + b"a",
    "deep JSON": b'{"a":' * 100_000,
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_shapes_come_to_an_end(name: str) -> None:
    for parser, path in PARSERS:
        check(parser(HOSTILE[name], path), HOSTILE[name], path)
