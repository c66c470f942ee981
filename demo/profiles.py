"""How the eight scopes differ: sizes, dates, progress and habits."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from parsers.scopes import SCOPES, Scope

Scale = Literal["small", "full"]
"""`small` for tests and tries, `full` for the size of the real archive."""


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
            scope=Scope("claude-code", "v1"),
            first_at=_at("2026-04-29T05:51:00"),
            last_at=_at("2026-05-03T22:10:00"),
            first_best=3480,
            last_best=3240,
            has_step_zero=True,
            is_seed_forwarded=False,
            embedded=0.25,
            recompile=0.10,
            own_stub=0.55,
            ledger_variant={"-": 0.75, "relative": 0.15, "bare": 0.10},
            ledger_time={"iso": 0.35, "date": 0.35, "-": 0.3},
            log_head={"iso": 0.35, "torch": 0.35, "-": 0.3},
            log_files=_PLAIN,
            opaque=0.15,
            idea_share=0.62,
            tail_points=6,
            ms_per_step=204.0,
        ),
        Profile(
            scope=Scope("codex", "v1"),
            first_at=_at("2026-04-29T07:20:00"),
            last_at=_at("2026-05-04T02:30:00"),
            first_best=3490,
            last_best=3215,
            has_step_zero=True,
            is_seed_forwarded=True,
            embedded=0.55,
            recompile=0.06,
            own_stub=0.12,
            ledger_variant={"relative": 0.45, "full": 0.1, "-": 0.45},
            ledger_time={"-": 0.85, "iso": 0.1, "date": 0.05},
            log_head={"start_iso": 0.45, "torch": 0.25, "torch_rank": 0.2, "-": 0.1},
            log_files={
                "log": 0.55,
                "console.log+log": 0.25,
                "log+console.log+sbatch.log": 0.1,
                "sbatch.out": 0.1,
            },
            opaque=0.12,
            idea_share=0.66,
            tail_points=6,
            ms_per_step=212.0,
        ),
        Profile(
            scope=Scope("claude-code", "novelty"),
            first_at=_at("2026-05-02T21:05:00"),
            last_at=_at("2026-05-03T23:40:00"),
            first_best=3470,
            last_best=3380,
            has_step_zero=True,
            is_seed_forwarded=False,
            embedded=0.3,
            recompile=0.15,
            own_stub=0.6,
            ledger_variant={"relative": 0.4, "bare": 0.2, "-": 0.4},
            ledger_time={"iso": 0.5, "date": 0.3, "-": 0.2},
            log_head={"iso": 0.4, "torch": 0.3, "-": 0.3},
            log_files=_PLAIN,
            opaque=0.12,
            idea_share=0.85,
            tail_points=6,
            ms_per_step=231.0,
        ),
        Profile(
            scope=Scope("codex", "novelty"),
            first_at=_at("2026-05-02T22:15:00"),
            last_at=_at("2026-05-03T23:55:00"),
            first_best=3475,
            last_best=3390,
            has_step_zero=True,
            is_seed_forwarded=True,
            embedded=0.6,
            recompile=0.05,
            own_stub=0.05,
            ledger_variant={"relative": 0.45, "full": 0.1, "-": 0.45},
            ledger_time={"iso": 0.6, "date": 0.1, "-": 0.3},
            log_head={"start_iso": 0.5, "iso_offset": 0.1, "torch": 0.3, "-": 0.1},
            log_files=_PLAIN,
            opaque=0.05,
            idea_share=0.86,
            tail_points=6,
            ms_per_step=225.0,
        ),
        Profile(
            scope=Scope("claude-code", "v2"),
            first_at=_at("2026-05-04T03:30:00"),
            last_at=_at("2026-05-10T20:00:00"),
            first_best=3235,
            last_best=3045,
            has_step_zero=True,
            is_seed_forwarded=False,
            embedded=0.2,
            recompile=0.2,
            own_stub=0.5,
            ledger_variant={"relative": 0.4, "bare": 0.1, "-": 0.5},
            ledger_time={"iso": 0.3, "date": 0.4, "-": 0.3},
            log_head={"torch": 0.5, "torch_short": 0.1, "-": 0.4},
            log_files=_PLAIN,
            opaque=0.15,
            idea_share=0.62,
            tail_points=8,
            ms_per_step=318.0,
        ),
        Profile(
            scope=Scope("codex", "v2"),
            first_at=_at("2026-05-04T04:10:00"),
            last_at=_at("2026-05-11T09:00:00"),
            first_best=3230,
            last_best=2995,
            has_step_zero=True,
            is_seed_forwarded=False,
            embedded=0.12,
            recompile=0.35,
            own_stub=0.12,
            ledger_variant={"full": 0.5, "relative": 0.1, "-": 0.4},
            ledger_time={"-": 0.4, "iso": 0.5, "date": 0.1},
            log_head={"utc": 0.25, "torch_rank": 0.35, "torch": 0.2, "start_iso": 0.1, "-": 0.1},
            log_files=_CLUSTER,
            opaque=0.12,
            idea_share=0.62,
            tail_points=8,
            ms_per_step=396.0,
        ),
        Profile(
            scope=Scope("claude-code", "v3"),
            first_at=_at("2026-05-12T00:20:00"),
            last_at=_at("2026-05-13T23:30:00"),
            first_best=3035,
            last_best=2930,
            has_step_zero=False,
            is_seed_forwarded=False,
            embedded=0.15,
            recompile=0.3,
            own_stub=0.45,
            ledger_variant={"short": 0.3, "relative": 0.3, "-": 0.4},
            ledger_time={"iso": 0.6, "date": 0.35, "-": 0.05},
            log_head={"torch": 0.4, "torch_short": 0.2, "-": 0.4},
            log_files=_PLAIN,
            opaque=0.15,
            idea_share=0.66,
            tail_points=11,
            ms_per_step=410.0,
        ),
        Profile(
            scope=Scope("codex", "v3"),
            first_at=_at("2026-05-12T00:05:00"),
            last_at=_at("2026-05-14T16:40:00"),
            first_best=3040,
            last_best=2905,
            has_step_zero=False,
            is_seed_forwarded=True,
            embedded=0.2,
            recompile=0.45,
            own_stub=0.05,
            ledger_variant={"full": 0.55, "-": 0.45},
            ledger_time={"iso": 0.5, "-": 0.5},
            log_head={"utc": 0.5, "torch_rank": 0.3, "torch": 0.1, "-": 0.1},
            log_files=_CLUSTER,
            opaque=0.12,
            idea_share=0.66,
            tail_points=11,
            ms_per_step=512.0,
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
