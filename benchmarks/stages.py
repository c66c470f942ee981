"""One build in this process, with the seconds of each stage as a line of JSON."""

import json
import sys
import time

from rich.console import Console

from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import build_dataset


class StopWatch(QuietReporter):
    """Notes how long each stage takes."""

    def __init__(self) -> None:
        super().__init__(Console(quiet=True))
        self.seconds: dict[str, float] = {}
        self._stage = ""
        self._started_s = 0.0

    def start(self, stage: str, total: int) -> None:
        """Start the watch."""
        self._stage, self._started_s = stage, time.perf_counter()

    def finish(self) -> None:
        """Stop it."""
        self.seconds[self._stage] = time.perf_counter() - self._started_s


def main() -> None:
    """Build as the arguments say (archive, out, cache folder or `none`) and print what each stage took."""
    archive, out, cache = sys.argv[1:4]
    watch = StopWatch()
    settings = BuildSettings(archive=archive, out=out, workers=2, cache=None if cache == "none" else cache)
    started_s = time.perf_counter()
    build_dataset(settings, watch)
    watch.seconds["whole"] = time.perf_counter() - started_s
    sys.stdout.write(json.dumps(watch.seconds) + "\n")


if __name__ == "__main__":
    main()
