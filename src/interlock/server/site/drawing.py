"""Draws pages and fragments from templates; escapes everything, translates what the templates say themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, StreamingResponse

from interlock._text import visible
from interlock.server.site.language import LANGUAGES, catalogue, language_of

__all__ = ["THEME_COOKIE", "draw", "draw_on", "environment", "fragment"]

THEME_COOKIE = "interlock_theme"
_THEMES = ("light", "dark")
_PIECES = 2000
"""Of a template, sent together."""


def draw(
    request: Request, template: str, values: Mapping[str, object], *, here: str = "", status: int = 200
) -> HTMLResponse:
    """Return a page or a piece of one; `here` is its place in the menu."""
    shown = {**_around(request, here), **values}
    return HTMLResponse(fragment(language_of(request), template, shown), status_code=status)


def draw_on(request: Request, template: str, values: Mapping[str, object], *, here: str) -> StreamingResponse:
    """Return a page that is sent while it is drawn, for one whose values come one by one."""
    drawn = environment(language_of(request)).get_template(template).stream({**_around(request, here), **values})
    drawn.enable_buffering(_PIECES)
    return StreamingResponse(drawn, media_type="text/html")


def _around(request: Request, here: str) -> Mapping[str, object]:
    """Return what every page shows around its own values."""
    theme = request.cookies.get(THEME_COOKIE)
    return {
        "language": language_of(request),
        "languages": LANGUAGES,
        "theme": theme if theme in _THEMES else "auto",
        "path": _place(request),
        "has_key": request.app.state.has_key,
        "here": here,
    }


def _place(request: Request) -> str:
    """Return the path that shows a page again: of an answer to a form, that of the page with the form."""
    sender = urlsplit(request.headers.get("referer", ""))
    is_form = request.method == "POST" and sender.netloc == request.url.netloc
    return sender.path if is_form else request.url.path


def fragment(language: str, template: str, values: Mapping[str, object]) -> str:
    """Return what a template draws in one language."""
    return environment(language).get_template(template).render(values)


@cache
def environment(language: str) -> Environment:
    """Return the templates with what they may call."""
    made = Environment(
        loader=PackageLoader("interlock.server"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    messages: Mapping[str, str] = catalogue(language)
    made.install_gettext_callables(  # type: ignore[attr-defined]  # added by the extension
        gettext=lambda text: messages.get(text, text),
        ngettext=lambda one, many, count: messages.get(one if count == 1 else many, one if count == 1 else many),
        newstyle=True,
    )
    made.filters["visible"] = lambda value: visible(str(value))
    return made
