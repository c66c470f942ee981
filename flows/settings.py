"""What a build can be told."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from parsers.times import DEFAULT_YEAR, EARLIEST_YEAR, LATEST_YEAR

DEFAULT_MODEL = "gpt-4.1-mini"
"""Asked about runs that nothing else links to an idea, if a model is to be asked."""


class BuildSettings(BaseModel):
    """Settings of a build.

    Attributes:
        archive: A folder, a tar, a zip or a git address.
        out: Folder of the dataset.
        year: Year of stamps without one, in an archive that states no date in full.
        workers: Processes that parse; the output does not depend on it.
        llm_match: Who is asked about runs that nothing else links to an idea.
        llm_model: Which model.
        llm_answers: File of saved answers; written if it is not there.
        max_usd: The most that may be spent on answers.
        cache: Folder that keeps parsed files and answers for the next build, or None.
        overrides: File of corrections by hand.
    """

    model_config = ConfigDict(frozen=True)

    archive: str
    out: str
    year: int = Field(default=DEFAULT_YEAR, ge=EARLIEST_YEAR, le=LATEST_YEAR)
    workers: int = Field(default=1, ge=1, le=256)
    llm_match: Literal["off", "openai"] = "off"
    llm_model: str = DEFAULT_MODEL
    llm_answers: str | None = None
    max_usd: float = Field(default=5.0, ge=0)
    cache: str | None = None
    overrides: str | None = None

    @property
    def is_decided_by_archive(self) -> bool:
        """Whether nothing but the archive decides the links: no model, no saved answers, no corrections."""
        return self.llm_match == "off" and self.llm_answers is None and self.overrides is None

    def for_manifest(self) -> dict[str, int | str]:
        """List the settings that can change the output: neither where it lies nor how it was computed."""
        asked = {"llm_match": self.llm_match, "llm_model": self.llm_model}
        is_asked = self.llm_match != "off" or self.llm_answers is not None
        return {"year": self.year, **(asked if is_asked else {})}
