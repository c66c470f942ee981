"""The times that the archive states of a run, in each place that states one."""

from datetime import datetime, timedelta, timezone

from demo.model import Run
from demo.rng import rng

_CEST = timezone(timedelta(hours=2))


def iso(at: datetime) -> str:
    """Write UTC with Z, with microseconds only where there are any."""
    return at.replace(tzinfo=None).isoformat() + "Z"


def seconds(at: datetime) -> datetime:
    """Cut a time to full seconds."""
    return at.replace(microsecond=0)


def log_time(run: Run) -> datetime | None:
    """When the log says the run began, or None."""
    if not run.evidence.log_head:
        return None
    return run.launched_at if run.evidence.log_head.startswith("torch") else seconds(run.launched_at)


def ledger_time(run: Run) -> datetime:
    """When the ledger says it: at submission, which may be minutes before the log's first line."""
    waited = rng(run.scope, run.run_id, "queue").choice((0, 0, 2, 41, 187))
    return seconds(run.launched_at) - timedelta(seconds=waited if run.evidence.log_head else 0)


def head_lines(run: Run) -> list[str]:
    """Write the lines that precede everything in a log and state its time."""
    at, kind = run.launched_at, run.evidence.log_head
    torch = f"W{at:%m%d %H:%M:%S.%f} {800000 + run.job_id} torch/distributed/run.py:852]"
    omp = "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default."
    node = f"### NODE=gpu-{run.job_id % 61:03d}"
    if kind == "iso":
        return [f"### start_iso: {iso(seconds(at))}", node]
    if kind == "start_iso":
        return [f"### START_ISO={iso(seconds(at))}", node, f"### JOB={run.job_id}"]
    if kind == "iso_offset":
        return [f"### START_ISO={seconds(at).astimezone(_CEST).isoformat()}", node]
    if kind == "torch":
        return [torch, f"{torch} {'*' * 41}", f"{torch} {omp}", f"{torch} {'*' * 41}"]
    if kind == "torch_rank":
        return [f"[rank{run.job_id % 8}]:{torch} {omp}"]
    if kind == "torch_short":
        stamp = f"{at.month}{at:%d %H:%M:%S.%f}000"
        return [f"[W{stamp} socket.cpp:755] [c10d] The client socket has failed to connect to [localhost]."]
    return []


def launch_stated(run: Run) -> tuple[str, str]:
    """Say when the run was launched by the best place that states it, and which place that is."""
    evidence = run.evidence
    logged = log_time(run)
    if logged is not None:
        return iso(logged), "log_torch" if evidence.log_head.startswith("torch") else "log_header"
    if evidence.ledger_time == "iso":
        return iso(ledger_time(run)), "ledger"
    if evidence.ledger_time == "date":
        return f"{run.launched_at:%Y-%m-%d}T00:00:00Z", "ledger_date"
    return (iso(seconds(run.launched_at)), "export") if evidence.is_exported else ("", "none")
