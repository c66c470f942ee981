"""A shell script followed without running it: every command that it may execute, its words resolved."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parsers.shell_expand import Environment, expand, is_known
from parsers.shell_lexer import Token, TokenKind, lex
from parsers.shell_reader import Branches, Function, Loop, Node, ScriptTooComplexError, Simple, read_script

MAX_COMMANDS = 6_000
"""A script that executes more is no launch stub."""

MAX_CALLS = 6
"""How deep functions and inner scripts may call one another."""


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command that the script may execute, at one time that it may execute it.

    Attributes:
        words: Name and arguments, resolved as far as the script tells.
        line: 1-based line on which it starts.
        outputs: Files that its output goes to.
        variables: Those of the watched variables that are set, with their values at that time.
    """

    words: tuple[str, ...]
    line: int
    outputs: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]


def commands(text: str, watched: Sequence[str] = ()) -> Iterator[Command]:
    """Follow a script. Loops over lists are unrolled, branches are all taken, its own functions are called.

    >>> script = "f() { python x.py --variant $1; }; for v in a b; do f $v.py; done"
    >>> [command.words[-1] for command in commands(script)]
    ['a.py', 'b.py']

    Args:
        text: The script.
        watched: Variables whose values each command should carry.

    Raises:
        ScriptTooComplexError: The bounds were met. What was handed out before is sound.
    """
    yield from _Walker(tuple(watched)).run_text(text, Environment(), 1)


_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<appends>\+?)=(?P<value>.*)", re.DOTALL)
_DECLARING = frozenset({"export", "local", "declare", "readonly", "typeset"})
_OUTPUT_OPERATORS = frozenset({">", ">>", "1>", "1>>", "&>", ">|"})
_REDIRECTING = re.compile(r"\d?(?:>>?&?\d?|>\||<<<|<<?-?&?)|&>")


class _Walker:
    def __init__(self, watched: tuple[str, ...]) -> None:
        self._watched = watched
        self._left = MAX_COMMANDS
        self._functions: dict[str, list[Node]] = {}
        self._calls = 0
        self._first_line = 1

    def run_text(self, text: str, environment: Environment, first_line: int) -> Iterator[Command]:
        nodes = read_script(lex(text))
        outer, self._first_line = self._first_line, first_line
        yield from self._run(nodes, environment)
        self._first_line = outer

    def _run(self, nodes: Sequence[Node], environment: Environment) -> Iterator[Command]:
        for node in nodes:
            if isinstance(node, Simple):
                yield from self._simple(node, environment)
            elif isinstance(node, Loop):
                yield from self._loop(node, environment)
            elif isinstance(node, Branches):
                yield from self._branches(node, environment)
            elif isinstance(node, Function):
                self._functions[node.name] = node.body

    def _loop(self, loop: Loop, environment: Environment) -> Iterator[Command]:
        if loop.variable is None:
            yield from self._run(loop.body, environment)
            return
        if loop.words is None:
            values = environment.arguments
        else:
            values = tuple(value for token in loop.words for value in expand(token.text, environment))
        for value in values or ():
            self._spend()
            environment.assign(loop.variable, value)
            yield from self._run(loop.body, environment)
        if values is None:
            environment.variables[loop.variable] = None
            yield from self._run(loop.body, environment)

    def _branches(self, branches: Branches, environment: Environment) -> Iterator[Command]:
        bodies = branches.bodies
        if branches.subject:
            subject = " ".join(expand(branches.subject.text, environment))
            chosen = _matching_body(subject, branches) if is_known(subject) else None
            bodies = bodies if chosen is None else [chosen]
        environments = [environment.copy() for _ in bodies]
        for body, inner in zip(bodies, environments, strict=True):
            yield from self._run(body, inner)
        environment.merge(environments)

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise ScriptTooComplexError(f"The script executes more than {MAX_COMMANDS} commands.")

    def _simple(self, node: Simple, environment: Environment) -> Iterator[Command]:
        self._spend()
        tokens = node.tokens
        declares = tokens[0].text in _DECLARING
        index = 1 if declares else 0
        prefix = environment.copy() if node.is_conditional else environment
        while index < len(tokens):
            match = _ASSIGNMENT.fullmatch(tokens[index].text)
            if match is None and not (declares and tokens[index].text.startswith("-")):
                break
            index += 1
            if match:
                index = _assign(match, tokens, index, prefix)
        if index == len(tokens) or declares:
            if node.is_conditional:
                environment.merge([environment.copy(), prefix])
            return
        yield from self._execute(tokens[index:], prefix)

    def _execute(self, tokens: Sequence[Token], environment: Environment) -> Iterator[Command]:
        words: list[str] = []
        outputs: list[str] = []
        here_documents: list[Token] = []
        operator = ""
        for token in tokens:
            if token.kind is TokenKind.OPERATOR:
                operator = token.text if _REDIRECTING.fullmatch(token.text) else ""
                operator = "" if operator.endswith(tuple("0123456789")) else operator
                continue
            expanded = expand(token.text, environment)
            if not operator:
                words += expanded
            elif operator in _OUTPUT_OPERATORS:
                outputs += expanded
            if token.here_document is not None:
                here_documents.append(token)
            operator = ""
        if not words:
            return
        if words[0] in self._functions:
            yield from self._call(words, environment)
            return
        if words[0] == "shift" and environment.arguments is not None:
            environment.arguments = environment.arguments[1:]
        line = self._first_line + tokens[0].line - 1
        variables = ((name, environment.lookup(name, None)) for name in self._watched)
        known = tuple((name, value) for name, value in variables if value)
        yield Command(tuple(words), line, tuple(outputs), known)
        yield from self._inner_scripts(words, here_documents, environment, line)

    def _call(self, words: Sequence[str], environment: Environment) -> Iterator[Command]:
        self._calls += 1
        if self._calls <= MAX_CALLS:
            outer, environment.arguments = environment.arguments, tuple(words[1:])
            yield from self._run(self._functions[words[0]], environment)
            environment.arguments = outer
        self._calls -= 1

    def _inner_scripts(
        self, words: Sequence[str], here_documents: Sequence[Token], environment: Environment, line: int
    ) -> Iterator[Command]:
        """Follow the script that a command is given as text: `bash -c`, `sbatch --wrap`, here-documents."""
        self._calls += 1
        if self._calls <= MAX_CALLS:
            for text in _scripts_among(words):
                yield from self.run_text(text, environment.copy(), line)
            for token in here_documents if _takes_a_script(words) else ():
                first_line = self._first_line + token.line - 1
                yield from self.run_text(token.here_document or "", environment.copy(), first_line)
        self._calls -= 1


