"""Who may come in, from where, and with how much: every request passes here before anything reads it.

Host and Origin are checked against rebinding and foreign pages, a key is asked for where there is one, bodies are
capped, and every response forbids scripts and hosts that are not the page's own.
Source: journal and safety specification, what an attacker may not do.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from interlock.models.secret import Secret
from interlock.server.site.sessions import Sessions

__all__ = ["MAX_BODY_BYTES", "SESSION_COOKIE", "Guard", "sealed", "session_in"]

MAX_BODY_BYTES = 1024 * 1024
SESSION_COOKIE = "interlock_session"
_MAX_DIGITS = 18
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
_OWN = ("same-origin", "none")
"""What a browser says of a request that no foreign page has brought about."""
_OPEN = frozenset(("/sign-in", "/health"))
_FILES = "/static/"
"""What may be seen without the key: these, and the files of the page."""
_HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def session_in(headers: Headers) -> str:
    """Return the name by which a browser calls itself; empty when it has none."""
    return cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE, "")


def sealed(scope: Scope, send: Send) -> Send:
    """Return what sends a response whose headers forbid scripts and hosts that are not the page's own."""
    is_kept = scope["path"].startswith(_FILES)

    async def closed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            if not is_kept:
                headers["cache-control"] = "no-store"
        await send(message)

    return closed


class Guard:
    """Stands before an application.

    `hosts`: names by which the server may be called besides those of loopback; an address in figures is always
    allowed where there is a key.
    """

    def __init__(self, app: ASGIApp, *, key: Secret | None, sessions: Sessions, hosts: frozenset[str]) -> None:
        self.app = app
        self.key = key
        self.sessions = sessions
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or let through with a capped body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        try:
            await self.app(scope, _Capped(receive), send)
        except ClientDisconnect:  # who went away in the middle of a body is owed no answer, and is no fault
            return
        except _TooMuchError:
            await _refused(scope, 413, f"the body is above {MAX_BODY_BYTES} bytes; send less")(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if not self._is_known_host(headers.get("host", "")):
            return _refused(scope, 421, "this server does not go by that name; open it by the address it printed")
        is_own = _may_look(headers) if scope["method"] in _SAFE else _is_own_page(scope, headers)
        if not is_own:
            return _refused(scope, 403, "the request comes from another page; open this one by its address")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return _refused(scope, 400, "`Content-Length` is not a whole number")
        if len(length) > _MAX_DIGITS or int(length) > MAX_BODY_BYTES:
            return _refused(scope, 413, f"the body is above {MAX_BODY_BYTES} bytes; send less")
        return self._stranger(scope, headers)

    def _stranger(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the answer to a visitor who does not show the key."""
        path = scope["path"]
        if self.key is None or path in _OPEN or path.startswith(_FILES) or self._knows(self.key, headers):
            return None
        if scope["method"] == "GET" and not path.startswith("/api/"):
            return RedirectResponse(f"/sign-in?{urlencode({'back': _asked(scope)})}", status_code=303)
        return _refused(scope, 401, "send the key as `Authorization: Bearer KEY`")

    def _knows(self, key: Secret, headers: Headers) -> bool:
        scheme, _, told = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(told.strip(), key.reveal()):
            return True
        return self.sessions.knows(session_in(headers))

    def _is_known_host(self, given: str) -> bool:
        name = _host_name(given)
        if name in _LOOPBACK or name in self.hosts:
            return True
        return self.key is not None and _is_address(name)


class _TooMuchError(Exception):
    """More was sent than a body may hold."""


class _Capped:
    """Receives a body and stops where it is too long."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = MAX_BODY_BYTES

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise _TooMuchError
        return message


def _host_name(given: str) -> str:
    """Return the name in a `Host` header without its port, lower case; empty for what is none."""
    try:
        return (urlsplit(f"//{given}").hostname or "") if given and "@" not in given and "/" not in given else ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _may_look(headers: Headers) -> bool:
    """Tell whether what is read goes to a page of this server, to no page, or to a person who follows a link."""
    is_link = headers.get("sec-fetch-mode", "") == "navigate" and headers.get("sec-fetch-dest", "") == "document"
    return is_link or headers.get("sec-fetch-site", "none") in _OWN


def _is_own_page(scope: Scope, headers: Headers) -> bool:
    """Tell whether what may change something was sent by a page of this server, or by no page at all."""
    if headers.get("sec-fetch-site", "none") not in _OWN:
        return False
    origin = headers.get("origin")
    return origin is None or origin == f"{scope['scheme']}://{headers.get('host', '')}"


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


def _asked(scope: Scope) -> str:
    """Return path and query of a request, as a link has them."""
    query = scope["query_string"].decode("latin-1")
    return quote(scope["path"]) + (f"?{query}" if query else "")


def _refused(scope: Scope, status: int, says: str) -> Response:
    if scope["path"].startswith("/api/"):
        return JSONResponse({"error": says}, status_code=status)
    return PlainTextResponse(says + "\n", status_code=status)
