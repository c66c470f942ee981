"""The published judge of quality: a Skywork reward model, to which the published thresholds belong."""

from collections.abc import Sequence

from scorers.noveltybench.errors import NoveltyBenchError
from scorers.noveltybench.pretrained import best_device, load_classifier, load_tokenizer
from scorers.noveltybench.quality import Exchange

MODEL = "Skywork/Skywork-Reward-Gemma-2-27B-v0.2"
"""27 billion parameters: 54 GB as bfloat16."""


class PretrainedReward:
    """Rewards an output to a prompt by the one logit of a sequence classifier.

    As in the published code of Zhang et al. 2025 (version 1.0): prompt and output as the turns of user and
    assistant in the model's own chat template, numbers as bfloat16, cut to what the model reads. Attention is
    the plain one, which caps its logits as that model was trained to. Each output is rewarded alone, so that
    no padding changes a reward.
    """

    def __init__(self, model: str = MODEL, *, device: str | None = None) -> None:
        """Load the model.

        Args:
            model: Name of the model, or a folder that holds it.
            device: `cpu`, `cuda:0` and the like; None spreads it over the GPUs if there are any.

        Raises:
            NoveltyBenchError: If it cannot be loaded, or has no chat template.
        """
        self._tokenizer = load_tokenizer(model)
        if not self._tokenizer.chat_template:
            raise NoveltyBenchError(f"The tokenizer of {model} has no chat template: name another model.")
        is_spread = device is None and best_device() != "cpu"
        options = {"device_map": "auto"} if is_spread else {}
        self._model = load_classifier(model, 1, "bfloat16", device, attn_implementation="eager", **options)

    def __call__(self, exchanges: Sequence[Exchange], /) -> list[float]:
        """Reward outputs."""
        return [self.reward(prompt, output) for prompt, output in exchanges]

    def reward(self, prompt: str, output: str) -> float:
        """Reward one output."""
        import torch

        turns = [{"role": "user", "content": prompt}, {"role": "assistant", "content": output}]
        inputs = self._tokenizer.apply_chat_template(
            turns, tokenize=True, truncation=True, return_tensors="pt", return_dict=True
        ).to(self._model.device)
        with torch.inference_mode():
            return float(self._model(**inputs).logits[0, 0])
