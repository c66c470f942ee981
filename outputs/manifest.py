"""`manifest.json`: what a dataset holds, from which input and with which settings it was built."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict

from linkers.ideas.quality import IdeaCoverage
from linkers.variants.coverage import AgreementRow, CoverageRow
from outputs.conservation import Balance, balance_inputs
from outputs.spending.prices import PRICE_TABLE_VERSION
from outputs.spending.report import Spending
from parsers.parsed_files import ParsedArchive
from parsers.quarantine import Reason

FORMAT_VERSION = 1
"""Raised when readers of the dataset must change."""

MANIFEST_NAME = "manifest.json"

PACKAGES = ("jinja2", "markdown-it-py", "polars", "pyarrow", "rapidfuzz", "speedrun-etl")
"""The packages whose versions shape the output."""


class FileEntry(BaseModel):
    """One file of the dataset.

    Attributes:
        name: File name.
        rows: Rows of the table.
        size_bytes: Size of the file.
        sha256: Hash of its bytes.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    rows: int
    size_bytes: int
    sha256: str


class TextEntry(BaseModel):
    """One file beside the tables.

    Attributes:
        name: Path inside the dataset.
        size_bytes: Size of the file.
        sha256: Hash of its bytes.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    size_bytes: int
    sha256: str

    @classmethod
    def of(cls, name: str, text: str) -> "TextEntry":
        """Describe a text as it is written."""
        data = text.encode("utf-8")
        return cls(name=name, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


class Undated(BaseModel):
    """What no snapshot holds, as nothing in the archive dates it.

    Attributes:
        runs: Runs without a launch time, and those that are the same launch as another.
        ideas: Ideas without any dated evidence.
    """

    model_config = ConfigDict(frozen=True)

    runs: int
    ideas: int


NOTHING_UNDATED = Undated(runs=0, ideas=0)
"""The count of an archive in which everything is dated."""


class VariantCoverage(BaseModel):
    """How far the variant cascade reaches.

    Attributes:
        waterfall: By scope and tier.
        agreement: By pair of tiers.
    """

    model_config = ConfigDict(frozen=True)

    waterfall: tuple[CoverageRow, ...]
    agreement: tuple[AgreementRow, ...]


class Manifest(BaseModel):
    """The manifest of a dataset.

    Attributes:
        format_version: Version of the dataset's format.
        created_at: When it was built: the only timestamp of the dataset, `SOURCE_DATE_EPOCH` where set.
        input_fingerprint: SHA-256 over path, size and BLAKE3 hash of every file that was read.
        num_files: Files in the archive.
        scopes: Scopes that are there.
        missing_scopes: Scopes that are not there.
        settings: What the build was told.
        packages: Versions of the packages that shape the output.
        files: The dataset's tables.
        texts: The files beside them.
        undated: What no snapshot holds.
        balances: What was seen, parsed and quarantined.
        removed_keys: Texts that look like keys and were removed before anything was parsed.
        variant_coverage: How far the variant cascade reaches.
        idea_coverage: How the idea matcher behaves.
        price_table: Version of the prices by which `spending` counts dollars.
        spending: What was asked of models, what it cost, and what could not be had.
    """

    model_config = ConfigDict(frozen=True)

    format_version: int
    created_at: datetime
    input_fingerprint: str
    num_files: int
    scopes: tuple[str, ...]
    missing_scopes: tuple[str, ...]
    settings: Mapping[str, int | float | str | bool | None]
    packages: Mapping[str, str]
    files: tuple[FileEntry, ...]
    texts: tuple[TextEntry, ...] = ()
    undated: Undated = NOTHING_UNDATED
    balances: tuple[Balance, ...]
    removed_keys: int = 0
    variant_coverage: VariantCoverage
    idea_coverage: IdeaCoverage
    price_table: str = PRICE_TABLE_VERSION
    spending: tuple[Spending, ...] = ()

    @property
    def expect(self) -> str | None:
        """Name of the expectations that the dataset was built to meet, if any was named."""
        name = self.settings.get("expect")
        return name if isinstance(name, str) else None

    @property
    def num_failures(self) -> int:
        """How many items could not be had."""
        return sum(len(each.failures) for each in self.spending)

    def with_text(self, name: str, text: str) -> "Manifest":
        """List one more file beside the tables, or one that was written anew."""
        others = (entry for entry in self.texts if entry.name != name)
        texts = sorted([*others, TextEntry.of(name, text)], key=lambda entry: entry.name)
        return self.model_copy(update={"texts": tuple(texts)})


def make_manifest(
    parsed: ParsedArchive,
    settings: Mapping[str, int | float | str | bool | None],
    files: tuple[FileEntry, ...],
    variant_coverage: VariantCoverage,
    idea_coverage: IdeaCoverage,
    created_at: datetime,
    texts: Mapping[str, str] = MappingProxyType({}),
    undated: Undated = NOTHING_UNDATED,
    spending: tuple[Spending, ...] = (),
) -> Manifest:
    """Describe a dataset.

    Args:
        parsed: The parsed archive.
        settings: Every setting that can change the output; none that cannot.
        files: The written tables.
        variant_coverage: How far the variant cascade reaches.
        idea_coverage: How the idea matcher behaves.
        created_at: The timestamp to state.
        texts: The files beside the tables, by path inside the dataset.
        undated: What no snapshot holds.
        spending: What was asked of models.
    """
    return Manifest(
        format_version=FORMAT_VERSION,
        created_at=created_at,
        input_fingerprint=fingerprint(parsed),
        num_files=len(parsed.archive.files),
        scopes=tuple(str(scope) for scope in parsed.archive.scopes),
        missing_scopes=tuple(str(scope) for scope in parsed.archive.missing),
        settings=dict(sorted(settings.items())),
        packages={name: version(name) for name in PACKAGES},
        files=tuple(sorted(files, key=lambda each: each.name)),
        texts=tuple(TextEntry.of(name, texts[name]) for name in sorted(texts)),
        undated=undated,
        balances=balance_inputs(parsed),
        removed_keys=sum(reject.reason == Reason.KEY_REMOVED for _, reject in parsed.quarantined()),
        variant_coverage=variant_coverage,
        idea_coverage=idea_coverage,
        spending=spending,
    )


def fingerprint(parsed: ParsedArchive) -> str:
    """Hash path, size and content of every parsed file."""
    digest = hashlib.sha256()
    for each in parsed.files:
        digest.update(f"{each.file.path}\t{each.file.size_bytes}\t{each.content_hash}\n".encode())
    return digest.hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a dataset."""
    return Manifest.model_validate_json((folder / MANIFEST_NAME).read_bytes())
