"""What waits for a person: the list, one call with what it would change, and the answer.

An answer counts once, for what was shown and nothing else; nothing answers several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import sleep

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from interlock.errors import ApprovalError, InterlockError, JournalError, UsageError
from interlock.journal.approval_checks import require_answerable, require_intact
from interlock.journal.approval_desk import approve, deny, every_approval
from interlock.journal.approvals import Approval, approvals_of, find_approval
from interlock.journal.base import JournalView
from interlock.journal.decision_read import read_decision
from interlock.journal.records import read_rows
from interlock.journal.summary import find_run
from interlock.server.site.approval_view import ApprovalLine, ApprovalView, line_of, view_of_approval
from interlock.server.site.changes import change_of
from interlock.server.site.decision_view import DecisionView, view_of
from interlock.server.site.desk import Desk, reading, writing
from interlock.server.site.drawing import draw
from interlock.server.site.forms import Form, read_form
from interlock.server.site.names import keep_name, name_of, named_in
from interlock.server.site.runner import Runner
from interlock.server.site.start import go_on

__all__ = ["Answering", "answer", "list_approvals", "look_into", "routes"]

_MAX_LISTED = 200
_MAX_NOTE = 2_000
_SETTLING_S = 3.0
"""How long the work on a run that has just parked is given to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """What a person answers."""

    approved: bool
    by: str
    note: str | None
    seen: str
    """The digest of what was shown."""


def routes(desk: Desk, runner: Runner) -> Sequence[Route]:
    """Return the pages of approvals."""
    rooms = _Rooms(desk, runner)
    return [
        Route("/approvals", rooms.listed, methods=["GET"]),
        Route("/approvals/{id}", rooms.one, methods=["GET"]),
        Route("/approvals/{id}/answer", rooms.answer, methods=["POST"]),
    ]


def list_approvals(desk: Desk, *, run: str = "", every: bool = False) -> tuple[ApprovalLine, ...]:
    """Return the approvals that somebody has something to do about, or all of them, newest first.

    Raises:
        JournalError: the journal cannot be read, or no run is called `run`.
    """
    now = desk.clock()
    with reading(desk) as view:
        found = approvals_of(view, find_run(view, run)) if run else every_approval(view)
        lines = [line_of(one, now) for one in found]
    newest = sorted(lines, key=lambda line: line.approval.asked, reverse=True)
    return tuple(line for line in newest if every or line.is_open)


def look_into(desk: Desk, named: str) -> ApprovalView:
    """Return one approval with what its call would change now.

    Raises:
        ApprovalError: no approval is meant, or its run's records do not hold.
        JournalError: the journal cannot be read.
    """
    with reading(desk) as view:
        approval = find_approval(view, named.strip().lower())
        judgement = _judgement(view, approval)
    return view_of_approval(approval, desk.clock(), change=change_of(approval, desk.roots), judgement=judgement)


def answer(desk: Desk, named: str, given: Answering) -> Approval:
    """Put an answer on record and return the approval; the run makes the call when it goes on.

    Raises:
        ApprovalError: it may not be answered, or not any more; `kind` says why, `changed` for what looks otherwise
            now than when it was shown.
        JournalError: it could not be recorded.
    """
    shown = look_into(desk, named)
    require_answerable(shown.line.approval, desk.clock())
    if given.seen != shown.seen:
        short = shown.line.approval.id[:16]
        raise ApprovalError("changed", f"approval `{short}`: what it would change is not what was shown; look again")
    verdict = approve if given.approved else deny
    with writing(desk) as store:
        return verdict(store, shown.line.approval.id, by=given.by, note=given.note, saw=shown.saw, clock=desk.clock)


