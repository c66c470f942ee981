"""Where a cold build spends its time: one process, profiled by CPU seconds, the costliest functions first."""

import cProfile
import pstats
import sys
import time

from rich.console import Console

from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import build_dataset

NUM_SHOWN = 25


def main() -> None:
    """Build as the arguments say (archive, out) and print the profile, by stage and by function."""
    archive, out = sys.argv[1:3]
    profile = cProfile.Profile(time.process_time)
    settings = BuildSettings(archive=archive, out=out, workers=1)
    profile.runcall(build_dataset, settings, QuietReporter(Console(quiet=True)))
    stats = pstats.Stats(profile, stream=sys.stdout)
    stats.sort_stats("cumulative").print_stats("flows/(stages|idea_matching)")
    stats.sort_stats("tottime").print_stats(NUM_SHOWN)


if __name__ == "__main__":
    main()
