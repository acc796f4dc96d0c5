"""The functions that the page was given: their forms, calls made with them, and what came of each.

Only what the desk lists can be called, once per form that is sent.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import quote

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from interlock.server.site.desk import Desk, Function
from interlock.server.site.drawing import draw
from interlock.server.site.forms import Form, read_form
from interlock.server.site.function_calls import LIMIT_S, Call, Calls, Wanted
from interlock.server.site.function_runtime import make_runtime, provided
from interlock.server.site.function_view import entry_of, groups_of, read_given, selectable
from interlock.server.site.session_view import tree_of

__all__ = ["calls_of", "routes"]

FIELD = "arg-"
"""How the name of a form's field begins; the rest is the parameter."""
_PATIENCE_S = 1.5
"""So long a form that was sent waits for the result, before its page says that the call goes on."""


def calls_of(desk: Desk, *, limit_s: float = LIMIT_S) -> Calls:
    """Return where calls from this desk are kept."""
    return Calls(partial(make_runtime, desk), clock=desk.clock, limit_s=limit_s)


def routes(desk: Desk, calls: Calls) -> Sequence[Route]:
    """Return the pages of functions."""
    rooms = _Rooms(desk, calls)
    return [
        Route("/functions", rooms.listed, methods=["GET"]),
        Route("/functions/{name}", rooms.form, methods=["GET"]),
        Route("/functions/{name}", rooms.call, methods=["POST"]),
        Route("/functions/calls/{call_id}", rooms.result, methods=["GET"]),
        Route("/functions/calls/{call_id}/state", rooms.state, methods=["GET"]),
        Route("/functions/calls/{call_id}/answer", rooms.answer, methods=["POST"]),
    ]


class _Rooms:
    def __init__(self, desk: Desk, calls: Calls) -> None:
        self._desk = desk
        self._calls = calls

    def listed(self, request: Request) -> Response:
        """List the functions."""
        return draw(request, "functions.html", {"groups": groups_of(self._desk.functions)}, here="functions")

    def form(self, request: Request) -> Response:
        """Show the form of one function, filled in as for an earlier call where one is named."""
        name, function = self._named(request)
        earlier = self._calls.find(request.query_params.get("again", ""))
        given = earlier.wanted.given if earlier is not None and earlier.wanted.name == name else None
        return self._drawn(request, name, function, given)

    async def call(self, request: Request) -> Response:
        """Call one function with what its form says, and go to what came of it."""
        name, function = self._named(request)
        form = await read_form(request)
        return await anyio.to_thread.run_sync(self._called, request, name, function, form)

    def result(self, request: Request) -> Response:
        """Show one call."""
        return draw(request, "function_call.html", _of(self._kept(request)), here="functions")

    def state(self, request: Request) -> Response:
        """Show how one call stands, as a piece of its page."""
        return draw(request, "function_call_state.html", _of(self._kept(request)))

    async def answer(self, request: Request) -> Response:
        """Say yes or no to what a call asks."""
        call, form = self._kept(request), await read_form(request)
        said = form.text("say")
        if said not in ("yes", "no"):
            raise HTTPException(400, "`say` is `yes` or `no`")
        if not self._calls.answer(call, form.text("question"), said=said == "yes"):
            raise HTTPException(409, "this call does not ask that any more; look at how it stands")
        await anyio.to_thread.run_sync(call.settled.wait, _PATIENCE_S)
        return RedirectResponse(f"/functions/calls/{call.id}", status_code=303)

    def _called(self, request: Request, name: str, function: Function, form: Form) -> Response:
        entry = entry_of(name, function)
        if entry.refusal:
            raise HTTPException(409, f"`{name}` cannot be called from here; its page says why")
        given = {field.name: form.raw(FIELD + field.name) for field in entry.fields}
        read = read_given(function, given, self._desk.functions)
        if read.errors:
            return self._drawn(request, name, function, given, read.errors, status=422)
        wanted = Wanted(name=name, function=function, values=read.values, given=given, once=form.text("once"))
        call = self._calls.start(wanted, wait_s=_PATIENCE_S)
        return RedirectResponse(f"/functions/calls/{call.id}", status_code=303)

    def _drawn(
        self,
        request: Request,
        name: str,
        function: Function,
        given: Mapping[str, str] | None,
        errors: Mapping[str, str] | None = None,
        *,
        status: int = 200,
    ) -> Response:
        values = {
            "entry": entry_of(name, function),
            "given": given,
            "errors": errors or {},
            "prefix": FIELD,
            "selectable": selectable(self._desk.functions),
            "calls": self._calls.newest(name)[:10],
            "provided": provided(self._desk),
            "once": secrets.token_urlsafe(12),
        }
        return draw(request, "function.html", values, here="functions", status=status)

    def _named(self, request: Request) -> tuple[str, Function]:
        name = request.path_params["name"]
        function = self._desk.functions.get(name)
        if function is None:
            raise HTTPException(404, "this server was not given a function of that name")
        return name, function

    def _kept(self, request: Request) -> Call:
        call = self._calls.find(request.path_params["call_id"])
        if call is None:
            raise HTTPException(404, "this call is not kept any more; calls are forgotten when the server stops")
        return call


def _of(call: Call) -> dict[str, object]:
    shown = call.as_it_stands()
    return {"call": shown, "tree": tree_of(shown.nodes()), "again": f"/functions/{quote(call.wanted.name, safe='')}"}
