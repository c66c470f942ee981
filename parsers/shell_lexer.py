"""A shell script to its words and operators, quotes left in place, in one pass over the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class TokenKind(StrEnum):
    """What a token is."""

    WORD = "word"
    OPERATOR = "operator"
    NEWLINE = "newline"


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its quotes, an operator or a line end.

    Attributes:
        kind: What it is.
        text: As written.
        line: 1-based line on which it starts.
        is_glued: Whether it follows the token before it without a blank.
        here_document: For the word behind `<<`, the text that it stands for.
    """

    kind: TokenKind
    text: str
    line: int
    is_glued: bool = False
    here_document: str | None = None


_BLANKS = re.compile(r"(?:[ \t\r\v\f]|\\\r?\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_OPERATOR = re.compile(r"\d?>>|\d?>&\d?|&>|\d?>\||\d?[<>](?![<>&])|<<<|<<-?|<&|;;&?|&&|\|\|?|[;&()]|\d?[<>]")
_PLAIN = re.compile(r"[^\s;&|()<>'\"\\`$]+")
_SINGLE = re.compile(r"'[^']*(?:'|$)")
_IN_DOUBLE = re.compile(r'(?:[^"\\$]|\\.|\$(?![({]))*', re.DOTALL)
_BACKTICKS = re.compile(r"`(?:[^`\\]|\\.)*(?:`|\\?$)", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:\r?\n|.|$)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*|\d|[@*#?$!-]")
_BRACKET = re.compile(r"[(){}]")
_HERE_OPERATORS = frozenset({"<<", "<<-"})


def lex(text: str) -> list[Token]:
    r"""Split a script into tokens. Comments are dropped and here-documents taken out of the text.

    >>> [token.text for token in lex('python x.py --variant "a b"; # old: torchrun\n')]
    ['python', 'x.py', '--variant', '"a b"', ';', '\n']
    """
    return list(_Lexer(text).tokens())


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def tokens(self) -> Iterator[Token]:
        waiting: list[Token] = []
        while self._at < len(self._text):
            start, blanks = self._at, _BLANKS.match(self._text, self._at)
            if blanks:
                self._advance(blanks.end())
            elif comment := _COMMENT.match(self._text, self._at):
                self._advance(comment.end())
            else:
                token = self._token(is_glued=bool(start) and not self._text[start - 1].isspace())
                waiting.append(token)
                if token.kind is TokenKind.NEWLINE:
                    yield from self._with_here_documents(waiting)
                    waiting = []
        yield from self._with_here_documents(waiting)

    def _advance(self, end: int) -> str:
        passed = self._text[self._at : end]
        self._at = end
        self._line += passed.count("\n")
        return passed

    def _token(self, is_glued: bool) -> Token:
        line = self._line
        if self._text[self._at] == "\n":
            return Token(TokenKind.NEWLINE, self._advance(self._at + 1), line)
        if operator := _OPERATOR.match(self._text, self._at):
            return Token(TokenKind.OPERATOR, self._advance(operator.end()), line, is_glued)
        start = end = self._at
        while end < len(self._text) and (piece_end := self._piece_end(end)) > end:
            end = piece_end
        return Token(TokenKind.WORD, self._advance(max(end, start + 1)), line, is_glued)

    def _piece_end(self, at: int) -> int:
        """Find the end of a piece of a word, or answer `at` where the word ends."""
        for pattern in (_PLAIN, _SINGLE, _BACKTICKS, _ESCAPED):
            if match := pattern.match(self._text, at):
                return match.end()
        if self._text[at] == "$":
            return substitution_end(self._text, at)
        return self._double_quoted_end(at) if self._text[at] == '"' else at

    def _double_quoted_end(self, at: int) -> int:
        at += 1
        while match := _IN_DOUBLE.match(self._text, at):
            at = match.end()
            if self._text[at : at + 1] != "$":
                return min(at + 1, len(self._text))
            at = substitution_end(self._text, at)
        return at

    def _with_here_documents(self, waiting: list[Token]) -> Iterator[Token]:
        """Hand the tokens of a line on, the here-documents that start on it taken from the lines below."""
        for index, token in enumerate(waiting):
            is_here = index > 0 and waiting[index - 1].text in _HERE_OPERATORS
            if is_here and token.kind is TokenKind.WORD:
                yield Token(
                    token.kind, token.text, self._line, token.is_glued, self._here_document(token.text)
                )
            else:
                yield token

    def _here_document(self, delimiter: str) -> str:
        word = delimiter.strip("'\"\\")
        body: list[str] = []
        while self._at < len(self._text):
            end = self._text.find("\n", self._at)
            line = self._advance(len(self._text) if end < 0 else end + 1)
            if line.strip() == word:
                break
            body.append(line)
        return "".join(body)


def substitution_end(text: str, at: int) -> int:
    """Find the end of `$name`, `${...}` or `$(...)`; one that is never closed reaches to the end.

    >>> substitution_end("a$(b $(c))d", 1)
    10
    """
    opening = text[at + 1 : at + 2]
    if opening not in {"(", "{"}:
        name = _NAME.match(text, at + 1)
        return name.end() if name else at + 1
    depth = 0
    for bracket in _BRACKET.finditer(text, at):
        depth += 1 if bracket.group() in "({" else -1
        if depth == 0:
            return bracket.end()
    return len(text)
