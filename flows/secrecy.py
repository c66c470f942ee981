"""The secrets of this process's environment: which they are, and how they are kept out of every message."""

import os
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from parsers.secrets import Secrets, hide_keys, secrets_among


class SecretError(Exception):
    """Something failed with a message that held a secret; this one holds none."""


def known_secrets(environment: Mapping[str, str] = os.environ) -> Secrets:
    """List the secrets of the environment, which must not appear anywhere."""
    return secrets_among(environment)


def holds_any(data: bytes, secrets: Secrets) -> bool:
    """Whether bytes hold one of some secrets."""
    return any(value in data for _, value in secrets)


def hide(text: str) -> str:
    """Write over everything in a text that is a secret of the environment or looks like a key."""
    return hide_keys(text, known_secrets())


class UnsafeSettingError(Exception):
    """An address holds a password, or a key is none. The message is one sentence without it."""


def read_key(variable: str) -> str:
    """Read a key from the environment; empty where there is none.

    Raises:
        UnsafeSettingError: If no service could be told it, as it holds a blank, a line break or the like.
    """
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UnsafeSettingError(
            f"{variable} holds more than a key: a blank, a line break or a strange letter."
        )
    return key


def check_address(address: str | None, what: str) -> None:
    """Refuse an address with a password in it: addresses are printed, and Prefect keeps them.

    Args:
        address: The address, or None.
        what: What it is the address of.

    Raises:
        UnsafeSettingError: If it holds one.
    """
    if address is not None and hide(address) != address:
        raise UnsafeSettingError(
            f"The address of {what} holds a key or a password: leave it out, as addresses are recorded, and "
            "give it where it belongs, such as git's credential helper or an environment variable."
        )


@contextmanager
def no_secret_escapes() -> Iterator[None]:
    """Replace an error whose traceback would show a secret by one that does not.

    Tracebacks are printed, and Prefect keeps them; other people's errors may quote a header or an address.

    Raises:
        SecretError: Instead of such an error.
    """
    try:
        yield
    except Exception as error:
        shown = "".join(traceback.format_exception(error))
        if hide(shown) == shown:
            raise
        raise SecretError(f"{type(error).__name__}: {hide(str(error))}") from None
