"""The list of runs, one run as it goes on, and one decision looked into."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from interlock.errors import JournalError
from interlock.journal.base import JournalView
from interlock.journal.decision_read import read_decision
from interlock.journal.gateway_log import GATEWAY_STOPPED
from interlock.journal.records import EventType, Record, read_rows
from interlock.journal.summary import RunSummary, find_run, kept_runs, summarize
from interlock.loop.many_record import ALL_DECIDED
from interlock.server.site.decision_view import view_of
from interlock.server.site.desk import Desk, reading
from interlock.server.site.drawing import draw, draw_on, fragment
from interlock.server.site.language import language_of
from interlock.server.site.numbers import whole_in
from interlock.server.site.runner import Runner
from interlock.server.site.trace import SHOWN, Item, items_of
from interlock.server.site.watch import Batch, Watches
from interlock.server.site.waterfall import waterfall_of

__all__ = ["Listed", "list_runs", "routes", "state_of"]

PER_PAGE = 50
STATES = ("running", "waiting", "answered", "delivered", "undelivered", "ended")
"""What the list can be narrowed to."""
_WRITES_NOTHING = frozenset((ALL_DECIDED, GATEWAY_STOPPED))
"""How runs end in which nothing was to be written."""
MAX_ROWS = 10_000
"""So many of the last records of a run are looked through, and so many items of these are shown."""
_STANDING: Sequence[EventType] = ("run_started", "engine_started", "run_ended", "engine_ended", "generation")
"""What tells how a run stands."""
_TIMED: Sequence[EventType] = ("judge_request", "judge_reply", "tool_about_to_run", "tool_result", "generation")

log = logging.getLogger("interlock.page")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One page of runs, newest first."""

    runs: tuple[RunSummary, ...]
    total: int
    """How many there are that match."""
    page: int
    pages: int


def routes(desk: Desk, runner: Runner, watches: Watches) -> Sequence[Route]:
    """Return the pages of runs."""
    rooms = _Rooms(desk, runner, watches)
    return [
        Route("/runs", rooms.listed, methods=["GET"]),
        Route("/runs/{run_id}", rooms.one, methods=["GET"]),
        Route("/runs/{run_id}/head", rooms.head, methods=["GET"]),
        Route("/runs/{run_id}/answer", rooms.answer, methods=["GET"]),
        Route("/runs/{run_id}/events", rooms.events, methods=["GET"]),
        Route("/runs/{run_id}/waves", rooms.waves, methods=["GET"]),
        Route("/runs/{run_id}/decisions/{seq}", rooms.decision, methods=["GET"]),
    ]


def state_of(run: RunSummary) -> str:
    """Return how a run stands, one of `STATES`."""
    if run.ended is not None:
        if run.delivered is None or run.halt in _WRITES_NOTHING:
            return "ended"
        return "delivered" if run.delivered else "undelivered"
    return {"answer": "waiting", "resume": "answered", None: "running"}[run.waiting]


def list_runs(desk: Desk, *, text: str = "", state: str = "", page: int = 1) -> Listed:
    """Return one page of the runs whose task, id or ending holds `text`, and that stand at `state`.

    Raises:
        JournalError: the journal cannot be read.
    """
    with reading(desk) as view:
        newest = tuple(reversed(kept_runs(view)))
        if not text and not state:
            at = _start(page, len(newest))
            shown = tuple(summarize(view, run_id) for run_id in newest[at : at + PER_PAGE])
            return _page(shown, len(newest), at)
        found = [run for run in (summarize(view, run_id) for run_id in newest) if _matches(run, text, state)]
    at = _start(page, len(found))
    return _page(tuple(found[at : at + PER_PAGE]), len(found), at)


