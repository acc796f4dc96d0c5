"""Which places are addresses of databases, and how a place is shown: an address may hold a password.

Pure; opens nothing.
"""

from __future__ import annotations

__all__ = ["is_address", "shown_address"]

_SCHEMES = ("postgresql", "postgres")


def is_address(place: str) -> bool:
    """Tell whether a place is the address of a PostgreSQL database."""
    return place.partition("://")[0] in _SCHEMES and "://" in place


def shown_address(place: str) -> str:
    """Return a place as it may be shown: an address without user, password and options; a file as it is."""
    scheme, separator, rest = place.partition("://")
    if not separator:
        return place
    authority, _, path = rest.partition("?")[0].partition("#")[0].partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}/{path}"
