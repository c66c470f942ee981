"""The reference client on our output: it loads the tables, and scores as `--compat` does.

It is a black box in an environment of its own. Both sides ask the same service on loopback for vectors, so that
they differ in nothing but what they make of them.
"""

import json
import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pytest_httpserver import HTTPServer

from flows.scoring import ScoringSettings, open_benchmark
from flows.settings import BuildSettings, EmbedBackend, ServiceOptions, WordsSettings
from flows.stages import build_dataset
from scorers import ScoringResult, read_candidate, score
from scorers.pools import Benchmark, Pool
from tests.helpers import quiet_reporter
from tests.openai_server import DIMENSIONS, KEY, FakeOpenAI, vector_of
from tests.scorers.reference_venv import reference_python
from tests.scorers.small import candidate_text

NUM_SETS = 200
SCRIPT = Path(__file__).with_name("reference_script.py")
FILTERS: list[tuple[str, dict[str, object]]] = [
    ("load_experiments", {"agent": "codex", "wave": "v1", "verdict": "improved"}),
    ("load_ideas", {"rejection_class": "failed"}),
    ("load_runs", {"hit_target": True, "status": "completed"}),
    ("load_snapshots", {"split": "test"}),
    ("load_proposals", {"proposal_type": "formal_idea"}),
    ("load_val_trajectories", {"run_id": "baseline-muon-s0"}),
]
REJECTIONS = ("failed", "family_ruled_out", "audit_noncompliant", "existence_killed")


@dataclass
class World:
    """Our output, the service, the sets of candidates, and what the reference client made of it all."""

    dataset: Path
    benchmark: Benchmark
    sets: list[tuple[str, list[Path]]]
    reference: dict[str, Any]


class Vectors:
    """Vectors by text: candidates' are chosen, all others are random and so at right angles, or nearly."""

    def __init__(self) -> None:
        self.chosen: dict[str, list[float]] = {}

    def __call__(self, text: str) -> list[float]:
        """Look a text up."""
        return self.chosen.get(text) or vector_of(text)


