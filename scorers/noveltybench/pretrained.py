"""Loads a sequence classifier and its tokenizer, by name or from a folder; needs the extra `noveltybench`."""

import importlib.util
import io
from contextlib import redirect_stderr
from typing import Any

from scorers.noveltybench.errors import NoveltyBenchError


def check_installed() -> None:
    """Say what to do where transformers or torch is absent.

    Raises:
        NoveltyBenchError: If one is.
    """
    absent = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if absent:
        raise NoveltyBenchError(
            f"{' and '.join(absent)} is not installed: run `make bge`, or `pip install "
            "'speedrun-etl[noveltybench]'` after a torch that suits this machine."
        )


def load_tokenizer(name: str) -> Any:
    """Load a tokenizer.

    Args:
        name: Name of a model, or a folder that holds one.

    Raises:
        NoveltyBenchError: If there is none.
    """
    check_installed()
    from transformers import AutoTokenizer

    return _load("tokenizer", name, lambda: AutoTokenizer.from_pretrained(name))


def load_classifier(name: str, num_labels: int, dtype: str, device: str | None, **options: Any) -> Any:
    """Load a sequence classifier, ready to judge.

    Args:
        name: Name of a model, or a folder that holds one.
        num_labels: How many outputs it has.
        dtype: Name of torch's type of its numbers.
        device: `cpu`, `cuda:0` and the like; None takes a GPU if there is one.
        options: Passed on to transformers.

    Raises:
        NoveltyBenchError: If there is none, or it was not trained as one.
    """
    check_installed()
    import torch
    from transformers import AutoModelForSequenceClassification

    def load() -> tuple[Any, Any]:
        found = AutoModelForSequenceClassification.from_pretrained(
            name,
            num_labels=num_labels,
            dtype=getattr(torch, dtype),
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **options,
        )
        return found[0], found[1]

    model, info = _load("model", name, load)
    # What is not there, or has another size, is filled with random numbers: that would judge by chance.
    random = sorted(info["missing_keys"] | {each[0] for each in info["mismatched_keys"]})
    if random:
        raise NoveltyBenchError(
            f"The model {name} is no classifier of {num_labels} outputs that was trained as such "
            f"({random[0]} does not fit): name another."
        )
    model.eval()
    return model if "device_map" in options else model.to(device or best_device())


def best_device() -> str:
    """Name the first GPU, or the CPU where there is none."""
    import torch

    return "cuda:0" if torch.cuda.is_available() else "cpu"


def _load(what: str, name: str, load: Any) -> Any:
    try:
        # Bars and reports of what was loaded; what matters is looked at by the caller.
        with redirect_stderr(io.StringIO()):
            return load()
    except Exception as error:
        kind = type(error).__name__
    raise NoveltyBenchError(
        f"The {what} of {name} could be loaded neither from a folder nor by name ({kind}): "
        "name a folder that holds it."
    )