def _start(page: int, total: int) -> int:
    last = max(0, (total - 1) // PER_PAGE)
    return min(max(page - 1, 0), last) * PER_PAGE


def _page(runs: tuple[RunSummary, ...], total: int, at: int) -> Listed:
    return Listed(runs=runs, total=total, page=at // PER_PAGE + 1, pages=max(1, -(-total // PER_PAGE)))


def _matches(run: RunSummary, text: str, state: str) -> bool:
    if state and state_of(run) != state:
        return False
    wanted = text.casefold()
    return any(wanted in (part or "").casefold() for part in (run.task, run.run_id, run.halt, run.answer))


class _Rooms:
    def __init__(self, desk: Desk, runner: Runner, watches: Watches) -> None:
        self._desk = desk
        self._runner = runner
        self._watches = watches

    def listed(self, request: Request) -> Response:
        """Show the runs."""
        asked = request.query_params
        state = asked.get("state", "")
        found = list_runs(
            self._desk,
            text=asked.get("text", "").strip(),
            state=state if state in STATES else "",
            page=whole_in(asked.get("page", "")) or 1,
        )
        template = "runs_rows.html" if request.headers.get("hx-target") == "rows" else "runs.html"
        values = {"found": found, "states": STATES, "state": state, "text": asked.get("text", ""), "state_of": state_of}
        return draw(request, template, values, here="runs")

    def one(self, request: Request) -> Response:
        """Show one run with its whole trace, which is sent as it is read."""
        with reading(self._desk) as view:
            run_id, values = self._standing(view, request)
        last = values["run"].records
        first = max(0, last - MAX_ROWS)
        shown = {**values, "run_id": run_id, "items": self._items(run_id, first), "last": last, "is_cut": first > 0}
        return draw_on(request, "run.html", shown, here="runs")

    def _items(self, run_id: str, after: int) -> Iterator[Item]:
        with reading(self._desk) as view:
            try:
                yield from items_of(read_rows(view.rows(run_id, SHOWN, after=after)))
            except JournalError:  # what comes after a row that cannot be read is `verify`'s to name
                yield Item(seq=after, kind="damaged", tone="stop", title="…")

    def head(self, request: Request) -> Response:
        """Show how one run stands."""
        with reading(self._desk) as view:
            return draw(request, "run_head.html", self._standing(view, request)[1])

    def answer(self, request: Request) -> Response:
        """Show what one run wrote."""
        with reading(self._desk) as view:
            return draw(request, "run_answer.html", self._standing(view, request)[1])

    def _standing(self, view: JournalView, request: Request) -> tuple[str, dict[str, Any]]:
        run_id = _found(partial(find_run, view), request.path_params["run_id"])
        summary = summarize(view, run_id)
        records = tuple(read_rows(view.rows(run_id, _STANDING)))
        started = next((record.body for record in records if record.type in ("run_started", "engine_started")), {})
        ended = next((record.body for record in records if record.type in ("run_ended", "engine_ended")), {})
        values: dict[str, Any] = {
            "run": summary,
            "state": state_of(summary),
            "started": started,
            "ended": ended,
            "draft": _draft(records),
            "is_working": self._runner.is_working(run_id),
        }
        return run_id, values

    async def events(self, request: Request) -> Response:
        """Stream what is added to a run, as pieces of its page."""
        after = whole_in(request.headers.get("last-event-id") or request.query_params.get("after", "0"))
        if after is None:
            raise HTTPException(400, "`after` is not a whole number")
        run_id = request.path_params["run_id"]
        await anyio.to_thread.run_sync(self._require, run_id)
        stream = self._stream(run_id, after, language_of(request))
        return StreamingResponse(stream, media_type="text/event-stream", headers={"x-accel-buffering": "no"})

    def waves(self, request: Request) -> Response:
        """Show when a run asked, called and wrote."""
        run_id = request.path_params["run_id"]
        with reading(self._desk) as view:
            drawn = waterfall_of(read_rows(view.rows(run_id, _TIMED)))
        return draw(request, "waterfall.html", {"drawn": drawn})

    def decision(self, request: Request) -> Response:
        """Show what one decision was asked, saw and came to."""
        run_id, seq = request.path_params["run_id"], whole_in(request.path_params["seq"])
        if seq is None:
            raise HTTPException(404, "there is no such decision")
        with reading(self._desk) as view:
            rows = view.rows(run_id, ["decision"], after=seq - 1)
            record = next(read_rows(rows), None)
        if record is None or record.seq != seq:
            raise HTTPException(404, "there is no such decision")
        try:
            recorded = read_decision(record.body)
        except JournalError as problem:
            raise HTTPException(422, str(problem)) from problem
        return draw(request, "decision.html", {"view": view_of(seq, recorded), "run_id": run_id})

    def _require(self, run_id: str) -> None:
        with reading(self._desk) as view:
            if view.head(run_id) is None:
                raise HTTPException(404, "there is no such run")

    async def _stream(self, run_id: str, after: int, language: str) -> AsyncIterator[str]:
        try:
            async for batch in self._watches.follow(run_id, after):
                if not batch.records:
                    yield ": nothing new\n\n"
                    continue
                if language not in batch.drawn:
                    batch.drawn[language] = "".join(_events(batch, run_id, language))
                yield batch.drawn[language]
        except JournalError as problem:  # the browser asks again, and is told then
            log.warning("the stream of run %s ends: %s", run_id, type(problem).__name__)


def _events(batch: Batch, run_id: str, language: str) -> Iterator[str]:
    items = tuple(items_of(batch.records))
    if items:
        yield _event("items", batch.last, fragment(language, "trace.html", {"items": items, "run_id": run_id}))
    draft = _draft(batch.records)
    if draft:
        yield _event("draft", batch.last, fragment(language, "draft.html", {"draft": draft}))
    if batch.ends or any(item.kind in ("asked", "answered") for item in items):
        yield _event("turn", batch.last, "")
    if batch.ends:
        yield _event("end", batch.last, "")


def _event(name: str, seq: int, html: str) -> str:
    data = "\n".join(f"data: {line}" for line in html.splitlines()) or "data:"
    return f"id: {seq}\nevent: {name}\n{data}\n\n"


def _draft(records: Sequence[Record]) -> str:
    """Return the newest text that was written to be the answer."""
    for record in reversed(records):
        if record.type == "generation" and record.body.get("purpose") in ("answer", "revision"):
            return str(record.body.get("text") or "")
    return ""


def _found(find: partial[str], named: str) -> str:
    try:
        return find(named)
    except JournalError as problem:
        raise HTTPException(404, str(problem)) from problem
