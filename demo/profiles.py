"""How the eight scopes differ: sizes, dates, progress and habits."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from parsers.scopes import SCOPES, Scope

Scale = Literal["small", "full"]
"""`small` for tests and tries, `full` for the size of the real archive."""

NO_STATUS = "-"
"""Weight key for a ledger row that states no status."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many runs, ideas and variant files a scope has, and how many of its ideas are list entries."""

    runs: int
    ideas: int
    listed_ideas: int
    variants: int


@dataclass(frozen=True, slots=True)
class Profile:
    """The habits of one scope.

    Attributes:
        scope: Whose habits.
        first_at: Earliest launch.
        last_at: Latest launch.
        first_best: Step at which a good run crosses 3.28 when the scope begins.
        last_best: The same when it ends.
        has_step_zero: Whether the trainer validates before the first step.
        is_seed_forwarded: Whether a nominal seed reaches the trainer.
        embedded: Share of runs whose log holds the source.
        recompile: Share of runs whose log names the variant in a warning.
        own_stub: Share of runs with a launch stub of their own.
        ledger_variant: Weights of the forms in which the ledger states the variant; `-` is none.
        ledger_time: Weights of `iso`, `date` and `-`.
        log_head: Weights of the forms of the launch time in a log; `-` is none.
        log_files: Weights of the sets of log files of one run, suffixes joined by `+`.
        opaque: Share of idea families whose names tell nothing.
        idea_share: Share of run families that test an idea.
        tail_points: Mean number of dense checkpoints before the end.
        ms_per_step: Speed of the scope's machines.
    """

    scope: Scope
    first_at: datetime
    last_at: datetime
    first_best: int
    last_best: int
    has_step_zero: bool
    is_seed_forwarded: bool
    embedded: float
    recompile: float
    own_stub: float
    ledger_variant: dict[str, float]
    ledger_time: dict[str, float]
    log_head: dict[str, float]
    log_files: dict[str, float]
    opaque: float
    idea_share: float
    tail_points: int
    ms_per_step: float


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


_PLAIN = {"log": 0.9, "log+console.log": 0.06, "log+sbatch.log": 0.04}
_CLUSTER = {"log": 0.5, "log+console.log": 0.2, "log+console.log+sbatch.log": 0.15, "out": 0.08, "txt": 0.07}

