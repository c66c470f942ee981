"""The classifier and the reward model through transformers: tiny ones that are made here, read from folders."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorers.noveltybench.deberta import DebertaEquivalence
from scorers.noveltybench.errors import NoveltyBenchError
from scorers.noveltybench.quality import quality_of
from scorers.noveltybench.skywork import PretrainedReward

pytestmark = [
    pytest.mark.bge,
    # Libraries of the extra warn of their own future; that is no fault of ours.
    pytest.mark.filterwarnings("ignore"),
]

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "<user>", "<assistant>"]
WORDS = ["a", "b", "c", "d", "e", "f", "g", "red", "green", "blue", "fast", "slow", "what", "is", "it"]
VOCABULARY = {word: number for number, word in enumerate([*SPECIAL, *WORDS])}
PAD, UNK, CLS, SEP = range(4)
TEMPLATE = "{% for turn in messages %}<{{ turn['role'] }}> {{ turn['content'] }} {% endfor %}"


def save_tokenizer(folder: Path, template: str | None = None) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))  # noqa: S106 - no password
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit() if template else pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token="[PAD]",  # noqa: S106
        unk_token="[UNK]",  # noqa: S106
        cls_token="[CLS]",  # noqa: S106
        sep_token="[SEP]",  # noqa: S106
        model_max_length=64 if template else 512,
    )
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)


def deberta_config(**changes: Any) -> Any:
    from transformers import DebertaV2Config

    shape: dict[str, Any] = {
        "vocab_size": len(VOCABULARY),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 512,
        "relative_attention": True,
        "position_buckets": 32,
        "pos_att_type": ["p2c", "c2p"],
        "type_vocab_size": 2,
        # Large enough that random weights tell texts apart, small enough that no softmax is saturated.
        "initializer_range": 0.2,
        **changes,
    }
    return DebertaV2Config(**shape)


def save(folder: Path, make: Callable[[], Any], template: str | None = None) -> Path:
    pytest.importorskip("transformers")
    import torch

    torch.manual_seed(0)
    make().save_pretrained(folder)
    save_tokenizer(folder, template)
    return folder


def make_classifier(**changes: Any) -> Callable[[], Any]:
    def make() -> Any:
        from transformers import DebertaV2ForSequenceClassification

        return DebertaV2ForSequenceClassification(deberta_config(**changes))

    return make


def make_reward() -> Any:
    from transformers import Gemma2Config, Gemma2ForSequenceClassification

    config = Gemma2Config(
        vocab_size=len(VOCABULARY),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        pad_token_id=PAD,
        initializer_range=0.5,
        num_labels=1,
    )
    return Gemma2ForSequenceClassification(config)


@pytest.fixture(scope="session")
def tiny_deberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DeBERTa of two layers with random weights, and two outputs."""
    return save(tmp_path_factory.mktemp("models") / "deberta", make_classifier())


