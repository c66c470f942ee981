"""The core of a build, what the reference does as well: archive to Parquet, without card, report and checks.

Left out are the stages that measure the matcher, draw the report and check the dataset; every record, link
and judgement is made as a build makes it.
"""

import sys
from pathlib import Path

from rich.console import Console

from flows import collection
from flows.idea_matching import match_ideas
from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import (
    judge_outcomes,
    lay_out,
    link_runs,
    link_variants,
    parse_archive,
    write_descriptions,
)
from linkers.write_ups import collect_write_ups
from outputs.dataset import write_tables
from outputs.schemas import TABLES
from parsers.archive import list_archive


@collection.put_off()
def main() -> None:
    """Build the tables of the archive named on the command line into the folder named behind it."""
    source, out = sys.argv[1], Path(sys.argv[2])
    settings = BuildSettings(archive=source, out=str(out), workers=2)
    reporter = QuietReporter(Console(quiet=True))
    parsed = parse_archive(list_archive(Path(source)), settings, reporter)
    runs = link_runs(parsed, settings, reporter)
    variants = link_variants(parsed, runs, settings, reporter)
    write_ups = collect_write_ups(parsed)
    ideas, _ = match_ideas(parsed, runs, variants, write_ups, settings, None, reporter)
    outcomes = judge_outcomes(parsed, runs, variants, write_ups, ideas, reporter)
    words = write_descriptions(runs, variants, write_ups, outcomes, settings, None, reporter)
    frames = lay_out(parsed, runs, variants, write_ups, ideas, outcomes, words)
    out.mkdir(parents=True, exist_ok=True)
    write_tables(TABLES, frames, out)


if __name__ == "__main__":
    main()
