"""Whether the records of a run still say what was recorded: chain, digests and outcomes, taken again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interlock.errors import JournalError
from interlock.journal.base import JournalView
from interlock.journal.rederive import HostRederiver
from interlock.journal.summary import find_run
from interlock.journal.verify import RunCheck, verify_run
from interlock.loop.reference import reference_host
from interlock.server.site.desk import Desk, reading
from interlock.server.site.drawing import draw

__all__ = ["routes", "verdict_of"]

MAX_FINDINGS = 500


def routes(desk: Desk) -> Sequence[Route]:
    """Return the page of the verdict."""
    limiter = anyio.CapacityLimiter(1)

    async def page(request: Request) -> Response:
        """Verify one run and show what was found; one at a time, since it reads every record."""
        check = await anyio.to_thread.run_sync(partial(_checked, desk, request.path_params["run_id"]), limiter=limiter)
        values = {"check": check, "findings": check.findings[:MAX_FINDINGS]}
        return await anyio.to_thread.run_sync(partial(draw, request, "verdict.html", values, here="runs"))

    return [Route("/runs/{run_id}/verify", page, methods=["GET"])]


def verdict_of(view: JournalView, run_id: str) -> RunCheck:
    """Return the verdict on every record of a run; frames are built again where the raw state was recorded."""
    return verify_run(view, run_id, rederiver=HostRederiver(reference_host(Path())))


def _checked(desk: Desk, named: str) -> RunCheck:
    with reading(desk) as view:
        try:
            run_id = find_run(view, named)
        except JournalError as problem:
            raise HTTPException(404, str(problem)) from problem
        return verdict_of(view, run_id)
