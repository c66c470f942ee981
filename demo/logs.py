"""Training logs, as the trainer, torch and the launch wrappers print them."""

import random
from dataclasses import dataclass, field
from datetime import timedelta

from demo.model import Point, Run
from demo.paths import worktree_path
from demo.profiles import Scale
from demo.rng import pick, rng
from demo.sources import DELIMITER
from demo.tally import Tally, TrialOutcome
from demo.times import head_lines, iso, seconds

_LINE_GAPS: dict[Scale, dict[str, float]] = {
    "small": {"0": 0.5, "125": 0.3, "50": 0.2},
    "full": {"0": 0.03, "25": 0.04, "10": 0.11, "5": 0.24, "2": 0.3, "1": 0.28},
}
_HUGE_LINES = {"small": 2_000, "full": 80_000}
_DEVICES = ("NVIDIA H100 80GB HBM3", "NVIDIA H200", "NVIDIA A100-SXM4-80GB")
_EXTRA_LOSS = {
    "val_ema": "val_ema_loss",
    "ema_val": "ema_val_loss",
    "fwa": "fwa_val_loss",
    "val_avg": "val_avg_loss",
}


@dataclass(frozen=True, slots=True)
class RenderedLogs:
    """The log files of one run.

    Attributes:
        files: Suffix and bytes of each.
        outcomes: What the checkpoints amount to.
    """

    files: tuple[tuple[str, bytes], ...]
    outcomes: tuple[TrialOutcome, ...]


@dataclass(slots=True)
class _Pen:
    """Collects the lines of the main log, and the checkpoint lines among them."""

    run: Run
    source: random.Random
    gap: int
    lines: list[str] = field(default_factory=list)
    checkpoints: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    setup_s: float = 0.0

    def checkpoint(self, point: Point, is_cut: bool) -> None:
        line = self._checkpoint_line(point)
        if is_cut:
            begun = line.index("val_loss:") + len("val_loss:")
            self.lines.append(line[: self.source.randrange(begun, len(line) - 2)])
            return
        self.lines.append(line)
        self.checkpoints.append(line)
        self.tally.checkpoint(line, point)

    def _checkpoint_line(self, point: Point) -> str:
        step, loss = point
        quirks = self.run.quirks
        extra = next((name for quirk, name in _EXTRA_LOSS.items() if quirk in quirks), "")
        middle = f" {extra}:{loss - 0.004 + self.source.uniform(0, 0.002):.5f}" if extra and step else ""
        end = " ema_beta:0.3" if "ema_beta" in quirks and step else ""
        line = f"step:{step}/{self.run.train_steps} val_loss:{loss:.5f}{middle} {self._clock(step)}{end}"
        if "ansi" in quirks:
            line = f"\x1b[32m{line}\x1b[0m"
        return f"[rank0]:{line}" if "rank_prefix" in quirks else line

    def _clock(self, step: int) -> str:
        if step == 0:
            return (
                "train_time:0ms step_avg:nanms"
                if "ms_time" in self.run.quirks
                else "train_time:0.000s step_avg:nanms"
            )
        elapsed = self.setup_s + step * self.run.ms_per_step / 1000
        total = f"{elapsed * 1000:.0f}ms" if "ms_time" in self.run.quirks else f"{elapsed:.3f}s"
        return f"train_time:{total} step_avg:{elapsed / step * 1000:.2f}ms"

    def training(self, first: int, last: int) -> None:
        """Write training lines for the steps after one checkpoint up to the next."""
        if not self.gap:
            return
        steps, ms, setup = self.run.train_steps, self.run.ms_per_step, self.setup_s * 1000
        start = first - first % self.gap + self.gap
        self.lines += [
            f"step:{step}/{steps} train_time:{(setup + step * ms) / 1000:.3f}s "
            f"step_avg:{setup / step + ms:.2f}ms"
            for step in range(start, last, self.gap)
        ]