@pytest.fixture(scope="module")
def world(demo_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    python = reference_python()
    folder = tmp_path_factory.mktemp("reference")
    vectors = Vectors()
    with HTTPServer(host="127.0.0.1", threaded=True) as server, pytest.MonkeyPatch.context() as patch:
        service = FakeOpenAI(server)
        service.embed = vectors
        patch.setenv("OPENAI_API_KEY", KEY)
        options = ServiceOptions(base_url=service.base_url)
        dataset = build(demo_archive, folder, options)
        settings = ScoringSettings(dataset=dataset, cache=folder / "cache", service=options)
        with open_benchmark(settings) as opened:
            sets = make_sets(opened.benchmark, vectors, folder / "candidates")
            reference = ask_reference(python, dataset, opened.benchmark, sets, service.base_url)
            yield World(dataset, opened.benchmark, sets, reference)


def build(archive: Path, folder: Path, service: ServiceOptions) -> Path:
    """Build the dataset with vectors by the service, and reject ideas at random, as the demo rejects few."""
    settings = BuildSettings(
        archive=str(archive),
        out=str(folder / "dataset"),
        cache=str(folder / "cache"),
        words=WordsSettings(embed=(EmbedBackend.OPENAI,)),
        service=service,
    )
    build_dataset(settings, quiet_reporter())
    table = folder / "dataset" / "ideas.parquet"
    ideas = pl.read_parquet(table)
    source = random.Random(0)  # noqa: S311 - a draw is no secret
    classes = [source.choice(REJECTIONS) if source.random() < 0.5 else "none" for _ in range(len(ideas))]
    rejected_at = [source.choice([at, None]) for at in ideas["first_seen_at"]]
    ideas.with_columns(
        pl.Series("rejection_class", classes),
        pl.Series("rejected_at", rejected_at, dtype=ideas.schema["rejected_at"]),
    ).write_parquet(table)
    return folder / "dataset"


def make_sets(benchmark: Benchmark, vectors: Vectors, folder: Path) -> list[tuple[str, list[Path]]]:
    """Make sets of one to six candidates for the snapshots in turn."""
    source = random.Random(1)  # noqa: S311 - a draw is no secret
    folder.mkdir()
    snapshot_ids = benchmark.snapshot_ids()
    sets = []
    for number in range(NUM_SETS):
        snapshot_id = snapshot_ids[number % len(snapshot_ids)]
        files: list[Path] = []
        for place in range(source.randint(1, 6)):
            if files and source.random() < 0.15:
                files.append(source.choice(files))
                continue
            file = folder / f"{number}-{place}.md"
            file.write_text(make_text(source, file.stem), encoding="utf-8")
            vectors.chosen[read_candidate(file).text] = make_vector(source, benchmark, snapshot_id)
            files.append(file)
        sets.append((snapshot_id, files))
    return sets


def make_text(source: random.Random, name: str) -> str:
    """Write a candidate; one in six is none."""
    filler = " ".join(source.choices(["muon", "tail", "decay", "rate", "norm"], k=source.choice([20, 400])))
    return source.choice(
        [
            *[candidate_text(f"Idea {name}", filler)] * 8,
            f"# Idea {name}\r\n\r\nIntro.\r\n\r\n## Proposal\r\n\r\n{filler}\r\n\r\n## Prior art\r\n\r\nNone.\r\n",
            f"# Idea {name}\n\n## Why\n\n{filler}\n\n## Proposal\n\n### Sub\n\n- {filler}\n",
            candidate_text(f"Idea {name}", "Too short."),
            f"# Idea {name}\n\n## Proposal\n",
            f"# Idea {name}\n\n## Mechanism\n\n{filler}\n",
            f"## Idea {name}\n\n## Proposal\n\n{filler}\n",
        ]
    )


def make_vector(source: random.Random, benchmark: Benchmark, snapshot_id: str) -> list[float]:
    """Make a vector at a chosen angle to a prior, a future, or both, often right at the threshold."""
    pools = benchmark.pools(snapshot_id)
    noise = np.random.default_rng(source.randrange(2**32)).normal(size=DIMENSIONS)
    noise /= np.linalg.norm(noise)
    near = [0.75 + 1e-5, 0.75 - 1e-5, 0.9, 0.999, 0.76, 0.74, 0.5]
    chosen = [pool for pool in (pools.priors, pools.futures) if len(pool) and source.random() < 0.6]
    if len(chosen) == 2 and source.random() < 0.5:
        # Both above a threshold of 0.75 is as much as two vectors at right angles leave no room for.
        middle = member(source, chosen[0]) + member(source, chosen[1])
        return at_cosine(middle / np.linalg.norm(middle), noise, 1.0)
    if not chosen:
        return at_cosine(noise, noise, 1.0)
    return at_cosine(member(source, source.choice(chosen)), noise, source.choice(near))


def member(source: random.Random, pool: Pool) -> Any:
    """Pick an experiment's vector."""
    return pool.vectors[source.randrange(len(pool))].astype(float)


def at_cosine(base: Any, noise: Any, cosine: float) -> list[float]:
    """Make a vector of length 3 with the cosine to a vector of unit length."""
    across = noise - (noise @ base) * base
    length = np.linalg.norm(across)
    across = across / length if length > 1e-9 else across
    return list(3 * (cosine * base + (1 - cosine**2) ** 0.5 * across))


def ask_reference(
    python: Path, dataset: Path, benchmark: Benchmark, sets: list[tuple[str, list[Path]]], base_url: str
) -> dict[str, Any]:
    """Let the reference client load every table and score every set, in one process."""
    job = {
        "data_root": str(dataset),
        "snapshot_ids": benchmark.snapshot_ids(),
        "filters": FILTERS,
        "sets": [{"snapshot_id": name, "files": [str(file) for file in files]} for name, files in sets],
    }
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(dataset.parent),
        "HF_HUB_OFFLINE": "1",
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": base_url,
    }
    done = subprocess.run(
        [str(python), str(SCRIPT)],
        input=json.dumps(job),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def ours(world: World) -> list[ScoringResult]:
    return [score(world.benchmark, name, files, is_compat=True) for name, files in world.sets]


def test_both_give_the_same_classes_and_scores(world: World, ours: list[ScoringResult]) -> None:
    assert len(ours) == len(world.reference["sets"]) == NUM_SETS
    for mine, theirs in zip(ours, world.reference["sets"], strict=True):
        assert mine.snapshot_id == theirs["snapshot_id"]
        assert [each.classification.value for each in mine.candidates] == [
            each["classification"] for each in theirs["per_proposal"]
        ]
        assert [each.score for each in mine.candidates] == pytest.approx(
            [each["score"] for each in theirs["per_proposal"]], abs=1e-6
        )
        assert mine.set_score == pytest.approx(theirs["set_score"], abs=1e-6)
        assert mine.sum_of_scores == pytest.approx(theirs["sum_per_proposal"], abs=1e-6)
        assert mine.diversity == pytest.approx(theirs["diversity_bonus"], abs=1e-6)
        assert mine.valid_fraction == pytest.approx(theirs["validity_term"], abs=1e-6)


def test_both_find_the_same_neighbours(world: World, ours: list[ScoringResult]) -> None:
    """Which of several experiments of one text it is, the last bit of a sum decides."""
    texts = dict(world.benchmark.catalogue.experiments.select("experiment_id", "text").iter_rows())
    for mine, theirs in zip(ours, world.reference["sets"], strict=True):
        for each, other in zip(mine.candidates, theirs["per_proposal"], strict=True):
            if each.nearest_prior is not None:
                assert each.nearest_prior.text == texts[other["nearest_prior_id"]]
                similarity = pytest.approx(other["nearest_prior_similarity"], abs=2e-6)
                assert each.nearest_prior.similarity == similarity
            if each.classification == "novel_validated":
                assert each.matched_text == texts[other["matched_future_id"]]
                assert each.impact == other["matched_future_pool"]
            if each.classification == "rediscovery":
                assert (each.rejection_class, each.multiplier) == (
                    other["matched_prior_rejection_class"],
                    other["rejection_multiplier"],
                )


def test_the_sets_hold_every_case(ours: list[ScoringResult]) -> None:
    """Else the agreement would prove little."""
    candidates = [each for result in ours for each in result.candidates]
    classes = [each.classification.value for each in candidates]
    for name in ("invalid", "novel_validated", "rediscovery", "novel_unvalidated"):
        assert classes.count(name) >= 50, name
    assert {each.rejection_class for each in candidates} >= {*REJECTIONS, "none"}
    assert len({each.impact for each in candidates if each.impact}) >= 3
    near = [each for each in candidates if each.similarity and abs(each.similarity - 0.75) < 2e-5]
    assert {each.classification.value for each in near} >= {
        "novel_validated",
        "rediscovery",
        "novel_unvalidated",
    }
    assert sum(1.0 > result.valid_fraction > 0.0 for result in ours) >= 20
    assert any(result.valid_fraction == 0.0 for result in ours)
    assert any(len({each.path for each in result.candidates}) < len(result.candidates) for result in ours)


def test_without_compat_only_the_named_differences_remain(world: World, ours: list[ScoringResult]) -> None:
    differing = 0
    for compat, (name, files) in zip(ours, world.sets, strict=True):
        strict = score(world.benchmark, name, files)
        assert [each.classification for each in strict.candidates] == [
            each.classification for each in compat.candidates
        ]
        for mine, theirs in zip(strict.candidates, compat.candidates, strict=True):
            assert mine.score == theirs.score or mine.rejection_class == "none" != theirs.rejection_class
        if strict.valid_fraction == 1.0:
            assert strict.diversity == compat.diversity
        differing += strict.set_score != compat.set_score
    assert differing >= 20


def test_an_empty_set_has_a_score_here_and_none_there(world: World) -> None:
    assert world.reference["empty"] == {"error": "ZeroDivisionError"}
    assert score(world.benchmark, world.benchmark.snapshot_ids()[0], [], is_compat=True).set_score == 0.0


@pytest.mark.parametrize(
    "name", ["experiments", "ideas", "proposals", "runs", "snapshots", "val_trajectories"]
)
def test_it_loads_every_table(world: World, name: str) -> None:
    frame = pl.read_parquet(world.dataset / f"{name}.parquet")
    assert world.reference["tables"][f"load_{name}"] == {"rows": len(frame), "columns": frame.columns}


@pytest.mark.parametrize(
    "name",
    [
        "load_proposal_embeddings:openai",
        "load_proposal_embeddings:bge",
        "load_idea_embeddings",
        "load_mechanism_extractions",
        "load_calibration_cases",
    ],
)
def test_it_says_that_a_table_is_not_there_which_a_build_does_not_write(world: World, name: str) -> None:
    assert world.reference["tables"][name] == {"error": "FileNotFoundError"}


def test_it_filters_them_and_finds_the_recipes(world: World) -> None:
    counted = []
    for loader, wanted in FILTERS:
        frame = pl.read_parquet(world.dataset / f"{loader.removeprefix('load_')}.parquet")
        counted.append(len(frame.filter([pl.col(name) == pl.lit(value) for name, value in wanted.items()])))
    assert world.reference["filtered"] == counted
    assert min(counted) > 0
    recipes = {
        path.stem: path.read_text(encoding="utf-8") for path in (world.dataset / "current_recipes").iterdir()
    }
    found = dict(zip(world.benchmark.snapshot_ids(), world.reference["recipes"], strict=True))
    assert {name: text for name, text in found.items() if text is not None} == recipes
    assert len(recipes) > 20


def test_vectors_have_the_size_that_it_wants(world: World) -> None:
    assert world.benchmark.catalogue.vectors.shape[1] == DIMENSIONS
