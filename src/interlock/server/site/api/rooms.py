"""All endpoints of a desk, the document that describes them, and the page that lists them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from interlock.server.site.api import approvals, contracts, functions, library, questions, replay, runs
from interlock.server.site.api.endpoint import REFUSALS, Closed, Endpoint, Given
from interlock.server.site.api.listing import fields_of
from interlock.server.site.api.models import Nothing
from interlock.server.site.api.openapi import document
from interlock.server.site.api.routing import routes_of
from interlock.server.site.desk import Desk
from interlock.server.site.drawing import draw
from interlock.server.site.function_calls import Calls
from interlock.server.site.held_runs import HeldRuns
from interlock.server.site.runner import Runner
from interlock.server.site.watch import Watches

__all__ = ["endpoints", "routes"]


class Health(Closed):
    status: str
    version: str


def endpoints(desk: Desk, runner: Runner, watches: Watches, held: HeldRuns, calls: Calls) -> tuple[Endpoint, ...]:
    """Return every endpoint, in the order in which they are listed."""
    return (
        *runs.endpoints(desk, runner, watches),
        *questions.endpoints(desk, runner),
        *replay.endpoints(desk, held),
        *approvals.endpoints(desk),
        *contracts.endpoints(desk),
        *functions.endpoints(desk, calls),
        *library.endpoints(desk),
        Endpoint(
            method="GET",
            path="/api/v1/health",
            name="health",
            says="Tells that the server answers.",
            tag="server",
            takes=Nothing,
            gives=Health,
            handle=_health,
        ),
    )


def routes(desk: Desk, runner: Runner, watches: Watches, held: HeldRuns, calls: Calls) -> Sequence[Route]:
    """Return the routes of all endpoints, of the document and of the page."""
    found = endpoints(desk, runner, watches, held, calls)
    shown = _Shown(found)
    return [
        Route("/api", shown.page, methods=["GET"]),
        Route("/api/openapi.json", shown.document, methods=["GET"]),
        *routes_of(found),
    ]


def _health(_: Nothing) -> Given:
    return {"status": "ok", "version": version("interlock")}


class _Shown:
    def __init__(self, found: Sequence[Endpoint]) -> None:
        self._found = found
        self._document = document(found, version=version("interlock"))

    def document(self, _: Request) -> Response:
        """Give the OpenAPI document."""
        return JSONResponse(self._document)

    def page(self, request: Request) -> Response:
        """List the endpoints for people."""
        return draw(request, "api.html", {"endpoints": self._found, "refusals": REFUSALS, "fields_of": fields_of})
