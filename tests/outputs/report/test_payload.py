"""The data of the report: safe inside a script element, and nothing lost by packing it."""

import json
from pathlib import Path

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from outputs.report.frontier import frontier_steps
from outputs.report.payload import escape_json, ranges, write_payload


@given(st.text() | st.sampled_from(["</script>", "<!--", "<script", "]]>", "\u2028", "&lt;"]))
def test_no_text_ends_the_script_element_and_none_is_changed(text: str) -> None:
    written = escape_json({"title": text})
    assert not set("<>&") & set(written)
    assert json.loads(written) == {"title": text}


@given(st.sets(st.integers(0, 60)))
def test_ranges_hold_exactly_the_row_numbers(places: set[int]) -> None:
    packed = ranges(places)
    found = [
        start + step
        for start, length in zip(packed[::2], packed[1::2], strict=True)
        for step in range(length)
    ]
    assert found == sorted(places)
    assert all(length > 0 for length in packed[1::2])


def test_every_experiment_idea_and_list_is_in_it(hostile_dataset: Path) -> None:
    experiments = pl.read_parquet(hostile_dataset / "experiments.parquet")
    data = json.loads(write_payload(hostile_dataset, frontier_steps(experiments)))
    scopes = data["scopes"]

    def ids(kind: str) -> list[str]:
        names, places = data[kind]["name"], data[kind]["scope"]
        parts = [
            (*reversed(scopes[place].split("/")), name) for name, place in zip(names, places, strict=True)
        ]
        return ["--".join(part) for part in parts]

    experiment_ids, idea_ids = ids("experiments"), ids("ideas")
    assert sorted(experiment_ids) == sorted(experiments["experiment_id"])
    assert sorted(idea_ids) == sorted(pl.read_parquet(hostile_dataset / "ideas.parquet")["idea_id"])
    for column in (column for columns in (data["experiments"], data["ideas"]) for column in columns.values()):
        rows = column["rows"] if isinstance(column, dict) else column
        assert len(rows) in (len(experiment_ids), len(idea_ids))
    wanted = {
        row["snapshot_id"]: row for row in pl.read_parquet(hostile_dataset / "snapshots.parquet").to_dicts()
    }
    assert {each["name"] for each in data["snapshots"]} == wanted.keys()
    for each in data["snapshots"]:
        for name, packed in each["lists"].items():
            known = experiment_ids if name.endswith("experiment_ids") else idea_ids
            pairs = zip(packed[::2], packed[1::2], strict=True)
            found = [known[start + step] for start, length in pairs for step in range(length)]
            assert sorted(found) == sorted(wanted[each["name"]][name]), (each["name"], name)


def test_a_curve_ends_with_the_last_checkpoint_and_is_short(hostile_dataset: Path) -> None:
    experiments = pl.read_parquet(hostile_dataset / "experiments.parquet")
    data = json.loads(write_payload(hostile_dataset, ()))["experiments"]
    runs = pl.read_parquet(hostile_dataset / "runs.parquet")
    last = {row["run_id"]: row["final_step"] for row in runs.filter(agent="codex", wave="v1").to_dicts()}
    of_scope = [
        (name, curve)
        for name, scope, curve in zip(data["name"], data["scope"], data["curve"], strict=True)
        if scope == 1 and curve
    ]
    assert len(of_scope) > 50
    for name, curve in of_scope:
        steps = curve[: len(curve) // 2]
        assert len(steps) <= 24
        assert steps == sorted(set(steps))
        assert steps[-1] <= last[name]
    assert sum(curve[len(curve) // 2 - 1] == last[name] for name, curve in of_scope) > 0.9 * len(of_scope)
    assert experiments.height == len(data["curve"])
