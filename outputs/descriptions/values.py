"""The digits of run ids as numbers: `0999` is 0.999, `lr3e-2` is 3e-2, `m005` is minus 0.05."""

import re

_EXPONENT = re.compile(r"(?P<sign>m?)(?P<head>\d+(?:[p.]\d+)?)e(?P<minus>[-m]?)(?P<exponent>\d{1,2})")
_POINT = re.compile(r"(?P<sign>m?)(?P<head>\d+)[p.](?P<tail>\d+)")
_DIGITS = re.compile(r"(?P<sign>m?)(?P<digits>\d+)")


def read_value(text: str, *, is_small: bool = False) -> str | None:
    """Read a number. None means that it could be read in more than one way.

    A leading zero stands for the zero before the point, as names hold no points.

    Args:
        text: Digits, maybe with `m` for minus, `p` for the point, or an exponent.
        is_small: Whether the quantity is far below one, so that a missing minus of the exponent is meant.

    >>> [read_value(text) for text in ("0999", "030", "m005", "1p5", "5", "0")]
    ['0.999', '0.30', '-0.05', '1.5', '5', '0']
    >>> read_value("3e-2"), read_value("2p5e-2"), read_value("1e6", is_small=True), read_value("1e6")
    ('3e-2', '2.5e-2', '1e-6', None)
    >>> read_value("124375")
    """
    if match := _EXPONENT.fullmatch(text):
        if not match["minus"] and not is_small:
            return None
        return f"{_minus(match)}{match['head'].replace('p', '.')}e-{int(match['exponent'])}"
    if match := _POINT.fullmatch(text):
        return f"{_minus(match)}{int(match['head'])}.{match['tail']}"
    match = _DIGITS.fullmatch(text)
    if match is None:
        return None
    digits = match["digits"]
    if len(digits) > 1 and digits[0] == "0":
        return f"{_minus(match)}0.{digits[1:]}"
    return f"{_minus(match)}{digits}" if len(digits) <= 3 else None


def _minus(match: re.Match[str]) -> str:
    return "-" if match["sign"] else ""


def same_digits(text: str, value: str) -> bool:
    """Whether a run id's digits may be a constant's value, written without its point and outer zeros.

    >>> same_digits("0375", "0.0375"), same_digits("010", "0.1"), same_digits("3e-2", "0.03")
    (True, True, True)
    >>> same_digits("090", "0.95"), same_digits("8", "8")
    (False, True)
    """
    try:
        number = abs(float(value))
    except ValueError:
        return False
    read = read_value(text, is_small=number < 1)
    if read is not None and abs(float(read)) == number:
        return True
    return text.strip("0m") != "" and text.strip("0m") == f"{number:.12f}".replace(".", "").strip("0")
