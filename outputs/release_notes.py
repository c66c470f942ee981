"""A release diff as Markdown, for the pull request or the release that brings it."""

from collections.abc import Iterator

from outputs.release_diff import ReleaseDiff, TableDiff

MAX_LISTED = 20
"""So many links and snapshots are listed; the rest is counted."""


def to_markdown(diff: ReleaseDiff) -> str:
    """Write a release diff as Markdown. Names of the archive stand in code spans."""
    return "\n".join(_lines(diff)) + "\n"


def _lines(diff: ReleaseDiff) -> Iterator[str]:
    yield "## What changed in the dataset"
    yield ""
    if diff.is_same:
        yield "No row of any table differs."
        return
    yield "| table | rows before | rows now | added | removed | changed | changed columns |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for table in diff.tables:
        counts = (_count(table.old_rows), _count(table.new_rows), table.added, table.removed, table.changed)
        yield f"| {table.table} | {' | '.join(map(str, counts))} | {_columns(table)} |"
    moved = [
        f"- {_code(each.experiment_id)} {each.column}: {_code(each.old)} to {_code(each.new)}"
        for each in diff.moved_links
    ]
    yield from _section("Links that moved", moved)
    snapshots = [
        f"- {_code(each.snapshot_id)} {each.change}{': ' if each.columns else ''}{', '.join(each.columns)}"
        for each in diff.snapshots
    ]
    yield from _section("Snapshots that changed", snapshots)


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield f"### {title}: {len(lines):,}"
    yield ""
    yield from lines[:MAX_LISTED]
    if len(lines) > MAX_LISTED:
        yield f"- and {len(lines) - MAX_LISTED:,} more"


def _columns(table: TableDiff) -> str:
    changed = [f"{name} ({count:,})" for name, count in table.changed_by_column.items()]
    added = [f"new: {name}" for name in table.added_columns]
    removed = [f"gone: {name}" for name in table.removed_columns]
    return ", ".join((*changed, *added, *removed))


def _count(rows: int | None) -> str:
    return "no such table" if rows is None else f"{rows}"


def _code(text: str | None) -> str:
    """Put a name of the archive into a code span that it cannot leave."""
    if text is None:
        return "none"
    plain = "".join(char if char.isprintable() else " " for char in text)
    return "`" + plain.replace("`", "'").replace("|", "/") + "`"
