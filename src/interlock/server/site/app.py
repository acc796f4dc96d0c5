"""The application of the page: every room's routes behind the guard."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from importlib.resources import files

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from interlock.errors import InterlockError
from interlock.models.secret import Secret
from interlock.server.journal_counts import ScrapedJournal
from interlock.server.site import (
    approvals,
    contracts,
    experiments,
    functions,
    prompts,
    questions,
    runs,
    start,
    verdict,
    what_if,
)
from interlock.server.site.api import rooms as api
from interlock.server.site.desk import Desk, reading
from interlock.server.site.drawing import THEME_COOKIE, draw
from interlock.server.site.forms import read_form
from interlock.server.site.guard import SESSION_COOKIE, Guard, sealed, session_in
from interlock.server.site.held_runs import HeldRuns
from interlock.server.site.language import LANGUAGE_COOKIE, LANGUAGES
from interlock.server.site.runner import Runner
from interlock.server.site.sessions import SESSION_S, Sessions
from interlock.server.site.watch import Watches

__all__ = ["page_app"]

_YEAR_S = 365 * 24 * 3600
_BARE = {
    "Not Found": "there is nothing at `{path}`; the menu leads to every page, `/api` lists the API",
    "Method Not Allowed": "`{path}` takes no {method}; `/api` lists what the API takes",
}
"""What the router says of an address and a method → what a person is told."""


def page_app(desk: Desk) -> Starlette:
    """Return the application; it binds nothing."""
    runner, watches, held, calls = Runner(), Watches(desk), HeldRuns(desk), functions.calls_of(desk)
    sessions = Sessions()
    door = _Door(desk.key, sessions)
    rooms: list[BaseRoute] = [
        *runs.routes(desk, runner, watches),
        *start.routes(desk, runner),
        *verdict.routes(desk),
        *what_if.routes(desk, held),
        *approvals.routes(desk, runner),
        *questions.routes(runner),
        *contracts.routes(desk),
        *experiments.routes(desk),
        *functions.routes(desk, calls),
        *prompts.routes(desk),
        *api.routes(desk, runner, watches, held, calls),
    ]
    app = _Sealed(
        routes=[
            Route("/", _home, methods=["GET"]),
            Route("/sign-in", door.form, methods=["GET"]),
            Route("/sign-in", door.enter, methods=["POST"]),
            Route("/sign-out", door.leave, methods=["POST"]),
            Route("/looks", _looks, methods=["POST"]),
            Route("/health", _health, methods=["GET"]),
            Route("/metrics", _metrics(desk), methods=["GET"]),
            *rooms,
            Mount("/static", StaticFiles(directory=str(files("interlock.server").joinpath("static")))),
        ],
        middleware=[Middleware(Guard, key=desk.key, sessions=sessions, hosts=desk.hosts)],
        exception_handlers={HTTPException: _refused, InterlockError: _failed, 500: _broken},
        lifespan=_until_stopped(runner),
    )
    app.state.has_key = desk.key is not None
    app.state.watches = watches
    return app


class _Sealed(Starlette):
    """Sends every answer with closed headers, also that to a fault of its own."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        await super().__call__(scope, receive, sealed(scope, send) if scope["type"] == "http" else send)


def _until_stopped(runner: Runner) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await anyio.to_thread.run_sync(runner.stop_all)

    return lifespan


class _Door:
    """Where a visitor shows the key."""

    def __init__(self, key: Secret | None, sessions: Sessions) -> None:
        self._key = key
        self._sessions = sessions

    def form(self, request: Request) -> Response:
        """Ask for the key."""
        return draw(request, "sign_in.html", {"says": "", "back": request.query_params.get("back", "")})

    async def enter(self, request: Request) -> Response:
        """Let in who knows the key."""
        form = await read_form(request)
        told, back = form.text("key"), form.text("back")
        if self._key is None or not hmac.compare_digest(told.encode(), self._key.reveal().encode()):
            return draw(request, "sign_in.html", {"says": "wrong", "back": back}, status=401)
        response = RedirectResponse(_here(back), status_code=303)
        response.set_cookie(
            SESSION_COOKIE,
            self._sessions.begin(),
            max_age=SESSION_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    async def leave(self, request: Request) -> Response:
        """Forget the visitor."""
        self._sessions.end(session_in(request.headers))
        response = RedirectResponse("/sign-in", status_code=303)
        response.delete_cookie(SESSION_COOKIE)
        return response


def _here(back: str) -> str:
    """Return where to go back to: what was told when it lies on this server, else the first page."""
    is_here = back.startswith("/") and not back.startswith("//") and "\\" not in back and back.isprintable()
    return back if is_here else "/"


def _home(_: Request) -> Response:
    return RedirectResponse("/runs", status_code=307)


def _metrics(desk: Desk) -> Callable[[Request], Response]:
    """Return what gives the counts of the journal to whoever scrapes them."""
    scrape = ScrapedJournal(partial(reading, desk))

    def measures(_: Request) -> Response:
        return PlainTextResponse("\n".join(scrape()) + "\n", media_type="text/plain; version=0.0.4")

    return measures


def _health(_: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _looks(request: Request) -> Response:
    """Keep the language and the colours that a visitor chose, and go back."""
    form = await read_form(request)
    response = RedirectResponse(_here(form.text("back")), status_code=303)
    if form.text("language") in LANGUAGES:
        response.set_cookie(LANGUAGE_COOKIE, form.text("language"), max_age=_YEAR_S, samesite="strict", httponly=True)
    if form.text("theme") in ("light", "dark", "auto"):
        response.set_cookie(THEME_COOKIE, form.text("theme"), max_age=_YEAR_S, samesite="strict", httponly=True)
    return response


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    says = str(error.detail) if isinstance(error, HTTPException) else ""
    if says in _BARE:
        says = _BARE[says].format(path=request.url.path, method=request.method)
    response = _said(request, status, says)
    response.headers.update((isinstance(error, HTTPException) and error.headers) or {})
    return response


async def _failed(request: Request, error: Exception) -> Response:
    return _said(request, 422, str(error))


async def _broken(request: Request, _: Exception) -> Response:
    return _said(request, 500, "something failed that nobody foresaw; the server's log names it")


def _said(request: Request, status: int, says: str) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": says}, status_code=status)
    return draw(request, "problem.html", {"says": says, "back": "/runs"}, status=status)
