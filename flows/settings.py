"""What a build can be told."""

from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from outputs.descriptions.questions import DEFAULT_MODEL as DEFAULT_DESCRIBE_MODEL
from outputs.embeddings.bge_backend import DEFAULT_MODEL as DEFAULT_BGE_MODEL
from outputs.embeddings.bge_backend import QUERY_INSTRUCTION
from outputs.embeddings.openai_backend import DEFAULT_MODEL as DEFAULT_EMBED_MODEL
from parsers.times import DEFAULT_YEAR, EARLIEST_YEAR, LATEST_YEAR

DEFAULT_MODEL = "gpt-4.1-mini"
"""Asked about runs that nothing else links to an idea, if a model is to be asked."""


class EmbedBackend(StrEnum):
    """Who embeds."""

    BGE = "bge"
    OPENAI = "openai"


class ServiceOptions(BaseModel):
    """How OpenAI is reached, whatever it is asked for. The key is no setting: settings are recorded.

    Attributes:
        base_url: Address of a service that speaks OpenAI's language; None takes the environment's.
        timeout_s: Longest wait for an answer.
        max_attempts: How often one request is sent at most.
        first_wait_s: Wait before the second attempt; doubled before each further one.
        prices: Prices that outweigh the table, as MODEL=INPUT,OUTPUT.
    """

    model_config = ConfigDict(frozen=True)

    base_url: str | None = None
    timeout_s: float = Field(default=60.0, gt=0)
    max_attempts: int = Field(default=6, ge=1)
    first_wait_s: float = Field(default=1.0, ge=0)
    prices: tuple[str, ...] = ()


class WordsSettings(BaseModel):
    """How experiments are described and embedded.

    Attributes:
        describe: `rules` asks nobody; `openai` asks for families of which only the run id tells.
        embed: Backends that embed the descriptions.
        describe_model: Model that describes.
        is_batched: Whether descriptions go through the Batch API.
        embed_model: Model that embeds.
        bge_model: Model that runs here: a name or a folder.
        bge_revision: Revision of a named model.
        bge_device: `cpu`, `cuda:0` and the like.
        bge_pooling: How token vectors become one.
        bge_query_instruction: What is put before a query.
    """

    model_config = ConfigDict(frozen=True)

    describe: Literal["rules", "openai"] = "rules"
    embed: tuple[EmbedBackend, ...] = ()
    describe_model: str = DEFAULT_DESCRIBE_MODEL
    is_batched: bool = False
    embed_model: str = DEFAULT_EMBED_MODEL
    bge_model: str = DEFAULT_BGE_MODEL
    bge_revision: str | None = None
    bge_device: str | None = None
    bge_pooling: Literal["cls", "mean"] = "cls"
    bge_query_instruction: str = QUERY_INSTRUCTION

    @property
    def needs_key(self) -> bool:
        """Whether OpenAI is asked for anything."""
        return self.describe == "openai" or EmbedBackend.OPENAI in self.embed

    def for_manifest(self) -> dict[str, int | float | str | bool | None]:
        """List what can change the output. Of a folder with a model only the name is shown."""
        shown: dict[str, int | float | str | bool | None] = {"describe": self.describe}
        if self.describe == "openai":
            shown |= {"describe_model": self.describe_model}
        if self.embed:
            shown |= {"embed": ",".join(sorted(set(self.embed)))}
        if EmbedBackend.OPENAI in self.embed:
            shown |= {"embed_model": self.embed_model}
        if EmbedBackend.BGE in self.embed:
            model = Path(self.bge_model)
            shown |= {
                "bge_model": model.name if model.is_dir() else self.bge_model,
                "bge_revision": self.bge_revision,
                "bge_pooling": self.bge_pooling,
            }
        return shown


class RunnerName(StrEnum):
    """Who parses and links."""

    PROCESSES = "processes"
    THREADS = "threads"
    DASK = "dask"


class BuildSettings(BaseModel):
    """Settings of a build.

    Attributes:
        archive: A folder, a tar, a zip or a git address.
        out: Folder of the dataset.
        year: Year of stamps without one, in an archive that states no date in full.
        runner: Who parses and links; the output does not depend on it.
        workers: Threads or processes that do so; neither does it depend on their number.
        dask_address: Address of the scheduler, where a Dask cluster does so.
        shards: Folder or fsspec address that its workers write to; None for a folder beside the dataset.
        llm_match: Who is asked about runs that nothing else links to an idea.
        llm_model: Which model.
        llm_answers: File of saved answers; written if it is not there.
        max_usd: The most that a build may spend on answers, whatever they are for.
        cache: Folder that keeps parsed files and answers for the next build, or None.
        words: How experiments are described and embedded.
        service: How OpenAI is reached.
        overrides: File of corrections by hand.
        expect: Name of the expectations that the dataset is held against; None goes by the fingerprint.
    """

    model_config = ConfigDict(frozen=True)

    archive: str
    out: str
    year: int = Field(default=DEFAULT_YEAR, ge=EARLIEST_YEAR, le=LATEST_YEAR)
    runner: RunnerName = RunnerName.PROCESSES
    workers: int = Field(default=1, ge=1, le=256)
    dask_address: str | None = None
    shards: str | None = None
    llm_match: Literal["off", "openai"] = "off"
    llm_model: str = DEFAULT_MODEL
    llm_answers: str | None = None
    max_usd: float = Field(default=5.0, ge=0)
    cache: str | None = None
    words: WordsSettings = WordsSettings()
    service: ServiceOptions = ServiceOptions()
    overrides: str | None = None
    expect: str | None = None

    @property
    def is_decided_by_archive(self) -> bool:
        """Whether nothing but the archive decides the links: no model, no saved answers, no corrections."""
        return self.llm_match == "off" and self.llm_answers is None and self.overrides is None

    @property
    def needs_key(self) -> bool:
        """Whether OpenAI is asked for anything."""
        return self.llm_match == "openai" or self.words.needs_key

    def for_schedule(self) -> "BuildSettings":
        """Make paths absolute, as a schedule may run elsewhere, and name a cache, so that it ends early."""
        out = Path(self.out).absolute()
        words = self.words
        if Path(words.bge_model).is_dir():
            words = words.model_copy(update={"bge_model": str(Path(words.bge_model).absolute())})
        paths = {name: path for name in ("llm_answers", "overrides") if (path := getattr(self, name))}
        if self.shards and "://" not in self.shards:
            paths["shards"] = self.shards
        if "://" not in self.archive and not self.archive.startswith("git@"):
            paths["archive"] = self.archive
        return self.model_copy(
            update={
                "out": str(out),
                "cache": str(Path(self.cache).absolute() if self.cache else cache_beside(out)),
                "words": words,
                **{name: str(Path(path).absolute()) for name, path in paths.items()},
            }
        )

    def for_manifest(self) -> dict[str, int | float | str | bool | None]:
        """List the settings that can change the output: neither where it lies nor how it was computed.

        The name of the expectations is there, so that whoever validates or publishes goes by them too.
        """
        asked = {"llm_match": self.llm_match, "llm_model": self.llm_model}
        is_asked = self.llm_match != "off" or self.llm_answers is not None
        expected = {"expect": self.expect} if self.expect is not None else {}
        return {"year": self.year, **self.words.for_manifest(), **(asked if is_asked else {}), **expected}


def cache_beside(out: Path) -> Path:
    """Name the cache beside a dataset."""
    return out.with_name(f"{out.name}-cache")
