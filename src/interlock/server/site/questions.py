"""Questions that a run puts to a person: a piece at the top of its page, which asks again and again for new ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import anyio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from interlock._text import visible
from interlock.errors import UsageError
from interlock.frame.build import UNTRUSTED
from interlock.judge.human import Said
from interlock.judge.offered import as_text
from interlock.questions import Json
from interlock.server.site.drawing import draw
from interlock.server.site.forms import Form, read_form
from interlock.server.site.names import keep_name, name_of, named_in
from interlock.server.site.people import Waiting
from interlock.server.site.runner import Runner

__all__ = ["AskedView", "routes", "view_of_question"]

_STOP_ASKING = 286
"""Tells htmx that nothing more will come."""
_MAX_STATE = 100_000
_NEXT_S, _PACE_S = 1.0, 0.03
"""How long the next question of a run is waited for after an answer, and between two looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One field of the frame."""

    key: str
    """Empty for a frame that is no object."""
    text: str
    is_foreign: bool
    """True for what a tool gave: data, whatever it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedView:
    """One question as a person reads it; nothing in it can steer how it is shown."""

    id: str
    run_id: str
    title: str
    instructions: str
    state: tuple[Shown, ...]
    outcomes: tuple[tuple[str, str], ...]
    """Name and meaning, in order."""


def routes(runner: Runner) -> Sequence[Route]:
    """Return what shows and answers the questions of a run."""
    rooms = _Rooms(runner)
    return [
        Route("/runs/{run_id}/questions", rooms.waiting, methods=["GET"]),
        Route("/runs/{run_id}/questions/{id}", rooms.answer, methods=["POST"]),
    ]


def view_of_question(waiting: Waiting) -> AskedView:
    """Return what is shown of a question."""
    asked = waiting.asked
    return AskedView(
        id=waiting.id,
        run_id=waiting.run_id,
        title=visible(asked.id),
        instructions=visible(as_text(asked.instructions)),
        state=tuple(_fields(asked.frame_state)),
        outcomes=tuple((visible(each.name), visible(each.text or "")) for each in asked.outcomes),
    )


def _fields(state: Json) -> Iterator[Shown]:
    if not isinstance(state, Mapping):
        yield Shown(key="", text=_text(state), is_foreign=False)
        return
    for key, value in state.items():
        if key == UNTRUSTED and isinstance(value, Mapping):
            yield from (Shown(key=visible(name), text=_text(item), is_foreign=True) for name, item in value.items())
        else:
            yield Shown(key=visible(key), text=_text(value), is_foreign=False)


def _text(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    more = len(text) - _MAX_STATE
    return visible(text[:_MAX_STATE] + f"[{more} more characters]" if more > 0 else text)


class _Rooms:
    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def waiting(self, request: Request) -> Response:
        """Show what is new; 204 when what waits is what the page shows, 286 when the run asks no more."""
        run_id = request.path_params["run_id"]
        waiting = self._runner.people.waiting(run_id)
        if not waiting and not self._runner.is_working(run_id):
            return self._drawn(request, (), Form({}), status=_STOP_ASKING)
        if request.query_params.get("shown", "-") == _ids(waiting):
            return Response(status_code=204)
        return self._drawn(request, waiting, Form({"by": name_of(request)}))

    async def answer(self, request: Request) -> Response:
        """Hand an answer to the run."""
        form = await read_form(request)
        response = await self._answered(request, form)
        keep_name(response, form)
        return response

    async def _answered(self, request: Request, form: Form) -> Response:
        run_id, id_ = request.path_params["run_id"], request.path_params["id"]
        waiting = self._runner.people.waiting(run_id)
        found = next((each for each in waiting if each.id == id_), None)
        try:
            said = _said(form, found)
        except UsageError as problem:
            return self._drawn(request, waiting, form, says=str(problem), status=200 if _is_piece(request) else 422)
        if found is None or not self._runner.people.answer(run_id, id_, said):
            if not _is_piece(request):
                raise HTTPException(409, "nobody waits for that answer any more: it was given, or the run was stopped")
            return self._drawn(request, self._runner.people.waiting(run_id), form, says="late")
        if not _is_piece(request):
            return RedirectResponse(f"/runs/{run_id}", status_code=303)
        return self._drawn(request, await self._next(run_id), form, is_next=True)

    async def _next(self, run_id: str) -> Sequence[Waiting]:
        """Return what waits next, once it does, or nothing when that takes long."""
        with anyio.move_on_after(_NEXT_S):
            while not (waiting := self._runner.people.waiting(run_id)) and self._runner.is_working(run_id):
                await anyio.sleep(_PACE_S)
            return waiting
        return ()

    def _drawn(
        self,
        request: Request,
        waiting: Sequence[Waiting],
        form: Form,
        *,
        says: str = "",
        status: int = 200,
        is_next: bool = False,
    ) -> Response:
        values = {
            "questions": [view_of_question(each) for each in waiting],
            "shown": _ids(waiting),
            "run_id": request.path_params["run_id"],
            "name": form.raw("by"),
            "says": says,
            "is_next": is_next,
            "asks_on": status != _STOP_ASKING,
        }
        return draw(request, "questions.html", values, status=status)


def _ids(waiting: Sequence[Waiting]) -> str:
    return ".".join(each.id for each in waiting)


def _is_piece(request: Request) -> bool:
    return request.headers.get("hx-request") == "true"


def _said(form: Form, waiting: Waiting | None) -> Said:
    """Return what a form says; `none` is a person who cannot say.

    Raises:
        UsageError: there is no name, or the pick is none of those offered.
    """
    by, pick = named_in(form), form.text("pick")
    if pick == "none":
        return Said(pick=None, by=by)
    count = 0 if waiting is None else len(waiting.asked.outcomes)
    if waiting is not None and not (pick.isascii() and pick.isdigit() and len(pick) < 7 and int(pick) < count):
        raise UsageError("answer: is none of those offered")
    return Said(pick=int(pick) if pick.isascii() and pick.isdigit() and len(pick) < 7 else None, by=by)
