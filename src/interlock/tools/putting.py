"""A whole file put in place in one step, through a temporary file beside it.

A process that is killed may leave its temporary file; the next write to the directory removes it. Which one is left
is told by a lock that ends with its process, so that a file that somebody still writes is never taken away.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from interlock.tools.place import Place

if sys.platform != "win32":
    import fcntl

__all__ = ["put"]

_PREFIX, _SUFFIX = ".interlock-", ".tmp"


def put(place: Place, name: str, data: bytes, *, mode: int | None) -> None:
    """Make `name` a file that holds `data`; what stood there is replaced.

    `mode`: the permissions of the file; None leaves them to the system.
    """
    _sweep(place)
    while not _placed(place, name, data, mode):
        continue


def _placed(place: Place, name: str, data: bytes, mode: int | None) -> bool:
    """Return False when the temporary file was taken away before it was locked."""
    temporary = f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    descriptor = place.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(descriptor, "wb") as file, _locked(descriptor) as locked:
        if not locked or not _is_there(place, temporary):
            return False
        try:
            file.write(data)
            file.flush()
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
            if sys.platform == "win32":
                file.close()
            place.replace(temporary, name)
        except BaseException:
            with suppress(OSError):
                place.unlink(temporary)
            raise
    place.sync()
    return True


def _sweep(place: Place) -> None:
    """Remove the temporary files of processes that are gone; nothing where files cannot be locked."""
    if sys.platform == "win32":
        return
    for name, kind in place.entries():
        if kind != "file" or not (name.startswith(_PREFIX) and name.endswith(_SUFFIX)):
            continue
        with suppress(OSError):
            descriptor = place.open(name, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                place.unlink(name)
            finally:
                os.close(descriptor)


@contextmanager
def _locked(descriptor: int) -> Iterator[bool]:
    """Mark a file as being written, until it is closed; False when somebody is taking it away."""
    if sys.platform == "win32":
        yield True
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
        return
    except OSError:  # a file system without locks: nobody else gets one either, and nothing is taken away
        pass
    yield True


def _is_there(place: Place, name: str) -> bool:
    try:
        return stat.S_ISREG(place.look(name).st_mode)
    except FileNotFoundError:
        return False
