"""The tokens of a shell script to the few structures that matter for following it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from parsers.shell_lexer import Token, TokenKind

MAX_NESTING = 16
"""A script with more blocks inside one another is no launch stub."""


class ScriptTooComplexError(Exception):
    """The script nests deeper or executes more than a launch stub does."""


@dataclass(slots=True)
class Simple:
    """A simple command: its words, operators and redirections.

    Attributes:
        tokens: At least one.
        is_conditional: Whether it stands behind `&&` or `||`.
    """

    tokens: list[Token]
    is_conditional: bool


@dataclass(slots=True)
class Loop:
    """A loop.

    Attributes:
        variable: What a `for` loop sets, or None for a loop that is followed once.
        words: What it is set to; None stands for the arguments of the script or function.
        body: What is repeated.
    """

    variable: str | None
    words: list[Token] | None
    body: list["Node"]


@dataclass(slots=True)
class Branches:
    """An `if` or a `case`.

    Attributes:
        subject: Word of a `case`; None for an `if`.
        patterns: Patterns of each body of a `case`.
        bodies: The branches; a missing `else` is an empty one.
    """

    subject: Token | None
    patterns: list[list[str]]
    bodies: list[list["Node"]] = field(default_factory=list)


@dataclass(slots=True)
class Function:
    """A function definition.

    Attributes:
        name: What it is called by.
        body: What it does.
    """

    name: str
    body: list["Node"]


Node = Simple | Loop | Branches | Function

_SEPARATORS = frozenset({";", "&", "|", "||", "&&", "(", ")", ";;", ";&", ";;&"})
_IGNORED_WORDS = frozenset({"!", "{", "}", "time", "then", "do", "done", "fi", "esac", "in"})


def read_script(tokens: Sequence[Token]) -> list[Node]:
    """Read a whole script.

    Raises:
        ScriptTooComplexError: Its blocks nest deeper than `MAX_NESTING`.
    """
    return _Reader(tokens).block()


class _Reader:
    """Tokens to nodes. Whatever does not fit the grammar is skipped, as the script is only read."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def block(self, *stops: str) -> list[Node]:
        """Read up to one of the words or operators that end the block, which is consumed."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise ScriptTooComplexError(f"The script nests more than {MAX_NESTING} blocks.")
        nodes: list[Node] = []
        is_conditional = False
        while self._at < len(self._tokens) and self._peek() not in stops:
            text = self._peek()
            if self._tokens[self._at].kind is TokenKind.WORD:
                nodes += self._command(is_conditional)
                is_conditional = False
            else:
                self._at += 1
                is_conditional = text in {"&&", "||"}
                if text == "(":
                    nodes += self.block(")")
        self._at += 1
        self._depth -= 1
        return nodes

    def _peek(self, ahead: int = 0) -> str:
        index = self._at + ahead
        return self._tokens[index].text if index < len(self._tokens) else ""

    def _command(self, is_conditional: bool) -> list[Node]:
        word = self._peek()
        reader = {
            "for": self._for,
            "select": self._for,
            "while": self._while,
            "until": self._while,
            "if": self._if,
            "case": self._case,
            "function": self._function_word,
        }.get(word)
        if reader:
            self._at += 1
            return reader()
        if word == "{":
            self._at += 1
            return self.block("}")
        if word in _IGNORED_WORDS:
            self._at += 1
            return []
        if self._peek(1) == "(" and self._peek(2) == ")" and re.fullmatch(r"[\w:.-]+", word):
            self._at += 3
            return self._function_body(word)
        return [Simple(self._simple(), is_conditional)]

    def _simple(self) -> list[Token]:
        taken: list[Token] = []
        is_test = self._peek() == "[["
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            opens_array = token.text == "(" and token.is_glued and taken and taken[-1].text.endswith("=")
            if opens_array:
                taken += self._array()
                continue
            is_end = token.kind is TokenKind.NEWLINE or token.text in _SEPARATORS
            if is_end and not (is_test and token.kind is TokenKind.OPERATOR):
                break
            taken.append(token)
            self._at += 1
            if is_test and token.text == "]]":
                break
        return taken

    def _array(self) -> list[Token]:
        start = self._at
        while self._at < len(self._tokens) and self._peek() != ")":
            self._at += 1
        self._at += 1
        return [token for token in self._tokens[start : self._at] if token.kind is not TokenKind.NEWLINE]

    def _until_newline_or(self, *stops: str) -> list[Token]:
        start = self._at
        while self._at < len(self._tokens) and self._peek() not in {"\n", ";", *stops}:
            self._at += 1
        return list(self._tokens[start : self._at])

    def _for(self) -> list[Node]:
        if self._peek() == "(":
            while self._at < len(self._tokens) and self._peek() not in {"do", "{"}:
                self._at += 1
            self._at += 1
            return [Loop(None, None, self.block("done", "}"))]
        variable = self._peek()
        self._at += 1
        words: list[Token] | None = None
        if self._peek() == "in":
            self._at += 1
            words = [token for token in self._until_newline_or() if token.kind is TokenKind.WORD]
        while self._peek() in {";", "\n"}:
            self._at += 1
        self._at += self._peek() == "do"
        return [Loop(variable, words, self.block("done"))]

    def _while(self) -> list[Node]:
        condition = self.block("do")
        return [*condition, Loop(None, None, self.block("done"))]

    def _if(self) -> list[Node]:
        nodes = self.block("then")
        branches = Branches(None, [])
        while True:
            start_depth = self._at
            branches.bodies.append(self.block("elif", "else", "fi"))
            ended_by = (
                self._tokens[self._at - 1].text if start_depth < self._at <= len(self._tokens) else "fi"
            )
            if ended_by == "elif":
                nodes += self.block("then")
            elif ended_by == "else":
                branches.bodies.append(self.block("fi"))
                break
            else:
                branches.bodies.append([])
                break
        return [*nodes, branches]

    def _case(self) -> list[Node]:
        subject = self._tokens[self._at] if self._at < len(self._tokens) else None
        self._at += 1
        branches = Branches(subject, [])
        while self._at < len(self._tokens) and self._peek() != "esac":
            if self._peek() in {"in", "\n", "(", ";;"}:
                self._at += 1
                continue
            patterns = [token.text for token in self._until_newline_or(")") if token.text != "|"]
            self._at += 1
            start = self._at
            body = self.block(";;", ";&", ";;&", "esac")
            branches.patterns.append(patterns)
            branches.bodies.append(body)
            if start < self._at <= len(self._tokens) and self._tokens[self._at - 1].text == "esac":
                return [branches]
        self._at += 1
        return [branches]

    def _function_word(self) -> list[Node]:
        name = self._peek()
        self._at += 1
        if self._peek() == "(" and self._peek(1) == ")":
            self._at += 2
        return self._function_body(name)

    def _function_body(self, name: str) -> list[Node]:
        while self._peek() == "\n":
            self._at += 1
        if self._peek() in {"{", "("}:
            closing = "}" if self._peek() == "{" else ")"
            self._at += 1
            return [Function(name, self.block(closing))]
        return []
