"""A path of a root as it is on disk: whether a file is there, its size and its SHA-256.

Source: reference loop specification, host-checked facts.
"""

from __future__ import annotations

import hashlib

from interlock.errors import ToolError
from interlock.tools.base import Target
from interlock.tools.root import Root

__all__ = ["look_at"]


def look_at(root: Root, path: str) -> Target:
    """Return what is at a path now; a path that is no place inside the root holds nothing."""
    try:
        if root.kind(path) is None:
            return Target(path=path, exists=False)
    except ToolError:
        return Target(path=path, exists=False)
    try:
        with root.open(path) as file:
            digest = hashlib.file_digest(file, "sha256")
            return Target(path=path, exists=True, size_bytes=file.tell(), sha256=digest.hexdigest())
    except ToolError:
        return Target(path=path, exists=True)
