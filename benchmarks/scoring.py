"""`python -m benchmarks.scoring DATASET`: the test snapshots x 5 candidates by cosine, vectors loaded once.

The dataset's experiments, ideas and snapshots are taken as they are; vectors of the size of OpenAI's largest
model are drawn at random, once for each distinct description, and in the worst case for each experiment.
Candidates come from files, with vectors of their own, so that nothing is measured but reading, comparing,
judging and adding up.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from outputs.embeddings.model import Embedding
from outputs.embeddings.tables import build_embeddings
from scorers import Benchmark, score
from scorers.pools import Priors

DIMENSIONS = 3_072
NUM_CANDIDATES = 5
COUNTED_RUNS = 5
PRIORS: tuple[Priors, ...] = ("scope", "field")


def main() -> None:
    """Measure and print."""
    for is_worst in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            num_texts = write_vectors(Path(sys.argv[1]), Path(folder), is_worst=is_worst)
            started_s = time.perf_counter()
            benchmark = Benchmark.load(folder)
            load_s = time.perf_counter() - started_s
            sys.stdout.write(f"{num_texts:,} distinct texts: loaded in {load_s:.2f} s\n")
            files = write_candidates(Path(folder))
            for priors in PRIORS:
                seconds = sorted(run(benchmark, files, priors) for _ in range(COUNTED_RUNS))
                num = len(benchmark.snapshot_ids("test"))
                sys.stdout.write(
                    f"  {num} snapshots x {NUM_CANDIDATES} candidates, priors of the {priors}: "
                    f"{seconds[COUNTED_RUNS // 2]:.3f} s ({seconds[0]:.3f} to {seconds[-1]:.3f})\n"
                )


def run(benchmark: Benchmark, files: list[Path], priors: Priors) -> float:
    """Score every test snapshot, and say how long it took."""
    vectors = np.random.default_rng(0).normal(size=(NUM_CANDIDATES, DIMENSIONS))
    started_s = time.perf_counter()
    for snapshot_id in benchmark.snapshot_ids("test"):
        score(benchmark, snapshot_id, files, vectors=vectors, priors=priors).model_dump_json()
    return time.perf_counter() - started_s


def write_candidates(folder: Path) -> list[Path]:
    """Write well-formed candidates."""
    files = [folder / f"{number}.md" for number in range(NUM_CANDIDATES)]
    for file in files:
        file.write_text(f"# Idea {file.stem}\n\n## Proposal\n\n{'Decay the rate. ' * 80}\n", encoding="utf-8")
    return files


def write_vectors(dataset: Path, folder: Path, *, is_worst: bool) -> int:
    """Lay out the tables that scoring reads, with vectors at random, and count the distinct texts."""
    for name in ("ideas", "snapshots"):
        (folder / f"{name}.parquet").symlink_to((dataset / f"{name}.parquet").absolute())
    experiments = pl.read_parquet(dataset / "experiments.parquet")
    if is_worst:
        experiments = experiments.with_columns(
            pl.format("{}\n{}", "experiment_id", "description_text").alias("description_text")
        )
    experiments.write_parquet(folder / "experiments.parquet")
    texts = dict(experiments.select("experiment_id", "description_text").iter_rows())
    distinct = sorted(set(texts.values()))
    embedded = dict(zip(distinct, drawn(len(distinct)), strict=True))
    table = build_embeddings("openai", "random", texts, embedded)
    table.write_parquet(folder / "experiment_embeddings_openai.parquet")
    return len(distinct)


def drawn(number: int) -> Iterator[Embedding]:
    """Draw vectors of unit length."""
    source = np.random.default_rng(1)
    for _ in range(number):
        vector = source.normal(size=DIMENSIONS)
        yield Embedding((vector / np.linalg.norm(vector)).astype("<f4").tobytes())


if __name__ == "__main__":
    main()
