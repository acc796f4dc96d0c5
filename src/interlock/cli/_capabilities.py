"""The capabilities that a command line names: the reference host's, those in a file, or none."""

from __future__ import annotations

from interlock.cli._files import read_text
from interlock.contract.capabilities import Capabilities
from interlock.contract.declaration import capabilities_from_json
from interlock.errors import HostError, UsageError
from interlock.judge.wire import parse_json
from interlock.loop.capabilities import REFERENCE

__all__ = ["NONE", "host_capabilities", "read_capabilities"]

NONE = "none"


def host_capabilities(file: str | None) -> Capabilities:
    """Return the reference host's capabilities, or those in `file`, for a verb that cannot do without.

    Raises:
        HostError: as `read_capabilities`.
        UsageError: `file` is `none`.
    """
    found = read_capabilities(file)
    if found is None:
        raise UsageError("--capabilities: `none` compiles nothing here; name a file, or leave the option out")
    return found


def read_capabilities(file: str | None) -> Capabilities | None:
    """Return the reference host's capabilities, or those in `file`; None when `file` is `none`.

    Raises:
        HostError: the file is not JSON or declares something wrong; the message names file and path.
    """
    if file is None:
        return REFERENCE
    if file == NONE:
        return None
    try:
        return capabilities_from_json(parse_json(read_text(file)))
    except HostError as problem:
        raise HostError(f"{file}: {problem}") from problem
    except ValueError as problem:
        raise HostError(f"{file}: is not JSON: {problem}") from problem
