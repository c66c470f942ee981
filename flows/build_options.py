"""The options of a build on the command line, declared once for every command that builds."""

import inspect
import os
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from flows.secrecy import check_address
from flows.settings import (
    DEFAULT_MODEL,
    BuildSettings,
    EmbedBackend,
    RunnerName,
    ServiceOptions,
    WordsSettings,
)
from outputs.validation.expectations import check_name
from parsers.times import DEFAULT_YEAR

DEFAULT_WORDS = WordsSettings()

NUM_CPUS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""Processors that this process may use, which containers restrict."""


class EmbedName(StrEnum):
    """Who embeds the descriptions."""

    NONE = "none"
    BGE = "bge"
    OPENAI = "openai"


class LlmMatch(StrEnum):
    """Who is asked about runs that nothing else links to an idea."""

    OFF = "off"
    OPENAI = "openai"


WorkersOption = Annotated[
    int, typer.Option(min=1, max=256, help="Processes or threads; the output does not depend on it.")
]


ExpectOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Hold the dataset against this section of expectations.toml, such as public; "
        "else the archive's fingerprint chooses.",
    ),
]


def build_settings(
    archive: Annotated[str, typer.Option(help="A folder, .tar, .tar.gz, .tar.zst, .zip or git address.")],
    out: Annotated[Path, typer.Option(help="Folder of the dataset; an earlier dataset there is replaced.")],
    year: Annotated[int, typer.Option(help="Year of stamps without one, if the archive states no date.")] = (
        DEFAULT_YEAR
    ),
    runner: Annotated[
        RunnerName,
        typer.Option(
            metavar="NAME",
            help="Who parses and links: processes, threads or dask; the output does not depend on it.",
        ),
    ] = RunnerName.PROCESSES,
    workers: WorkersOption = NUM_CPUS,
    dask_address: Annotated[
        str | None, typer.Option(help="Scheduler of the Dask cluster, tcp://HOST:8786, for --runner dask.")
    ] = None,
    shards: Annotated[
        str | None,
        typer.Option(help="Folder or fsspec address that Dask's workers write to; else beside the dataset."),
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Folder that keeps parsed files and answers for the next build.")
    ] = None,
    describe: Annotated[
        Literal["rules", "openai"],
        typer.Option(help="Who describes experiments of which only the run id tells."),
    ] = "rules",
    embed: Annotated[
        list[EmbedName] | None,
        typer.Option(
            metavar="NAME", help="Who embeds the descriptions: none, bge or openai; may be given twice."
        ),
    ] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(help="Price of a model, MODEL=INPUT,OUTPUT dollars per million tokens."),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(envvar="OPENAI_BASE_URL", help="Address of a service that speaks OpenAI's language."),
    ] = None,
    describe_model: Annotated[str, typer.Option(help="OpenAI model that describes.")] = (
        DEFAULT_WORDS.describe_model
    ),
    batch: Annotated[
        bool, typer.Option("--batch", help="Describe through the Batch API: half the price, up to a day.")
    ] = False,
    embed_model: Annotated[str, typer.Option(help="OpenAI model that embeds.")] = DEFAULT_WORDS.embed_model,
    bge_model: Annotated[str, typer.Option(help="BGE model: a name, or a folder that holds it.")] = (
        DEFAULT_WORDS.bge_model
    ),
    bge_revision: Annotated[
        str | None, typer.Option(help="Revision of a named BGE model; known ones are pinned.")
    ] = None,
    bge_device: Annotated[
        str | None, typer.Option(help="Where the BGE model runs: cpu, cuda:0; a GPU if there is one.")
    ] = None,
    llm_match: Annotated[
        LlmMatch, typer.Option(help="Who is asked about runs that nothing else links to an idea.")
    ] = LlmMatch.OFF,
    llm_model: Annotated[str, typer.Option(help="Which model is asked.")] = DEFAULT_MODEL,
    llm_answers: Annotated[
        Path | None, typer.Option(help="File of saved answers: read where it is there, and written.")
    ] = None,
    max_usd: Annotated[
        float, typer.Option(min=0, help="The most dollars that a build may spend on answers.")
    ] = 5.0,
    overrides: Annotated[
        Path | None, typer.Option(help="CSV of corrections by hand: experiment_id, idea_id, expect.")
    ] = None,
    expect: ExpectOption = None,
) -> BuildSettings:
    """Turn the options into the settings of a build.

    Raises:
        ExpectationError: If no section of expectations has the name.
        UnsafeSettingError: If an address holds a password.
    """
    check_name(expect)
    check_address(archive, "the archive")
    check_address(base_url, "the service")
    check_address(shards, "the shards")
    check_address(dask_address, "the scheduler")
    words = WordsSettings(
        describe=describe,
        embed=tuple(EmbedBackend(each) for each in embed or () if each != EmbedName.NONE),
        describe_model=describe_model,
        is_batched=batch,
        embed_model=embed_model,
        bge_model=bge_model,
        bge_revision=bge_revision,
        bge_device=bge_device,
    )
    return BuildSettings(
        archive=archive,
        out=str(out),
        year=year,
        runner=runner,
        workers=workers,
        dask_address=dask_address,
        shards=shards,
        llm_match=llm_match.value,
        llm_model=llm_model,
        llm_answers=str(llm_answers) if llm_answers else None,
        max_usd=max_usd,
        cache=str(cache) if cache else None,
        words=words,
        service=ServiceOptions(base_url=base_url, prices=tuple(price or ())),
        overrides=str(overrides) if overrides else None,
        expect=expect,
    )


def takes_build_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes `settings` the options of a build in their place.

    Args:
        command: Takes the settings first, and options of its own by keyword.
    """
    shared = inspect.signature(build_settings).parameters
    own = [each for each in inspect.signature(command).parameters.values() if each.name != "settings"]

    @wraps(command)
    def with_options(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in shared}
        command(build_settings(**chosen), **given)

    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*shared.values(), *own)]
    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    with_options.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_options
