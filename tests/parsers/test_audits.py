"""The audit table: rows with and without idea and verdict, in and out of a proper table."""

from parsers.audits import parse_audits
from parsers.quarantine import Reason
from parsers.verdicts import Verdict

TABLE = b"""# Audits\r
\r
| Idea | Why | Verdict |\r
|------|-----|---------|\r
| `anti-correlation-nesterov` | uses one pass | **COMPLIANT** |\r
| `cross-block-ortho` | NOT COMPLIANT: reads the data | - |\r
| `unknown-one` | pending | ? |\r
| - | nobody | FAIL |\r
| **plain-slug** | x \\| y | PASS | and more |\r
"""


def test_rows_of_a_table() -> None:
    parsed = parse_audits(TABLE, "novelty/claude-code/scratchpad/audits.md")
    assert [(a.idea_slug, a.verdict, a.line) for a in parsed.records] == [
        ("anti-correlation-nesterov", Verdict.COMPLIANT, 5),
        ("cross-block-ortho", Verdict.NON_COMPLIANT, 6),
        ("plain-slug", Verdict.PASSED, 9),
    ]
    assert [(q.reason, q.line) for q in parsed.quarantined] == [(Reason.NO_VERDICT, 7), (Reason.NO_IDEA, 8)]
    no_verdict = parsed.quarantined[0]
    assert TABLE[no_verdict.byte_offset :].startswith(b"| `unknown-one`")
    assert no_verdict.excerpt == "| `unknown-one` | pending | ? |"


def test_rows_that_lost_their_table_still_count() -> None:
    parsed = parse_audits(b"| `a` | PASS |\n| `b` | FAIL |\n", "audits.md")
    assert [(a.idea_slug, a.verdict) for a in parsed.records] == [
        ("a", Verdict.PASSED),
        ("b", Verdict.FAILED),
    ]


def test_a_row_of_two_ideas_gives_two_audits() -> None:
    parsed = parse_audits(b"| i | v |\n|---|---|\n| `a`, `b.md` | KILL |\n", "audits.md")
    assert [a.idea_slug for a in parsed.records] == ["a", "b"]


def test_a_file_without_rows_is_set_aside() -> None:
    assert [q.reason for q in parse_audits(b"# Audits\n\nnone\n", "audits.md").quarantined] == [
        Reason.NO_ENTRIES
    ]
    assert [q.reason for q in parse_audits(b"", "audits.md").quarantined] == [Reason.EMPTY_FILE]
