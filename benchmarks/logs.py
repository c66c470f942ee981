"""Log parsing alone: every log of an archive through the parser, in two processes, as a build does it."""

import sys
from pathlib import Path

from flows import collection
from flows.parsing import parse_batches
from flows.runners import Processes
from parsers.archive import list_archive
from parsers.kinds import FileKind
from parsers.parsed_files import plan_batches


def main() -> None:
    """Parse the logs of the archive named on the command line."""
    archive = list_archive(Path(sys.argv[1]))
    batches = plan_batches(file for file in archive.files if file.kind == FileKind.LOG)
    with collection.put_off():
        done = parse_batches(Processes(2), archive.root, batches, lambda _: None)
    sys.stdout.write(f"{sum(len(batch.files) for batch in done)} logs\n")


if __name__ == "__main__":
    main()
