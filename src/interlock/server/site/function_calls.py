"""Calls that people made from the page: each runs once, in a thread of its own, and is kept for a while.

A call that requires an approval waits for a yes to exactly its arguments. Knows nothing of pages.
"""

from __future__ import annotations

import inspect
import logging
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Literal, TypeAlias

from interlock.agents import Runtime
from interlock.agents.approving import ApprovalRequest, Approver
from interlock.agents.binding import call_bound
from interlock.agents.colour import finished
from interlock.agents.session import error_text
from interlock.agents.threads import StillRunning, run_in_thread
from interlock.errors import FunctionTimeout, InterlockError
from interlock.functions import describe
from interlock.functions.bind import bind
from interlock.functions.visibility import Node
from interlock.server.site.desk import Function
from interlock.server.site.results import Shown, shown_of

__all__ = ["Asked", "Call", "CallState", "Calls", "MakeRuntime", "Wanted"]

CallState: TypeAlias = Literal["running", "ok", "error", "timeout"]
MakeRuntime: TypeAlias = Callable[[Approver], Runtime]
"""Returns what one call runs on."""

LIMIT_S = 300.0
"""After so long nobody waits for a call any more."""
MAX_KEPT = 50
MAX_AT_ONCE = 8
"""Threads that a time limit could not end count too."""

log = logging.getLogger("interlock.page")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A call that somebody wants made."""

    name: str
    function: Function
    values: Mapping[str, object]
    """Parameter → value, as read from the form."""
    given: Mapping[str, str]
    """The form as it was filled in."""
    once: str
    """What the form was marked with when it was drawn: a form that is sent twice makes one call."""


@dataclass(slots=True, kw_only=True)
class Asked:
    """A question that a call waits with."""

    id: str
    name: str
    arguments: Shown
    said: bool | None = None
    answered: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True, kw_only=True)
class Call:
    """One call, from its start on."""

    id: str
    wanted: Wanted
    arguments: Shown
    began: datetime
    state: CallState = "running"
    result: Shown | None = None
    problem: str = ""
    """Why there is no result."""
    is_late: bool = False
    """Its thread ended after nobody waited for it any more."""
    elapsed_s: float | None = None
    asked: Asked | None = None
    nodes: Callable[[], tuple[Node, ...]] = tuple
    """The part of the session graph that is its own."""
    settled: threading.Event = field(default_factory=threading.Event)
    """Set when it has ended, and when it asks for the first time."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def as_it_stands(self) -> Call:
        """Return a copy that stays as the call is at this moment."""
        with self.lock:
            return copy(self)


