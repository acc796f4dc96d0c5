"""The one spelling of a path inside a root; everything else is refused.

Pure: knows nothing of what exists.
Source: reference loop specification, path safety.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from interlock.errors import ToolError

__all__ = ["path_names", "unspeakable"]

_MAX_CHARS = 4_096
_MAX_NAMES = 128
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))})


def path_names(path: str, *, strict_names: bool) -> tuple[str, ...]:
    """Return the names of a relative path; only a leading `./` may be left out or written.

    Args:
        path: as a caller or a model wrote it.
        strict_names: refuse also what some systems read as a device, a stream or another name.

    Raises:
        ToolError: `outside-root` or `bad-arguments`.
    """
    _require_text(path)
    plain = path.removeprefix("./")
    if plain.startswith("/"):
        raise ToolError("outside-root", f"`{path}` is absolute; name a path relative to the working directory")
    names = tuple(plain.split("/"))
    if ".." in names:
        raise ToolError("outside-root", f"`{path}` leaves the working directory; write it without `..`")
    if "" in names or "." in names:
        raise ToolError("bad-arguments", f"`{path}` is not a plain path; write names with one `/` between them")
    if len(names) > _MAX_NAMES:
        raise ToolError("bad-arguments", f"the path has {len(names)} names; at most {_MAX_NAMES} are walked")
    if strict_names:
        _require_portable(path, names)
    return names


def unspeakable(path: str) -> bool:
    """Return whether a path found on disk is one that `path_names` refuses."""
    try:
        path_names(path, strict_names=False)
    except ToolError:
        return True
    return False


def _require_text(path: str) -> None:
    if path in {"", "./"}:
        raise ToolError("bad-arguments", "the path is empty; name a file")
    if len(path) > _MAX_CHARS:
        raise ToolError("bad-arguments", f"the path has {len(path)} characters; at most {_MAX_CHARS} are read")
    if any(unicodedata.category(character) in _INVISIBLE for character in path):
        raise ToolError("bad-arguments", "the path holds a control or invisible character; write plain text")
    if "\\" in path:
        raise ToolError("bad-arguments", f"`{path}` holds a backslash; write `/` between names")
    if unicodedata.normalize("NFC", path) != path:
        raise ToolError("bad-arguments", f"`{path}` changes when normalised; write composed characters (NFC)")


def _require_portable(path: str, names: Sequence[str]) -> None:
    for name in names:
        stem = name.split(".", 1)[0].strip().casefold()
        if ":" in name or name[-1] in ". " or stem in _DEVICES:
            raise ToolError("bad-arguments", f"`{path}` holds a name that the system reads as something else")
