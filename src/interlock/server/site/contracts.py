"""Contracts: what the server offers, what a run was decided by, and an editor that checks while one types.

Nothing here writes a file; text that is sent is checked and forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import anyio
import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interlock.contract.codes import CODES, LINT_CODES
from interlock.contract.compile import CheckResult, check_contract
from interlock.contract.lint import linter
from interlock.errors import InterlockError, JournalError, SettingsError, UsageError
from interlock.loop.capabilities import REFERENCE
from interlock.loop.resume_read import Started, started
from interlock.pipeline.plan import PLANS, PlanName
from interlock.server.site.contract_view import CheckView, check_view, contract_view
from interlock.server.site.desk import Desk, reading
from interlock.server.site.drawing import draw
from interlock.server.site.forms import Form, read_form
from interlock.server.site.plan_view import cells_of, plan_view
from interlock.server.site.start import contract_text

__all__ = ["MAX_TEXT_BYTES", "Offer", "check_text", "list_contracts", "routes"]

MAX_TEXT_BYTES = 256 * 1024
"""Of a text that is checked here; a file on the command line may be longer."""
_NONE: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One contract that the server offers."""

    name: str
    place: str | None
    """Its file; None for the one that ships with the package."""
    check: CheckView | None
    """None when its file cannot be read."""
    problem: str = ""


def routes(desk: Desk) -> Sequence[Route]:
    """Return the pages of contracts."""
    rooms = _Rooms(desk)
    return [
        Route("/contracts", rooms.listed, methods=["GET"]),
        Route("/contracts/check", rooms.check, methods=["POST"]),
        Route("/contracts/download", rooms.download, methods=["POST"]),
        Route("/contracts/{name:path}", rooms.one, methods=["GET"]),
        Route("/contract-editor", rooms.editor, methods=["GET"]),
        Route("/contract-codes", rooms.codes, methods=["GET"]),
        Route("/runs/{run_id}/contract", rooms.of_run, methods=["GET"]),
    ]


def check_text(text: str, overrides: Mapping[str, float] = _NONE) -> CheckResult:
    """Return what is to be said about a text, for the reference host.

    Raises:
        SettingsError: a threshold is set that the text does not have.
    """
    return check_contract(text, REFERENCE, overrides=overrides, lint=linter())


def list_contracts(desk: Desk) -> tuple[Offer, ...]:
    """Return the contracts on offer, in the order in which the server was given them."""
    return tuple(_offer(desk, name) for name in desk.contracts)


def _offer(desk: Desk, name: str) -> Offer:
    path = desk.contracts[name]
    place = None if path is None else str(path)
    try:
        text = _sized(contract_text(desk, name))
        return Offer(name=name, place=place, check=check_view(check_text(text)))
    except InterlockError as problem:
        return Offer(name=name, place=place, check=None, problem=str(problem))


def _sized(text: str) -> str:
    """Return a text that is not too long.

    Raises:
        UsageError: it is.
    """
    size = len(text.encode(errors="replace"))
    if size > MAX_TEXT_BYTES:
        raise UsageError(f"the text has {size:,} bytes; up to {MAX_TEXT_BYTES:,} are checked here")
    return text


class _Rooms:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._checks = anyio.CapacityLimiter(1)
        """One text at a time: a hostile one takes a thread for some seconds, and never more than one."""

    def listed(self, request: Request) -> Response:
        """Show the contracts on offer."""
        return draw(request, "contracts.html", {"offers": list_contracts(self._desk)}, here="contract")

    def one(self, request: Request) -> Response:
        """Show one contract beside its source."""
        name = request.path_params["name"]
        self._require(name)
        values = {"title": name, "run_id": "", "note": "", "editable": name}
        return self._drawn(request, contract_text(self._desk, name), self._desk.settings.gates, values)

    def of_run(self, request: Request) -> Response:
        """Show the contract that a run was decided by."""
        run = self._started(request.path_params["run_id"])
        values = {"title": run.run_id, "run_id": run.run_id, "note": "", "editable": "", "digest": run.contract_digest}
        return self._drawn(request, run.contract_text, run.overrides, values, plan=run.plan)

    def editor(self, request: Request) -> Response:
        """Show the editor, filled with a contract on offer or with that of a run."""
        name, run_id = request.query_params.get("name", ""), request.query_params.get("run", "")
        if run_id:
            text = self._started(run_id).contract_text
        else:
            name = name or next(iter(self._desk.contracts), "")
            self._require(name)
            text = contract_text(self._desk, name)
        return self._checked(request, Form({"text": text, "name": name or "contract"}))

    async def check(self, request: Request) -> Response:
        """Check the text of a form: a piece for the editor, or the editor anew."""
        form = await read_form(request)
        return await anyio.to_thread.run_sync(partial(self._checked, request, form), limiter=self._checks)

    async def download(self, request: Request) -> Response:
        """Send the text of a form back as a file."""
        form = await read_form(request)
        headers = {"content-disposition": 'attachment; filename="DECISION.md"'}
        return Response(form.raw("text"), media_type="text/markdown; charset=utf-8", headers=headers)

    def codes(self, request: Request) -> Response:
        """Show what every code stands for."""
        return draw(request, "contract_codes.html", {"codes": {**CODES, **LINT_CODES}}, here="contract")

    def _require(self, name: str) -> None:
        if name not in self._desk.contracts:
            raise HTTPException(404, "this server does not offer such a contract")

    def _started(self, run_id: str) -> Started:
        with reading(self._desk) as view:
            try:
                return started(view, run_id)
            except JournalError as problem:
                raise HTTPException(404, str(problem)) from problem

    def _checked(self, request: Request, form: Form) -> Response:
        text, is_piece = form.raw("text"), request.headers.get("hx-request") == "true"
        view, problem = None, ""
        try:
            view = check_view(check_text(_sized(text)))
        except UsageError as error:
            problem = str(error)
        values = {"view": view, "problem": problem, "text": text, "name": form.raw("name"), "most": MAX_TEXT_BYTES}
        if is_piece:
            return draw(request, "contract_check.html", values)
        return draw(request, "contract_editor.html", values, here="contract", status=422 if problem else 200)

    def _drawn(
        self,
        request: Request,
        text: str,
        overrides: Mapping[str, float],
        values: Mapping[str, object],
        *,
        plan: PlanName | None = None,
    ) -> Response:
        _sized(text)
        applied = overrides
        try:
            result = check_text(text, overrides)
        except SettingsError:  # thresholds that are set for another contract
            result, applied = check_text(text), _NONE
        chosen = next((name for name in PLANS if name == request.query_params.get("plan")), plan)
        contract = result.contract
        shown = {
            "view": contract_view(text, result),
            "contract": contract,
            "applied": applied,
            "passed_over": bool(overrides) and not applied,
            "plans": PLANS,
            "plan": None if contract is None else plan_view(contract, chosen or self._desk.settings.plan),
            "cells": () if contract is None else cells_of(contract),
        }
        return draw(request, "contract.html", {"digest": "", **values, **shown}, here="contract")
