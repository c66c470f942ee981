"""Scheduled builds: the build flow with retries, a limit of one at a time, and word when it fails.

Import this module only where Prefect is wanted: the import takes a second.
"""

import os

from flows.prefect_api import keep_prefect_quiet

keep_prefect_quiet()

import httpx2  # noqa: E402 - the environment must be set before Prefect and what it brings
from prefect import Flow, State, flow  # noqa: E402
from prefect.client.schemas.objects import ConcurrencyLimitConfig, FlowRun  # noqa: E402
from prefect.states import Completed  # noqa: E402
from prefect.types.entrypoint import EntrypointType  # noqa: E402

from flows.build import build  # noqa: E402
from flows.gates import verdict  # noqa: E402
from flows.settings import BuildSettings  # noqa: E402

WEBHOOK_VARIABLE = "SPEEDRUN_ETL_WEBHOOK"
"""Environment variable with the address that is told of failures."""

WEBHOOK_TIMEOUT_S = 10.0
DEPLOYMENT = "scheduled"
RETRIES = 2
RETRY_DELAY_S = int(os.environ.get("SPEEDRUN_ETL_RETRY_S", "60"))


class GatesFailedError(Exception):
    """The dataset was built but does not keep its promises."""


def tell_webhook(flow: "Flow[..., object]", flow_run: FlowRun, state: "State[object]") -> None:
    """Post what failed to the webhook, if there is one; a webhook that is down fails nothing."""
    address = os.environ.get(WEBHOOK_VARIABLE)
    if not address:
        return
    told = {"flow": flow.name, "run": flow_run.name, "state": state.name, "message": state.message}
    try:
        httpx2.post(address, json=told, timeout=WEBHOOK_TIMEOUT_S)
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return


@flow(
    name="scheduled-build",
    retries=RETRIES,
    retry_delay_seconds=RETRY_DELAY_S,
    persist_result=False,
    on_failure=[tell_webhook],
    on_crashed=[tell_webhook],
)
def scheduled_build(settings: BuildSettings, is_strict: bool = False) -> "State[object]":
    """Build, and end early in the state Unchanged where the dataset is there already.

    Args:
        settings: What to build from what; with a cache, so that an unchanged input is noticed.
        is_strict: Whether warnings fail the gates.

    Raises:
        GatesFailedError: If the dataset does not keep its promises.
    """
    result = build(settings, is_quiet=True)
    if not result.validation.is_passed(is_strict=is_strict):
        raise GatesFailedError(f"{result.out}: {verdict(result.validation)}")
    if result.is_unchanged:
        return Completed(name="Unchanged", message=f"Nothing changed: {result.out} is as it was.")
    return Completed(message=f"{result.out} was built in {result.seconds:.0f} s.")


def serve(settings: BuildSettings, cron: str, *, is_strict: bool) -> None:
    """Run the schedule in this process until it is ended; one build at a time, later ones wait."""
    scheduled_build.serve(
        name=DEPLOYMENT,
        cron=cron,
        parameters={"settings": settings.model_dump(), "is_strict": is_strict},
        limit=1,
        global_limit=ConcurrencyLimitConfig(limit=1),
        entrypoint_type=EntrypointType.MODULE_PATH,
        print_starting_message=False,
    )
