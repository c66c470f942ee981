"""What becomes of each launch, and which places of the archive will tell of it."""

import random
from dataclasses import replace

from demo.curves import TARGET, final_loss, simulate
from demo.families import Launch
from demo.model import Evidence, Idea, Point, Run
from demo.profiles import Profile
from demo.rng import pick, rng

_OUTCOMES = {
    "completed": 0.862,
    "canceled": 0.083,
    "failed": 0.008,
    "preempted": 0.02,
    "timeout": 0.012,
    "incomplete": 0.015,
}
STATUS_WORDS = {
    "completed": ("completed", "ok", "success", "done"),
    "canceled": ("cancelled", "canceled"),
    "failed": ("failed", "error"),
    "preempted": ("preempted",),
    "timeout": ("timeout", "timed_out"),
    "incomplete": ("incomplete",),
}
"""Words of the ledger for each status."""

QUIRKS = {
    "requeued": 0.01,
    "resumed": 0.006,
    "marked_trials": 0.008,
    "seeded_trials": 0.006,
    "plain_trials": 0.006,
    "echo": 0.02,
    "nan": 0.01,
    "inf": 0.004,
    "exact_target": 0.004,
    "tail_probe": 0.01,
    "ms_time": 0.01,
    "ansi": 0.008,
    "crlf": 0.008,
    "truncated": 0.01,
    "bad_utf8": 0.008,
    "rank_prefix": 0.01,
    "huge": 0.002,
    "val_ema": 0.03,
    "ema_val": 0.02,
    "fwa": 0.02,
    "val_avg": 0.01,
    "ema_beta": 0.03,
    "nul": 0.003,
    "bom": 0.004,
}
"""Log quirks and the share of finished runs that has each."""


EXIT_CODES = {"completed": "0", "canceled": "143", "preempted": "143", "timeout": "124"}
"""Exit codes that stand for a status; every other status is 1."""


def is_misreported(run: Run) -> bool:
    """Say whether the ledger's status contradicts what became of the run."""
    if not run.ledger_status:
        return False
    honest = {*STATUS_WORDS[run.status], EXIT_CODES.get(run.status, "1")}
    return run.ledger_status.lower() not in honest


def plan_runs(profile: Profile, launches: list[Launch], ideas: tuple[Idea, ...], seed: int) -> list[Run]:
    """Decide outcome, evidence and quirks of every launch of a scope.

    Args:
        profile: The scope's habits.
        launches: Its launches.
        ideas: Its ideas.
        seed: Seed of the archive.

    Returns:
        Runs in the order of their launch. Job ids are still to be dealt out.
    """
    quirks = _deal_quirks(profile, launches, seed)
    runs = [_plan_run(profile, launch, quirks.get(launch.run_id, ""), seed) for launch in launches]
    runs = _with_journal(profile, runs, ideas, seed)
    runs = _without_any_date(profile, runs, seed)
    return sorted(runs, key=lambda run: (run.launched_at, run.run_id))


def _deal_quirks(profile: Profile, launches: list[Launch], seed: int) -> dict[str, str]:
    """Give each quirk its share of the runs, but at least one run of the scope."""
    source = rng(seed, profile.scope, "quirks")
    able = [launch.run_id for launch in launches if launch.known_final is None]
    source.shuffle(able)
    dealt: dict[str, str] = {}
    for quirk, share in QUIRKS.items():
        for _ in range(max(1, round(share * len(launches)))):
            if able:
                dealt[able.pop()] = quirk
    for lead in ("empty_log", "source_only"):
        if able and profile.scope.agent == "codex":
            dealt[able.pop()] = lead
    return dealt


def _plan_run(profile: Profile, launch: Launch, quirk: str, seed: int) -> Run:
    source = rng(seed, profile.scope, "run", launch.run_id)
    is_safe = bool(quirk) or launch.known_final is not None
    status = "completed" if is_safe else pick(source, _OUTCOMES)
    run = Run(
        scope=profile.scope,
        run_id=launch.run_id,
        recipe=launch.recipe,
        variant=launch.variant,
        launched_at=launch.launched_at,
        job_id=0,
        nominal_seed=launch.seed,
        printed_seed=_printed_seed(profile, launch, source),
        train_steps=launch.steps,
        stop_step=launch.stop,
        trials=(),
        status=status,
        ledger_status="",
        evidence=Evidence(),
        log_files=_log_files(profile, source, status, quirk, is_safe),
        quirks=(quirk,) if quirk else (),
        ms_per_step=round(profile.ms_per_step * source.uniform(0.9, 1.15), 2),
    )
    run = _with_trials(profile, run, launch, source)
    evidence = _evidence(profile, run, source)
    return replace(run, evidence=evidence, ledger_status=_ledger_status(profile, run, evidence, source))


def _printed_seed(profile: Profile, launch: Launch, source: random.Random) -> int | None:
    if profile.is_seed_forwarded and launch.seed is not None:
        return launch.seed
    return 0 if source.random() < 0.2 else None


def _log_files(
    profile: Profile, source: random.Random, status: str, quirk: str, is_safe: bool
) -> tuple[str, ...]:
    if quirk == "source_only":
        return ("log", "console.log")
    if not is_safe and (source.random() < 0.04 or (status == "canceled" and source.random() < 0.55)):
        return ()
    return tuple(pick(source, profile.log_files).split("+"))