PROFILES = {
    profile.scope: profile
    for profile in (
        Profile(
            Scope("claude-code", "v1"),
            _at("2026-04-29T05:51:00"),
            _at("2026-05-03T22:10:00"),
            3480,
            3240,
            True,
            False,
            0.25,
            0.10,
            0.55,
            {"-": 0.75, "relative": 0.15, "bare": 0.10},
            {"iso": 0.35, "date": 0.35, "-": 0.3},
            {"iso": 0.35, "torch": 0.35, "-": 0.3},
            _PLAIN,
            0.15,
            0.62,
            5,
            204.0,
        ),
        Profile(
            Scope("codex", "v1"),
            _at("2026-04-29T07:20:00"),
            _at("2026-05-04T02:30:00"),
            3490,
            3215,
            True,
            True,
            0.55,
            0.06,
            0.12,
            {"relative": 0.45, "full": 0.1, "-": 0.45},
            {"-": 0.85, "iso": 0.1, "date": 0.05},
            {"start_iso": 0.45, "torch": 0.25, "torch_rank": 0.2, "-": 0.1},
            {"log": 0.55, "console.log+log": 0.25, "log+console.log+sbatch.log": 0.1, "sbatch.out": 0.1},
            0.12,
            0.66,
            4,
            212.0,
        ),
        Profile(
            Scope("claude-code", "novelty"),
            _at("2026-05-02T21:05:00"),
            _at("2026-05-03T23:40:00"),
            3470,
            3380,
            True,
            False,
            0.3,
            0.15,
            0.6,
            {"relative": 0.4, "bare": 0.2, "-": 0.4},
            {"iso": 0.5, "date": 0.3, "-": 0.2},
            {"iso": 0.4, "torch": 0.3, "-": 0.3},
            _PLAIN,
            0.12,
            0.85,
            5,
            231.0,
        ),
        Profile(
            Scope("codex", "novelty"),
            _at("2026-05-02T22:15:00"),
            _at("2026-05-03T23:55:00"),
            3475,
            3390,
            True,
            True,
            0.6,
            0.05,
            0.05,
            {"relative": 0.45, "full": 0.1, "-": 0.45},
            {"iso": 0.6, "date": 0.1, "-": 0.3},
            {"start_iso": 0.5, "iso_offset": 0.1, "torch": 0.3, "-": 0.1},
            _PLAIN,
            0.05,
            0.86,
            4,
            225.0,
        ),
        Profile(
            Scope("claude-code", "v2"),
            _at("2026-05-04T03:30:00"),
            _at("2026-05-10T20:00:00"),
            3235,
            3045,
            True,
            False,
            0.2,
            0.2,
            0.5,
            {"relative": 0.4, "bare": 0.1, "-": 0.5},
            {"iso": 0.3, "date": 0.4, "-": 0.3},
            {"torch": 0.5, "torch_short": 0.1, "-": 0.4},
            _PLAIN,
            0.15,
            0.62,
            7,
            318.0,
        ),
        Profile(
            Scope("codex", "v2"),
            _at("2026-05-04T04:10:00"),
            _at("2026-05-11T09:00:00"),
            3230,
            2995,
            True,
            False,
            0.12,
            0.35,
            0.12,
            {"full": 0.5, "relative": 0.1, "-": 0.4},
            {"-": 0.4, "iso": 0.5, "date": 0.1},
            {"utc": 0.25, "torch_rank": 0.35, "torch": 0.2, "start_iso": 0.1, "-": 0.1},
            _CLUSTER,
            0.12,
            0.62,
            7,
            396.0,
        ),
        Profile(
            Scope("claude-code", "v3"),
            _at("2026-05-12T00:20:00"),
            _at("2026-05-13T23:30:00"),
            3035,
            2930,
            False,
            False,
            0.15,
            0.3,
            0.45,
            {"short": 0.3, "relative": 0.3, "-": 0.4},
            {"iso": 0.6, "date": 0.35, "-": 0.05},
            {"torch": 0.4, "torch_short": 0.2, "-": 0.4},
            _PLAIN,
            0.15,
            0.66,
            9,
            410.0,
        ),
        Profile(
            Scope("codex", "v3"),
            _at("2026-05-12T00:05:00"),
            _at("2026-05-14T16:40:00"),
            3040,
            2905,
            False,
            True,
            0.2,
            0.45,
            0.05,
            {"full": 0.55, "-": 0.45},
            {"iso": 0.5, "-": 0.5},
            {"utc": 0.5, "torch_rank": 0.3, "torch": 0.1, "-": 0.1},
            _CLUSTER,
            0.12,
            0.66,
            9,
            512.0,
        ),
    )
}
"""The habits of every scope."""

_SIZES: dict[Scale, tuple[Size, ...]] = {
    "small": (
        Size(64, 14, 12, 40), Size(112, 28, 6, 84), Size(44, 18, 0, 34), Size(64, 32, 0, 56),
        Size(64, 16, 0, 40), Size(104, 22, 0, 66), Size(62, 16, 0, 38), Size(96, 22, 0, 64),
    ),
    "full": (
        Size(605, 24, 23, 150), Size(2165, 96, 12, 1030), Size(81, 62, 0, 72), Size(254, 158, 0, 240),
        Size(459, 52, 0, 160), Size(2709, 104, 0, 640), Size(1059, 58, 0, 249), Size(3048, 92, 0, 708),
    ),
}  # fmt: skip


def size_of(scope: Scope, scale: Scale) -> Size:
    """Look up how large a scope is at a scale.

    >>> sum(size_of(scope, "full").runs for scope in SCOPES)
    10380
    >>> sum(size_of(scope, "full").variants for scope in SCOPES)
    3249
    """
    return _SIZES[scale][SCOPES.index(scope)]
