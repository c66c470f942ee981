"""What a build can be told."""

from pydantic import BaseModel, ConfigDict, Field

from parsers.times import DEFAULT_YEAR, EARLIEST_YEAR, LATEST_YEAR


class BuildSettings(BaseModel):
    """Settings of a build.

    Attributes:
        archive: A folder, a tar, a zip or a git address.
        out: Folder of the dataset.
        year: Year of stamps without one, in an archive that states no date in full.
        workers: Processes that parse; the output does not depend on it.
        cache: Folder that keeps parsed files for the next build, or None.
    """

    model_config = ConfigDict(frozen=True)

    archive: str
    out: str
    year: int = Field(default=DEFAULT_YEAR, ge=EARLIEST_YEAR, le=LATEST_YEAR)
    workers: int = Field(default=1, ge=1, le=256)
    cache: str | None = None

    def for_manifest(self) -> dict[str, int]:
        """List the settings that can change the output: neither where it lies nor how it was computed."""
        return {"year": self.year}