def _matching_body(subject: str, branches: Branches) -> list[Node] | None:
    """The body of the first pattern that a word matches. Only literal patterns and `*` are decided."""
    for patterns, body in zip(branches.patterns, branches.bodies, strict=True):
        literals = [pattern.strip("\"'") for pattern in patterns]
        if subject in literals or "*" in literals:
            return body
        if any(set(literal) & set("*?[$") for literal in literals):
            return None
    return []


def _assign(match: re.Match[str], tokens: Sequence[Token], index: int, environment: Environment) -> int:
    """Carry out one assignment and answer where the tokens behind it start."""
    name = match["name"]
    if not match["value"] and index < len(tokens) and tokens[index].text == "(" and tokens[index].is_glued:
        end = next((n for n in range(index, len(tokens)) if tokens[n].text == ")"), len(tokens) - 1)
        items = tuple(item for token in tokens[index + 1 : end] for item in expand(token.text, environment))
        before = environment.variables.get(name) if match["appends"] else ()
        environment.assign(name, (before if isinstance(before, tuple) else ()) + items)
        return end + 1
    value = " ".join(expand(match["value"], environment))
    if match["appends"]:
        value = (environment.lookup(name, None) or "") + value
    environment.assign(name, value)
    return index


_SHELLS = frozenset({"bash", "sh", "zsh"})


def _program(word: str) -> str:
    return word.rsplit("/", 1)[-1]


def _takes_a_script(words: Sequence[str]) -> bool:
    return any(_program(word) in _SHELLS | {"sbatch", "srun"} for word in words[:3])


def _scripts_among(words: Sequence[str]) -> Iterator[str]:
    has_shell = False
    for index, word in enumerate(words):
        has_shell = has_shell or _program(word) in _SHELLS
        following = words[index + 1] if index + 1 < len(words) else ""
        if word.startswith("--wrap="):
            yield word.removeprefix("--wrap=")
        elif word == "--wrap" or (has_shell and re.fullmatch(r"-[a-z]{0,3}c", word)):
            yield following
