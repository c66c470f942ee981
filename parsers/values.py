"""Values that JSON written by many hands may hold, read as what they were meant to be."""

import math

MAX_TEXT_CHARS = 10_000
"""Longer texts are cut; the longest genuine remark has some hundred characters."""


def as_number(value: object) -> float | None:
    """Read a finite number, also one that is given as text; None for anything else.

    >>> as_number("3.28"), as_number(True), as_number("nan")
    (3.28, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def as_int(value: object, least: int, most: int) -> int | None:
    """Read a whole number between two bounds; None for anything else.

    >>> as_int("3500", 0, 10**9), as_int(3.5, 0, 10**9), as_int(-1, 0, 10**9)
    (3500, None, None)
    """
    number = as_number(value)
    if number is None or not number.is_integer() or not least <= number <= most:
        return None
    return int(number)


def as_text(value: object) -> str | None:
    """Read a text, or a number as text, with what no file can hold replaced; None where nothing is left.

    >>> as_text(7743), as_text("  "), as_text(True)
    ('7743', None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value)[:MAX_TEXT_CHARS].encode("utf-8", errors="replace").decode()
    return text.replace("\0", "\ufffd").strip() or None
