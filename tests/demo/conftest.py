"""The small archive, written once a session."""

from collections import defaultdict

import pytest

from demo import generate_archive
from tests.demo.small import SmallArchive, read_csv


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallArchive:
    root = tmp_path_factory.mktemp("archive")
    archive = SmallArchive(root, generate_archive(root, scale="small", seed=0))
    archive.runs = read_csv(root / "gold/runs.csv")
    archive.ideas = read_csv(root / "gold/ideas.csv")
    archive.rejects = read_csv(root / "gold/quarantine.csv")
    trials = defaultdict(list)
    for row in read_csv(root / "gold/trials.csv"):
        trials[(row["wave"], row["agent"], row["run_id"])].append(row)
    archive.trials = dict(trials)
    return archive
