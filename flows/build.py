"""The build as a Prefect flow: the stages of `flows.stages`, each a coarse task.

Import this module only where Prefect is wanted: the import takes a second.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import ParamSpec, TypeVar, cast

from flows.prefect_api import keep_prefect_quiet

keep_prefect_quiet()

from prefect import flow, task  # noqa: E402 - the environment must be set before
from prefect.artifacts import create_link_artifact, create_table_artifact  # noqa: E402
from prefect.cache_policies import NO_CACHE  # noqa: E402

from flows.gates import gates_table  # noqa: E402
from flows.reporting import make_reporter  # noqa: E402
from flows.secrecy import no_secret_escapes  # noqa: E402
from flows.settings import BuildSettings  # noqa: E402
from flows.stages import BuildResult, build_dataset  # noqa: E402
from flows.summary import summary_tables  # noqa: E402
from outputs.report.render import REPORT_NAME  # noqa: E402

P = ParamSpec("P")
R = TypeVar("R")


_STAGE: ContextVar[Callable[[], object]] = ContextVar("stage")


def run_waiting_stage() -> object:
    """Run the stage that waits.

    It is no argument of the task: Prefect would walk through every record of one, looking for futures to wait
    for, which takes longer than the stage itself. Nor is it part of it: tasks are sent to Dask's workers.
    """
    with no_secret_escapes():
        return _STAGE.get()()


_stage_task = task(cache_policy=NO_CACHE, persist_result=False)(run_waiting_stage)


def run_as_task(stage: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a stage as a Prefect task."""
    token = _STAGE.set(lambda: stage(*args, **kwargs))
    try:
        return cast("R", _stage_task.with_options(name=stage.__name__)())
    finally:
        _STAGE.reset(token)


@flow(name="build", persist_result=False)
def build(settings: BuildSettings, is_quiet: bool = False) -> BuildResult:
    """Turn an archive into a dataset, as a recorded flow run.

    Args:
        settings: What to build from what.
        is_quiet: Whether only warnings are printed.
    """
    result = build_dataset(settings, make_reporter(is_quiet=is_quiet), run_as_task)
    _leave_artifacts(result)
    return result


def _leave_artifacts(result: BuildResult) -> None:
    """Leave what a build tells with its flow run, also where the dataset was there already."""
    for key, table in summary_tables(result.manifest).items():
        create_table_artifact(key=key, table=table.records(), description=table.title)
    gates = gates_table(result.validation)
    create_table_artifact(key="gates", table=gates.records(), description=gates.title)
    report = result.out.resolve() / REPORT_NAME
    create_link_artifact(
        key="report",
        link=report.as_uri(),
        link_text=REPORT_NAME,
        description=(
            f"`{report}` on the machine that built it. Browsers open no file from a page on the web: "
            "copy the address of the link."
        ),
    )
