"""Who may call a gateway that asks for no key: programs on this machine, and no web page that a person happens to open.

A page can send requests to a loopback address, and by a name that it points there it can read the answers too.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address

from interlock.server.wire_reply import Response, error_response

__all__ = ["stranger"]


def stranger(headers: Mapping[str, str]) -> Response | None:
    """Return the refusal of a request that came from a web page, or to another name than this machine's."""
    if not _is_here(headers.get("host", "")):
        message = "without a key this server is called by address or as localhost only"
        return error_response(421, "misdirected_request", message)
    if "origin" in headers:
        return error_response(403, "permission_error", "a web page calls a server with a key only")
    return None


def _is_here(host: str) -> bool:
    """Return whether a `Host` header holds an address in figures or the name of this machine."""
    name = host.rpartition("]")[0].removeprefix("[") if host.startswith("[") else host.partition(":")[0]
    if name.lower().rstrip(".") == "localhost":
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
