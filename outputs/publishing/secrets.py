"""Whether a dataset holds something like a key: found by shape, or as the value of a secret that is known."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

SHAPES = {
    "OpenAI or Anthropic key": r"\bsk-[A-Za-z0-9_-]{20,}",
    "Hugging Face token": r"\bhf_[A-Za-z0-9]{20,}",
    "AWS access key": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})",
    "Google key": r"\bAIza[A-Za-z0-9_-]{35}",
    "Slack token": r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    "W&B key": r"(?i)\bwandb_api_key\W{1,5}[0-9a-f]{40}\b",
    "private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
}
"""What keys look like, by kind."""

SECRET_NAME = re.compile(r"(?i)(key|token|secret|passw|credential)")
"""Names of variables whose values are secrets."""

MIN_SECRET_CHARS = 8
"""A shorter value is no secret: it would be found everywhere."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A place that holds something like a key. The key itself is never kept.

    Attributes:
        file: Name of the file.
        place: Column and row, or line.
        kind: What it looks like.
    """

    file: str
    place: str
    kind: str


def secret_values(variables: Mapping[str, str]) -> dict[str, str]:
    """Choose the variables that hold secrets, by their names."""
    return {
        name: value.strip()
        for name, value in sorted(variables.items())
        if SECRET_NAME.search(name) and len(value.strip()) >= MIN_SECRET_CHARS
    }


def find_leaks(folder: Path, names: Sequence[str], secrets: Mapping[str, str]) -> list[Leak]:
    """Look for keys in the text columns of tables and in all other files.

    Args:
        folder: The dataset.
        names: Files that are to be published.
        secrets: Values that must not appear, by the name of the variable that holds them.
    """
    kinds = {**SHAPES, **{f"value of {name}": re.escape(value) for name, value in secrets.items()}}
    leaks: list[Leak] = []
    for name in names:
        search = _in_table if name.endswith(".parquet") else _in_text
        leaks.extend(search(folder / name, name, kinds))
    return leaks


def _in_table(path: Path, name: str, kinds: Mapping[str, str]) -> Iterator[Leak]:
    frame = pl.read_parquet(path, glob=False)
    for column in frame.columns:
        if frame.schema[column] not in (pl.String(), pl.List(pl.String())):
            continue
        texts = frame.select(pl.col(column).alias("text")).with_row_index("row")
        if texts.schema["text"] == pl.List(pl.String()):
            texts = texts.explode("text", empty_as_null=True)
        for kind, pattern in kinds.items():
            rows = texts.filter(pl.col("text").str.contains(pattern))["row"]
            yield from (Leak(name, f"column {column}, row {row}", kind) for row in rows.unique().sort())


def _in_text(path: Path, name: str, kinds: Mapping[str, str]) -> Iterator[Leak]:
    text = path.read_bytes().decode("utf-8", errors="replace")
    for kind, pattern in kinds.items():
        for match in re.finditer(pattern, text):
            yield Leak(name, f"line {text.count(chr(10), 0, match.start()) + 1}", kind)
