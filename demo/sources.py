"""The text of trainer scripts: one core, with the constants and the mechanism of a variant."""

import hashlib
import re
from functools import lru_cache

from demo.model import Idea, Variant
from demo.profiles import Scale
from demo.rng import rng
from parsers.scopes import Scope

DELIMITER = "=" * 100
"""The line that the trainer prints behind its own source."""

_HELPERS = ("rescale", "whiten", "clip", "blend", "project", "damp", "gate", "mix", "probe", "anneal")
_OBJECTS = ("update", "momentum", "moment", "row", "column", "radius", "angle", "basis", "trust", "floor")
_FULL_SOURCE_BYTES = (30_000, 60_000)
_SMALL_SOURCE_BYTES = (4_500, 7_500)


def normalised_sha256(text: str) -> str:
    r"""Hash a source with line ends, trailing blanks and the final newline normalised.

    >>> normalised_sha256("a  \r\nb") == normalised_sha256("a\nb\n\n")
    True
    """
    lines = [line.rstrip() for line in re.split(r"\r\n|\r|\n", text)]
    return hashlib.sha256(("\n".join(lines).rstrip("\n") + "\n").encode()).hexdigest()


def source_of(scope: Scope, variant: Variant, idea: Idea | None, scale: Scale, is_edited: bool) -> str:
    """Write the source of a variant.

    Args:
        scope: Scope that holds the file.
        variant: Which file.
        idea: The idea that it implements, if its author says so in the file.
        scale: `full` gives scripts of the real size.
        is_edited: Write the text that the file had after its template was edited.

    Returns:
        A Python module that parses.
    """
    source = rng(scope, variant.stem, "source")
    head = _docstring(scope, variant, idea, source.choice((True, False, False)))
    constants = _constants(scope, variant, is_edited)
    body = _CORE.replace("@MECHANISM@", _function_name(variant)).replace(
        "@GAIN@", f"{source.uniform(0.1, 2):.4f}"
    )
    low, high = _FULL_SOURCE_BYTES if scale == "full" else _SMALL_SOURCE_BYTES
    padding = _padding(
        source.randrange(6), source.randrange(low, high) - len(head) - len(constants) - len(body)
    )
    note = "\n# retuned after the first batch; older runs used the previous floor\n" if is_edited else ""
    return f"{head}{constants}{note}{padding}{body}"


def _docstring(scope: Scope, variant: Variant, idea: Idea | None, has_sample: bool) -> str:
    recipe = variant.recipe
    if idea is not None and not recipe.is_opaque:
        what = f"{recipe.mechanism[0].upper()}{recipe.mechanism[1:]}. Idea: {idea.slug}."
    elif recipe.is_opaque:
        what = "Queue entry; see the journal for what it tries."
    else:
        what = f"{recipe.mechanism[0].upper()}{recipe.mechanism[1:]}."
    sample = ""
    if has_sample:
        sample = (
            "\nThe log's val_loss lines look like this and are read by the indexer:\n\n"
            f"step:{variant.stop_step}/{variant.train_steps} val_loss:3.27512 train_time:612.044s "
            "step_avg:203.10ms\n"
        )
    knobs = ", ".join(f"{name}={value}" for name, value in recipe.knobs) or "none"
    return (
        f'"""{variant.stem}: {what}\n\nScope {scope.wave}/{scope.agent}. Changed constants: {knobs}.\n'
        f'{sample}"""\n\nimport os\nimport sys\n\nwith open(sys.argv[0]) as f:\n    code = f.read()\n\n'
    )


def _constants(scope: Scope, variant: Variant, is_edited: bool) -> str:
    values = {
        "TRAIN_STEPS": str(variant.train_steps),
        "STOP_STEP": str(variant.stop_step),
        "SEED": str(variant.seed),
        "MUON_LR": "0.035",
        "HEAD_LR": "0.009375",
        "EMBED_LR": "0.6",
        "WEIGHT_DECAY": "0.020",
        "MOMENTUM": "0.94",
        "BETA2": "0.97",
        "NS_ITERATIONS": "5",
        "LR_FLOOR": "0.015",
        "EPSILON": "1e-7",
        "ALPHA": "0.15",
        "GAMMA": "0.85",
        "RANK_K": "6",
        "COOLDOWN_FRACTION": {"v1": "0.55", "novelty": "0.6", "v2": "0.7", "v3": "0.8"}[scope.wave],
    } | dict(variant.recipe.knobs)
    if is_edited:
        values["LR_FLOOR"] = "0.0125"
        values["COOLDOWN_FRACTION"] = "0.65"
    return "".join(f"{name} = {value}\n" for name, value in values.items()) + "\n"


