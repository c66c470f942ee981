"""What a source changes: the constants of its modules and of its calls, beside those of another source."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from outputs.descriptions.model import SourceText

MAX_SOURCE_CHARS = 400_000
MAX_STATEMENT_CHARS = 4_000
MAX_CONSTANTS = 500
MAX_VALUE_CHARS = 40

MAX_CHANGES = 12
"""Two sources that differ in more constants than this are no relatives: the difference says little."""

_TRIPLE_QUOTED = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*+\'\'\'', re.DOTALL
)
_STATEMENT_START = re.compile(r"^[A-Za-z_(\[]", re.MULTILINE)
_ASSIGNS = re.compile(r"[A-Za-z_][\w.]*\s*(?::[^=\n]{1,60})?=(?!=)")
_NO_ASSIGNMENT = re.compile(
    r"(?:async|def|class|for|while|if|elif|else|try|except|finally|with|import|from)\b"
)
_TOLD_ELSEWHERE = re.compile(
    r"(?:^|_)(?:seed|steps?|iterations_total|num_iterations|run_id|runid|uuid|name|path|dir|file|code|out|log)s?(?:$|_)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Change:
    """One constant that differs.

    Attributes:
        name: Its name, with the call it is passed to: `Muon.lr`.
        before: Its value in the other source; None where that lacks it.
        after: Its value in this source; None where this lacks it.
    """

    name: str
    before: str | None
    after: str | None

    def words(self) -> str:
        """Say what changed.

        >>> Change("MUON_LR", "0.035", "0.03").words(), Change("ALPHA", None, "0.1").words()
        ('MUON_LR 0.03 instead of 0.035', 'ALPHA 0.1, new')
        """
        if self.after is None:
            return f"no {self.name}, which was {self.before}"
        return f"{self.name} {self.after}" + (
            f" instead of {self.before}" if self.before is not None else ", new"
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """What a source changes against another one.

    Attributes:
        base: The other one, as a sentence may say it.
        changes: The changed constants, by name.
    """

    base: str
    changes: tuple[Change, ...]


def constants_of(text: str) -> Mapping[str, str]:
    r"""Read the constants that stand in a source's top level: names, and arguments of calls.

    Only single statements are parsed, and never the functions between them, so that a source of ordinary size
    takes less than a millisecond.

    >>> dict(constants_of("LR = 0.03\nopt = Muon(p, lr=LR, momentum=0.95)\ndef f():\n    x = 1\n"))
    {'LR': '0.03', 'Muon.momentum': '0.95'}
    """
    found: dict[str, str] = {}
    for statement in _statements(text):
        try:
            tree = ast.parse(statement)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for name, node in _values(tree):
            value = _literal(node)
            if value is not None and len(found) < MAX_CONSTANTS and not _TOLD_ELSEWHERE.search(name):
                found[name] = value
    return found


def _statements(text: str) -> Iterator[str]:
    """Cut a source into its top-level statements that may assign something."""
    text = _TRIPLE_QUOTED.sub("''", text[:MAX_SOURCE_CHARS].replace("\r\n", "\n"))
    starts = [match.start() for match in _STATEMENT_START.finditer(text)]
    for start, stop in pairwise([*starts, len(text)]):
        if stop - start > MAX_STATEMENT_CHARS or _NO_ASSIGNMENT.match(text, start):
            continue
        statement = text[start:stop]
        if _ASSIGNS.search(statement):
            yield statement


def _values(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from _pairs(target, statement.value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield from _pairs(statement.target, statement.value)
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                called = (
                    node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                )
                yield from (
                    (f"{called}.{each.arg}", each.value) for each in node.keywords if each.arg and called
                )


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Attribute):
        yield target.attr, value
    elif (
        isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)
    ):
        for each, part in zip(target.elts, value.elts, strict=True):
            yield from _pairs(each, part)


def _literal(node: ast.expr) -> str | None:
    """Write a number, a flag, a word or a few of them as the source does; None for anything else."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    parts = value if isinstance(value, tuple | list) else (value,)
    if not all(isinstance(part, bool | int | float) or _is_word(part) for part in parts):
        return None
    try:
        text = ast.unparse(node) if isinstance(value, float) else repr(value)
    except ValueError:
        return None
    return text if 0 < len(text) <= MAX_VALUE_CHARS else None


def _is_word(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w.-]{0,30}", value) is not None


def changed_constants(source: Mapping[str, str], base: Mapping[str, str]) -> tuple[Change, ...]:
    """List the constants that differ, by name."""
    return tuple(
        Change(name, base.get(name), source.get(name))
        for name in sorted(source.keys() | base.keys())
        if not _is_same(base.get(name), source.get(name))
    )


def _is_same(first: str | None, second: str | None) -> bool:
    if first is None or second is None:
        return first == second
    try:
        return float(first) == float(second)
    except ValueError:
        return first == second


@dataclass(slots=True)
class Differ:
    """Compares sources, and reads each of them once.

    Attributes:
        constants: Constants of the sources that were read, by hash.
    """

    constants: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def compare(self, source: SourceText, bases: Sequence[SourceText]) -> Difference | None:
        """Compare a source with its nearest relative: the one with the fewest changed constants.

        Args:
            source: The source.
            bases: The baseline and others; of two that are equally near, the first counts.

        Returns:
            What changed; None where nothing did, or everything.
        """
        own = self._of(source)
        found = [Difference(base.label, changed_constants(own, self._of(base))) for base in bases]
        near = [each for each in found if 0 < len(each.changes) <= MAX_CHANGES]
        return min(near, key=lambda each: len(each.changes), default=None)

    def _of(self, source: SourceText) -> Mapping[str, str]:
        if source.sha256 not in self.constants:
            self.constants[source.sha256] = constants_of(source.text)
        return self.constants[source.sha256]
