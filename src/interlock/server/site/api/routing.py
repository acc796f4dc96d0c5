"""Serves endpoints: one route per path, what it takes checked before, what it gives back checked after."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from interlock.errors import InterlockError
from interlock.server.site.api.endpoint import Closed, Endpoint, Failed, Given, Method
from interlock.server.site.api.requests import read_input
from interlock.server.site.api.written import written

__all__ = ["routes_of"]


def routes_of(endpoints: Sequence[Endpoint]) -> list[Route]:
    """Return one route for every path, in the order of the endpoints."""
    paths: dict[str, dict[Method, Endpoint]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    heavy = anyio.CapacityLimiter(1)
    return [Route(_pattern(path), _Path(each, heavy).answer, methods=list(each)) for path, each in paths.items()]


def _pattern(path: str) -> str:
    """Return the path as the router takes it: a contract is named by a file, which may hold a slash."""
    return path.replace("{contract}", "{contract:path}")


class _Path:
    def __init__(self, methods: dict[Method, Endpoint], heavy: anyio.CapacityLimiter) -> None:
        self._methods = methods
        self._heavy = heavy

    async def answer(self, request: Request) -> Response:
        """Answer one request."""
        endpoint = self._methods["POST" if request.method == "POST" else "GET"]
        try:
            taken = await read_input(endpoint, request)
            if endpoint.stream is not None:
                return await _streamed(endpoint, taken)
            limiter = self._heavy if endpoint.is_heavy else None
            return await anyio.to_thread.run_sync(_handled, endpoint, taken, limiter=limiter)
        except Failed as refused:
            return JSONResponse({"error": str(refused)}, status_code=refused.status)
        except InterlockError as problem:
            return JSONResponse({"error": str(problem)}, status_code=422)


def _handled(endpoint: Endpoint, taken: Closed) -> Response:
    assert endpoint.handle is not None  # noqa: S101 -- an endpoint without a stream has one
    return Response(_json(endpoint, endpoint.handle(taken)), endpoint.status, media_type="application/json")


async def _streamed(endpoint: Endpoint, taken: Closed) -> Response:
    assert endpoint.stream is not None  # noqa: S101 -- the caller asked
    events = endpoint.stream(taken)
    first = await anext(events)

    async def all_of_them() -> AsyncIterator[str]:
        yield first
        async for event in events:
            yield event

    return StreamingResponse(
        all_of_them(), media_type="text/event-stream", headers={"x-accel-buffering": "no"}, status_code=endpoint.status
    )


def _json(endpoint: Endpoint, given: Given) -> bytes:
    """Return what an endpoint gives back.

    Raises:
        ValidationError: it is not what the endpoint says that it is.
    """
    body = written(given)
    endpoint.gives.model_validate_json(body)
    return body
