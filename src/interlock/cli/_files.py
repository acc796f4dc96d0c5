"""Reading and writing the files that a command line names; each failure is one sentence."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from interlock._text import visible
from interlock.cli._output import ERROR, USAGE, fail

__all__ = ["MAX_CONTRACT_BYTES", "STDIN", "directory", "read_text", "write_text"]

MAX_CONTRACT_BYTES = 1_048_576
STDIN = "-"


def read_text(file: str, *, max_bytes: int = MAX_CONTRACT_BYTES) -> str:
    """Return the text of `file`, byte order mark and line ends included; `-` reads standard input.

    Ends the program with one sentence when there is no such file, or it is a directory, too large, binary
    or not UTF-8.
    """
    data = _read_bytes(file, max_bytes)
    name = "standard input" if file == STDIN else file
    if len(data) > max_bytes:
        fail(f"{name}: is larger than {max_bytes:,} bytes, the most that is read", ERROR)
    if b"\0" in data:
        fail(f"{name}: is binary; write UTF-8 text", ERROR)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        fail(f"{name}: is not UTF-8 text (byte {problem.start + 1}); save it as UTF-8", ERROR)


def directory(given: str) -> Path:
    """Return the path of a directory; ends the program with one sentence when it is none."""
    path = Path(given)
    try:
        path.resolve(strict=True)
    except (FileNotFoundError, ValueError):
        fail(f"{visible(given)}: no such directory", USAGE)
    except (OSError, RuntimeError) as problem:
        fail(f"{visible(given)}: cannot be used: {getattr(problem, 'strerror', None) or 'is a circle of links'}", USAGE)
    if not path.is_dir():
        fail(f"{visible(given)}: is not a directory", USAGE)
    return path


def write_text(file: str, text: str) -> None:
    """Replace the content of `file` in one step: a reader sees the old text or the new one.

    The permissions of the file stay; a link is followed, so the file it points to is replaced.
    """
    target = Path(file).resolve()
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(target.stat().st_mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _read_bytes(file: str, max_bytes: int) -> bytes:
    if file == STDIN:
        if sys.stdin is None:
            fail("standard input: is closed; name a file", USAGE)
        return sys.stdin.buffer.read(max_bytes + 1)
    path = Path(file)
    try:
        if path.is_dir():
            fail(f"{file}: is a directory; name a file", USAGE)
        with path.open("rb") as stream:
            return stream.read(max_bytes + 1)
    except FileNotFoundError:
        fail(f"{file}: no such file", USAGE)
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "is no path"
        fail(f"{file}: cannot be read: {reason}", ERROR)
