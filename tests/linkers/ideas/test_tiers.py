"""The matcher as a whole: precision and recall on the demo archive, order, scopes."""

import csv
import dataclasses
import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkers.ideas.evidence import gather_evidence
from linkers.ideas.model import RunIdea
from linkers.ideas.tiers import link_ideas
from linkers.runs import Run, join_runs
from linkers.variants.cascade import recover_variants
from linkers.write_ups import WriteUp, collect_write_ups
from parsers.parsed_files import ParsedArchive
from parsers.scopes import Scope
from tests.helpers import parse_folder, write_scratchpad


@dataclasses.dataclass(frozen=True)
class Demo:
    """The demo archive, parsed and joined."""

    parsed: ParsedArchive
    runs: tuple[Run, ...]
    write_ups: tuple[WriteUp, ...]
    stems: Mapping[str, str]

    def link(self) -> Mapping[str, RunIdea]:
        """Run all tiers that need nothing but the archive."""
        return link_ideas(gather_evidence(self.parsed, self.runs, self.write_ups, self.stems)).links


@pytest.fixture(scope="module")
def demo(demo_archive: Path) -> Demo:
    parsed = parse_folder(demo_archive)
    runs = join_runs(parsed, 2026)
    stems = {each.experiment_id: each.stem for each in recover_variants(parsed, runs).runs if each.stem}
    return Demo(parsed, runs, collect_write_ups(parsed).kept, stems)


def test_precision_and_recall_on_the_demo_archive(demo: Demo, demo_archive: Path) -> None:
    links = demo.link()
    with (demo_archive / "gold" / "runs.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wanted = {
        f"{row['agent']}--{row['wave']}--{row['run_id']}": (row["idea_slug"], row["idea_knowable_by"])
        for row in rows
    }
    found = {each: link.idea_id.split("--", 2)[2] if link.idea_id else "" for each, link in links.items()}
    linked = [each for each, slug in found.items() if slug]
    knowable = [each for each, (_, place) in wanted.items() if place]
    assert sum(found[each] == wanted[each][0] for each in linked) >= 0.98 * len(linked) > 300
    assert sum(found[each] == wanted[each][0] for each in knowable) >= 0.92 * len(knowable) > 300


@settings(max_examples=4)
@given(source=st.randoms(use_true_random=True))
def test_the_order_of_the_input_changes_no_link(demo: Demo, source: random.Random) -> None:
    """Neither the order of files and of their records, nor that of runs, ideas and variants."""
    files = [
        dataclasses.replace(file, records=tuple(source.sample(file.records, len(file.records))))
        for file in source.sample(demo.parsed.files, len(demo.parsed.files))
    ]
    shuffled = Demo(
        dataclasses.replace(demo.parsed, files=tuple(files)),
        tuple(source.sample(demo.runs, len(demo.runs))),
        tuple(source.sample(demo.write_ups, len(demo.write_ups))),
        dict(source.sample(sorted(demo.stems.items()), len(demo.stems))),
    )
    assert shuffled.link() == demo.link()


def test_nothing_links_across_scopes_by_a_bare_name(tmp_path: Path) -> None:
    """The same run id lies in two scopes, of which only one has the idea."""
    run = [{"run_id": "lion-clip-s0"}]
    write_scratchpad(tmp_path, {"ideas/lion-clip.md": "# Lion clip\n\nWords.\n"}, run, Scope("codex", "v1"))
    write_scratchpad(tmp_path, {"ideas/other-gain.md": "# Other\n\nWords.\n"}, run, Scope("codex", "v2"))
    parsed = parse_folder(tmp_path)
    links = link_ideas(
        gather_evidence(parsed, join_runs(parsed, 2026), collect_write_ups(parsed).kept, {})
    ).links
    assert links["codex--v1--lion-clip-s0"].idea_id == "codex--v1--lion-clip"
    assert links["codex--v2--lion-clip-s0"].candidates == ()