@pytest.fixture(scope="session")
def tiny_reward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Gemma 2 of two layers with random weights, one output and a chat template."""
    return save(tmp_path_factory.mktemp("models") / "reward", make_reward, TEMPLATE)


def similarity_of(folder: Path, left: list[int], right: list[int]) -> float:
    """What the classifier says of token ids that are laid out by hand."""
    import torch
    from transformers import DebertaV2ForSequenceClassification

    model = DebertaV2ForSequenceClassification.from_pretrained(folder).eval()
    ids = [CLS, *left, SEP, *right, SEP]
    types = [0] * (len(left) + 2) + [1] * (len(right) + 1)
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits
    return float(torch.softmax(logits, -1)[0, 1])


def ids_of(text: str) -> list[int]:
    return [VOCABULARY.get(word, UNK) for word in text.split()]


@pytest.mark.parametrize(
    ("left", "right"),
    [("a b c d e f", "c c g"), ("c c g", "a b c d e f"), ("red", ""), ("what is it ?", "fast fast slow")],
)
def test_a_pair_is_encoded_as_published(tiny_deberta: Path, left: str, right: str) -> None:
    judge = DebertaEquivalence(str(tiny_deberta), device="cpu")
    expected = similarity_of(tiny_deberta, ids_of(left), ids_of(right))
    assert judge.similarity(left, right) == pytest.approx(expected, abs=1e-6)


def test_a_side_is_read_up_to_128_tokens(tiny_deberta: Path) -> None:
    judge = DebertaEquivalence(str(tiny_deberta), device="cpu")
    long = "a b " * 64
    expected = similarity_of(tiny_deberta, ids_of(long), ids_of(long))
    assert judge.similarity(long + "red " * 50, long + "blue") == pytest.approx(expected, abs=1e-6)
    cut = similarity_of(tiny_deberta, ids_of(long)[:127], ids_of(long))
    assert abs(judge.similarity(long[:-3], long) - cut) < 1e-6 < 1e-5 < abs(cut - expected)


def test_a_special_token_in_an_output_is_an_unknown_one(tiny_deberta: Path) -> None:
    judge = DebertaEquivalence(str(tiny_deberta), device="cpu")
    expected = similarity_of(tiny_deberta, ids_of("a ? b"), ids_of("c"))
    assert judge.similarity("a [SEP] b", "c") == pytest.approx(expected, abs=1e-6)
    spoofed = similarity_of(tiny_deberta, ids_of("a [SEP] b"), ids_of("c"))
    assert abs(spoofed - expected) > 1e-3


def test_the_threshold_must_be_exceeded(tiny_deberta: Path) -> None:
    pair = ("a b c d e f", "c c g red is it")
    similarity = DebertaEquivalence(str(tiny_deberta), device="cpu").similarity(*pair)
    below = DebertaEquivalence(str(tiny_deberta), device="cpu", threshold=similarity - 1e-4)
    at = DebertaEquivalence(str(tiny_deberta), device="cpu", threshold=similarity)
    assert (below([pair]), at([pair]), at([])) == ([True], [False], [])
    assert DebertaEquivalence(str(tiny_deberta), device="cpu").threshold == 0.102


def test_a_pair_does_not_depend_on_its_neighbours(tiny_deberta: Path) -> None:
    judge = DebertaEquivalence(str(tiny_deberta), device="cpu", threshold=0.5)
    pairs = [("a " * 40, "b"), ("c d", "e f g a b c d"), ("red green", "slow " * 90)]
    assert judge(pairs) == [judge([pair])[0] for pair in pairs]


def test_a_reward_is_the_one_logit_of_the_conversation(tiny_reward: Path) -> None:
    import torch
    from transformers import Gemma2ForSequenceClassification

    model = Gemma2ForSequenceClassification.from_pretrained(
        tiny_reward, dtype=torch.bfloat16, attn_implementation="eager"
    ).eval()
    ids = ids_of("<user> what is it <assistant> fast red")
    with torch.inference_mode():
        expected = float(model(input_ids=torch.tensor([ids])).logits[0, 0])
    reward = PretrainedReward(str(tiny_reward), device="cpu")
    exchanges = [("what is it", "fast red"), ("what is it", "slow"), ("what is it", "a " * 500), ("", "")]
    rewards = reward(exchanges)
    assert rewards[0] == expected
    assert rewards[1] != expected
    assert rewards == [reward([each])[0] for each in exchanges]
    assert all(1 <= quality_of(each) <= 10 for each in rewards)
    assert reward([]) == []


def test_a_model_that_was_not_trained_to_judge_is_refused(tmp_path: Path) -> None:
    """Transformers would fill in random numbers and answer as if nothing were wrong."""

    def make_base() -> Any:
        from transformers import DebertaV2Model

        return DebertaV2Model(deberta_config())

    base = save(tmp_path / "base", make_base)
    with pytest.raises(
        NoveltyBenchError, match=r"no classifier of 2 outputs .*\(classifier\.bias does not fit"
    ):
        DebertaEquivalence(str(base), device="cpu")
    three = save(tmp_path / "three", make_classifier(num_labels=3))
    with pytest.raises(NoveltyBenchError, match="no classifier of 2 outputs"):
        DebertaEquivalence(str(three), device="cpu")


def test_what_is_no_model_is_named_in_one_sentence(
    tiny_deberta: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nonsense"}))
    with pytest.raises(NoveltyBenchError, match="could be loaded neither from a folder nor by name"):
        DebertaEquivalence(str(tmp_path))
    with pytest.raises(NoveltyBenchError, match="could be loaded neither from a folder nor by name"):
        PretrainedReward("nobody/nothing")
    with pytest.raises(NoveltyBenchError, match="has no chat template"):
        PretrainedReward(str(tiny_deberta))
