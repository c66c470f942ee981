"""Opens a dataset for scoring: which embeddings it has, and who embeds the candidates likewise."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows.purse import check_key, open_purse_with
from flows.settings import ServiceOptions, WordsSettings
from flows.words import bge_settings
from outputs.current_recipes import FOLDER as RECIPES
from outputs.embeddings.bge_backend import BgeBackend, check_installed
from outputs.embeddings.openai_backend import OpenAIBackend
from outputs.manifest import MANIFEST_NAME, read_manifest
from outputs.schemas import EMBEDDING_TABLES
from outputs.spending.questions import Purse
from scorers.errors import ScoringError
from scorers.lexical import LEXICAL
from scorers.pools import Benchmark


class ScoringSettings(BaseModel):
    """How a dataset is opened for scoring.

    Attributes:
        dataset: Its folder.
        embed: By what texts are compared: `openai`, `bge` or `lexical`; None takes what the dataset has.
        words: Which BGE model embeds, and where it runs.
        cache: Folder that keeps answers, or None for the user's.
        max_usd: The most that may be spent.
        service: How OpenAI is reached.
        is_asking: Whether OpenAI is asked for anything but embeddings.
    """

    model_config = ConfigDict(frozen=True)

    dataset: Path
    embed: str | None = None
    words: WordsSettings = WordsSettings()
    cache: Path | None = None
    max_usd: float = Field(default=5.0, ge=0)
    service: ServiceOptions = ServiceOptions()
    is_asking: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """What candidates are scored with.

    Attributes:
        benchmark: The dataset, with somebody who embeds candidates.
        purse: What is needed to ask a model; None where none is asked.
    """

    benchmark: Benchmark
    purse: Purse | None


@contextmanager
def open_benchmark(settings: ScoringSettings) -> Iterator[Opened]:
    """Open a dataset for scoring.

    Raises:
        ScoringError: If it cannot be read or has no embeddings.
        SpendingError: If a key, a price, a package or a model is missing.
    """
    embed = settings.embed or embedding_of(settings.dataset)
    if embed == "bge":
        check_installed()
    if embed == "openai" or settings.is_asking:
        check_key()
    benchmark = Benchmark.load(settings.dataset, embed)
    if embed == LEXICAL and not settings.is_asking:
        yield Opened(benchmark, None)
        return
    with open_purse_with(settings.max_usd, settings.service, settings.cache) as purse:
        if embed == "openai":
            purse.budget.price(benchmark.model)
            benchmark = benchmark.with_backend(OpenAIBackend(purse, benchmark.model))
        elif embed == "bge":
            benchmark = benchmark.with_backend(BgeBackend(bge_settings(settings.words), purse.cache))
        yield Opened(benchmark, purse)


def embedding_of(dataset: Path) -> str:
    """Name the first embedding that a dataset holds."""
    if not (dataset / MANIFEST_NAME).is_file():
        raise ScoringError(f"{dataset} is no dataset: name the folder that a build wrote.")
    for name, table in EMBEDDING_TABLES.items():
        if (dataset / f"{table.name}.parquet").is_file():
            return name
    raise ScoringError(
        f"{dataset} has no embeddings: build it with `speedrun-etl build --embed openai` or `--embed bge`, "
        f"or compare by words alone with `--embed {LEXICAL}`."
    )


def dataset_sha256(dataset: Path) -> str:
    """Hash the contents of all tables and recipes, as the manifest states them.

    Raises:
        ScoringError: If it cannot be read.
    """
    try:
        manifest = read_manifest(dataset)
    except (OSError, ValidationError):
        raise ScoringError(f"The manifest of {dataset} cannot be read: build the dataset again.") from None
    lines = [f"{each.sha256} {each.name}\n" for each in manifest.files]
    lines += [
        f"{each.sha256} {each.name}\n" for each in manifest.texts if each.name.startswith(f"{RECIPES}/")
    ]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