def render_logs(run: Run, source_text: str, scale: Scale) -> RenderedLogs:
    """Write all log files of a run.

    Args:
        run: Whose logs.
        source_text: What the trainer executed.
        scale: `full` gives logs of the real size.

    Returns:
        The files, in the order of the plan, and what their checkpoints amount to.
    """
    source = rng(run.scope, run.run_id, "log", run.job_id)
    if not run.has_log or "empty_log" in run.quirks:
        return RenderedLogs(tuple((suffix, b"") for suffix in run.log_files), ())
    gap = 0 if "seeded_trials" in run.quirks else int(pick(source, _LINE_GAPS[scale]))
    pen = _Pen(run, source, gap)
    pen.lines += head_lines(run)
    is_split = run.log_files[0] == "console.log" or "source_only" in run.quirks
    embedded = _embedded(run, source_text) if run.evidence.is_embedded else []
    if not is_split:
        pen.lines += embedded
    pen.lines += _banner(run, source)
    _write_trials(pen, scale)
    pen.lines += _footer(run, pen)
    main = _encode(run, pen.lines, source)
    side = "\n".join([*_banner(run, source), *pen.checkpoints, ""]).encode()
    files = []
    for place, suffix in enumerate(run.log_files):
        if is_split:
            text = (
                main if suffix == "console.log" else "\n".join([*embedded, ""]).encode() if embedded else side
            )
        else:
            text = main if place == 0 else _side_log(run, suffix, pen.checkpoints, side)
        files.append((suffix, text))
    return RenderedLogs(tuple(files), pen.tally.outcomes())


def _embedded(run: Run, source_text: str) -> list[str]:
    wrapper = [f"[wrapper] queue=preempt job={run.job_id} attempt=1", ""] if run.job_id % 3 == 0 else []
    return [*wrapper, source_text.rstrip("\n"), *([""] if run.job_id % 2 else []), DELIMITER]


def _banner(run: Run, source: random.Random) -> list[str]:
    lines = [
        "Running PyTorch 2.11.0+cu128 compiled for CUDA 12.8",
        f"Running on device_name={_DEVICES[run.job_id % 3]} with world_size=8",
    ]
    if run.evidence.log_head == "utc":
        lines.append(f"Run UTC timestamp={iso(seconds(run.launched_at))}")
    if run.printed_seed is not None and not set(run.quirks) & {"seeded_trials", "marked_trials"}:
        lines.append(f"Using seed={run.printed_seed}")
    lines += [f"Using {name.lower()}={value}" for name, value in run.recipe.knobs]
    if run.evidence.is_embedded:
        lines.append(DELIMITER)
    return lines


def _write_trials(pen: _Pen, scale: Scale) -> None:
    run = pen.run
    warnings = _recompile_lines(run, pen.source)
    for number, points in enumerate(run.trials):
        pen.setup_s = round(pen.source.uniform(18, 160), 3)
        if "marked_trials" in run.quirks:
            pen.lines.append(f"trial:{number + 1}/{len(run.trials)} seed:{number}")
            pen.tally.trial_marker(number + 1)
        if "seeded_trials" in run.quirks:
            pen.lines.append(f"seed:{12648430 + number}")
            pen.tally.seed_header()
        if number and "requeued" in run.quirks:
            pen.lines += [
                "slurmstepd: error: *** JOB CANCELLED DUE TO PREEMPTION ***",
                "### requeued, attempt=2",
            ]
        last = 0 if points[0][0] == 0 else points[0][0] - 125
        for place, point in enumerate(points):
            pen.training(max(last, 0), point[0])
            is_end = number == len(run.trials) - 1 and place == len(points) - 1
            pen.checkpoint(point, is_end and "truncated" in run.quirks)
            last = point[0]
            if place == 1:
                pen.lines += warnings
            if place == len(points) - 3:
                _interject(pen, scale, point)


def _interject(pen: _Pen, scale: Scale, point: Point) -> None:
    """Write the lines near the end that look like checkpoints and are none."""
    run, (step, loss) = pen.run, point
    if "tail_probe" in run.quirks:
        pen.lines += [
            f"tail_ema initialized step:{step - 500} taus:[150.0]",
            f"tailavg step:{step} start:{step - 500} val_loss:{loss - 0.006:.5f}",
            f"tail_ema applied step:{step} tau:150 lambda:0.6 start_step:{step - 500}",
        ]
    if "nul" in run.quirks:
        pen.lines.append("\0" * 24)
    if "huge" in run.quirks:
        pen.lines += [
            f"debug grad_norm layer:{place % 12} head:{place % 6} norm:{place * 7919 % 10007 / 1000:.3f}"
            for place in range(_HUGE_LINES[scale])
        ]


