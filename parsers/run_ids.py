"""The parts of a run id: the recipe's stem, and the seed, replicate and step marks that hang on it."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class SeedOrigin(StrEnum):
    """How a run id spells its seed."""

    SEED_WORD = "seedN"
    S_SUFFIX = "sN"


@dataclass(frozen=True, slots=True)
class RunName:
    """A run id, taken apart. A seed in a name is what the agent meant, not proof of what the trainer got.

    Attributes:
        run_id: The id as it stands in the archive.
        stem: The id without the suffixes: what runs of one recipe at one length share.
        family: The stem without its stop step and training steps: what all rungs of a recipe share.
        suffixes: What was peeled off the end, in the order of the id, without separators.
        seed: The seed that the id names.
        seed_origin: How it names it.
        replicate: N of an `-rN` suffix. The first replicate often has none.
        retry: N of a `-retryN` suffix; 1 for a bare `-retry`.
        start_step: Step at which something starts, as in `start2000`, or `s2000` of an average.
        stop_step: Step at which the run was stopped, short of its schedule.
        horizon: Length of the schedule.
        train_steps: Number of training steps, from `tsN`, `tN` or `exactN`.
    """

    run_id: str
    stem: str
    family: str
    suffixes: tuple[str, ...] = ()
    seed: int | None = None
    seed_origin: SeedOrigin | None = None
    replicate: int | None = None
    retry: int | None = None
    start_step: int | None = None
    stop_step: int | None = None
    horizon: int | None = None
    train_steps: int | None = None


LARGEST_SMALL_SEED = 23
ODD_SEED = 1234
"""Besides 0 to 23 the only seed that was used: any other `-sN` is a step or a parameter."""

FIRST_STOP_STEP = 2750
"""No run stopped earlier, and no average started later: it tells `s2000` from `s3250`."""

NAMES_KEPT = 65_536
"""Names whose parts are kept: the same ones are taken apart by one stage after another."""

_SUFFIX = re.compile(
    r"""
    -(?P<word> main | preempt | repro | controlled | final | extraval | local | sig )
    | -(?P<retry> retry \d{0,4} )
    | [-_] seed (?P<seed> \d{1,9} )
    | -r (?P<replicate> 0 | [1-9]\d{0,2} )
    | (?: - | (?<=\d\d) ) s (?P<s> 0 | [1-9]\d? | 1234 )
    """,
    re.VERBOSE,
)
_LONGEST_SUFFIX = 16
_INNER_SEED = re.compile(r"[-_]seed(\d{1,9})(?=[-_]|$)")
_STEP_MARK = re.compile(r"(?<![A-Za-z])(?P<mark>horizon|start|stop|exact|ts|h|s|t)(?P<step>\d{4})(?!\d)")
_MARK_FIELD = {
    "horizon": "horizon",
    "h": "horizon",
    "start": "start_step",
    "stop": "stop_step",
    "exact": "train_steps",
    "ts": "train_steps",
    "t": "train_steps",
}
_RUNG_FIELDS = frozenset({"stop_step", "train_steps"})


@lru_cache(maxsize=NAMES_KEPT)
def parse_run_id(run_id: str) -> RunName:
    """Take a run id apart. Any text is an id; one without known parts is all stem.

    >>> parse_run_id("horizon3500-stop3450-seed1").seed
    1
    >>> name = parse_run_id("v12iso-musched-h3375-s3195-seed0-retry1")
    >>> name.stem, name.seed, name.retry, name.horizon, name.stop_step
    ('v12iso-musched-h3375-s3195', 0, 1, 3375, 3195)
    >>> parse_run_id("normuon-beta090-lr030-horizon3375-stop3325-seed0-controlled").suffixes
    ('seed0', 'controlled')
    >>> name = parse_run_id("muon2fema099s2500h3375s3192s2")
    >>> name.stem, name.seed, name.start_step, name.horizon, name.stop_step
    ('muon2fema099s2500h3375s3192', 2, 2500, 3375, 3192)
    >>> name = parse_run_id("adago3275s1")
    >>> name.stem, name.seed
    ('adago3275', 1)
    >>> name = parse_run_id("ngi001_n095_m105_t3475_seed1234")
    >>> name.stem, name.seed, name.train_steps
    ('ngi001_n095_m105_t3475', 1234, 3475)
    >>> parse_run_id("ndf001_a005_b09_t010_exact3450").train_steps
    3450
    >>> name = parse_run_id("v12-ts2999-r4")
    >>> name.stem, name.family, name.replicate, name.seed
    ('v12-ts2999', 'v12', 4, None)
    >>> name = parse_run_id("legal-v12opt-rolewd-rolelr2-lookahead-ts3037-cm0225-attn0625-sig-r1")
    >>> name.stem, name.suffixes
    ('legal-v12opt-rolewd-rolelr2-lookahead-ts3037-cm0225-attn0625', ('sig', 'r1'))
    >>> parse_run_id("v3tailfresh-dualmom-r018-mu055-ts2999").replicate is None
    True
    >>> name = parse_run_id("v3sub3000-soapaurora-contra-s006-ts2999-main")
    >>> name.seed, name.stem
    (None, 'v3sub3000-soapaurora-contra-s006-ts2999')
    >>> parse_run_id("v3prune-w258loo-nosphere-r1-preempt").suffixes
    ('r1', 'preempt')
    >>> name = parse_run_id("tailema-b0999-s2000-ts3025-s0")
    >>> name.seed, name.seed_origin.value, name.start_step, name.family
    (0, 'sN', 2000, 'tailema-b0999-s2000')
    >>> parse_run_id("muon-spm-K4-kd5-ks2-s1").stem
    'muon-spm-K4-kd5-ks2'
    """
    stem, found = _peel(run_id)
    seed, origin = _seed(stem, found)
    steps = _steps(stem)
    retry = _last(found, "retry")
    replicate = _last(found, "replicate")
    return RunName(
        run_id=run_id,
        stem=stem,
        family=_family(stem) or stem,
        suffixes=tuple(match.group().lstrip("-_") for match in found),
        seed=seed,
        seed_origin=origin,
        replicate=None if replicate is None else int(replicate),
        retry=None if retry is None else int(retry.removeprefix("retry") or 1),
        start_step=steps.get("start_step"),
        stop_step=steps.get("stop_step"),
        horizon=steps.get("horizon"),
        train_steps=steps.get("train_steps"),
    )


def _peel(run_id: str) -> tuple[str, list[re.Match[str]]]:
    """Cut suffixes from the end until none is left, but never the whole id."""
    stem, found = run_id, list[re.Match[str]]()
    while match := _suffix_of(stem):
        stem = stem[: match.start()]
        found.insert(0, match)
    return stem, found


def _suffix_of(stem: str) -> re.Match[str] | None:
    for start in range(max(1, len(stem) - _LONGEST_SUFFIX), len(stem)):
        match = _SUFFIX.fullmatch(stem, start)
        if match and (match["s"] is None or _is_small_seed(int(match["s"]))):
            return match
    return None


def _is_small_seed(number: int) -> bool:
    return number <= LARGEST_SMALL_SEED or number == ODD_SEED


def _last(found: list[re.Match[str]], group: str) -> str | None:
    return next((match[group] for match in reversed(found) if match[group] is not None), None)


def _seed(stem: str, found: list[re.Match[str]]) -> tuple[int | None, SeedOrigin | None]:
    inner = _INNER_SEED.findall(stem)
    word = _last(found, "seed") or (inner[-1] if inner else None)
    if word is not None:
        return int(word), SeedOrigin.SEED_WORD
    suffix = _last(found, "s")
    return (None, None) if suffix is None else (int(suffix), SeedOrigin.S_SUFFIX)


def _field_of(match: re.Match[str]) -> str:
    if match["mark"] == "s":
        return "stop_step" if int(match["step"]) >= FIRST_STOP_STEP else "start_step"
    return _MARK_FIELD[match["mark"]]


def _steps(stem: str) -> dict[str, int]:
    return {_field_of(match): int(match["step"]) for match in _STEP_MARK.finditer(stem)}


def _family(stem: str) -> str:
    """Drop the rung from a stem. The horizon stays, as another schedule is another recipe."""
    without = _STEP_MARK.sub(lambda match: "" if _field_of(match) in _RUNG_FIELDS else match.group(), stem)
    return re.sub(r"([-_])[-_]+", r"\1", _INNER_SEED.sub("", without)).strip("-_")
