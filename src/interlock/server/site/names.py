"""The name under which a visitor answers: asked for in a form, remembered for the next one."""

from __future__ import annotations

from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import Response

from interlock._text import visible
from interlock.errors import UsageError
from interlock.server.site.forms import Form

__all__ = ["keep_name", "name_of", "named_in"]

_COOKIE = "interlock_name"
_YEAR_S = 365 * 24 * 3600
_MAX_CHARS = 100


def named_in(form: Form) -> str:
    """Return the name in a form.

    Raises:
        UsageError: there is none, or none that a record can show.
    """
    name = form.text("by")
    if not name:
        raise UsageError("name: is empty; say who answers")
    if len(name) > _MAX_CHARS:
        raise UsageError(f"name: is longer than {_MAX_CHARS} characters")
    if "\n" in name or visible(name) != name:
        raise UsageError("name: holds a character that is not shown; write plain text")
    return name


def name_of(request: Request) -> str:
    """Return the name that a visitor gave last; empty when there is none."""
    return unquote(request.cookies.get(_COOKIE, ""))[:_MAX_CHARS]


def keep_name(response: Response, form: Form) -> None:
    """Remember the name in a form, when it is one."""
    try:
        name = named_in(form)
    except UsageError:
        return
    response.set_cookie(_COOKIE, quote(name, safe=""), max_age=_YEAR_S, samesite="strict", httponly=True)
