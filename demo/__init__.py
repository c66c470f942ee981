"""A synthetic archive in the layout of the real one, with the truth about it beside it."""

from demo.archive import ArchiveSummary, generate_archive

__all__ = ["ArchiveSummary", "generate_archive"]
