"""What a backend takes from the environment, checked: a value, a key, an address.

No message shows a key.
Source: backends specification, section 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from interlock.errors import SettingsError, UsageError
from interlock.models.secret import Secret

__all__ = ["checked_address", "key_from", "value_of"]


def value_of(environ: Mapping[str, str], variable: str | None) -> str | None:
    """Return a variable's value; an empty one counts as unset."""
    return (environ.get(variable) or None) if variable else None


def key_from(place: str, variable: str, environ: Mapping[str, str], *, required: bool) -> Secret | None:
    """Return the key that a variable holds, None when it holds none.

    Raises:
        SettingsError: a required key is missing, or it cannot be a key.
    """
    value = value_of(environ, variable)
    if value is None:
        if required:
            raise SettingsError(f"{place}: no key; set `{variable}`")
        return None
    if not value.isascii() or not value.isprintable() or " " in value:
        raise SettingsError(f"{place}: `{variable}` holds a space or a character that no key has; copy it again")
    return Secret(value)


def checked_address(base: str, place: str) -> str:
    """Return `base`; a key, a query or a broken port in it is refused, without showing it.

    Raises:
        SettingsError: the address cannot be used.
    """
    try:
        parts = urlsplit(base)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{place}: the address is not usable; write `http://HOST:PORT` or `https://HOST`")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageError(f"{place}: an address holds no user, password or query; put the key in its variable")
    return base
