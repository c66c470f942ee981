"""The waterfall adds up, scope by scope, and agreement is counted where both tiers answer."""

from pathlib import Path

from linkers.runs import join_runs
from linkers.variants.cascade import TIERS, recover_variants
from linkers.variants.coverage import agreement, waterfall
from tests.helpers import log_text, parse_folder, write_scratchpad


def test_waterfall_and_agreement_by_hand(tmp_path: Path) -> None:
    stub = "python parse_and_index.py --variant scratchpad/variants/b.py\n"
    write_scratchpad(
        tmp_path,
        {
            "variants/a.py": "A = 1\n",
            "variants/b.py": "B = 1\n",
            "sbatch-stubs/a-s1.sh": stub,
            "sbatch-stubs/q.sh": stub,
            "runs/zz.log": log_text((0, 10.8)),
        },
        [{"run_id": "a-s1", "variant": "a.py"}, {"run_id": "q"}, {"run_id": "b"}],
    )
    parsed = parse_folder(tmp_path)
    runs = join_runs(parsed, 2026)
    variants = recover_variants(parsed, runs).runs
    rows = {row.tier: row for row in waterfall(runs, variants)}
    assert list(rows) == list(TIERS)
    assert {row.runs for row in rows.values()} == {4}
    counted = {
        tier: (row.answered, row.added, row.reached, row.in_conflict)
        for tier, row in rows.items()
        if row.answered
    }
    assert counted == {"ledger": (1, 1, 1, 1), "stub": (2, 1, 2, 0), "name_stem": (2, 1, 3, 0)}
    assert rows["recompile"].reached == 1
    pairs = {(row.tier, row.other_tier): (row.both, row.agreeing) for row in agreement(variants) if row.both}
    assert pairs == {
        ("ledger", "stub"): (1, 0),
        ("ledger", "name_stem"): (1, 1),
        ("stub", "name_stem"): (1, 0),
    }
