"""The value of a shell word, as far as the script itself tells: variables, arguments, lists, defaults."""

import fnmatch
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from parsers.braces import MAX_EXPANDED, expand_braces
from parsers.shell_lexer import TokenKind, lex, substitution_end

UNKNOWN = "\ue000"
"""Stands before a substitution whose value the script does not tell. The substitution stays as written."""

_FIELD_END = "\ue001"
MAX_VALUE_CHARS = 4_096
"""A longer value is no path: the word keeps its variables instead."""

MAX_TRIMMED_CHARS = 256
"""Longest value and pattern that `%` and `#` are worked out for."""

MAX_VARIABLES = 500
MAX_DEPTH = 8

_PIECE = re.compile(
    r"'(?P<single>[^']*)'?|\\(?P<escaped>\r?\n|.)|(?P<quote>\")|(?P<plain>[^'\"\\$`]+)", re.DOTALL
)
_PARAMETER = re.compile(
    r"(?P<name>[A-Za-z_]\w*|\d+|[@*])(?:\[(?P<index>[^\]]*)\])?(?P<operator>:?[-=?+]|%%?|\#\#?|:|/|$)(?P<argument>.*)",
    re.DOTALL,
)


@dataclass(slots=True)
class Environment:
    """What is known while a script is followed.

    Attributes:
        variables: Value of each variable; a tuple for an array, None where branches disagree.
        arguments: `$1`, `$2`, ...; None where nobody says how the script is called.
    """

    variables: dict[str, str | tuple[str, ...] | None] = field(default_factory=dict)
    arguments: tuple[str, ...] | None = None

    def copy(self) -> "Environment":
        """Copy it for a branch that may or may not be taken."""
        return Environment(dict(self.variables), self.arguments)

    def assign(self, name: str, value: str | tuple[str, ...]) -> None:
        """Set a variable, unless there are too many."""
        if len(self.variables) < MAX_VARIABLES or name in self.variables:
            self.variables[name] = value

    def merge(self, branches: Sequence["Environment"]) -> None:
        """Take over what branches assigned. Where two differ, the value is unknown from there on."""
        for name in dict.fromkeys(itertools.chain.from_iterable(b.variables for b in branches)):
            values = {branch.variables[name] for branch in branches if name in branch.variables}
            self.variables[name] = values.pop() if len(values) == 1 else None

    def lookup(self, name: str, index: str | None) -> str | None:
        """The value of a parameter, fields separated by a mark; None where it is not known."""
        if name in {"@", "*"}:
            return None if self.arguments is None else _FIELD_END.join(self.arguments)
        if name.isdigit():
            return self._argument(int(name[:4]))
        value = self.variables.get(name)
        if isinstance(value, str) or value is None:
            return value
        if index in {"@", "*"}:
            return _FIELD_END.join(value)
        position = int(index) if index and index.isdecimal() and len(index) < 5 else 0
        return value[position] if position < len(value) else None

    def _argument(self, number: int) -> str | None:
        if self.arguments is None or number == 0:
            return None
        return self.arguments[number - 1] if number <= len(self.arguments) else ""


def expand(raw: str, environment: Environment, depth: int = 0) -> tuple[str, ...]:
    """Expand a word with its quotes to the words that the shell would see.

    >>> environment = Environment({"V": "variants/x.py"})
    >>> expand('"$V"', environment), expand("${W:-y}_{1,2}", environment)
    (('variants/x.py',), ('y_1', 'y_2'))
    >>> [is_known(word) for word in expand("$ROOT/variants/x.py", environment)]
    [False]
    """
    has_quotes = "'" in raw or '"' in raw
    words = (raw,) if has_quotes or "{" not in raw else expand_braces(raw)
    fields = [part for word in words for part in _expand_one(word, environment, depth).split(_FIELD_END)]
    return tuple(part for part in fields if part or has_quotes)[:MAX_EXPANDED]


def is_known(word: str) -> bool:
    """Whether every substitution in a word was resolved."""
    return UNKNOWN not in word


def without_marks(word: str) -> str:
    """The word as a person would read it, unknown variables as written in the script."""
    return word.replace(UNKNOWN, "")


def _expand_one(raw: str, environment: Environment, depth: int) -> str:
    pieces: list[str] = []
    at, is_quoted, length = 0, False, 0
    while at < len(raw) and length <= MAX_VALUE_CHARS:
        piece, at, toggles = _next_piece(raw, at, is_quoted, environment, depth)
        is_quoted ^= toggles
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces) if length <= MAX_VALUE_CHARS else UNKNOWN + raw[:MAX_VALUE_CHARS]