def _judgement(view: JournalView, approval: Approval) -> DecisionView | None:
    """Return the decision that asks: the last one of its name before the request, on the same frame."""
    name = None if approval.judgement is None else approval.judgement.get("decision")
    records = read_rows(view.rows(approval.run_id, ["decision"]))
    found = [record for record in records if record.seq < approval.seq and record.body.get("decision") == name]
    for record in reversed(found):
        try:
            recorded = read_decision(record.body)
        except JournalError:
            continue
        frame = recorded.result.frame
        if (None if frame is None else frame.digest) == approval.bound.frame_digest:
            return view_of(record.seq, recorded)
    return None


def _answering(form: Form, *, approved: bool) -> Answering:
    """Return the answer in a form.

    Raises:
        UsageError: a field cannot be taken; it is named.
    """
    note = form.text("note")
    if len(note) > _MAX_NOTE:
        raise UsageError(f"note: is longer than {_MAX_NOTE} characters")
    return Answering(approved=approved, by=named_in(form), note=note or None, seen=form.text("seen"))


class _Rooms:
    def __init__(self, desk: Desk, runner: Runner) -> None:
        self._desk = desk
        self._runner = runner

    def listed(self, request: Request) -> Response:
        """Show what waits."""
        run, every = request.query_params.get("run", ""), request.query_params.get("all") == "1"
        try:
            lines = list_approvals(self._desk, run=run, every=every)
        except JournalError as problem:
            raise HTTPException(404, str(problem)) from problem
        values = {
            "lines": lines[:_MAX_LISTED],
            "more": max(0, len(lines) - _MAX_LISTED),
            "run": run,
            "every": every,
            "asking": self._runner.people.asking(),
        }
        return draw(request, "approvals.html", values, here="approvals")

    def one(self, request: Request) -> Response:
        """Show one call and ask for an answer."""
        return self._drawn(request, Form({"go_on": "on", "by": name_of(request)}))

    async def answer(self, request: Request) -> Response:
        """Take an answer, and go on with the run when that is wanted."""
        form = await read_form(request)
        response = await anyio.to_thread.run_sync(self._answered, request, form)
        keep_name(response, form)
        return response

    def _answered(self, request: Request, form: Form) -> Response:
        verdict = form.text("verdict")
        if verdict not in ("approve", "deny"):
            raise HTTPException(400, "`verdict` is neither `approve` nor `deny`")
        try:
            approval = answer(self._desk, request.path_params["id"], _answering(form, approved=verdict == "approve"))
        except ApprovalError as problem:
            return self._drawn(request, form, status=409, says=str(problem), problem=problem.kind)
        except UsageError as problem:
            return self._drawn(request, form, status=422, says=str(problem), problem="form")
        if not form.has("go_on"):
            return RedirectResponse(f"/approvals/{approval.id}", status_code=303)
        return self._gone_on(request, form, approval)

    def _gone_on(self, request: Request, form: Form, approval: Approval) -> Response:
        try:
            self._settle(approval.run_id)
            go_on(self._desk, self._runner, approval.run_id)
        except InterlockError as problem:
            return self._drawn(request, form, says=str(problem), problem="not-resumed")
        return RedirectResponse(f"/runs/{approval.run_id}", status_code=303)

    def _settle(self, run_id: str) -> None:
        """Wait until the work that asked has ended; it ends as soon as its request is on record."""
        for _ in range(int(_SETTLING_S / 0.05)):
            if not self._runner.is_working(run_id):
                return
            sleep(0.05)

    def _drawn(self, request: Request, form: Form, *, status: int = 200, says: str = "", problem: str = "") -> Response:
        try:
            view = look_into(self._desk, request.path_params["id"])
        except ApprovalError as unknown:
            raise HTTPException(404, str(unknown)) from unknown
        values = {"view": view, "form": form, "says": says, "problem": problem, "is_intact": self._is_intact(view)}
        return draw(request, "approval.html", values, here="approvals", status=status)

    def _is_intact(self, shown: ApprovalView) -> bool:
        with reading(self._desk) as view:
            try:
                require_intact(view, shown.line.approval.run_id)
            except ApprovalError:
                return False
        return True
