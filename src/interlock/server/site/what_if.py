"""What recorded decisions come to at other thresholds: sliders, the flips, and the settings that say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interlock._text import plain_number
from interlock.errors import ContractError, InterlockError, JournalError, SettingsError
from interlock.journal.replay_report import ReplayReport, report
from interlock.journal.summary import kept_runs, summarize
from interlock.server.site.desk import Desk, reading
from interlock.server.site.drawing import draw
from interlock.server.site.held_runs import MAX_DECISIONS, Chosen, HeldRuns
from interlock.server.site.what_if_view import (
    Flip,
    Outcome,
    exported,
    fresh_of,
    known_gates,
    replay_command,
    sliders_of,
    spelt,
)

__all__ = ["GATE", "routes"]

GATE = "gate."
"""Begins the name of every field that holds a threshold."""
PER_PAGE = 100
_LISTED_RUNS = 40
_MAX_GATES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    runs: tuple[str, ...]
    contract: str
    gates: Mapping[str, float]
    page: int
    wrong: str
    """What is wrong with a threshold; empty when nothing is."""

    def link(self, gates: Mapping[str, float], page: int = 1) -> str:
        """Return the address that shows the same."""
        fields = [("run", run) for run in self.runs]
        fields += [("contract", self.contract)] if self.contract else []
        fields += [(GATE + key, spelt(value)) for key, value in gates.items()]
        fields += [("page", str(page))] if page > 1 else []
        return f"/what-if?{urlencode(fields)}" if fields else "/what-if"


def routes(desk: Desk, held: HeldRuns) -> Sequence[Route]:
    """Return the page."""
    return [Route("/what-if", _Room(desk, held).page, methods=["GET"])]


class _Room:
    def __init__(self, desk: Desk, held: HeldRuns) -> None:
        self._desk = desk
        self._held = held

    def page(self, request: Request) -> Response:
        """Show the sliders and what they came to, or the latter alone."""
        asked = _asked(request.query_params)
        chosen = self._chosen(asked)
        outcome, gates, says = None, asked.gates, asked.wrong
        try:
            gates = known_gates(chosen.held, asked.gates)
            told = None if says else report(chosen.held.decide(gates))
            outcome = None if told is None else self._outcome(asked, chosen, gates, told)
        except (SettingsError, ContractError) as problem:
            says = str(problem)
        link = asked.link(gates)
        values = {"outcome": outcome, "says": says, "asked": asked, "chosen": chosen, "link": link, "gates": gates}
        if request.headers.get("hx-target") == "outcome":
            piece = draw(request, "what_if_outcome.html", values)
            piece.headers["hx-replace-url"] = link
            return piece
        shown: dict[str, object] = {
            **values,
            "groups": sliders_of(chosen.held, gates),
            "listed": self._listed(asked),
            "contracts": tuple(self._desk.contracts),
            "limit": MAX_DECISIONS,
            "spelt": spelt,
        }
        return draw(request, "what_if.html", shown, here="what_if", status=422 if says else 200)

    def _chosen(self, asked: _Asked) -> Chosen:
        try:
            return self._held.choose(asked.runs, asked.contract)
        except JournalError as problem:
            raise HTTPException(404, str(problem)) from problem
        except InterlockError as problem:
            raise HTTPException(422, str(problem)) from problem

    def _outcome(self, asked: _Asked, chosen: Chosen, gates: Mapping[str, float], told: ReplayReport) -> Outcome:
        pages = max(1, -(-len(told.changed) // PER_PAGE))
        page = min(asked.page, pages)
        flags, toml = exported(gates)
        return Outcome(
            told=told,
            decisions=chosen.held.decisions,
            flips=tuple(
                Flip(item=item, value=chosen.held.closest(item, gates))
                for item in told.changed[(page - 1) * PER_PAGE : page * PER_PAGE]
            ),
            page=page,
            pages=pages,
            fresh=fresh_of(told),
            flags=flags,
            toml=toml,
            command=self._command(asked, chosen, gates),
        )

    def _command(self, asked: _Asked, chosen: Chosen, gates: Mapping[str, float]) -> str:
        if asked.contract and self._desk.contracts[asked.contract] is None:
            return ""
        is_all = not asked.runs and not chosen.left and not chosen.damaged
        if chosen.cut:
            return ""
        return replay_command(chosen.held, gates, is_all=is_all, contract=asked.contract or None) if gates else ""

    def _listed(self, asked: _Asked) -> tuple[tuple[str, str, bool], ...]:
        """Return id, task and choice of the runs that can be chosen: the newest ones, and those that are."""
        with reading(self._desk) as view:
            known = tuple(reversed(kept_runs(view)))
            chosen = {run for run in known if any(run.startswith(name) for name in asked.runs)}
            chosen |= set(known[:1]) if "last" in asked.runs else set()
            shown = [run for at, run in enumerate(known) if at < _LISTED_RUNS or run in chosen]
            return tuple((run, summarize(view, run).task or run, run in chosen) for run in shown)


def _asked(params: QueryParams) -> _Asked:
    gates: dict[str, float] = {}
    wrong = ""
    fields = [(name.removeprefix(GATE), text.strip()) for name, text in params.multi_items() if name.startswith(GATE)]
    for key, text in fields[:_MAX_GATES]:
        value = plain_number(text)
        if value is not None:
            gates[key] = value
        elif text:
            wrong = f"gate `{key}`: `{text}` is not a number; write one such as `0.6`"
    page = params.get("page", "1")
    return _Asked(
        runs=tuple(dict.fromkeys(run for run in params.getlist("run") if run)),
        contract=params.get("contract", ""),
        gates=gates,
        page=int(page) if page.isascii() and page.isdigit() and 0 < len(page) < 7 and int(page) else 1,
        wrong=wrong,
    )
