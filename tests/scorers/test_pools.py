"""What a snapshot's candidates are held against."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from scorers.classes import Impact
from scorers.errors import ScoringError
from scorers.lexical import LexicalBackend
from scorers.pools import Benchmark
from tests.scorers.small import MODEL, SNAPSHOT, Thought, Tried, hour, write_dataset

E0, E1, E2 = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


def test_pools_hold_what_the_snapshot_lists(tmp_path: Path) -> None:
    tried = [Tried("z", E0), Tried("a", E1, idea="i"), Tried("f", E2, 20), Tried("w", E2, 21), Tried("o", E0)]
    benchmark = Benchmark.load(
        write_dataset(
            tmp_path,
            tried,
            [Thought("i")],
            prior_experiment_ids=["z", "a"],
            field_prior_experiment_ids=["a", "o", "z"],
            future_improved_experiment_ids=["w"],
            future_frontier_experiment_ids=["f", "w"],
        )
    )
    pools = benchmark.pools(SNAPSHOT)
    assert (pools.priors.ids, pools.futures.ids) == (["a", "z"], ["f", "w"])
    assert benchmark.pools(SNAPSHOT, "field").priors.ids == ["a", "o", "z"]
    assert (pools.wall_clock, pools.split, pools.agent, pools.wave) == (hour(10), "test", "codex", "v1")
    assert pools.priors.vectors.tolist() == [E1, E0]
    first = pools.priors[0]
    assert (first.experiment_id, first.idea_id, first.idea_title) == ("a", "i", "Title of i")
    assert (first.text, first.launched_at) == ("Title of a\n\nWhat a does.", hour(1))
    assert [pools.priors.place(name) for name in ("a", "z", "f", "")] == [0, 1, None, None]


def test_what_has_no_vector_or_no_description_is_in_no_pool(tmp_path: Path) -> None:
    folder = write_dataset(
        tmp_path, [Tried("a", E0), Tried("b", None)], prior_experiment_ids=["a", "b", "gone"]
    )
    assert Benchmark.load(folder).pools(SNAPSHOT).priors.ids == ["a"]
    experiments = pl.read_parquet(folder / "experiments.parquet")
    experiments.with_columns(pl.lit(None, pl.String).alias("description_text")).write_parquet(
        folder / "experiments.parquet"
    )
    assert len(Benchmark.load(folder).pools(SNAPSHOT).priors) == 0


def test_experiments_of_one_text_share_a_vector_and_tie_exactly(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(40, 300))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    tried = [Tried(f"{n:03}", rows[n % 40].tolist(), text=f"Text {n % 40}") for n in range(120)]
    benchmark = Benchmark.load(
        write_dataset(tmp_path, tried, prior_experiment_ids=[each.name for each in tried])
    )
    assert benchmark.catalogue.vectors.shape == (40, 300)
    priors = benchmark.pools(SNAPSHOT).priors
    similarities = benchmark.pools(SNAPSHOT).similarities(rows[:5].astype(np.float32)).priors
    assert similarities.shape == (5, 120)
    assert np.array_equal(similarities[:, :40], similarities[:, 40:80])
    assert np.allclose(similarities, rows[:5] @ priors.vectors.T, atol=1e-6)
    assert [priors.nearest(row, 3) for row in similarities] == [[n, n + 40, n + 80] for n in range(5)]


@pytest.mark.parametrize("is_compat", [False, True])
def test_similarities_are_those_of_the_pools_in_their_order(tmp_path: Path, is_compat: bool) -> None:
    tried = [Tried(f"{n}", np.eye(9)[n].tolist()) for n in range(9)]
    pools = Benchmark.load(
        write_dataset(tmp_path, tried, prior_experiment_ids=["7", "3"], future_improved_experiment_ids=["5"])
    ).pools(SNAPSHOT, is_compat=is_compat)
    similarities = pools.similarities(np.eye(9, dtype=np.float32)[[7, 5, 0]])
    assert similarities.priors.tolist() == [[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    assert similarities.futures.tolist() == [[0.0], [1.0], [0.0]]
    assert similarities.of(1).futures.tolist() == [[1.0]]
    nobody = pools.similarities(np.zeros((0, 9), dtype=np.float32))
    assert (nobody.priors.shape, nobody.futures.shape) == ((0, 2), (0, 1))


def test_a_dataset_without_any_text_has_empty_pools(tmp_path: Path) -> None:
    benchmark = Benchmark.load(write_dataset(tmp_path, []), "lexical")
    similarities = benchmark.pools(SNAPSHOT).similarities(np.ones((2, 5), dtype=np.float32))
    assert (similarities.priors.shape, similarities.futures.shape) == ((2, 0), (2, 0))


def test_the_impact_is_the_ideas_before_the_experiments(tmp_path: Path) -> None:
    tried = [
        Tried(name, E0, 20, idea=idea) for name, idea in (("a", "f"), ("b", "i"), ("c", "n"), ("d", None))
    ]
    pools = Benchmark.load(
        write_dataset(
            tmp_path,
            tried,
            future_frontier_idea_ids=["f"],
            future_improved_idea_ids=["f", "i"],
            future_frontier_experiment_ids=["b", "c"],
            future_improved_experiment_ids=["a", "b", "c", "d"],
        )
    ).pools(SNAPSHOT)
    assert [pools.impact(pools.futures[place]) for place in range(4)] == [
        Impact.FRONTIER_IDEA,
        Impact.IMPROVED_IDEA,
        Impact.FRONTIER_EXPERIMENT,
        Impact.IMPROVED_EXPERIMENT,
    ]


def test_a_prior_has_no_impact(tmp_path: Path) -> None:
    pools = Benchmark.load(write_dataset(tmp_path, [Tried("a", E0)], prior_experiment_ids=["a"])).pools(
        SNAPSHOT
    )
    with pytest.raises(ValueError, match="no future experiment"):
        pools.impact(pools.priors[0])


@pytest.mark.parametrize(
    ("rejected", "by_then", "ever"),
    [
        (9.0, "failed", "failed"),
        (10.0, "failed", "failed"),
        (10.5, "none", "failed"),
        (None, "none", "failed"),
    ],
)
def test_a_rejection_counts_from_its_time_on(
    tmp_path: Path, rejected: float | None, by_then: str, ever: str
) -> None:
    benchmark = Benchmark.load(
        write_dataset(
            tmp_path,
            [Tried("a", E0, idea="i")],
            [Thought("i", "failed", rejected)],
            prior_experiment_ids=["a"],
        )
    )
    pools = benchmark.pools(SNAPSHOT)
    assert pools.rejection_class(pools.priors[0]) == by_then
    assert benchmark.pools(SNAPSHOT, is_compat=True).rejection_class(pools.priors[0]) == ever


def test_rejections_agree_with_the_snapshots_of_a_built_dataset(built_dataset: Path) -> None:
    benchmark = Benchmark.load(built_dataset, "lexical")
    rows = benchmark.snapshots.select("snapshot_id", "rejected_idea_ids").iter_rows()
    num_rejected = 0
    for snapshot_id, rejected in rows:
        pools = benchmark.pools(snapshot_id)
        for place in range(len(pools.priors)):
            experiment = pools.priors[place]
            is_rejected = pools.rejection_class(experiment) != "none"
            assert is_rejected == (experiment.idea_id in rejected)
            num_rejected += is_rejected
    assert num_rejected > 20


def test_snapshots_are_listed_by_split(tmp_path: Path) -> None:
    benchmark = Benchmark.load(write_dataset(tmp_path, [Tried("a", E0)]))
    assert benchmark.snapshot_ids() == benchmark.snapshot_ids("test") == [SNAPSHOT]
    assert benchmark.snapshot_ids("dev") == []


@pytest.mark.parametrize(
    ("name", "rather"), [(f"{SNAPSHOT}x", f"did you mean {SNAPSHOT}?"), ("?", f"there are {SNAPSHOT}.")]
)
def test_an_unknown_snapshot_is_refused(tmp_path: Path, name: str, rather: str) -> None:
    benchmark = Benchmark.load(write_dataset(tmp_path, [Tried("a", E0)]))
    with pytest.raises(ScoringError, match=rather.replace("?", r"\?")):
        benchmark.pools(name)


def test_what_cannot_be_loaded_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ScoringError, match="is no folder"):
        Benchmark.load(tmp_path / "absent")
    with pytest.raises(ScoringError, match=r"holds no ideas\.parquet"):
        Benchmark.load(tmp_path)
    folder = write_dataset(tmp_path / "d", [Tried("a", E0)])
    with pytest.raises(ScoringError, match="There is no embedding bert: there are openai, bge, lexical"):
        Benchmark.load(folder, "bert")
    with pytest.raises(
        ScoringError, match="no embeddings by bge: build it with `speedrun-etl build --embed bge`"
    ):
        Benchmark.load(folder, "bge")
    (folder / "ideas.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(ScoringError, match=r"ideas\.parquet of .* cannot be read"):
        Benchmark.load(folder)


def test_vectors_of_two_models_or_none_are_refused(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path, [Tried("a", E0), Tried("b", E1)])
    table = folder / "experiment_embeddings_openai.parquet"
    stored = pl.read_parquet(table)
    stored.with_columns(pl.Series("embedding_model", ["m", "n"])).write_parquet(table)
    with pytest.raises(ScoringError, match="no vectors of one model"):
        Benchmark.load(folder)
    stored.clear().write_parquet(table)
    with pytest.raises(ScoringError, match="no vectors of one model"):
        Benchmark.load(folder)


def test_who_embeds_must_have_the_datasets_model(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path, [Tried("a", E0)])
    benchmark = Benchmark.load(folder)
    assert (benchmark.model, benchmark.backend) == (MODEL, None)
    with pytest.raises(ScoringError, match="Nobody embeds the candidates"):
        benchmark.embed(["a"])
    with pytest.raises(ScoringError, match=f"embedded by {MODEL} and candidates by hashed"):
        Benchmark.load(folder, backend=LexicalBackend.fit([]))


def test_words_alone_need_no_stored_vectors(tmp_path: Path) -> None:
    folder = write_dataset(
        tmp_path,
        [Tried("a", None, text="Muon."), Tried("b", None, text="?")],
        prior_experiment_ids=["a", "b"],
    )
    benchmark = Benchmark.load(folder, "lexical")
    assert benchmark.pools(SNAPSHOT).priors.ids == ["a"]
    assert benchmark.embed(["Muon."])[0].vector is not None
