"""One process at a time in a directory, by a lock that the system lets go of when its process ends.

Knows nothing of prompts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from interlock.errors import PromptError

if sys.platform != "win32":
    import fcntl

__all__ = ["locked"]

LOCK_TIMEOUT_S = 5.0
_LOOK_S = 0.02


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold a directory, which is made when missing, and taken away again when nothing was put into it.

    Nothing is written for the lock. Where directories cannot be locked, as on Windows, only one may write at a time.

    Raises:
        PromptError: another process holds it, or it cannot be made.
    """
    is_new = not directory.exists()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY) if sys.platform != "win32" else None
    except OSError as error:
        raise PromptError(f"{directory}: cannot be written: {error.strerror}") from error
    try:
        if descriptor is not None:
            _wait(descriptor, directory)
        yield
    finally:
        if is_new:
            with suppress(OSError):
                directory.rmdir()
        if descriptor is not None:
            os.close(descriptor)


def _wait(descriptor: int, directory: Path) -> None:
    ends = time.monotonic() + LOCK_TIMEOUT_S
    while not _taken(descriptor):
        if time.monotonic() >= ends:
            raise PromptError(f"{directory}: another process publishes into it; try again when it has ended")
        time.sleep(_LOOK_S)


def _taken(descriptor: int) -> bool:
    """Take the lock; False while another process has it, True also where the file system knows no locks."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
    return True
