"""Log parsing alone: every log of an archive through the parser, in two processes, as a build does it."""

import sys
from pathlib import Path

from flows import collection
from flows.parsing import parse_batches
from flows.runners import make_runner, start_early
from flows.settings import BuildSettings
from parsers.archive import list_archive
from parsers.kinds import FileKind
from parsers.parsed_files import plan_batches


def main() -> None:
    """Parse the logs of the archive named on the command line."""
    settings = BuildSettings(archive=sys.argv[1], out="", workers=2)
    start_early(settings)
    archive = list_archive(Path(settings.archive))
    batches = plan_batches(file for file in archive.files if file.kind == FileKind.LOG)
    with collection.put_off():
        done = parse_batches(make_runner(settings), archive.root, batches, lambda _: None)
    sys.stdout.write(f"{sum(len(batch.files) for batch in done)} logs\n")


if __name__ == "__main__":
    main()
