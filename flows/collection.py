"""Python's search for cyclic garbage, put off while millions of records are made that hold no cycle."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def put_off() -> Iterator[None]:
    """Search for no cycles within a `with` block: each search would walk over every record made so far."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
