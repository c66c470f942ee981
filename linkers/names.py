"""Names folded and cut into tokens, so that run ids, file stems and slugs can be compared."""

import re
from functools import lru_cache

from parsers.run_ids import NAMES_KEPT

_SEPARATORS = re.compile(r"[^0-9A-Za-z]+")
_TOKEN = re.compile(r"\d+|[A-Za-z]+")

VARIANT_PREFIXES = ("train_gpt_simple_", "train_gpt_", "legal_")
"""What agents put before the telling part of a variant's file name."""


@lru_cache(maxsize=NAMES_KEPT)
def fold(name: str) -> str:
    """Fold case and separators.

    >>> fold("Legal-v12opt.ts3037") == fold("legal_v12opt_ts3037")
    True
    """
    return _SEPARATORS.sub("_", name).strip("_").lower()


@lru_cache(maxsize=NAMES_KEPT)
def without_prefixes(folded: str) -> str:
    """Strip the known prefixes of a folded variant stem, however many there are.

    >>> without_prefixes("train_gpt_simple_legal_v12opt")
    'v12opt'
    """
    stripped = True
    while stripped:
        stripped = False
        for prefix in VARIANT_PREFIXES:
            if folded.startswith(prefix) and len(folded) > len(prefix):
                folded, stripped = folded[len(prefix) :], True
    return folded


@lru_cache(maxsize=NAMES_KEPT)
def tokens(name: str) -> tuple[str, ...]:
    """Cut a name into words and numbers.

    >>> tokens("v3aur2b035proj3029")
    ('v', '3', 'aur', '2', 'b', '035', 'proj', '3029')
    """
    return tuple(_TOKEN.findall(name.lower()))
