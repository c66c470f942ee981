"""A text cut from a log, cleaned of what is no Python, and accepted only if Python accepts it."""

import ast
import re
import warnings

_NOISE_LINE = re.compile(
    r"(?:\[?(?:rank)?\d*\]?:?\s*)?"
    r"(?:\[?[WIEF]\d{3,4} \d{2}:\d{2}:\d{2}|\[rank\d+\]:|### \w+[=:]|slurmstepd:|srun:|NCCL )"
)
_BEFORE_DEFINITION = re.compile(r"\n\n(?=def |class |@)")
_MAX_CUTS = 6
_MAX_SOURCE_CHARS = 4_000_000


def clean_source(text: str, accepted: set[str]) -> str | None:
    """Cut wrapper headers, warnings and trailing noise off a source text.

    Args:
        text: What stands before a log's delimiter, normalised.
        accepted: Pieces of other texts that Python accepts, as trainers share most of theirs. Those of this
            text are added.

    Returns:
        The longest stretch that `ast.parse` accepts after at most six cuts at a syntax error: of the head
        when the error lies in the first half, else of the tail. None when there is none.
    """
    if len(text) > _MAX_SOURCE_CHARS:
        return None
    lines = [line for line in text.replace("\0", "").split("\n") if not _NOISE_LINE.match(line)]
    for _ in range(_MAX_CUTS):
        error_line = _first_error(lines, accepted)
        if error_line is None:
            kept = "\n".join(lines).strip("\n")
            return kept + "\n" if kept.strip() else None
        is_in_tail = error_line * 2 > len(lines)
        lines = lines[: error_line - 1] if is_in_tail else lines[error_line:]
    return None


def _first_error(lines: list[str], accepted: set[str]) -> int | None:
    """Return the 1-based line of the first syntax error, or None."""
    text = "\n".join(lines)
    if _has_valid_pieces(text, accepted):
        return None
    error = syntax_error(text)
    if isinstance(error, SyntaxError):
        return min(max(error.lineno or 1, 1), max(len(lines), 1))
    return None if error is None else 1


def _has_valid_pieces(text: str, accepted: set[str]) -> bool:
    """Whether each piece between two definitions is Python by itself, which makes the whole Python."""
    pieces = [piece for piece in _BEFORE_DEFINITION.split(text) if piece not in accepted]
    if any(syntax_error(piece) for piece in pieces):
        return False
    accepted.update(pieces)
    return True


def syntax_error(text: str) -> Exception | None:
    """Return what keeps a text from being Python, or None.

    What compiles is valid; compiling is tried first because it takes a fifth of the time of `ast.parse`,
    which builds every node as an object. `ast.parse` has the last word on what does not compile.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<source>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            try:
                ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                return error
    return None