def _function_name(variant: Variant) -> str:
    words = re.findall(r"[a-z]+", variant.recipe.mechanism.lower())
    return "_".join(words[:3]) if not variant.recipe.is_opaque else "candidate"


@lru_cache(maxsize=256)
def _padding(kind: int, wanted_chars: int) -> str:
    """Write helper functions until a length is reached; equal for all variants of one kind."""
    blocks: list[str] = []
    size = number = 0
    while size < wanted_chars:
        verb, noun = _HELPERS[(number + kind) % 10], _OBJECTS[(number // 10 + 3 * kind) % 10]
        block = _HELPER.replace("@NAME@", f"{verb}_{noun}_{number}").replace(
            "@A@", f"{0.01 * (number + kind):.3f}"
        )
        blocks.append(block)
        size += len(block)
        number += 1
    return "".join(blocks)


_HELPER = '''
def @NAME@(tensor: "Tensor", state: dict, step: int) -> "Tensor":
    """Apply @NAME@ in place and keep its running statistics in the optimizer's state."""
    stats = state.setdefault("@NAME@", {"mean": 0.0, "square": 0.0})
    scale = tensor.square().mean().sqrt().clamp_min(EPSILON)
    stats["mean"] = (1 - @A@) * stats["mean"] + @A@ * float(scale)
    stats["square"] = (1 - @A@) * stats["square"] + @A@ * float(scale) ** 2
    if step < 32:
        return tensor
    spread = max(stats["square"] - stats["mean"] ** 2, 0.0) ** 0.5
    return tensor.mul_(1.0 / (1.0 + @A@ * spread / (stats["mean"] + EPSILON)))

'''

_CORE = '''
import torch
import torch.distributed as dist
from torch import Tensor, nn


def zeropower_via_newtonschulz(update: Tensor) -> Tensor:
    """Orthogonalise a matrix by a quintic Newton-Schulz iteration."""
    a, b, c = (3.4445, -4.7750, 2.0315)
    x = update.bfloat16() / (update.norm() + EPSILON)
    is_tall = x.size(-2) > x.size(-1)
    x = x.mT if is_tall else x
    for _ in range(NS_ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if is_tall else x


def @MECHANISM@_step(grad: Tensor, buffer: Tensor, step: int) -> Tensor:
    """Compute the changed part of the update."""
    buffer.lerp_(grad, 1 - MOMENTUM)
    agreement = (grad * buffer).sum() / (grad.norm() * buffer.norm() + EPSILON)
    gain = @GAIN@ * ALPHA + (1 - ALPHA) * agreement.clamp(min=LR_FLOOR)
    return zeropower_via_newtonschulz(buffer.mul(gain))


class Muon(torch.optim.Optimizer):
    """Momentum, orthogonalised by Newton-Schulz."""

    def __init__(self, params, lr=MUON_LR, weight_decay=WEIGHT_DECAY, momentum=MOMENTUM):
        super().__init__(params, dict(lr=lr, weight_decay=weight_decay, momentum=momentum))

    @torch.no_grad()
    def step(self, step: int) -> None:
        for group in self.param_groups:
            for param in group["params"]:
                state = self.state[param]
                buffer = state.setdefault("momentum", torch.zeros_like(param))
                update = @MECHANISM@_step(param.grad, buffer, step)
                param.mul_(1 - group["lr"] * group["weight_decay"])
                param.add_(update, alpha=-group["lr"])


def get_lr(step: int) -> float:
    """Hold the rate and then let it fall to the floor."""
    left = 1 - step / TRAIN_STEPS
    return max(LR_FLOOR, min(1.0, left / COOLDOWN_FRACTION))


def print0(text: str, console: bool = True) -> None:
    """Print from the first rank only."""
    if dist.get_rank() == 0:
        print(text, flush=True)


def main() -> None:
    """Train until STOP_STEP and validate every 125 steps."""
    print0(code)
    print0("=" * 100)
    torch.manual_seed(SEED)
    model = nn.Module()
    for step in range(STOP_STEP + 1):
        if step % 125 == 0 or step == STOP_STEP:
            val_loss = validate(model)
            print0(f"step:{step}/{TRAIN_STEPS} val_loss:{val_loss:.5f} train_time:{0.0:.3f}s")
        train_one_step(model, get_lr(step))


if __name__ == "__main__":
    main()
'''
