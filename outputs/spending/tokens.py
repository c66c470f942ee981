"""How many tokens a text has at most, without the vocabulary that only a download could bring.

The vocabularies of the models in question hold every pair of lower-case letters and every single byte, and a
space joins the word behind it. So a run of lower-case letters counts one token for two letters, and every
other byte one token. Prose has about half as many; text made to be long in tokens has hardly more.
"""

import re

_LETTERS = re.compile(rb" ?[a-z]+")


def bound_tokens(text: str) -> int:
    """Count tokens, rather too many than too few.

    >>> bound_tokens("tail averaging"), bound_tokens("3025"), bound_tokens("")
    (7, 4, 0)
    """
    data = text.encode("utf-8", errors="replace")
    runs = _LETTERS.findall(data)
    in_letters = sum((len(run.lstrip()) + 1) // 2 for run in runs)
    return len(data) - sum(map(len, runs)) + in_letters


def cut_to_tokens(text: str, limit: int) -> str:
    """Cut a text so that it has at most so many tokens. A text that fits comes back as it is.

    >>> cut_to_tokens("abcd 12", 3), cut_to_tokens("abcd", 2)
    ('abcd ', 'abcd')
    """
    if bound_tokens(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if bound_tokens(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return text[:low]