def _next_piece(
    raw: str, at: int, is_quoted: bool, environment: Environment, depth: int
) -> tuple[str, int, bool]:
    """Expand a piece of a word: its text, where it ends, and whether a quote opens or closes there."""
    if raw[at] in "$`":
        end = substitution_end(raw, at) if raw[at] == "$" else (raw.find("`", at + 1) + 1 or len(raw))
        value = _substitute(raw[at:end], environment, depth)
        return (
            (value if is_quoted else _FIELD_END.join(value.split()) if is_known(value) else value),
            end,
            False,
        )
    if is_quoted and raw[at] == "'":
        return "'", at + 1, False
    match = _PIECE.match(raw, at)
    if match is None:
        return raw[at], at + 1, False
    if match["escaped"] is not None:
        return match["escaped"].strip("\r\n"), match.end(), False
    return match["single"] or match["plain"] or "", match.end(), match["quote"] is not None


def _substitute(text: str, environment: Environment, depth: int) -> str:
    value: str | None = None
    if depth < MAX_DEPTH:
        if text.startswith(("$(", "`")):
            value = _command_output(text[2:-1] if text[0] == "$" else text.strip("`"), environment, depth + 1)
        elif text.startswith("${"):
            value = _parameter(text[2:-1], environment, depth + 1)
        elif len(text) > 1:
            value = environment.lookup(text[1:], None)
    return UNKNOWN + text if value is None else value


def _parameter(text: str, environment: Environment, depth: int) -> str | None:
    """Resolve the inside of `${...}`."""
    match = _PARAMETER.fullmatch(text)
    if match is None:
        return None
    value, argument = environment.lookup(match["name"], match["index"]), match["argument"]
    operator = match["operator"]
    if operator in {":-", "-", ":=", "="}:
        return value or " ".join(expand(argument, environment, depth))
    if value is None or operator in {"", ":?", "?"}:
        return value
    if operator in {"%", "%%", "#", "##"}:
        pattern = " ".join(expand(argument, environment, depth))
        is_short = len(value) <= MAX_TRIMMED_CHARS and len(pattern) <= MAX_TRIMMED_CHARS
        return _trim(value, operator, pattern) if is_short else None
    if operator == ":" and match["name"] == "@" and argument.isdecimal() and len(argument) < 5:
        return _FIELD_END.join(value.split(_FIELD_END)[max(0, int(argument) - 1) :])
    return None


def _trim(value: str, operator: str, pattern: str) -> str:
    """Cut the shortest or longest match of a pattern off an end of a value."""
    cuts = range(len(value) + 1)
    if operator[0] == "#":
        ends = cuts if operator == "#" else reversed(cuts)
        return next((value[end:] for end in ends if fnmatch.fnmatchcase(value[:end], pattern)), value)
    starts = reversed(cuts) if operator == "%" else cuts
    return next((value[:start] for start in starts if fnmatch.fnmatchcase(value[start:], pattern)), value)


def _command_output(text: str, environment: Environment, depth: int) -> str | None:
    """The output of the few commands that only work on text."""
    tokens = lex(text)
    if not tokens or any(token.kind is not TokenKind.WORD for token in tokens):
        return None
    words = [word for token in tokens for word in expand(token.text, environment, depth)]
    if not all(is_known(PurePosixPath(word).name) for word in words) or not words:
        return None
    name, arguments = words[0], words[1:]
    if name == "echo":
        return " ".join(arguments)
    if name == "basename" and 1 <= len(arguments) <= 2:
        return PurePosixPath(arguments[0]).name.removesuffix("".join(arguments[1:]))
    if name == "dirname" and len(arguments) == 1 and is_known(arguments[0]):
        return str(PurePosixPath(arguments[0]).parent)
    if name == "seq" and all(re.fullmatch(r"\d{1,6}", argument) for argument in arguments):
        return _sequence([int(argument) for argument in arguments])
    return None


def _sequence(numbers: Sequence[int]) -> str | None:
    if not 1 <= len(numbers) <= 3:
        return None
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    counted = range(first, numbers[-1] + 1, max(1, step))
    return " ".join(map(str, counted)) if len(counted) <= MAX_EXPANDED else None