def _with_trials(profile: Profile, run: Run, launch: Launch, source: random.Random) -> Run:
    if not run.has_log and run.status != "completed":
        return run
    if run.status == "failed" and source.random() < 0.7:
        return run
    if "empty_log" in run.quirks:
        return replace(run, status="canceled")
    final = launch.known_final or final_loss(source, launch.recipe.crossing, launch.stop)
    final = TARGET if "exact_target" in run.quirks else final
    trial = _trial(profile, run, source, final)
    if run.status != "completed":
        keep = source.randrange(2, max(3, len(trial) - 1))
        return replace(run, trials=(trial[:keep],))
    trials = [trial]
    if set(run.quirks) & {"marked_trials", "seeded_trials", "plain_trials"}:
        for _ in range(source.randint(1, 3)):
            trials.append(
                _trial(profile, run, source, final_loss(source, launch.recipe.crossing, launch.stop))
            )
    if "requeued" in run.quirks:
        trials = [trial[: source.randrange(5, 14)], _trial(profile, run, source, final)]
    if "truncated" in run.quirks:
        run = replace(run, status="incomplete")
    return replace(run, trials=tuple(_bent(run, points, source) for points in trials))


def _trial(profile: Profile, run: Run, source: random.Random, final: float) -> tuple[Point, ...]:
    tail = max(1, round(source.gauss(profile.tail_points, 2)))
    return simulate(source, 0 if profile.has_step_zero else 125, run.stop_step, tail, final)


def _bent(run: Run, points: tuple[Point, ...], source: random.Random) -> tuple[Point, ...]:
    """Apply the quirks that change the numbers themselves."""
    if "resumed" in run.quirks:
        return tuple(point for point in points if point[0] >= 2375)
    if set(run.quirks) & {"nan", "inf"}:
        bad = float(run.quirks[0])
        start = source.randrange(3, len(points) - 3)
        return points[:start] + tuple((step, bad) for step, _ in points[start:])
    return points


def _evidence(profile: Profile, run: Run, source: random.Random) -> Evidence:
    has_log = run.has_log and "empty_log" not in run.quirks
    recompile = has_log and source.random() < profile.recompile
    head = pick(source, profile.log_head).strip("-") if has_log else ""
    if recompile and not head:
        head = "torch_rank"
    in_ledger = not run.has_log or source.random() < 0.96
    stub = "own" if source.random() < profile.own_stub else ""
    if not stub and run.scope.agent == "codex" and source.random() < 0.08:
        stub = "shared"
    evidence = Evidence(
        ledger_variant=pick(source, profile.ledger_variant).strip("-") if in_ledger else "",
        is_embedded=has_log and source.random() < profile.embedded,
        has_recompile=recompile,
        stub=stub,
        log_head=head,
        ledger_time=pick(source, profile.ledger_time).strip("-") if in_ledger else "",
        in_ledger=in_ledger,
    )
    if "source_only" in run.quirks:
        evidence = replace(evidence, is_embedded=True)
    has_clock = evidence.log_head or evidence.ledger_time != "date"
    is_checked = evidence.ledger_variant or evidence.is_embedded or evidence.has_recompile
    return replace(
        evidence,
        is_exported=bool(
            has_log and has_clock and is_checked and run.status == "completed" and source.random() < 0.1
        ),
        is_stub_stale=bool(stub == "own" and is_checked and source.random() < 0.03),
    )


def _ledger_status(profile: Profile, run: Run, evidence: Evidence, source: random.Random) -> str:
    is_launch_only = (run.scope.agent, run.scope.wave) == ("claude-code", "v3")
    if not evidence.in_ledger or (is_launch_only and run.has_log) or source.random() < 0.05:
        return ""
    status, lies = run.status, source.random()
    wave_lies = 0.1 if run.scope.wave == "novelty" else 0.015
    if run.has_log and status == "completed" and lies < wave_lies:
        status = "failed"
    elif run.has_log and status in ("preempted", "timeout", "incomplete") and lies < 0.25 and not run.quirks:
        status = "completed"
    if (run.scope.agent, run.scope.wave) == ("codex", "novelty"):
        return EXIT_CODES.get(status, "" if status == "incomplete" else "1")
    word = source.choice(STATUS_WORDS[status])
    return word.upper() if status == "failed" and profile.scope.wave == "novelty" else word


def _with_journal(profile: Profile, runs: list[Run], ideas: tuple[Idea, ...], seed: int) -> list[Run]:
    """Choose the runs that the journal names: some with their idea, some with their result alone."""
    source = rng(seed, profile.scope, "journal")
    mentioned: dict[str, str] = {}
    families: dict[str, list[Run]] = {}
    for run in runs:
        families.setdefault(run.recipe.family, []).append(run)
    for family in families.values():
        chance = source.random()
        if family[0].recipe.is_opaque and chance < 0.8:
            count = len(family) if chance < 0.35 else 1
            mentioned |= {run.run_id: "idea" for run in family[:count]}
        elif not family[0].recipe.is_opaque and chance < 0.25:
            mentioned[family[0].run_id] = "idea" if family[0].recipe.idea_slug and chance < 0.12 else "result"
    return [
        replace(run, evidence=replace(run.evidence, journal=mentioned.get(run.run_id, ""))) for run in runs
    ]


def _without_any_date(profile: Profile, runs: list[Run], seed: int) -> list[Run]:
    """Leave a few runs without any date and give the other undated ones a time in the ledger or export."""
    source = rng(seed, profile.scope, "undated")
    allowed = max(1, round(0.005 * len(runs)))
    dated = []
    for run in runs:
        evidence = run.evidence
        if not (evidence.log_head or evidence.has_recompile or evidence.ledger_time):
            if allowed and not evidence.journal and not run.quirks:
                allowed -= 1
                evidence = replace(evidence, is_exported=False)
            elif not evidence.is_exported:
                evidence = replace(
                    evidence, ledger_time=source.choice(("iso", "iso", "date")), in_ledger=True
                )
        dated.append(replace(run, evidence=evidence))
    return dated