def _recompile_lines(run: Run, source: random.Random) -> list[str]:
    """Write torch's warnings that name the file, on several ranks and more than once."""
    is_copied = (run.scope.agent, run.scope.wave) == ("codex", "v2") and run.job_id % 3 == 0
    if run.evidence.has_recompile:
        path = worktree_path(run, f"scratchpad/variants/{run.variant}.py")
    elif is_copied and run.evidence.log_head:
        path = worktree_path(run, "train_gpt_simple.py")
    else:
        return []
    minute, second, line = run.launched_at.minute, source.randrange(60), source.randrange(150, 260)
    hour = run.launched_at.hour
    stamp = f"{run.launched_at:%m%d} {hour:02d}:{minute:02d}:{max(second, run.launched_at.second):02d}"
    lines = []
    for rank in sorted(source.sample(range(8), 3)):
        place = f"{run.job_id + rank} torch/_dynamo/convert_frame.py:1358] [0/8]"
        head = f"[rank{rank}]:W{stamp}.{600000 + rank:06d} {place}"
        lines += [
            f"{head} torch._dynamo hit config.recompile_limit (8)",
            f"{head}    function: 'muon_update' ({path}:{line})",
            f"{head}    last reason: 0/7: tensor 'grad' size mismatch at index 0. expected 768, actual 3072",
        ]
    return lines


def _footer(run: Run, pen: _Pen) -> list[str]:
    lines: list[str] = []
    if "truncated" in run.quirks:
        return lines
    if "echo" in run.quirks:
        lines += [f"==== last checkpoints of {run.run_id} ====", *pen.checkpoints[-4:], "batch done"]
    if run.status == "failed":
        lines += ["Traceback (most recent call last):", "torch.OutOfMemoryError: CUDA out of memory."]
    if run.status == "timeout":
        lines.append(f"slurmstepd: error: *** JOB {run.job_id} CANCELLED DUE TO TIME LIMIT ***")
    if run.status == "canceled":
        lines.append(_cancellation(run))
    if run.status == "preempted":
        lines.append(f"slurmstepd: error: *** JOB {run.job_id} CANCELLED DUE TO PREEMPTION ***")
    if run.status == "completed" and run.scope.agent == "codex" and run.job_id % 4 == 0:
        lines += _indexed(run, pen)
    return lines


def _cancellation(run: Run) -> str:
    """Write what Slurm says of a canceled job; with a time only where the log states one anyway."""
    if not run.evidence.log_head:
        return f"srun: job {run.job_id} got scancel, forcing termination"
    ran_s = run.ms_per_step / 1000 * (run.trials[-1][-1][0] if run.trials else 0)
    at = seconds(run.launched_at + timedelta(seconds=40 + ran_s)).replace(tzinfo=None).isoformat()
    return f"slurmstepd: error: *** JOB {run.job_id} ON gpu-{run.job_id % 61:03d} CANCELLED AT {at} ***"


def _indexed(run: Run, pen: _Pen) -> list[str]:
    outcomes = pen.tally.outcomes()
    if not outcomes or outcomes[0].final_loss != outcomes[0].final_loss or len(outcomes) > 1:
        return []
    step, loss = outcomes[0].points[-1]
    first = outcomes[0].step_to_target
    told = run.evidence.ledger_variant or run.evidence.has_recompile
    variant = f', "variant": "scratchpad/variants/{run.variant}.py"' if told else ""
    return [
        f'indexed_run {{"run_id": "{run.run_id}"{variant}, "final_step": {step}, '
        f'"final_val_loss": {loss:.5f}, "first_step_le_3p28": {first if first is not None else "null"}}}'
    ]


def _side_log(run: Run, suffix: str, checkpoints: list[str], side: bytes) -> bytes:
    if suffix != "sbatch.log":
        return side
    text = "\n".join([f"srun: job {run.job_id} has been allocated resources", *checkpoints[-3:], ""])
    return text.encode()


def _encode(run: Run, lines: list[str], source: random.Random) -> bytes:
    text = "\n".join(lines) + ("" if "truncated" in run.quirks else "\n")
    data = text.encode()
    if "crlf" in run.quirks:
        data = data.replace(b"\n", b"\r\n")
    if "bom" in run.quirks:
        data = b"\xef\xbb\xbf" + data
    if "bad_utf8" in run.quirks:
        at = data.rfind(b"\nstep:")
        data = data[: at + 1] + b"nccl: peer \xff\xfe\x80 closed\n" + data[at + 1 :]
    return data
