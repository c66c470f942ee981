"""The published equivalence of long outputs: a DeBERTa that was trained on people's judgements of pairs."""

from collections.abc import Sequence
from typing import Any

from scorers.noveltybench.equivalence import Pair
from scorers.noveltybench.pretrained import load_classifier, load_tokenizer

MODEL = "yimingzhang/deberta-v3-large-generation-similarity"
TOKENIZER = "microsoft/deberta-v3-large"
"""The published model comes without a tokenizer: its base's is taken."""

THRESHOLD = 0.102
MAX_SIDE_TOKENS = 128


class DebertaEquivalence:
    """Two outputs are equal that the classifier finds similar.

    As in the published code of Zhang et al. 2025 (version 1.0): `[CLS] left [SEP] right [SEP]`, where each
    side is cut to its first 128 tokens; token types 0 up to the first `[SEP]` and 1 behind it; the softmax of
    the second of two logits must exceed 0.102. Each pair is judged alone, so that no padding changes a
    verdict. A special token that an output spells out is read as an unknown one.
    """

    def __init__(
        self,
        model: str = MODEL,
        *,
        tokenizer: str | None = None,
        threshold: float = THRESHOLD,
        device: str | None = None,
    ) -> None:
        """Load the classifier.

        Args:
            model: Name of the model, or a folder that holds it.
            tokenizer: The same of its tokenizer; None takes what belongs to the model.
            threshold: Outputs are equal whose similarity exceeds this.
            device: `cpu`, `cuda:0` and the like; None takes a GPU if there is one.

        Raises:
            NoveltyBenchError: If it cannot be loaded.
        """
        self.threshold = threshold
        self._tokenizer = load_tokenizer(tokenizer or (TOKENIZER if model == MODEL else model))
        self._model = load_classifier(model, 2, "float32", device)

    def __call__(self, pairs: Sequence[Pair], /) -> list[bool]:
        """Judge pairs."""
        return [self.similarity(left, right) > self.threshold for left, right in pairs]

    def similarity(self, left: str, right: str) -> float:
        """Say how likely both outputs say the same, 0 to 1."""
        import torch

        ids, types = self._encode(left, right)
        with torch.inference_mode():
            logits = self._model(
                input_ids=torch.tensor([ids], device=self._model.device),
                token_type_ids=torch.tensor([types], device=self._model.device),
            ).logits
        return float(logits.softmax(-1)[0, 1])

    def _encode(self, left: str, right: str) -> tuple[list[int], list[int]]:
        cls, sep = self._tokenizer.cls_token_id, self._tokenizer.sep_token_id
        first = [cls, *self._side(left), sep]
        second = [*self._side(right), sep]
        return first + second, [0] * len(first) + [1] * len(second)

    def _side(self, text: str) -> list[int]:
        tokenizer: Any = self._tokenizer
        ids = tokenizer.encode(text, add_special_tokens=False, truncation=True, max_length=MAX_SIDE_TOKENS)
        # An output that spells `[SEP]` must not shift what is compared with what.
        special = {*tokenizer.all_special_ids}
        return [tokenizer.unk_token_id if each in special else each for each in ids]
