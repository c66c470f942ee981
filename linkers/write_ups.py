"""The idea write-ups of every scope, each slug once."""

from dataclasses import dataclass

from parsers.archive import ArchiveFile
from parsers.ideas import Idea
from parsers.kinds import FileKind
from parsers.parsed_files import ParsedArchive
from parsers.quarantine import Quarantined, Reason, excerpt
from parsers.scopes import Scope


@dataclass(frozen=True, slots=True)
class WriteUp:
    """One idea of one scope.

    Attributes:
        scope: Its scope.
        idea: The parsed write-up.
    """

    scope: Scope
    idea: Idea

    @property
    def idea_id(self) -> str:
        """The id that is unique across scopes."""
        return self.scope.qualify(self.idea.slug)


@dataclass(frozen=True, slots=True)
class WriteUps:
    """The write-ups of an archive.

    Attributes:
        kept: One a scope and slug, sorted by idea id.
        duplicates: Further write-ups of a slug, with their files.
    """

    kept: tuple[WriteUp, ...]
    duplicates: tuple[tuple[ArchiveFile, Quarantined], ...]


def collect_write_ups(parsed: ParsedArchive) -> WriteUps:
    """Collect the write-ups. Of two with one slug a file of its own outweighs an item of a list."""
    kept: dict[str, WriteUp] = {}
    duplicates: list[tuple[ArchiveFile, Quarantined]] = []
    for file, idea in sorted(parsed.records(Idea), key=_weight):
        if file.scope is None:
            continue
        write_up = WriteUp(file.scope, idea)
        first = kept.setdefault(write_up.idea_id, write_up)
        if first is not write_up:
            duplicates.append((file, _duplicate(file, idea, first.idea)))
    return WriteUps(tuple(kept[idea_id] for idea_id in sorted(kept)), tuple(duplicates))


def _weight(pair: tuple[ArchiveFile, Idea]) -> tuple[bool, str, int]:
    file, idea = pair
    return file.kind == FileKind.IDEA_LIST, file.path, idea.line_start


def _duplicate(file: ArchiveFile, idea: Idea, first: Idea) -> Quarantined:
    detail = f"The slug {idea.slug} is already taken by {first.path}, line {first.line_start}."
    shown = excerpt(idea.text.encode("utf-8", errors="replace"))
    return Quarantined(file.kind, file.path, idea.line_start, 0, Reason.DUPLICATE_IDEA, detail, shown)