class Calls:
    """The calls of one server, the newest last; old ones are forgotten."""

    def __init__(self, make_runtime: MakeRuntime, *, clock: Callable[[], datetime], limit_s: float = LIMIT_S) -> None:
        self._make_runtime = make_runtime
        self._clock = clock
        self._limit_s = limit_s
        self._calls: dict[str, Call] = {}
        self._threads = 0
        self._lock = threading.Lock()

    def start(self, wanted: Wanted, *, wait_s: float) -> Call:
        """Begin a call, unless its form has begun it already; return when it has ended or asks, or after `wait_s`.

        Raises:
            InterlockError: too many calls are at work.
        """
        call = Call(
            id=secrets.token_urlsafe(12),
            wanted=wanted,
            arguments=shown_of(dict(wanted.values)),
            began=self._clock(),
        )
        kept = self._keep(call)
        if kept is call:
            threading.Thread(target=self._run, args=(call,), name="interlock-function", daemon=True).start()
        kept.settled.wait(wait_s)
        return kept

    def find(self, id_: str) -> Call | None:
        """Return a call that is not forgotten yet."""
        return self._calls.get(id_)

    def newest(self, name: str) -> tuple[Call, ...]:
        """Return the calls of one function, newest first."""
        with self._lock:
            return tuple(call for call in reversed(self._calls.values()) if call.wanted.name == name)

    def answer(self, call: Call, question_id: str, *, said: bool) -> bool:
        """Answer what a call asks; False when it does not ask that (any more), or to a yes to what nobody saw whole."""
        with call.lock:
            asked = call.asked
            if asked is None or asked.id != question_id or asked.said is not None or call.state != "running":
                return False
            if said and asked.arguments.text.cut:
                return False
            asked.said = said
            call.settled.clear()
            asked.answered.set()
        return True

    def _keep(self, call: Call) -> Call:
        """Keep a call; return it, or the one that the same form began before."""
        with self._lock:
            for each in self._calls.values():
                if each.wanted.once and each.wanted.once == call.wanted.once:
                    return each
            if self._threads >= MAX_AT_ONCE:
                raise InterlockError(f"{MAX_AT_ONCE} calls are at work already; wait until one has ended")
            self._threads += 1
            self._calls[call.id] = call
            ended = [id_ for id_, each in self._calls.items() if each.state != "running"]
            for id_ in ended[: max(0, len(self._calls) - MAX_KEPT)]:
                del self._calls[id_]
        return call

    def _run(self, call: Call) -> None:
        began = time.monotonic()
        try:
            result = run_in_thread(partial(self._work, call), self._limit_s, partial(_late, call))
        except StillRunning:
            said = f"it has not ended within {self._limit_s:g} s; its thread is still running"
            self._end(call, "timeout", began, problem=said)
        except FunctionTimeout as error:
            self._end(call, "timeout", began, problem=str(error))
        except InterlockError as error:
            self._end(call, "error", began, problem=str(error))
        except BaseException as error:  # noqa: BLE001  (whatever foreign code raises, the person reads it)
            log.warning("function `%s` raised `%s`", call.wanted.name, type(error).__name__)
            self._end(call, "error", began, problem=error_text(error))
        else:
            self._end(call, "ok", began, result=result)

    def _work(self, call: Call) -> Shown:
        try:
            runtime = self._make_runtime(partial(self._approved, call))
            return _performed(call, runtime)
        finally:
            with self._lock:
                self._threads -= 1

    def _approved(self, call: Call, request: ApprovalRequest) -> bool:
        """Wait for a person's answer to one question."""
        asked = Asked(id=secrets.token_urlsafe(12), name=request.name, arguments=shown_of(dict(request.arguments)))
        with call.lock:
            call.asked = asked
        call.settled.set()
        asked.answered.wait(self._limit_s)
        with call.lock:
            call.asked = None
            return asked.said is True

    def _end(
        self, call: Call, state: CallState, began: float, *, result: Shown | None = None, problem: str = ""
    ) -> None:
        with call.lock:
            call.result, call.problem = result, problem
            call.elapsed_s = time.monotonic() - began
            call.state = state
        call.settled.set()


def _performed(call: Call, runtime: Runtime) -> Shown:
    """Call the function and return what is shown of its result; hidden parameters keep their defaults.

    An agent with a Runtime of its own runs on that one, and asks whom that one asks.
    """
    function = call.wanted.function
    described, owner = describe(function), getattr(function, "__self__", None)
    own = getattr(owner, "runtime", None)
    used = own if isinstance(own, Runtime) else runtime
    call.nodes = partial(_own_nodes, used, len(used.nodes), described.name if used is own else None)
    bound = bind(described, call.wanted.values, {}, used)
    try:
        result = call_bound(used, function, *bound.args, **bound.kwargs)
        if inspect.isawaitable(result):
            result = finished(_closing(result, runtime))
        return shown_of(result, as_table=described.returns is not None)
    finally:
        runtime.close()
        kept = call.nodes()
        call.nodes = lambda: kept


async def _closing(result: Awaitable[object], runtime: Runtime) -> object:
    try:
        return await result
    finally:
        await runtime.aclose()


def _own_nodes(runtime: Runtime, first: int, named: str | None) -> tuple[Node, ...]:
    """Return the nodes since `first`; of a Runtime that others use too, those of the call `named`."""
    nodes = runtime.nodes[first:]
    if named is None:
        return nodes
    root = next((node.seq for node in nodes if node.caller is None and node.name == named), None)
    kept = set() if root is None else {root}
    for node in nodes:
        if node.caller in kept:
            kept.add(node.seq)
    return tuple(node for node in nodes if node.seq in kept)


def _late(call: Call) -> None:
    call.is_late = True
